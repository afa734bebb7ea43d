"""Differences of a page's Python, as far as a script notices them.

It is Emscripten's. What is ours asks `sys.platform` instead.
"""

from __future__ import annotations

import os
import sys
import time
from importlib.machinery import PathFinder
from typing import NoReturn


def adapt_python() -> None:
    """Replace what does not work in a page, for good: nothing else runs here."""
    sys.breakpointhook = _no_debugger
    sys.meta_path.insert(sys.meta_path.index(PathFinder) + 1, _ExcludedModules)
    os._exit = _exit_script
    # Emscripten's own count microseconds in 32 bits, and fail after 36 minutes.
    time.process_time, time.process_time_ns = time.perf_counter, time.perf_counter_ns


def _no_debugger(*_arguments: object, **_keywords: object) -> None:
    """Refuse to debug, where Python's own hook would find no terminal.

    On a laptop, a script stops there.
    """
    raise EOFError("there is no debugger in a page")


def _exit_script(status: int) -> NoReturn:
    """End the script, where Python's own would end the page's Python."""
    raise SystemExit(f"the script ended itself, exit status {status}")


class _ExcludedModules:
    """Finder of Python's own modules that the page leaves out."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Raise for a module of Python's own."""
        if name.partition(".")[0] in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"{name} is not in this page; on your laptop it works", name=name)
