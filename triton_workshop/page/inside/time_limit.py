"""Time limit without threads and signals.

Python itself calls us at each jump back, and whenever a function begins.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

TOOL_ID = 4
"""Number that no debugger or profiler has.

sys.monitoring keeps 0 to 2 and 5 for those.
"""


class TimeIsUpError(BaseException):
    """The time was up at `line`.

    No `except Exception` stops it.
    """

    def __init__(self, line: int | None) -> None:
        super().__init__(f"time ran out on line {line}" if line else "time ran out")
        self.line = line


@contextmanager
def time_limit(seconds: float, is_watched: Callable[[str], bool]) -> Iterator[None]:
    """Raise TimeIsUpError in watched files once the time is up.

    A loop inside a C function cannot be ended like this: the page ends the whole worker then.
    """
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore]  # of Python 3.12
    end = time.monotonic() + seconds
    events = monitoring.events

    def on_jump(code: CodeType, offset: int, target: int) -> object:
        if not is_watched(code.co_filename):
            return monitoring.DISABLE
        if target <= offset and time.monotonic() > end:  # `while True: pass` is one instruction, which jumps to itself
            raise TimeIsUpError(next((line for first, last, line in code.co_lines() if first <= offset < last), None))
        return None

    def on_start(code: CodeType, _: int) -> object:
        if not is_watched(code.co_filename):
            return monitoring.DISABLE
        if time.monotonic() > end:
            raise TimeIsUpError(code.co_firstlineno)
        return None

    monitoring.use_tool_id(TOOL_ID, "time limit")
    monitoring.restart_events()  # what was none of the last limit's business may be this one's
    monitoring.register_callback(TOOL_ID, events.JUMP, on_jump)
    monitoring.register_callback(TOOL_ID, events.PY_START, on_start)
    monitoring.set_events(TOOL_ID, events.JUMP | events.PY_START)
    try:
        yield
    finally:
        monitoring.set_events(TOOL_ID, events.NO_EVENTS)
        monitoring.free_tool_id(TOOL_ID)
