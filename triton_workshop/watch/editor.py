"""Starts the learner's editor, or else one that is installed, at a line of a file."""

from __future__ import annotations

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
        words = _words(environment.get("VISUAL") or environment.get("EDITOR") or "", windows=sys.platform == "win32")
    except ValueError:
        raise ValueError("$EDITOR cannot be understood: its quotes do not match") from None
    if words:
        return words, ""
    for name, leaving in (_USUAL_ON_WINDOWS if sys.platform == "win32" else _USUAL).items():
        if shutil.which(name.split()[0]):
            return name.split(), leaving
    raise ValueError("no editor found: set $EDITOR to its command, or open the file in another window")


def _words(command: str, *, windows: bool) -> list[str]:
    """The words of a command, without their quotes. Raises ValueError if these do not match."""
    words = shlex.split(command, posix=not windows)  # in a Windows path, a backslash quotes nothing
    return [word.strip('"') for word in words] if windows else words


def _found(words: list[str]) -> list[str]:
    """The command as the system finds it: Windows by itself finds no `code`, which is a `.cmd` there."""
    return [shutil.which(words[0]) or words[0], *words[1:]] if sys.platform == "win32" else words


def run(words: list[str], file: Path, line: int | None) -> str:
    """Give the editor the terminal until it ends. Returns why it could not start, if it could not."""
    arguments = (_AT_A_LINE.get(Path(words[0]).stem) if line is not None else None) or ("{file}",)
    # Ctrl+C is for the editor. (A handler, unlike a signal that is ignored, is not passed on to it.)
    before = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        subprocess.run([*_found(words), *(each.format(file=file, line=line) for each in arguments)], check=False)
    except OSError as error:
        return f"{words[0]}: cannot be started: {error.strerror or error}; set $EDITOR"
    finally:
        signal.signal(signal.SIGINT, before)
    return ""
