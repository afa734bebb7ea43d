"""Execution of a script in a process that was started for another.

The process, a fork of a warm parent or one that is prepared for a slide, behaves as `python -u FILE` would.
"""

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
from triton_workshop.processes.slide_pictures import show_pictures_in_slide

if TYPE_CHECKING:
    from triton_workshop.processes.warm import Request

INTERNAL_PACKAGES = ("numpy", "PIL", "torch", "triton", "triton_simulator", "triton_workshop")
"""Packages whose frames say nothing to who has written a script that calls them."""


def apply_request(request: Request, files: Sequence[int]) -> None:
    """Give this process the files, variables and folder of a request.

    A new process would have been started with them.
    """
    _take_files(files)
    # What Python sets up when it starts; the parent undid it for itself.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(request.environment)
    os.chdir(request.folder)
    _reseed()


def _take_files(files: Sequence[int]) -> None:
    for number, file in enumerate(files):
        os.dup2(file, number)
    for file in files:
        if file > 2:
            os.close(file)


def _reseed() -> None:
    """Seed the random numbers of each run, as all share a parent.

    `random` reseeds itself.
    """
    if (numpy := sys.modules.get("numpy")) is not None:
        numpy.random.seed()
    if (torch := sys.modules.get("torch")) is not None:
        torch.default_generator.seed()
        if torch.cuda.is_initialized():
            torch.cuda.seed_all()
    if (multiprocessing := sys.modules.get("multiprocessing.process")) is not None:
        multiprocessing.ORIGINAL_DIR = os.getcwd()  # type: ignore[attr-defined]  # noqa: PTH109
        multiprocessing.current_process().authkey = os.urandom(32)


def become_main(arguments: Sequence[str]) -> ModuleType:
    """Make this process look as if it had been started for a script.

    The script is `arguments[0]`. Return its module, which is empty.
    """
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


def without_internal_frames(error: BaseException) -> BaseException:
    """Return the error with the script's own frames only.

    What a kernel has raised takes the place of what Triton's interpreter has wrapped around it, with the script's own
    frames: a slide has no room for others.
    """
    cause = error.__cause__
    if type(error).__name__ == "InterpreterError" and cause is not None:
        cause.__suppress_context__ = True
        return cause.with_traceback(_linked([*_own_frames(error), *_own_frames(cause)]))
    for link in _chain(error):
        frames = [*_own_frames(link)]
        if _has_internal_context(link):
            link.__suppress_context__ = True
        link.with_traceback(_linked(frames))
    return error


def _has_internal_context(error: BaseException) -> bool:
    """Return True if its context was raised and handled below the script."""
    if error.__cause__ is not None:
        return False
    context = error.__context__
    return context is not None and not any(_own_frames(context))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes, as far as a traceback shows them."""
    chain = list[BaseException]()
    while error is not None:
        is_in_chain = any(error is link for link in chain)
        if is_in_chain:
            return
        chain.append(error)
        yield error
        context = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or context


def _own_frames(error: BaseException) -> Iterator[TracebackType]:
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        is_command = frame.f_code.co_filename == "<string>" and frame.f_back is None  # of `python -c`
        package = str(frame.f_globals.get("__name__")).partition(".")[0]
        is_internal = is_command or package in INTERNAL_PACKAGES
        if not is_internal:
            yield trace
        trace = trace.tb_next


def _linked(entries: Sequence[TracebackType]) -> TracebackType | None:
    """Return a traceback of these entries alone."""
    trace = None
    for entry in reversed(entries):
        trace = TracebackType(trace, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return trace


def main() -> None:
    """Run `python -u FILE ARGUMENTS`, prepared for a slide.

    The command line is `python -u -c … FILE ARGUMENTS`.
    """
    show_pictures_in_slide()
    script = become_main(sys.argv[1:])
    show = sys.excepthook

    def show_script_error(_: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Print an error without the frames that are not the script's."""
        error = without_internal_frames(error.with_traceback(trace))
        show(type(error), error, error.__traceback__)

    sys.excepthook = show_script_error
    execute(script)


def run_script(request: Request) -> NoReturn:
    """Run the script in this process, then end it."""
    main = become_main(request.arguments)
    show_pictures_in_slide()
    if request.memory_limit is not None:
        limit_memory(0, request.memory_limit)
    run_and_exit(lambda: execute(main))


def run_and_exit(work: Callable[[], None]) -> NoReturn:
    """Do all that this process is for, and end it as the interpreter would."""
    status = 0
    try:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_SETMASK, ())  # an interrupt that came early takes effect now
        work()
    except SystemExit as leaving:
        status = _exit_status(leaving.code)
    except BaseException as error:
        visible = without_internal_frames(error)
        sys.excepthook(type(visible), visible, visible.__traceback__)
        status = -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    _finish(status)


def _exit_status(code: object) -> int:
    """Return the exit status of `sys.exit(code)`."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _finish(status: int) -> NoReturn:
    """End as the interpreter does, but without its slow last part.

    Threads, exit handlers and finalizers run.
    """
    join_threads: Callable[[], None] = threading._shutdown  # type: ignore[attr-defined]
    for step in (join_threads, atexit._run_exitfuncs, _clear_main):
        try:
            step()
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


def _clear_main() -> None:
    """Run the finalizers of what the script still holds."""
    vars(sys.modules["__main__"]).clear()
    gc.collect()
