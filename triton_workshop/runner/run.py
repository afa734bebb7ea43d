"""One run of a script: start it, read what it prints as it comes, stop it, leave nothing behind."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

COMMANDS: dict[str, tuple[str, ...]] = {
    # Blocks run in the interpreter that the viewer runs in: the one environment that has torch and Triton.
    "python": (sys.executable, "-u"),
    "bash": ("bash",),
    "sh": ("sh",),
}
EXTENSIONS = {"python": "py", "bash": "sh", "sh": "sh"}

WINDOWS = sys.platform == "win32"
CHUNK = 65536
POLL = 0.05
FAREWELL = 0.5
"""Seconds that a script has between the interrupt and the kill when the run is closed."""
LAST_WORDS = 1.0
"""Seconds for which output is still read after a script has exited, where a child of it keeps the pipe open."""


class CannotRunError(Exception):
    """A script that could not be started; the message says why."""


def runnable(language: str) -> bool:
    """Whether code in this language can be run here at all."""
    return language in COMMANDS


@dataclass(frozen=True)
class Script:
    """What to run.

    `folder` is the working directory; `columns` is how wide its output can be before lines wrap.
    """

    language: str
    source: str
    folder: Path
    columns: int = 80


@dataclass(frozen=True)
class Outcome:
    """How a run ended. `code` is the exit status, or minus the signal's number as in `subprocess`."""

    code: int
    seconds: float
    stopped: bool = False

    @property
    def succeeded(self) -> bool:
        return self.code == 0 and not self.stopped

    @property
    def reason(self) -> str:
        """In words: `exit 1`, `killed by SIGSEGV`, `stopped`."""
        if self.stopped:
            return "stopped"
        if self.code >= 0:
            return f"exit {self.code}"
        try:
            return f"killed by {signal.Signals(-self.code).name}"
        except ValueError:
            return f"killed by signal {-self.code}"


class Run:
    """A script that is running, from the moment this object exists.

    Use it as a context manager, iterate over `output()`, then ask `wait()` for the outcome. The script leads a
    process group of its own, and every way out of the `with` block kills what is left of that group. `stop` and
    `kill` may be called from any thread.
    """

    def __init__(self, script: Script) -> None:
        if not runnable(script.language):
            known = ", ".join(COMMANDS)
            raise CannotRunError(f"no way to run {script.language!r} here; expected one of {known}")
        self._stopped = False
        self._started = time.monotonic()
        self._ended: float | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="workshop-", ignore_cleanup_errors=True)
        file = Path(self._folder.name, f"block.{EXTENSIONS[script.language]}")
        file.write_text(script.source, encoding="utf-8", errors="replace")
        try:
            self._process = subprocess.Popen(
                [*COMMANDS[script.language], str(file)],
                cwd=script.folder,
                env=environment(script.columns),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                start_new_session=not WINDOWS,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            self._folder.cleanup()
            raise CannotRunError(f"{COMMANDS[script.language][0]} did not start: {error.strerror}") from error

    def output(self) -> Iterator[bytes]:
        """What the script prints, stdout and stderr in order, in pieces as they come.

        Ends when the script and its process group have gone, or have closed their end of the pipe.
        """
        pipe = self._process.stdout
        assert pipe is not None
        while self._readable(pipe.fileno()) and (chunk := os.read(pipe.fileno(), CHUNK)):
            yield chunk

    def _readable(self, pipe: int) -> bool:
        """Waits for output; False once the script is gone and nothing more of its own can come."""
        if WINDOWS:  # select() knows only sockets there; the read itself waits for the end of the pipe
            return True
        while True:
            ended = self._reap()
            if ended is not None and time.monotonic() - ended > LAST_WORDS:
                return False
            if select.select([pipe], [], [], POLL if ended is None else 0)[0]:
                return True
            if ended is not None:
                return False

    def _reap(self) -> float | None:
        """When the script exited; None while it runs. The first time that it has, its group is killed."""
        if self._ended is None and self._process.poll() is not None:
            self._ended = time.monotonic()
            self._signal_group(KILL)
        return self._ended

    def wait(self) -> Outcome:
        """Waits for the end of the script, and says how it went."""
        code = self._process.wait()
        ended = self._reap()
        assert ended is not None
        return Outcome(code, ended - self._started, self._stopped)

    def stop(self, grace: float = 2.0) -> None:
        """Interrupts the script as Ctrl+C would; what has not ended `grace` seconds later is killed."""
        if self._process.poll() is not None:
            return
        self._stopped = True
        self._signal_group(INTERRUPT)
        timer = threading.Timer(grace, self.kill)
        timer.daemon = True
        timer.start()

    def kill(self) -> None:
        """Ends the script and its whole process group at once."""
        if self._process.poll() is None:
            self._stopped = True
            self._signal_group(KILL)

    def _signal_group(self, number: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            if WINDOWS:
                self._process.send_signal(number)
            else:
                os.killpg(self._process.pid, number)

    def close(self) -> None:
        """Ends what still runs and removes the temporary folder.

        An interrupt goes first, so that a script can end what it has started outside of its process group.
        """
        if self._process.poll() is None:
            self._stopped = True
            self._signal_group(INTERRUPT)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(FAREWELL)
        self.kill()
        self.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


INTERRUPT: int = getattr(signal, "CTRL_BREAK_EVENT", signal.SIGINT)
KILL: int = getattr(signal, "SIGKILL", signal.SIGTERM)


def environment(columns: int) -> dict[str, str]:
    """The variables that a script sees: ours, plus what makes its output fit a slide of that many columns."""
    width = str(max(columns, 1))
    terminal = os.environ.get("TERM", "")
    return os.environ | {
        # `python` and `uv run` in a bash block find the environment that the viewer runs in.
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
        "TRITON_WORKSHOP_SLIDE": width,
        "COLUMNS": width,
        "FORCE_COLOR": "1",
        "COLORTERM": "truecolor",
        "TERM": "xterm-256color" if terminal in ("", "dumb") else terminal,
        "PYTHONUNBUFFERED": "1",
        "PYTHONIOENCODING": "utf-8",
    }
