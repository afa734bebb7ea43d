"""A time limit without threads and signals: Python itself tells at each jump back, and whenever a function begins."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

TOOL = 4
"""A number that no debugger or profiler has (sys.monitoring keeps 0 to 2 and 5 for those)."""


class TimeIsUpError(BaseException):
    """The time was up; `line` is where the code had got to. No `except Exception` stops it."""

    def __init__(self, line: int | None) -> None:
        super().__init__(f"time ran out on line {line}" if line else "time ran out")
        self.line = line


@contextmanager
def limited(seconds: float, watched: Callable[[str], bool]) -> Iterator[None]:
    """Raise TimeIsUpError in code of the files that `watched` names, once the time is up.

    A loop inside a C function cannot be ended like this: the page ends the whole worker then.
    """
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]  # of Python 3.12
    end = time.monotonic() + seconds
    events = monitoring.events

    def jumped(code: CodeType, at: int, to: int) -> object:
        if not watched(code.co_filename):
            return monitoring.DISABLE
        if to <= at and time.monotonic() > end:  # `while True: pass` is one instruction, which jumps to itself
            raise TimeIsUpError(next((line for first, last, line in code.co_lines() if first <= at < last), None))
        return None

    def began(code: CodeType, _: int) -> object:
        if not watched(code.co_filename):
            return monitoring.DISABLE
        if time.monotonic() > end:
            raise TimeIsUpError(code.co_firstlineno)
        return None

    monitoring.use_tool_id(TOOL, "time limit")
    monitoring.restart_events()  # what was none of the last limit's business may be this one's
    monitoring.register_callback(TOOL, events.JUMP, jumped)
    monitoring.register_callback(TOOL, events.PY_START, began)
    monitoring.set_events(TOOL, events.JUMP | events.PY_START)
    try:
        yield
    finally:
        monitoring.set_events(TOOL, events.NO_EVENTS)
        monitoring.free_tool_id(TOOL)
