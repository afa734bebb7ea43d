"""Output of a script on its way to the page.

It is passed on at once, as scripts may move the descriptor, and not without end.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

MAX_CHARACTERS = 1_000_000
"""Characters that a script may print.

The page keeps the last lines of them, as the viewer does.
"""
TRUNCATION_NOTE = "\n… more than a page can show: the rest is not here\n"


class OutputStream(io.TextIOBase):
    """Stream that passes on what is written to it."""

    encoding = "utf-8"

    def __init__(self, write_text: Callable[[str], object]) -> None:
        self._write_text, self._remaining = write_text, MAX_CHARACTERS

    def write(self, text: str) -> int:
        """Pass on text, up to the limit."""
        if self._remaining > 0:
            is_short = len(text) <= self._remaining
            self._write_text(text if is_short else text[: self._remaining] + TRUNCATION_NOTE)
        self._remaining -= len(text)
        return len(text)

    def writable(self) -> bool:
        """Return True."""
        return True


@contextmanager
def capture_output(write_text: Callable[[str], object]) -> Iterator[None]:
    """Pass on everything that Python prints inside."""
    output = OutputStream(write_text)
    with redirect_stdout(output), redirect_stderr(output):
        yield
