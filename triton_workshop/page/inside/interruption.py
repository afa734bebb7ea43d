"""Interruption of what runs for a text that has changed since.

A worker hears no messages while Python runs. Where WebAssembly can be suspended (JSPI), Python pauses now and then.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress

from triton_simulator import hooks

PAUSE_SECONDS = 0.05
"""Seconds between two pauses, each of which takes less than a thousandth."""
Pause = Callable[[], Awaitable[bool]]
"""Function of the worker that hears messages, and resolves to whether the text has changed."""


class OutdatedError(BaseException):
    """The text has changed.

    No `except Exception` stops it.
    """


@contextmanager
def interruptible(pause: Pause | None) -> Iterator[Callable[[], None]]:
    """End what runs inside once its text has changed.

    That is at a checkpoint: each load of a launch and each job of the compiler is one, and so is a call of the function
    that this yields.
    """
    last = time.monotonic()

    def checkpoint() -> None:
        nonlocal last
        if time.monotonic() - last < PAUSE_SECONDS:
            return
        if _is_outdated(pause):
            raise OutdatedError
        last = time.monotonic()

    hooks.load_hooks.append(checkpoint)
    try:
        with suppress(OutdatedError):
            yield checkpoint
    finally:
        hooks.load_hooks.remove(checkpoint)


def _is_outdated(pause: Pause | None) -> bool:
    if pause is None:
        return False
    from pyodide.ffi import can_run_sync, run_sync  # type: ignore[import-not-found]

    return can_run_sync() and bool(run_sync(pause()))
