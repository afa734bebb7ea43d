"""Script to run, and the outcome of a run."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from triton_workshop.slide_environment import BLOCK, PICTURES, SLIDE, Numbers, numbering


class CannotRunError(Exception):
    """A script could not be started; the message says why."""


@dataclass(frozen=True)
class Origin:
    """File and line at which a script's code begins, counted from 1."""

    name: str
    line: int


@dataclass(frozen=True)
class Script:
    """Script to run.

    `folder` is the working directory; `columns` is how wide its output can be before lines wrap. Its output goes
    through a pipe, and its input is empty. `time_limit` is in seconds, `memory_limit` in bytes of data in each of its
    processes: what would go beyond it is refused, in Python by a MemoryError (Linux only).

    `pictures` is a folder: what the script shows is left there as PNG files, each named in the output where it was
    shown (`images.PICTURE_MARK`); without it, a picture is printed in characters. `alternative` names another way to
    run the language than its usual one, as in `+exec:uv`.

    Tracebacks and messages name its lines as `origin` says, for the author of a deck; or by `numbers`, one for each
    line, for those who see the slide; or else as those of a temporary file.
    """

    language: str
    source: str
    folder: Path
    columns: int = 80
    time_limit: float | None = None
    memory_limit: int | None = None
    pictures: Path | None = None
    origin: Origin | None = None
    numbers: Numbers = ()
    alternative: str | None = None

    @property
    def plain_python(self) -> bool:
        """True if it runs in this interpreter."""
        return self.language == "python" and self.alternative is None

    def environment(self, file: Path) -> dict[str, str]:
        """Return the variables of the script when its code is in this file.

        Variables of its language come on top.
        """
        variables = environment(self.columns, self.pictures)
        return {**variables, **numbering(file, self.numbers)} if self.numbers else variables


@dataclass(frozen=True)
class Outcome:
    """Outcome of a run.

    `code` is the exit status, or minus the signal's number as in `subprocess`.
    """

    code: int
    seconds: float
    stopped: bool = False
    timed_out: bool = False

    @property
    def succeeded(self) -> bool:
        """True for exit status 0 within the time limit."""
        is_cut_short = self.stopped or self.timed_out
        return self.code == 0 and not is_cut_short

    @property
    def reason(self) -> str:
        """The outcome as text: `exit 1`, `killed by SIGSEGV`, `stopped` and so on."""
        if self.timed_out:
            return "over the time limit"
        if self.stopped:
            return "stopped"
        return describe_exit(self.code)


def describe_exit(code: int) -> str:
    """Describe an exit status: `exit 1`, `killed by SIGSEGV`."""
    if code >= 0:
        return f"exit {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


def environment(columns: int, pictures: Path | None = None) -> dict[str, str]:
    """Return the variables of a script.

    They are ours, and those that make its output fit a slide of that many columns.
    """
    width = str(max(columns, 1))
    terminal = os.environ.get("TERM", "")
    inherited = {name: value for name, value in os.environ.items() if name not in (PICTURES, BLOCK)}
    return (
        inherited
        | ({PICTURES: str(pictures)} if pictures else {})
        | {
            # `python` and `uv run` in a bash block find the environment that the viewer runs in.
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]),
            SLIDE: width,
            "COLUMNS": width,
            "FORCE_COLOR": "1",
            "COLORTERM": "truecolor",
            "TERM": "xterm-256color" if terminal in ("", "dumb") else terminal,
            "PYTHONUNBUFFERED": "1",
            "PYTHONIOENCODING": "utf-8",
        }
    )
