"""Turns a process into the script that it should run, as `python -u FILE` would: a fork of a warm parent, or a new
process that is prepared for a slide."""

from __future__ import annotations

import atexit
import builtins
import gc
import importlib.machinery
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, NoReturn

from triton_workshop.processes.process import limit_memory
from triton_workshop.processes.slide_pictures import in_slide

if TYPE_CHECKING:
    from triton_workshop.processes.warm import Request

BETWEEN = ("triton.", "triton_simulator.", "numpy.")
"""Modules whose frames lie between a script's launch and its kernel."""


def take_on(request: Request, files: Sequence[int]) -> None:
    """Give this process the files, variables and folder that a new process would have been started with."""
    _take_files(files)
    # What Python sets up when it starts; the parent undid it for itself.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(request.environment)
    os.chdir(request.folder)
    _forget_randomness()


def _take_files(files: Sequence[int]) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
    for file in files:
        if file > 2:
            os.close(file)


def _forget_randomness() -> None:
    """Give each run random numbers of its own, though all come from one parent. (`random` reseeds itself.)"""
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed()
    if (torch := sys.modules.get("torch")) is not None:
        torch.default_generator.seed()
        if torch.cuda.is_initialized():
            torch.cuda.seed_all()
    if (multiprocessing := sys.modules.get("multiprocessing.process")) is not None:
        multiprocessing.ORIGINAL_DIR = os.getcwd()  # type: ignore[attr-defined]  # noqa: PTH109
        multiprocessing.current_process().authkey = os.urandom(32)


def take_over(arguments: Sequence[str]) -> ModuleType:
    """Make this process look as if it had been started for the script `arguments[0]`; return its empty module."""
    file = os.path.abspath(arguments[0])  # noqa: PTH100 (as Python does it: no link is followed)
    sys.argv = list(arguments)
    sys.orig_argv = [sys.executable, "-u", *arguments]
    sys.path[0] = os.path.dirname(os.path.realpath(file))  # noqa: PTH120
    main = ModuleType("__main__")
    loader = importlib.machinery.SourceFileLoader("__main__", file)
    vars(main).update(__file__=file, __cached__=None, __loader__=loader, __builtins__=builtins)
    if sys.version_info < (3, 14):
        vars(main).update(__annotations__={})
    sys.modules["__main__"] = main
    return main


def execute(main: ModuleType) -> None:
    """Run the script's code in its module."""
    file = str(main.__file__)
    # Not with this module's own __future__ imports, which would apply to the script too.
    exec(compile(Path(file).read_bytes(), file, "exec", dont_inherit=True), vars(main))


def as_the_script_sees_it(error: BaseException) -> BaseException:
    """The error with a traceback that starts at the script's first frame.

    What a kernel has raised takes the place of what Triton's interpreter has wrapped around it, with the script's own
    frames: a slide has no room for those between.
    """
    cause = error.__cause__
    if type(error).__name__ != "InterpreterError" or cause is None:
        return error.with_traceback(_without_our_frames(error.__traceback__))
    cause.__suppress_context__ = True
    trace = None
    for each in reversed([*_frames(error.__traceback__), *_frames(cause.__traceback__)]):
        if not str(each.tb_frame.f_globals.get("__name__")).startswith(BETWEEN):
            trace = TracebackType(trace, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return cause.with_traceback(trace)


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while (trace := _without_our_frames(trace)) is not None:
        yield trace
        trace = trace.tb_next


def _without_our_frames(trace: TracebackType | None) -> TracebackType | None:
    """A traceback that starts at the script's first frame, without those of `python -c` and of this module."""
    while trace is not None and trace.tb_frame.f_code.co_filename in ("<string>", __file__):
        trace = trace.tb_next
    return trace


def main() -> None:
    """`python -u -c … FILE ARGUMENTS`: `python -u FILE ARGUMENTS`, prepared for a slide."""
    in_slide()
    script = take_over(sys.argv[1:])
    show = sys.excepthook

    def show_the_scripts_own(_: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        error = as_the_script_sees_it(error.with_traceback(trace))
        show(type(error), error, error.__traceback__)

    sys.excepthook = show_the_scripts_own
    execute(script)


def run_script(request: Request) -> NoReturn:
    """Run the script in this process, then end it."""
    main = take_over(request.arguments)
    in_slide()
    if request.memory_limit is not None:
        limit_memory(0, request.memory_limit)
    run_to_the_end(lambda: execute(main))


def run_to_the_end(work: Callable[[], None]) -> NoReturn:
    """Do all that this process is for, and end it as the interpreter would."""
    status = 0
    try:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, ())  # an interrupt that came early takes effect now
        work()
    except SystemExit as leaving:
        status = _exit_status(leaving.code)
    except BaseException as error:
        shown = as_the_script_sees_it(error)
        sys.excepthook(type(shown), shown, shown.__traceback__)
        status = -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    _finish(status)


def _exit_status(code: object) -> int:
    """The exit status of `sys.exit(code)`."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _finish(status: int) -> NoReturn:
    """End as the interpreter does, with threads, exit handlers and finalizers, but without its slow last part."""
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
    # Not through the interpreter's own exit, which first takes a while to tear down torch.
    os._exit(status)


def _let_go_of_main() -> None:
    """Run the finalizers of what the script still holds."""
    vars(sys.modules["__main__"]).clear()
    gc.collect()
