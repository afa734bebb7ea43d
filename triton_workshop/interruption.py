"""Ends a program quietly if Ctrl+C comes while it is still loading: importing this is enough.

Nothing is lost then, and a traceback of imports says nothing about the script. Python ends by SIGINT, as it does
without this, so a shell sees status 130.
"""

from __future__ import annotations

import _thread
import sys
from types import TracebackType

INTERRUPTED = 130
"""The exit status of a program that Ctrl+C has ended, as shells give it."""

_IMPORT = "<frozen importlib._bootstrap"
"""How the file names of Python's own frames for an import begin; of most imports, Python leaves them out."""

_python_hook = sys.excepthook


def _print_unless_loading(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not (issubclass(kind, KeyboardInterrupt) and _imports(trace)):
        _python_hook(kind, error, trace)


def _imports(trace: TracebackType | None) -> bool:
    """Whether a module was being imported: its body ran below the script's own."""
    while trace is not None and (trace := trace.tb_next) is not None:
        code = trace.tb_frame.f_code
        if code.co_name == "<module>" or code.co_filename.startswith(_IMPORT):
            return True
    return False


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Raise an interrupt once more that came in a callback, as imports have them, and would be printed and ignored."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _thread.start_new_thread(_thread.interrupt_main, ())  # by itself it would be raised in here, and lost again
    else:
        sys.__unraisablehook__(lost)


sys.excepthook = _print_unless_loading
sys.unraisablehook = _interrupt_again
