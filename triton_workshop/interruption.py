"""Ends a program quietly if Ctrl+C comes while it is still loading: importing this is enough.

Nothing is lost then, and a traceback of imports says nothing about the script. Python ends by SIGINT, as it does
without this, so a shell sees status 130.
"""

from __future__ import annotations

import sys
from types import TracebackType

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


sys.excepthook = _print_unless_loading
