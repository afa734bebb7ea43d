"""`python launcher.py COMMAND…`: run commands, and become the last one.

Each command is one argument, its words as a JSON list. All but the last compile it, and the first that fails ends the
run. This file imports nothing from the package, because a block waits for it to start.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import NoReturn


def main(commands: list[list[str]]) -> NoReturn:
    """Run all commands but the last, and become that one."""
    # As a shell leaves them: Python ignores a broken pipe, and answers an interrupt with a traceback.
    for name in ("SIGINT", "SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    *earlier, last = commands
    for command in earlier:
        _compile(command)
    _become(last)


def _compile(command: list[str]) -> None:
    """Run a command to its end."""
    import subprocess

    ended = subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
    if ended.returncode == 0:
        return
    if ended.returncode < 0:
        os.kill(os.getpid(), -ended.returncode)
    sys.exit(ended.returncode)


def _become(command: list[str]) -> NoReturn:
    if sys.platform == "win32":  # exec would leave a new process that nobody waits for
        import subprocess

        sys.exit(subprocess.run(command, check=False).returncode)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main([json.loads(command) for command in sys.argv[1:]])
