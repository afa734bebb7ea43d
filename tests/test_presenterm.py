"""Our deck in presenterm itself: it opens, it walks to the end, and a block runs."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from triton_workshop.deck import DeckError, load_deck
from triton_workshop.deck.model import plain

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from viewer.terminal import Terminal

PRESENTERM = shutil.which("presenterm")
DECK = ROOT / "slides" / "triton-workshop.md"

pytestmark = pytest.mark.skipif(PRESENTERM is None, reason="presenterm is not installed; CI has it")


@pytest.fixture
def presenterm() -> Terminal:
    # By `workshop present`, as a presenter starts it: presenterm then runs our Python.
    workshop = [sys.executable, "-c", "from triton_workshop.cli import main; main()"]
    return Terminal([*workshop, "present", str(DECK), "--viewer", "presenterm"], DECK.parent, 110, 36)


def test_presenterm_walks_through_our_deck(presenterm: Terminal) -> None:
    slides = load_deck(DECK).slides
    with presenterm as terminal:
        terminal.wait_for("Three hours, four kernels")
        for slide in slides[1:]:
            terminal.press("n")
            terminal.wait_for(plain(slide.title or ()))
        terminal.press("q")
        assert terminal.leave() == 0


def test_presenterm_runs_a_live_block(presenterm: Terminal) -> None:
    slides = load_deck(DECK).slides
    launcher = next(n for n, slide in enumerate(slides, 1) if plain(slide.title or ()).startswith("The launcher"))
    with presenterm as terminal:
        terminal.wait_for("Three hours, four kernels")
        terminal.press(f"{launcher}G")
        terminal.wait_for("The launcher")
        terminal.press("\x05")
        terminal.wait_for("programs: 4", seconds=60)
        terminal.wait_for("finished", seconds=60)
        terminal.press("q")
        assert terminal.leave() == 0


def test_presenterm_refuses_what_our_parser_refuses(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("A slide\n===\n\n<!-- pauze -->\n")
    with pytest.raises(DeckError, match="pauze"):
        load_deck(deck)
    assert PRESENTERM is not None
    with Terminal([PRESENTERM, "-x", str(deck)], tmp_path, 110, 36) as terminal:
        terminal.wait_for("pauze")
