"""The learner's editor, or else one that is installed; and how it is told a line."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_TAKES_PLUS = ["vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ne", "mg", "pico"]
_AT_A_LINE = {
    **dict.fromkeys(_TAKES_PLUS, ("+{line}", "{file}")),
    **dict.fromkeys(("hx", "helix", "subl", "zed"), ("{file}:{line}",)),
    **dict.fromkeys(("code", "codium", "cursor"), ("--goto", "{file}:{line}")),
}
"""What starts an editor at a line of a file."""
_AS_IN_VI = "press Esc, type :wq and Enter to save and leave, or :q! and Enter to leave without saving"
_USUAL = {
    "nano": "Ctrl+X leaves, and asks whether to save",
    "micro": "Ctrl+S saves, Ctrl+Q leaves",
    **dict.fromkeys(("hx", "helix", "nvim", "vim", "vi"), _AS_IN_VI),
    "emacs -nw": "Ctrl+X Ctrl+S saves, Ctrl+X Ctrl+C leaves",
}
"""The editors to open where the learner has named none, and how to leave each; the simplest first."""
_USUAL_ON_WINDOWS = {"notepad": "Ctrl+S saves; close its window to come back"}


def named(environment: Mapping[str, str]) -> list[str]:
    """The editor that the learner has named, in words; none where there is no name. Raises ValueError."""
    return shlex.split(environment.get("VISUAL") or environment.get("EDITOR") or "", posix=os.name != "nt")


def usual() -> tuple[list[str], str]:
    """The first of the usual editors that is installed, in words, and how to leave it; no words where none is."""
    known = _USUAL_ON_WINDOWS if sys.platform == "win32" else _USUAL
    return next(((name.split(), leaving) for name, leaving in known.items() if shutil.which(name.split()[0])), ([], ""))


def command(file: Path, line: int | None, environment: Mapping[str, str]) -> list[str]:
    """What opens the file, at a line where the editor is known; nothing where there is no editor.

    `$VISUAL` comes first, then `$EDITOR`, as everywhere, then `usual`. Raises ValueError for quotes that do not match.
    """
    words = named(environment) or usual()[0]
    if not words:
        return []
    arguments = _AT_A_LINE.get(Path(words[0]).stem, ()) if line is not None else ()
    return [*words, *(argument.format(file=file, line=line) for argument in arguments or ("{file}",))]


def run(command: list[str]) -> str:
    """Let the editor have the terminal until it ends; why it could not start, if it could not."""
    # Ctrl+C is for the editor. (A handler, unlike a signal that is ignored, is not passed on to it.)
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        subprocess.run(command, check=False)
    except OSError as error:
        return f"{command[0]}: cannot be started: {error.strerror or error}; set $EDITOR"
    finally:
        signal.signal(signal.SIGINT, before)
    return ""
