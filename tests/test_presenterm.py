"""Our deck in presenterm itself: it opens, it walks to the end, and a block runs."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
import yaml
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
def presenterm(tmp_path: Path) -> Terminal:
    # By `workshop present`, as a presenter starts it: presenterm then runs our Python.
    workshop = [sys.executable, "-c", "from triton_workshop.cli import main; main()"]
    # Its blocks run warm, in a process of these tests alone that does not stay for long.
    variables = {"XDG_RUNTIME_DIR": str(tmp_path), "TRITON_WORKSHOP_IDLE": "1"}
    command = [*workshop, "present", str(DECK), "--viewer", "presenterm"]
    return Terminal(command, DECK.parent, 110, 36, **variables)


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


def test_our_executor_keeps_what_presenterms_own_has() -> None:
    """An executor that is given takes the place of the whole entry for its language."""
    entry = yaml.safe_load((DECK.parent / "presenterm.yaml").read_text())["snippet"]["exec"]["custom"]["python"]
    assert entry["hidden_line_prefix"] == "/// "
    assert entry["alternative"]["uv"]["commands"] == [["uv", "run", "--script", "-q", "$pwd/snippet.py"]]


def test_a_hidden_line_runs_in_presenterm_by_our_executor(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text(
        "A slide\n===\n\n```python +exec\n/// import os\n"
        "print('wide enough:', int(os.environ['TRITON_WORKSHOP_SLIDE']) > 60)\n```\n"
    )
    assert PRESENTERM is not None
    command = [PRESENTERM, "-x", "--config-file", str(DECK.parent / "presenterm.yaml"), str(deck)]
    search = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    variables = {"PATH": search, "XDG_RUNTIME_DIR": str(tmp_path), "TRITON_WORKSHOP_IDLE": "1"}
    with Terminal(command, tmp_path, 110, 36, **variables) as terminal:
        terminal.wait_for("A slide")
        terminal.press("\x05")
        terminal.wait_for("wide enough: True", seconds=60)
        terminal.press("q")
        assert terminal.leave() == 0
