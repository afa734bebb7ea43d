"""Start and end of a presentation from the command line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import NOTHING, Consent
from triton_workshop.file_watcher import FileWatcher
from triton_workshop.terminal import Terminal, query_terminal
from triton_workshop.viewer.app import Viewer
from triton_workshop.viewer.consent_prompt import consent_to
from triton_workshop.viewer.notes.channel import Publisher
from triton_workshop.viewer.sharing import Observer, Shared


def present(
    deck_path: Path,
    *,
    start: int = 1,
    consent: Consent = NOTHING,
    terminal: Callable[[], Terminal] = query_terminal,
    shared: Shared | None = None,
) -> int:
    """Show the deck until the presenter leaves, and return the exit status.

    `terminal` returns the terminal's abilities. `consent` to run code from elsewhere came with the command; without
    any, the presenter is asked. `shared` follows the slides. Raises `DeckError` for a deck that cannot be read, and
    `MisuseError` if it cannot be shared.
    """
    saves = FileWatcher(deck_path)  # before the deck is read, so that no save is missed
    deck = load_deck(deck_path)
    abilities = terminal()  # its answer comes before the presenter is asked
    consent = consent_to(deck, consent, Console(highlight=False))
    if shared is not None:
        shared.ready()
    notes = Publisher(deck_path)
    observers: list[Observer] = [
        lambda presented: notes.publish(presented.deck, presented.position, presented.live.runs)
    ]
    if shared is not None:
        observers.append(shared.tell)
    invitation = shared.invitation if shared is not None else lambda: None
    viewer = Viewer(
        deck, start, abilities, warm_up=True, observers=observers, invitation=invitation, consent=consent, saves=saves
    )
    try:
        status = viewer.run()
    finally:
        viewer.presentation.live.close()
        notes.close()
        print(end=viewer.slide_screen.pictures.release(viewer.slide_screen.terminal), file=sys.__stdout__, flush=True)
    if status is not None:
        return status
    # A crash has no status of its own, but it has a return code.
    return viewer.return_code or 0
