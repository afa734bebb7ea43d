"""`workshop run SCRIPT`: a script in a fork of a shared warm parent."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from triton_workshop.processes.idle import IdleError, idle_seconds
from triton_workshop.processes.modes import has_slow_imports, parent_for
from triton_workshop.processes.process import CAN_FORK
from triton_workshop.processes.slide_pictures import python_command
from triton_workshop.processes.warm import Request, WarmParent, WarmProcess
from triton_workshop.scripts import read_bytes
from triton_workshop.slide_environment import SLIDE, numbering

MISUSE = 2
"""The exit status for an invalid value of the variable."""
MARGIN_COLUMNS = 10
"""Columns that presenterm keeps free beside a block's output."""
LIGHT_SCRIPT_WAIT_SECONDS = 0.1
"""Seconds to wait for a parent that is still importing.

A script that imports nothing heavy starts as soon without a parent.
"""
FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


def run(arguments: Sequence[str]) -> int:
    """Run `python -u ARGUMENTS…`, warm if possible.

    Return the exit status, or minus a signal's number. The script gets our standard input, output and error, our folder
    and our environment. A process that has imported torch and Triton stays for the next script, for as long as
    `TRITON_WORKSHOP_IDLE` says.
    """
    try:
        return _run(arguments)
    except KeyboardInterrupt:  # before there was a script to pass it on to
        return -signal.SIGINT
    except IdleError as error:
        print(error, file=sys.stderr)
        return MISUSE


def _run(arguments: Sequence[str]) -> int:
    environment = dict(os.environ)
    lacks_columns = SLIDE in environment and not environment[SLIDE].isdecimal()
    if lacks_columns:
        environment[SLIDE] = str(max(20, _terminal_columns() - MARGIN_COLUMNS))
        # Its file has the slide's hidden lines too, and nobody has said which they are.
        environment |= numbering(Path(arguments[0]).absolute(), numbers=())
    linger_seconds = idle_seconds(environment)
    source = _source(Path(arguments[0]))
    script = None if source is None else _connect(source, environment, linger_seconds)
    if source is not None and script is not None:
        # A parent that is still importing answers late: only a script that imports the same should wait for it.
        wait_seconds = None if has_slow_imports(source.decode(errors="replace")) else LIGHT_SCRIPT_WAIT_SECONDS
        if script.is_ready(wait_seconds):
            request = Request(tuple(arguments), str(Path.cwd()), environment)
            if (code := _run_warm(script, request)) is not None:
                return code
        script.release()
    return run_new(arguments, environment)


def _source(file: Path) -> bytes | None:
    """Return an ordinary script's text.

    Return None for what only Python itself should read, such as a pipe.
    """
    try:
        return read_bytes(file)
    except OSError:
        return None


def _connect(source: bytes, environment: Mapping[str, str], linger_seconds: float) -> WarmProcess | None:
    """Connect to a parent that can run this script as a new process would.

    Return None if there is none.
    """
    may_linger = CAN_FORK and linger_seconds > 0
    if not may_linger:
        return None
    try:
        mode = parent_for(source, environment)
        return None if mode is None else WarmProcess(WarmParent.of(mode, environment), linger_seconds)
    except OSError:
        return None


def _run_warm(script: WarmProcess, request: Request) -> int | None:
    """Run the script; return its exit status, or minus a signal's number.

    Return None if the parent has just gone.
    """

    def forward(number: int, _: object) -> None:
        """Pass a signal on to the script."""
        script.forward(number)

    def suspend(number: int, _: object) -> None:
        """Stop the script before this process, and resume it with us (Ctrl+Z).

        The script is in another session, which the shell does not stop.
        """
        script.forward(signal.SIGSTOP)  # a group that no shell watches over ignores SIGTSTP
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, suspend)
        script.forward(signal.SIGCONT)

    handlers = {getattr(signal, name): forward for name in FORWARDED} | {signal.SIGTSTP: suspend}
    signal.pthread_sigmask(signal.SIG_BLOCK, handlers)  # from the script's start on, they are for the script
    try:
        script.begin(request, (0, 1, 2))
        for number, handler in handlers.items():
            signal.signal(number, handler)
    except OSError:
        return None
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, handlers)
    while (code := script.poll()) is None:
        script.pause(None)
    return code


def run_new(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Become `python -u ARGUMENTS…`, or on Windows, wait for it."""
    command = python_command(arguments, in_slide=SLIDE in environment)
    if sys.platform == "win32":
        import subprocess

        return subprocess.run(command, env=dict(environment), check=False).returncode
    os.execve(sys.executable, command, dict(environment))


def leave(code: int) -> NoReturn:
    """End this process the way the script ended."""
    if code < 0:
        with suppress(OSError):  # SIGKILL needs no permission
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


def _terminal_columns() -> int:
    try:
        with Path("/dev/tty").open("rb") as terminal:
            return os.get_terminal_size(terminal.fileno()).columns
    except OSError:
        return 80


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run `python -m triton_workshop.processes SCRIPT [ARGUMENTS]`.

    It does what `workshop run` does, without loading the other commands.
    """
    command_line = sys.argv[1:] if arguments is None else arguments
    if not command_line:
        sys.exit("expected a script: python -m triton_workshop.processes SCRIPT [ARGUMENTS]")
    leave(run(command_line))
