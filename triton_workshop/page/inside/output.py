"""What a script prints, on its way to the page: at once, as scripts may move the descriptor, and not without end."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

MOST = 1_000_000
"""Characters that a script may print. The page keeps the last lines of them, as the viewer does."""
NO_MORE = "\n… more than a page can show: the rest is not here\n"


class OutputStream(io.TextIOBase):
    """A stream that tells what is written to it."""

    encoding = "utf-8"

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell, self._left = tell, MOST

    def write(self, text: str) -> int:
        if self._left > 0:
            self._tell(text if len(text) <= self._left else text[: self._left] + NO_MORE)
        self._left -= len(text)
        return len(text)

    def writable(self) -> bool:
        return True


@contextmanager
def printing_to(tell: Callable[[str], object]) -> Iterator[None]:
    """Everything that Python prints inside is told."""
    output = OutputStream(tell)
    with redirect_stdout(output), redirect_stderr(output):
        yield
