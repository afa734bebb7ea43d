"""Starts the learner's editor, or else one that is installed, at a line of a file."""

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
"""The arguments that start an editor at a line of a file."""
_AS_IN_VI = "Esc, then :wq and Enter, saves and leaves; :q! does not save"
_USUAL = {
    "nano": "Ctrl+X leaves, and asks whether to save",
    "micro": "Ctrl+S saves, Ctrl+Q leaves",
    **dict.fromkeys(("hx", "helix", "nvim", "vim", "vi"), _AS_IN_VI),
    "emacs -nw": "Ctrl+X Ctrl+S saves, Ctrl+X Ctrl+C leaves",
}
"""The editors to open if the learner has not named one, and how to leave each; the simplest comes first."""
_USUAL_ON_WINDOWS = {"notepad": "Ctrl+S saves; close its window to come back"}


def chosen(environment: Mapping[str, str]) -> tuple[list[str], str]:
    """Return the editor's command, and how to leave it if the learner has not named one. Raises ValueError without one.

    `$VISUAL` comes first, then `$EDITOR`, as everywhere, then the first of the usual ones that is installed.
    """
    try:
        words = shlex.split(environment.get("VISUAL") or environment.get("EDITOR") or "", posix=os.name != "nt")
    except ValueError:
        raise ValueError("$EDITOR cannot be understood: its quotes do not match") from None
    if words:
        return words, ""
    for name, leaving in (_USUAL_ON_WINDOWS if sys.platform == "win32" else _USUAL).items():
        if shutil.which(name.split()[0]):
            return name.split(), leaving
    raise ValueError("no editor found: set $EDITOR to its command, or open the file in another window")


def run(words: list[str], file: Path, line: int | None) -> str:
    """Give the editor the terminal until it ends. Returns why it could not start, if it could not."""
    arguments = _AT_A_LINE.get(Path(words[0]).stem, ()) if line is not None else ()
    # Ctrl+C is for the editor. (A handler, unlike a signal that is ignored, is not passed on to it.)
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        subprocess.run([*words, *(each.format(file=file, line=line) for each in arguments or ["{file}"])], check=False)
    except OSError as error:
        return f"{words[0]}: cannot be started: {error.strerror or error}; set $EDITOR"
    finally:
        signal.signal(signal.SIGINT, before)
    return ""
