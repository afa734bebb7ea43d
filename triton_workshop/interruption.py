"""Quiet end of a program if Ctrl+C comes while it is still loading.

Importing this module is enough. Nothing is lost then, and a traceback of imports says nothing about the script. Python
ends by SIGINT, as it does without this, so a shell sees status 130.
"""

from __future__ import annotations

import _thread
import sys
from types import TracebackType

INTERRUPTED = 130
"""The exit status of a program that Ctrl+C has ended, as shells give it."""

_IMPORT = "<frozen importlib._bootstrap"
"""Start of the file names of Python's own frames for an import.

Python leaves most of them out of a traceback.
"""

_python_hook = sys.excepthook


def _print_unless_loading(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not (issubclass(kind, KeyboardInterrupt) and _imports(trace)):
        _python_hook(kind, error, trace)


def _imports(trace: TracebackType | None) -> bool:
    """Return True if a module was being imported.

    Its body ran below the script's own.
    """
    while trace is not None and (trace := trace.tb_next) is not None:
        code = trace.tb_frame.f_code
        if code.co_name == "<module>" or code.co_filename.startswith(_IMPORT):
            return True
    return False


def _raise_interrupt(lost: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt once more that came in a callback.

    Imports have such callbacks, and Python would print the interrupt and ignore it.
    """
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _thread.start_new_thread(_thread.interrupt_main, ())  # by itself it would be raised in here, and lost again
    else:
        sys.__unraisablehook__(lost)


sys.excepthook = _print_unless_loading
sys.unraisablehook = _raise_interrupt
