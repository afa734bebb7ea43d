"""Suspends an app, as Ctrl+Z does with a program that reads lines."""

from __future__ import annotations

import os
import signal
import sys

from textual.app import App, SuspendNotSupported
from textual.binding import Binding

SUSPEND = Binding(
    "ctrl+z", "suspend_process", key_display="Ctrl+Z", tooltip="suspend to the shell; fg resumes", show=False
)
NO_SHELL = "there is no shell here to go back to"


def suspend_job(app: App[int]) -> str:
    """Stop the app until the shell resumes it, and return what was in the way, if anything.

    The shell takes the terminal back only once every process of the job has stopped, `uv run` among them, which has
    started us and waits. Textual's own action stops no other process, so the terminal would answer to nobody.
    """
    if sys.platform == "win32" or os.getpgrp() == os.getsid(0):  # the terminal runs this command, and no shell
        return NO_SHELL
    try:
        with app.suspend():
            os.killpg(0, signal.SIGSTOP)
    except SuspendNotSupported:
        return NO_SHELL
    return ""
