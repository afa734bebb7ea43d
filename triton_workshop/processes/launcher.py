"""`python launcher.py STDIN COMMAND…`: runs commands, and becomes the last of them.

Each command is one argument, its words as a JSON list. All but the last compile it, and the first that fails ends the
run. This file imports nothing from the package, because a block waits for it to start.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from typing import NoReturn

PIPE = "pipe"
TERMINAL = "terminal"
"""Standard input is a terminal, which becomes this session's controlling terminal: programs open it as /dev/tty."""
FOREGROUND = "foreground"
"""Standard input is the terminal of this process group's session, and the group now comes to the foreground."""


def main(stdin: str, commands: list[list[str]]) -> NoReturn:
    # As a shell leaves them: Python ignores a broken pipe, and answers an interrupt with a traceback.
    for name in ("SIGINT", "SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    if stdin == TERMINAL:
        os.login_tty(os.dup(0))
    elif stdin == FOREGROUND:
        with suppress(OSError):  # a terminal that belongs to no session has no foreground, and can be used as it is
            come_to_the_front()
    *earlier, last = commands
    for command in earlier:
        _compile(command, quiet=stdin != PIPE)
    _become(last)


def come_to_the_front() -> None:
    """Make this process's group the foreground group of the terminal at standard input."""
    # A group in the background may not ask for it, unless it ignores the signal that says so.
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        os.tcsetpgrp(0, os.getpgrp())
    finally:
        signal.signal(signal.SIGTTOU, before)


def _compile(command: list[str], *, quiet: bool) -> None:
    """Run a command to its end; on a terminal, its output is shown only if it fails."""
    import subprocess

    ended = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        check=False,
    )
    if ended.returncode == 0:
        return
    if ended.stdout:
        os.write(1, ended.stdout)
    if ended.returncode < 0:
        os.kill(os.getpid(), -ended.returncode)
    sys.exit(ended.returncode)


def _become(command: list[str]) -> NoReturn:
    if sys.platform == "win32":  # exec would leave a new process that nobody waits for
        import subprocess

        sys.exit(subprocess.run(command, check=False).returncode)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(sys.argv[1], [json.loads(command) for command in sys.argv[2:]])
