"""The learner's editor, or else one that is installed; and how it is told a line."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TAKES_PLUS = frozenset({"vi", "vim", "nvim", "nano", "emacs", "emacsclient", "micro", "kak", "joe", "ne", "mg", "pico"})
"""Those that start at line 7 with `+7` before the file's name."""
TAKES_COLON = frozenset({"hx", "helix", "subl", "zed"})
"""Those that start at line 7 with `:7` after it."""


@dataclass(frozen=True)
class Usual:
    """An editor that is opened where the learner has named none."""

    command: tuple[str, ...]
    leaving: str
    """How to leave it, for somebody who has never seen it."""

    @property
    def name(self) -> str:
        return self.command[0]


_AS_IN_VI = "press Esc, type :wq and Enter to save and leave, or :q! and Enter to leave without saving"
USUAL = (
    Usual(("nano",), "Ctrl+X leaves, and asks whether to save"),
    Usual(("micro",), "Ctrl+S saves, Ctrl+Q leaves"),
    *(Usual((name,), _AS_IN_VI) for name in ("hx", "helix", "nvim", "vim", "vi")),
    Usual(("emacs", "-nw"), "Ctrl+X Ctrl+S saves, Ctrl+X Ctrl+C leaves"),
)
"""Those that say themselves how they are used come first."""
USUAL_ON_WINDOWS = (Usual(("notepad",), "Ctrl+S saves; close its window to come back"),)


def named(environment: Mapping[str, str]) -> list[str]:
    """The editor that the learner has named, in words; none where there is no name. Raises ValueError."""
    return shlex.split(environment.get("VISUAL") or environment.get("EDITOR") or "", posix=os.name != "nt")


def usual() -> Usual | None:
    """The first of the usual editors that is installed."""
    known = USUAL_ON_WINDOWS if sys.platform == "win32" else USUAL
    return next((editor for editor in known if shutil.which(editor.name)), None)


def command(file: Path, line: int | None, environment: Mapping[str, str]) -> list[str] | None:
    """What opens the file, at a line where the editor is known; None where there is no editor.

    `$VISUAL` comes first, then `$EDITOR`, as everywhere, then `usual`. Raises ValueError for quotes that do not match.
    """
    words = named(environment)
    if not words:
        found = usual()
        if found is None:
            return None
        words = [*found.command]
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
