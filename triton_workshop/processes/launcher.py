"""`python launcher.py PLACE COMMAND…`: runs commands, and becomes the last of them.

Each command is an argument, its words as a JSON list. What comes before the last compiles it: the first that fails is
also the end. A file of its own that imports nothing of the package, because a block waits for it to start.
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
"""Standard input is a terminal, which becomes this session's own: what opens /dev/tty needs it."""
FOREGROUND = "foreground"
"""Standard input is the terminal of the session that this process group stands in, and now comes to the front of."""


def main(place: str, commands: list[list[str]]) -> NoReturn:
    # As a shell leaves them: Python ignores a broken pipe, and answers an interrupt with a traceback.
    for name in ("SIGINT", "SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    if place == TERMINAL:
        os.login_tty(os.dup(0))
    elif place == FOREGROUND:
        with suppress(OSError):  # a terminal that is nobody's session's knows no foreground, and can be used as it is
            come_to_the_front(os.getpgrp())
    *earlier, last = commands
    for command in earlier:
        _compile(command, quiet=place != PIPE)
    _become(last)


def come_to_the_front(group: int) -> None:
    """Makes a process group the one that has the terminal at standard input."""
    # Who is not in the foreground may not ask for it, unless it ignores the signal that says so.
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    try:
        os.tcsetpgrp(0, group)
    finally:
        signal.signal(signal.SIGTTOU, before)


def _compile(command: list[str], *, quiet: bool) -> None:
    """Runs a command to its end; on a terminal, what it says is shown only where it fails."""
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
