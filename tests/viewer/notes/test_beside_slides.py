"""Slides in one terminal, notes in the other."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.notes.channel import Listener, Publisher
from triton_workshop.viewer.notes.protocol import Exit, Heartbeat
from triton_workshop.viewer.slides.slide_step import SlideStep

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from ..terminal import Terminal
from .hearing import hear

WORKSHOP = [sys.executable, "-c", "from triton_workshop.cli import main; main()", "present"]


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    """A talk that no other test speaks of."""
    return Path(shutil.copy(Path(__file__).parent / "talk.md", tmp_path))


@pytest.fixture
def listener(deck: Path) -> Iterator[Listener]:
    listener = Listener(deck)
    yield listener
    listener.close()


@pytest.fixture
def publisher(deck: Path) -> Iterator[Publisher]:
    publisher = Publisher(deck)
    yield publisher
    publisher.close()


@pytest.mark.skipif(sys.platform == "darwin", reason="macOS delivers each message to one listener only")
def test_what_is_new_is_told_once_and_other_decks_are_not_heard(deck: Path, tmp_path: Path) -> None:
    talk = load_deck(deck)
    other = Path(shutil.copy(deck, tmp_path / "other.md"))
    mine, others = Listener(deck), Listener(other)
    try:
        publisher = Publisher(deck)
        for place in (SlideStep(3, 0), SlideStep(3, 0), SlideStep(3, 1)):
            publisher.publish(talk, place, {})
        publisher.close()
        events = hear(mine, lambda events: Exit() in events)
        beats = [event for event in events if isinstance(event, Heartbeat)]
        assert [(beat.slide, beat.step, beat.moved) for beat in beats] == [(4, 0, True), (4, 1, True)]
        assert list(others.receive()) == []
    finally:
        mine.close()
        others.close()


def test_a_block_that_runs_is_told(deck: Path, listener: Listener, publisher: Publisher) -> None:
    talk = load_deck(deck)
    cell = BlockRun(status=Status.RUNNING, started=time.monotonic() - 60)
    publisher.publish(talk, SlideStep(4), {talk.slides[4].blocks[0]: cell})
    [told] = hear(listener, lambda events: len(events) == 1)
    assert isinstance(told, Heartbeat)
    [block] = told.running
    assert (block.slide, block.block) == (5, 0)
    assert block.seconds >= 60


@pytest.mark.parametrize("address", [("127.0.0.1", 9), ("192.0.2.1", 59419)])
def test_nobody_listening_and_no_network_are_no_errors(deck: Path, address: tuple[str, int]) -> None:
    publisher = Publisher(deck, address)
    for number in range(5):
        publisher.publish(load_deck(deck), SlideStep(number), {})
    publisher.close()


def test_notes_beside_our_slides(deck: Path) -> None:
    with (
        Terminal([*WORKSHOP, deck.name, "--notes"], deck.parent, 100, 30) as notes,
        Terminal([*WORKSHOP, deck.name, "-x", "--slide", "4"], deck.parent, 80, 24) as slides,
    ):
        slides.wait_for("Three steps", seconds=60)  # first: they ask the terminal, which answers when it is read
        notes.wait_for("Ask first.", seconds=60)
        slides.press("n")
        notes.wait_for("they work alone")
        slides.press("\x05")
        notes.wait_for("▶ slide 5")
        slides.press("q")
        assert slides.leave() == 0
        notes.wait_for("the slides have been closed")
        notes.press("q")
        assert notes.leave() == 0
