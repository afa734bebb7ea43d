"""presenterm beside ours: it takes and refuses the same decks, and shows the same words at the same step.

Every case of the dialect's table, with `-x -X` and without, as presenterm was seen to answer it: deck/recording.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.deck.conftest import filled
from tests.deck.dialect import CASES, TABLE
from tests.deck.dialect.screen import shown
from tests.deck.recording import FLAGS, RECORD, Answer, asked_now, digest, read_recording
from triton_workshop.deck import Deck, DeckError, load_deck
from triton_workshop.deck.consent import Consent
from triton_workshop.deck.model import Columns
from triton_workshop.repository import ROOT

RECORDING = read_recording()
UPDATE = f"to update the recording of presenterm's answers: {RECORD}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("ours"))


@pytest.mark.parametrize("subject", TABLE)
def test_presenterm_does_what_we_do(folder: Path, subject: str) -> None:
    names = [f"{subject}: {case.claim}" for case in TABLE[subject]]
    wrong = [f"{name!r}, {way}: {what}" for name in names for way in FLAGS if (what := otherwise(folder, name, way))]
    assert not wrong, "\n".join(wrong)


def otherwise(folder: Path, name: str, way: str) -> str | None:
    """What is wrong with a case; None where we do what presenterm did, or where we mean to do otherwise and do."""
    case, recorded = CASES[name], RECORDING.cases.get(name)
    if recorded is None or recorded.deck != digest(case.deck):
        return f"presenterm was not asked about this deck; {UPDATE}"
    ours, theirs = read(folder, case.deck, runs=bool(FLAGS[way])), recorded.answers[way]
    if case.unlike:
        return f"no longer unlike: {case.unlike}" if is_same(ours, theirs) else None
    return None if is_same(ours, theirs) else f"ours: {steps(ours)}, presenterm's: {theirs}"


def read(folder: Path, text: str, runs: bool) -> Deck | DeckError:
    path = folder / "deck.md"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        return load_deck(path, Consent(runs, runs))
    except DeckError as error:
        return error


def is_same(ours: Deck | DeckError, theirs: Answer) -> bool:
    if isinstance(ours, DeckError) or isinstance(theirs, str):
        return isinstance(ours, DeckError) == (theirs == "refused")
    if any(isinstance(block.content, Columns) for slide in ours.slides for block in slide.blocks):
        # Side by side, words come in the order of the columns' widths.
        return [sorted(step.split()) for step in steps(ours)] == [sorted(step.split()) for step in theirs]
    return steps(ours) == theirs


def steps(ours: Deck | DeckError) -> list[str]:
    """The words of each step; of a refusal, the error's."""
    return [str(ours)] if isinstance(ours, DeckError) else [step for slide in shown(ours) for step in slide]


def test_presenterm_was_asked_about_these_cases_alone() -> None:
    assert RECORDING.asked == asked_now(), UPDATE
    assert RECORDING.cases.keys() <= CASES.keys(), UPDATE


def test_our_executor_keeps_what_presenterms_own_has() -> None:
    """An executor that is given takes the place of the whole entry for its language."""
    config = yaml.safe_load((ROOT / "slides" / "presenterm.yaml").read_text(encoding="utf-8"))
    entry = config["snippet"]["exec"]["custom"]["python"]
    assert entry["hidden_line_prefix"] == "/// "
    assert entry["alternative"]["uv"]["commands"] == [["uv", "run", "--script", "-q", "$pwd/snippet.py"]]
