"""presenterm 0.16.1 beside ours: it takes and refuses the same decks, and shows the same words at the same step.

Every case of the dialect's table, in the real program, with `-x` and without.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from deck.conftest import filled
from deck.dialect import CASES
from deck.dialect.screen import shown, words

from triton_workshop.deck import Columns, Deck, DeckError, load_deck

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from viewer.presenterm import Presenterm

PROGRAM = shutil.which("presenterm") or "presenterm"
pytestmark = pytest.mark.presenterm
END = "\n\n<!-- end_slide -->\n\n<!-- no_footer -->\n\nThat is all\n"
"""A last slide: whoever has more steps than the other is not here at the end."""


@pytest.fixture(scope="module", params=[True, False], ids=["with -x -X", "without"])
def executes(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("ours"))


@pytest.fixture(scope="module")
def presenterm(executes: bool, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Presenterm]:
    program = Presenterm(PROGRAM, filled(tmp_path_factory.mktemp("theirs")), *(("-x", "-X") if executes else ()))
    yield program
    program.close()


@pytest.mark.parametrize("name", CASES)
def test_presenterm_does_what_we_do(presenterm: Presenterm, folder: Path, executes: bool, name: str) -> None:
    case = CASES[name]
    deck, error = read(folder, case.deck + END, executes)
    if case.unlike:
        assert difference(presenterm, case.deck + END, deck), f"no longer unlike: {case.unlike}"
    elif error:
        assert presenterm.load(case.deck) is None, f"presenterm takes it; we refuse it: {error}"
    else:
        assert difference(presenterm, case.deck + END, deck) is None


def read(folder: Path, text: str, executes: bool) -> tuple[Deck | None, DeckError | None]:
    path = folder / "deck.md"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        return load_deck(path, executes=executes, replaces=executes), None
    except DeckError as error:
        return None, error


def difference(presenterm: Presenterm, text: str, deck: Deck | None) -> str | None:
    """What presenterm does otherwise with a deck that we take; None where it shows the same words, step by step."""
    if presenterm.load(text) is None:
        return "presenterm refuses it"
    assert deck is not None
    if not presenterm.is_running:  # its code would run now, and draw at any time
        return None
    ours = [step for slide in shown(deck) for step in slide]
    theirs = [words(screen) for screen in presenterm.walk(len(ours))]
    if any(isinstance(block.content, Columns) for slide in deck.slides for block in slide.blocks):
        # Side by side, words come in the order of the columns' widths.
        ours, theirs = ([" ".join(sorted(step.split())) for step in steps] for steps in (ours, theirs))
    return None if ours == theirs else f"ours: {ours}, presenterm's: {theirs}"
