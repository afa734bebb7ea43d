"""`workshop run SCRIPT`: a script in a fork of a shared warm parent, for whoever starts scripts from a shell."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from triton_workshop.runner.idle import IdleError
from triton_workshop.runner.modes import heavy, parent_for
from triton_workshop.runner.shows import SLIDE, python_command
from triton_workshop.runner.wire import Connection, ParentLostError, Request

MISUSE = 2
"""The exit status for a variable that cannot be meant."""
MARGIN = 10
"""Columns that presenterm keeps free beside a block's output."""
LIGHT_PATIENCE = 0.1
"""Seconds: a script that imports nothing heavy starts by itself as soon."""
FORWARDED = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


def run(arguments: Sequence[str]) -> int:
    """Runs `python -u ARGUMENTS…`, warm where that can be; the exit status, or minus a signal's number.

    The script has our own standard input, output and error, our folder and our environment. A process that has
    imported torch and Triton stays for the next one: `TRITON_WORKSHOP_IDLE` says for how long (`idle`).
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
    if SLIDE in environment and not environment[SLIDE].isdecimal():
        environment[SLIDE] = str(max(20, _terminal_columns() - MARGIN))
    connection = _connect(arguments[0], environment)
    if connection is None:
        return run_cold(arguments, environment)
    try:
        # A parent that still imports answers late: worth waiting for only by a script that imports the same.
        patience = None if heavy(Path(arguments[0]).read_bytes()) else LIGHT_PATIENCE
        if not select.select([connection], [], [], patience)[0]:
            return run_cold(arguments, environment)
        return _run_warm(connection, arguments, environment)
    except ParentLostError:  # before the script had begun
        return run_cold(arguments, environment)
    finally:
        connection.close()


def _connect(file: str, environment: Mapping[str, str]) -> Connection | None:
    """A connection to the parent that can run this file as a new process would; None where none can."""
    if sys.platform != "linux":
        return None
    from triton_workshop.runner import shared

    try:
        mode = parent_for(Path(file).read_bytes(), environment)
        return None if mode is None else shared.connect(mode, environment)
    except OSError:
        return None


def _run_warm(connection: Connection, arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Raises ParentLostError for a parent that goes away before it has begun with the script."""
    begun = False

    def forward(number: int, _: object) -> None:
        with suppress(OSError):
            connection.send({"signal": number})

    def suspend(number: int, _: object) -> None:
        """Ctrl+Z: the script, which is in another session, is stopped before this, and goes on with it."""
        forward(signal.SIGSTOP, None)  # a group that no shell watches over ignores SIGTSTP
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, suspend)
        forward(signal.SIGCONT, None)

    try:
        connection.receive()  # it is ready, and will have us
        connection.send_request(Request(tuple(arguments), str(Path.cwd()), environment), [0, 1, 2])
        for name in FORWARDED:
            signal.signal(getattr(signal, name), forward)
        signal.signal(signal.SIGTSTP, suspend)
        while True:
            messages, _ = connection.receive()
            begun = begun or bool(messages)
            for message in messages:
                if "code" in message:
                    return int(message["code"])
    except (OSError, EOFError):
        if begun:
            return -signal.SIGKILL  # with its parent
        raise ParentLostError from None


def run_cold(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    """Becomes `python -u ARGUMENTS…`; on Windows, where that cannot be, waits for it."""
    command = python_command(arguments, in_slide=SLIDE in environment)
    if sys.platform == "win32":
        import subprocess

        return subprocess.run(command, env=dict(environment), check=False).returncode
    os.execve(sys.executable, command, dict(environment))


def leave(code: int) -> NoReturn:
    """Ends this process as the script has ended."""
    if code < 0:
        with suppress(OSError):  # SIGKILL needs no leave
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
    """`python -m triton_workshop.runner SCRIPT [ARGUMENTS]`: `workshop run` without the other commands."""
    given = sys.argv[1:] if arguments is None else arguments
    if not given:
        sys.exit("expected a script: python -m triton_workshop.runner SCRIPT [ARGUMENTS]")
    leave(run(given))
