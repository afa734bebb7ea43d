"""Errors whose message is all that a person should see."""

from __future__ import annotations

import sys
from types import TracebackType


class WorkshopError(Exception):
    """A mistake in how a script is set up. Reaching the top of a script, it prints without a traceback."""


_python_hook = sys.excepthook


def _print_plainly(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if isinstance(error, WorkshopError):
        print(f"error: {error}", file=sys.stderr)
    else:
        _python_hook(kind, error, trace)


sys.excepthook = _print_plainly
