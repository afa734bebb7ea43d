"""The learner's editor, and how it is told a line."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

TAKES_PLUS = frozenset({"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ne", "mg", "pico"})
"""Those that start at line 7 with `+7` before the file's name."""
TAKES_COLON = frozenset({"hx", "helix", "subl", "zed"})
"""Those that start at line 7 with `:7` after it."""
USUAL = ("nano", "vim", "vi", "notepad")


def command(file: Path, line: int | None, environment: Mapping[str, str]) -> list[str] | None:
    """What opens the file, at a line where the editor is known; None where there is no editor.

    `$VISUAL` comes first, then `$EDITOR`, as everywhere. Raises ValueError for quotes that do not match.
    """
    named = environment.get("VISUAL") or environment.get("EDITOR") or ""
    words = shlex.split(named, posix=os.name != "nt")
    if not words:
        usual = next((editor for editor in USUAL if shutil.which(editor)), None)
        if usual is None:
            return None
        words = [usual]
    name = Path(words[0]).stem
    if line is None:
        return [*words, str(file)]
    if name in TAKES_PLUS:
        return [*words, f"+{line}", str(file)]
    if name in TAKES_COLON:
        return [*words, f"{file}:{line}"]
    if name in ("code", "codium", "cursor"):
        return [*words, "--goto", f"{file}:{line}"]
    return [*words, str(file)]


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
