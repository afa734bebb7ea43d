"""Errors for which users should see only the message."""

from __future__ import annotations

import sys
import textwrap
from types import TracebackType
from typing import TextIO

import triton_workshop.interruption  # noqa: F401  # its hook lies under the one here
from triton_workshop.simulator.errors import SimulatorError
from triton_workshop.slide_environment import columns_of
from triton_workshop.without_library.errors import NoTritonError


class WorkshopError(Exception):
    """A mistake in how a script is set up. If nothing catches it, only its message is printed, without a traceback."""


class MisuseError(WorkshopError):
    """A command that was misused; the message says how."""


FOR_PEOPLE = (WorkshopError, SimulatorError, NoTritonError)
"""What is shown without a traceback."""

_python_hook = sys.excepthook


def _print_plainly(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if isinstance(error, FOR_PEOPLE):
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
    """The text with its long lines broken between words; with None for the columns, as it is."""
    return text if columns is None else "\n".join(_folded(line, columns) for line in text.split("\n"))


def _folded(line: str, columns: int) -> str:
    if len(line) <= columns:
        return line
    indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
    return textwrap.fill(line, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


sys.excepthook = _print_plainly
