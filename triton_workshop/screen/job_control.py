"""Suspends an app, as Ctrl+Z does with a program that reads lines."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress

from textual.app import App, SuspendNotSupported
from textual.binding import Binding

SUSPEND = Binding(
    "ctrl+z", "suspend_process", key_display="Ctrl+Z", tooltip="suspend to the shell; fg resumes", show=False
)
NO_SHELL = "there is no shell here to go back to"


def take_job_signals(app: App[int]) -> None:
    """Have a SIGTSTP from elsewhere suspend the app as Ctrl+Z does. Call it in the app's loop.

    Textual's own handlers stop no other process, and start its threads a second time at each SIGCONT, also at one that
    does not end a stop: `uv run` passes on those that it gets.
    """
    if sys.platform != "win32":
        signal.signal(signal.SIGCONT, signal.SIG_DFL)
        with suppress(ValueError, RuntimeError):  # not in the main thread
            asyncio.get_running_loop().add_signal_handler(
                signal.SIGTSTP, lambda: app.call_later(app.action_suspend_process)
            )


def suspend_job(app: App[int], close: Callable[[], None]) -> str:
    """Stop the app until the shell resumes it, and return what was in the way, if anything.

    The shell takes the terminal back only once every process of the job has stopped, `uv run` among them, which has
    started us and waits. If the terminal is gone when the app goes on, `close` ends what it runs, and the process ends.
    """
    if sys.platform == "win32" or os.getpgrp() == os.getsid(0):  # the terminal runs this command, and no shell
        return NO_SHELL
    try:
        with app.suspend():
            os.killpg(0, signal.SIGSTOP)
            while not _in_foreground(close):  # the shell's `bg`
                os.killpg(0, signal.SIGSTOP)
    except SuspendNotSupported:
        return NO_SHELL
    return ""


def _in_foreground(close: Callable[[], None]) -> bool:
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:  # Textual would wait for ever to write to a terminal that is gone
        close()
        os._exit(1)
