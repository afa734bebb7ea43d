"""A closed terminal or a `kill` ends an app as a key would: what it runs is ended, the terminal restored."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress

from textual.app import App

LAST_WORDS = 5.0
"""Seconds for the terminal to be restored after a signal."""


def leave_on_signals(app: App[int], close: Callable[[], None]) -> None:
    """From now on, SIGTERM and SIGHUP end the app with status 1; `close` ends what it runs. Call it in the app's loop.

    Where the terminal is gone, Textual would wait for ever until that takes its last words: then the process ends.
    """

    def abandon() -> None:
        close()
        os._exit(1)

    def leave() -> None:
        app.exit(1)
        timer = threading.Timer(LAST_WORDS, abandon)
        timer.daemon = True
        timer.start()

    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGHUP"):
        with suppress(NotImplementedError, AttributeError, ValueError, RuntimeError):
            loop.add_signal_handler(getattr(signal, name), leave)
