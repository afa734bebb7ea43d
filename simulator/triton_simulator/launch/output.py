"""Standard output of a launch that may start again."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TextIO

_is_printing: ContextVar[bool] = ContextVar("is_printing", default=False)
"""Whether a launch runs here. Its threads inherit it, and others, such as a progress bar's, do not."""


class Output:
    """Standard output on which a run that is repeated prints nothing twice.

    It prints the same in the same order, so what is new follows as many characters as there are already.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._position = 0
        self._printed = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write what no run has written before."""
        if not _is_printing.get():
            return self._stream.write(text)
        if new := text[max(0, self._printed - self._position) :]:
            self._stream.write(new)
        self._position += len(text)
        self._printed = max(self._printed, self._position)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write lines, as `write` does."""
        for line in lines:
            self.write(line)

    def rewind(self) -> None:
        """Begin another run."""
        self._position = 0


@contextmanager
def repeatable_output() -> Iterator[Output]:
    """Put our standard output in the place of Python's while this lasts."""
    stream = sys.stdout
    output = Output(stream)
    sys.stdout = output
    token = _is_printing.set(True)
    try:
        yield output
    finally:
        _is_printing.reset(token)
        sys.stdout = stream
