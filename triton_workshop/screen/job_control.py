"""Suspends an app, as Ctrl+Z does with a program that reads lines."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from textual.app import App, SuspendNotSupported
from textual.binding import Binding

SUSPEND = Binding(
    "ctrl+z", "suspend_process", key_display="Ctrl+Z", tooltip="suspend to the shell; fg resumes", show=False
)
MOMENT_SECONDS = 0.02
NO_SHELL = "there is no shell here to go back to"


def take_job_signals(app: App[int]) -> None:
    """Have a SIGTSTP from elsewhere suspend the app as Ctrl+Z does.

    Call this in the app's loop. Textual's own handlers stop no other process, and start its threads a second time at
    each SIGCONT, also at one that does not end a stop: `uv run` passes on those that it gets.
    """
    if sys.platform != "win32":
        signal.signal(signal.SIGCONT, signal.SIG_DFL)
        with suppress(ValueError, RuntimeError):  # not in the main thread
            asyncio.get_running_loop().add_signal_handler(
                signal.SIGTSTP, lambda: app.call_later(app.action_suspend_process)
            )


def suspend_job(app: App[int], close: Callable[[], None]) -> str:
    """Stop the app until the shell resumes it.

    Return the reason if that is not possible, else an empty text. The shell takes the terminal back only once every
    process of the job has stopped, `uv run` among them, which has started us and waits. If the terminal is gone when
    the app goes on, or a signal has come that ends the app, `close` ends what it runs, and the process ends: Textual
    would wait for ever for a terminal that it may not write to.
    """

    def abandon(*_: object) -> NoReturn:
        """End what the app runs, and this process."""
        close()
        os._exit(1)

    if sys.platform == "win32":
        return NO_SHELL
    if os.getpgrp() == os.getsid(0):  # the terminal runs this command, and no shell
        return NO_SHELL
    try:
        with app.suspend(), _handled((signal.SIGTERM, signal.SIGHUP), abandon):
            _stop()
            while not _in_foreground(abandon):  # the shell's `bg`
                _stop()
    except SuspendNotSupported:
        return NO_SHELL
    return ""


def _stop() -> None:
    os.killpg(0, signal.SIGSTOP)
    time.sleep(MOMENT_SECONDS)  # a signal that came with SIGCONT is handled before anything else


def _in_foreground(abandon: Callable[[], NoReturn]) -> bool:
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:  # the terminal is gone
        abandon()


@contextmanager
def _handled(numbers: Iterable[signal.Signals], handler: Callable[..., object]) -> Iterator[None]:
    """Handle these signals with this handler meanwhile.

    The app's own handlers wait for its loop.
    """
    previous = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in previous.items():
            signal.signal(number, earlier)
