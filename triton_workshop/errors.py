"""Errors for which users should see only the message."""

from __future__ import annotations

import errno
import os
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TextIO

import triton_workshop.interruption  # noqa: F401  # its hook lies under the one here
from triton_simulator.errors import SimulatorError
from triton_simulator.without_library.errors import NoTritonError
from triton_workshop.slide_environment import columns_of

BROKEN_PIPE_ERRORS = (errno.EPIPE, errno.EINVAL)
"""Error numbers of writing to a pipe without a reader.

The latter is Windows'.
"""


class WorkshopError(Exception):
    """Mistake in how a script is set up.

    If nothing catches it, only its message is printed, without a traceback.
    """


class MisuseError(WorkshopError):
    """A command that was misused; the message says how."""


@contextmanager
def flushed_output() -> Iterator[None]:
    """Write what is printed meanwhile.

    Raises WorkshopError if that is impossible, as on a full disk. Python itself writes the rest at its end, when nobody
    can say so any more. A reader that has seen enough may go.
    """
    try:
        try:
            yield
        finally:
            _flush()
    except OSError as error:
        lost = _output_error()
        if lost is None and error.errno != errno.ENOSPC:
            raise
        if lost is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # where Python may write the rest
            if lost.errno in BROKEN_PIPE_ERRORS:
                sys.exit(1)
        raise WorkshopError(f"the output cannot be written: {error.strerror}") from None


def _output_error() -> OSError | None:
    """Return the error of writing the rest of standard output, if any."""
    try:
        _flush()
    except OSError as error:
        return error
    return None


def _flush() -> None:
    if sys.stdout is not None:  # as it is after `>&-`
        sys.stdout.flush()


SHOWN_WITHOUT_TRACEBACK = (WorkshopError, SimulatorError, NoTritonError)
"""Errors that are shown without a traceback."""

_python_hook = sys.excepthook


def _print_plainly(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if isinstance(error, SHOWN_WITHOUT_TRACEBACK):
        print_error(error)
    else:
        _python_hook(kind, error, trace)


def print_error(error: object) -> None:
    """Print what went wrong, as people should read it."""
    print_wrapped(f"error: {error}", sys.stderr)


def print_wrapped(text: str, stream: TextIO) -> None:
    """Print sentences; in a terminal, lines end between words."""
    print(wrapped(text, columns_of(stream)), file=stream)


def wrapped(text: str, columns: int | None) -> str:
    """Return the text with its long lines broken between words.

    With None for the columns, it stays as it is.
    """
    return text if columns is None else "\n".join(_folded(line, columns) for line in text.split("\n"))


def _folded(line: str, columns: int) -> str:
    if len(line) <= columns:
        return line
    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    return textwrap.fill(line, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


sys.excepthook = _print_plainly
