"""The learner's editor, or an installed one, at a line of a file."""

from __future__ import annotations

import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_PLUS_LINE = ["vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ne", "mg", "pico"]
_LINE_ARGUMENTS = {
    **dict.fromkeys(_PLUS_LINE, ("+{line}", "{file}")),
    **dict.fromkeys(("hx", "helix", "subl", "zed"), ("{file}:{line}",)),
    **dict.fromkeys(("code", "codium", "cursor"), ("--goto", "{file}:{line}")),
}
"""The arguments that start an editor at a line of a file."""
_LEAVE_VI = "Esc, then :wq and Enter, saves and leaves; :q! does not save"
_DEFAULTS = {
    "nano": "Ctrl+X leaves, and asks whether to save",
    "micro": "Ctrl+S saves, Ctrl+Q leaves",
    **dict.fromkeys(("hx", "helix", "nvim", "vim", "vi"), _LEAVE_VI),
    "emacs -nw": "Ctrl+X Ctrl+S saves, Ctrl+X Ctrl+C leaves",
}
"""Editors to try if the learner has not named one, with advice on leaving.

The simplest comes first.
"""
_WINDOWS_DEFAULTS = {"notepad": "Ctrl+S saves; close its window to come back"}


def choose_editor(environment: Mapping[str, str]) -> tuple[list[str], str]:
    """Return the editor's command, and advice on leaving it.

    The advice is empty if the learner has named the editor. `$VISUAL` comes first, then `$EDITOR`, as everywhere, then
    the first of the defaults that is installed. Raises ValueError without any.
    """
    named = environment.get("VISUAL") or environment.get("EDITOR", "")
    try:
        command = _split_command(named, windows=sys.platform == "win32")
    except ValueError:
        raise ValueError("$EDITOR cannot be understood: its quotes do not match") from None
    if command:
        return command, ""
    defaults = _WINDOWS_DEFAULTS if sys.platform == "win32" else _DEFAULTS
    for name, leaving in defaults.items():
        if shutil.which(name.split()[0]):
            return name.split(), leaving
    raise ValueError("no editor found: set $EDITOR to its command, or open the file in another window")


def _split_command(command: str, *, windows: bool) -> list[str]:
    """Split a command at its spaces, without its quotes.

    Raises ValueError if the quotes do not match.
    """
    arguments = shlex.split(command, posix=not windows)  # in a Windows path, a backslash quotes nothing
    if windows:
        return [argument.strip('"') for argument in arguments]
    return arguments


def _full_command(command: list[str]) -> list[str]:
    """Return the command with the path of its program on Windows.

    Windows itself finds no `code`, which is a `.cmd` there.
    """
    if sys.platform != "win32":
        return command
    return [shutil.which(command[0]) or command[0], *command[1:]]


def run_editor(command: list[str], file: Path, line: int | None) -> str:
    """Give the editor the terminal until it ends.

    Return an error if it cannot be started, else an empty string.
    """
    line_arguments = _LINE_ARGUMENTS.get(Path(command[0]).stem) if line is not None else None
    arguments = line_arguments or ("{file}",)
    # Ctrl+C is for the editor. (A handler, unlike a signal that is ignored, is not passed on to it.)
    previous = signal.signal(signal.SIGINT, lambda *_: None)
    try:
        subprocess.run(
            [*_full_command(command), *(argument.format(file=file, line=line) for argument in arguments)], check=False
        )
    except OSError as error:
        return f"{command[0]}: cannot be started: {error.strerror or error}; set $EDITOR"
    finally:
        signal.signal(signal.SIGINT, previous)
    return ""
