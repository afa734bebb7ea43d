"""Shows a deck in presenterm, which runs its code in our warm processes."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from rich.console import Console

from triton_workshop.deck import Deck, load_deck
from triton_workshop.deck.consent import REPLACING, Consent, in_force, live_code
from triton_workshop.repository import ROOT
from triton_workshop.viewer.consent_prompt import consent_to

EXECUTORS = ROOT / "slides" / "presenterm.yaml"
"""presenterm's configuration, which has our warm processes run Python."""


class NotInstalledError(Exception):
    """presenterm is not on this machine; `str(error)` says how to install it."""


def hand_over_to_presenterm(path: Path, given: Consent, *, notes: bool) -> int:
    """Become presenterm, which either shows its notes or may run code, as far as allowed.

    Where a process cannot become another program, on Windows, wait for it and return its exit status. Raises
    NotInstalledError and DeckError.
    """
    presenterm = shutil.which("presenterm")
    if presenterm is None:
        raise NotInstalledError("presenterm is not installed; install it with: cargo install presenterm --locked")
    deck = load_deck(path)  # reports an error here, in one line, not on presenterm's screen
    search = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
    config = ["--config-file", str(EXECUTORS)] if EXECUTORS.is_file() else []
    mode = ["--listen-speaker-notes"] if notes else _leave_to_run(deck, given)
    command, variables = [presenterm, *mode, *config, str(path)], {**os.environ, "PATH": search}
    if sys.platform == "win32":  # exec would leave a new process that nobody waits for
        import subprocess

        return subprocess.run(command, env=variables, check=False).returncode
    os.execve(presenterm, command, variables)


def _leave_to_run(deck: Deck, given: Consent) -> list[str]:
    """The options that let presenterm run as much of a deck as may run."""
    consent = in_force(deck, consent_to(deck, given, Console(highlight=False)))
    replaces = any(live.code.execution in REPLACING for live in live_code(deck))
    return ["-x"] * consent.run + ["-X"] * (consent.replace and replaces)
