"""What a fork of a warm parent does to become the script that it is to run, as `python -u FILE` would be."""

from __future__ import annotations

import ast
import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType, TracebackType
from typing import NoReturn

from triton_workshop.processes import call, guard
from triton_workshop.processes.as_main import execute, take_over
from triton_workshop.processes.launcher import own_terminal
from triton_workshop.processes.process import limit_memory
from triton_workshop.processes.shows import SLIDE, in_slide, python_command
from triton_workshop.processes.warm import Request

WRONG_MODE = "triton_workshop.import_order"
"""The module that complains where Triton is loaded for the simulator and a script wants the GPU, or the reverse."""


def become(request: Request, files: Sequence[int]) -> NoReturn:
    """Runs the script, or the function, in this process, then ends it."""
    _take_files(files, terminal=request.terminal)
    # What Python sets up at its start, undone by the parent for itself.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(request.environment)
    guard.bear(request.environment.get(guard.OWNER, ""))
    os.chdir(request.folder)
    _forget_randomness()
    if not request.arguments:
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        call.main()
        os._exit(0)
    main = take_over(request.arguments)
    in_slide()
    if request.memory_limit is not None:
        limit_memory(0, request.memory_limit)
    _finish(_run(main, request))


def _take_files(files: Sequence[int], *, terminal: bool) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
    for file in files:
        if file > 2:
            os.close(file)
    if terminal:
        own_terminal()


def _forget_randomness() -> None:
    """Each run has random numbers of its own, though all come from one parent. (`random` sees to itself.)"""
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed()
    if (torch := sys.modules.get("torch")) is not None:
        torch.default_generator.seed()
        if torch.cuda.is_initialized():
            torch.cuda.seed_all()
    if (multiprocessing := sys.modules.get("multiprocessing.process")) is not None:
        multiprocessing.ORIGINAL_DIR = os.getcwd()  # type: ignore[attr-defined]  # noqa: PTH109
        multiprocessing.current_process().authkey = os.urandom(32)


def _run(main: ModuleType, request: Request) -> int:
    """The script's exit status, or minus SIGINT."""
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, ())  # an interrupt that came early is heeded now
        execute(main)
    except SystemExit as leaving:
        return _exit_status(leaving.code)
    except BaseException as error:
        trace = error.__traceback__
        for _ in (_run, execute):  # these frames are ours
            trace = trace and trace.tb_next
        if _complains_about_mode(trace) and _has_only_begun(str(main.__file__), trace):
            _start_over(request)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _exit_status(code: object) -> int:
    """The exit status of `sys.exit(code)`."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _complains_about_mode(trace: TracebackType | None) -> bool:
    """Whether this script was given to a parent of the wrong mode."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__") == WRONG_MODE


def _has_only_begun(file: str, trace: TracebackType | None) -> bool:
    """Whether the script had done nothing but import and define, so that nothing can have been printed."""
    tree = ast.parse(Path(file).read_bytes())
    done = [node for node in tree.body if trace is not None and (node.end_lineno or 0) < trace.tb_lineno]
    prints_nothing = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    docstring = tree.body and ast.get_docstring(tree) is not None and tree.body[0]
    return all(isinstance(node, prints_nothing) or node is docstring for node in done)


def _start_over(request: Request) -> NoReturn:
    """Becomes a new interpreter, which has imported nothing yet."""
    command = python_command(request.arguments, in_slide=SLIDE in request.environment)
    os.execve(sys.executable, command, dict(request.environment))


def _finish(status: int) -> NoReturn:
    """Ends as the interpreter does: threads, exit handlers, what the script's own objects do last. Then at once."""
    join_threads: Callable[[], None] = threading._shutdown  # type: ignore[attr-defined]
    for last_words in (join_threads, atexit._run_exitfuncs, _let_go_of_main):
        try:
            last_words()
        except BaseException as error:
            sys.excepthook(type(error), error, error.__traceback__)
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    if status < 0:
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    # Not through the interpreter's own end, which takes torch apart for a while first.
    os._exit(status)


def _let_go_of_main() -> None:
    """Runs the finalizers of what the script still holds."""
    vars(sys.modules["__main__"]).clear()
    gc.collect()
