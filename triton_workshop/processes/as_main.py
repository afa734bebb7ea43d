"""A script as the module `__main__` of this process: as `python -u FILE` has it."""

from __future__ import annotations

import builtins
import importlib.machinery
import os
import sys
import types
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from triton_workshop.processes.shows import in_slide

OURS = ("<string>", __file__)
"""Where the frames stand that come before the script's own: what `python -c` runs, `main` and `execute`."""


def take_over(arguments: Sequence[str]) -> types.ModuleType:
    """Has this process look as if it had been started for the script `arguments[0]`; its module, still empty."""
    file = os.path.abspath(arguments[0])  # noqa: PTH100 (as Python does it: no link is followed)
    sys.argv = list(arguments)
    sys.orig_argv = [sys.executable, "-u", *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(file))  # noqa: PTH120
    main = types.ModuleType("__main__")
    loader = importlib.machinery.SourceFileLoader("__main__", file)
    vars(main).update(__file__=file, __cached__=None, __loader__=loader, __builtins__=builtins)
    if sys.version_info < (3, 14):
        vars(main).update(__annotations__={})
    sys.modules["__main__"] = main
    return main


def execute(main: types.ModuleType) -> None:
    """Runs the script's code in its module."""
    file = str(main.__file__)
    # Not as this module is compiled, whose __future__ imports would hold for the script too.
    exec(compile(Path(file).read_bytes(), file, "exec", dont_inherit=True), vars(main))


def main() -> None:
    """`python -u -c … FILE ARGUMENTS`: `python -u FILE ARGUMENTS`, prepared for a slide."""
    in_slide()
    script = take_over(sys.argv[1:])
    show = sys.excepthook

    def show_the_scripts_own(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        while trace is not None and trace.tb_frame.f_code.co_filename in OURS:
            trace = trace.tb_next
        show(kind, error.with_traceback(trace), trace)

    sys.excepthook = show_the_scripts_own
    execute(script)
