"""Presents a deck from the command line: what has to happen before the first slide, and after the last."""

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
from triton_workshop.viewer.sharing import Shared, Tell


def present(
    deck_path: Path,
    *,
    start: int = 1,
    given: Consent = NOTHING,
    terminal: Callable[[], Terminal] = query_terminal,
    shared: Shared | None = None,
) -> int:
    """Show the deck until the presenter leaves; return the exit status. `terminal` says what the terminal can show.

    `given` is the consent to run code from elsewhere that came with the command; without any, the presenter is asked.
    `shared` is told what is shown. Raises `DeckError` for a deck that cannot be read, and `MisuseError` if it cannot be
    shared.
    """
    saves = FileWatcher(deck_path)  # before the deck is read, so that no save is missed
    deck = load_deck(deck_path)
    shown_on = terminal()  # its answer comes before the presenter is asked
    consent = consent_to(deck, given, Console(highlight=False))
    if shared is not None:
        shared.ready()
    notes = Publisher(deck_path)
    others: list[Tell] = [lambda show: notes.tell(show.deck, show.place, show.live.runs)]
    if shared is not None:
        others.append(shared.tell)
    invitation = shared.invitation if shared is not None else lambda: None
    viewer = Viewer(
        deck, start, shown_on, warm_up=True, others=others, invitation=invitation, consent=consent, saves=saves
    )
    try:
        status = viewer.run()
    finally:
        viewer.show.live.close()
        notes.close()
        print(end=viewer.stage.pictures.let_go(viewer.stage.terminal), file=sys.__stdout__, flush=True)
    # A crash has no status of its own, but it has a return code.
    return (viewer.return_code or 0) if status is None else status
