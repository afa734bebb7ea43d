"""Every case of the dialect's table, in our own deck and viewer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from triton_workshop.deck import Deck, DeckError, load_deck
from triton_workshop.deck.commands import COMMANDS
from triton_workshop.deck.consent import NOTHING
from triton_workshop.deck.fences import ATTRIBUTES
from triton_workshop.deck.front_matter import KEYS, OPTIONS
from triton_workshop.deck.model import Content, Image

from .conftest import ReadDeck
from .dialect import CASES, TABLE
from .dialect.case import Refusal, Steps
from .dialect.screen import shown

SHOWN = {name: case for name, case in CASES.items() if case.refusal is None}
REFUSED = {name: case.refusal for name, case in CASES.items() if case.refusal is not None}
WITHOUT_X = {name: case.without_x for name, case in CASES.items() if case.without_x is not None}


def listed(slides: tuple[Steps, ...]) -> list[list[str]]:
    return [[slide] if isinstance(slide, str) else slide for slide in slides]


@pytest.mark.parametrize("name", SHOWN)
def test_deck_shows(read: ReadDeck, folder: Path, name: str) -> None:
    case = SHOWN[name]
    deck = read(case.deck)
    assert shown(deck) == listed(case.slides)
    if case.blocks is not None:
        assert contents(deck) == [in_folder(content, folder) for content in case.blocks]
    warnings = [(warning.line, warning.reason) for warning in deck.warnings]
    wanted = [] if case.warning is None else [case.warning]
    assert [line for line, _ in warnings] == [line for line, _ in wanted], warnings
    assert all(part in reason for (_, reason), (_, part) in zip(warnings, wanted, strict=True)), warnings


def contents(deck: Deck) -> list[Content]:
    return [block.content for slide in deck.slides for block in slide.blocks]


def in_folder(content: Content, folder: Path) -> Content:
    return replace(content, path=folder / content.path) if isinstance(content, Image) else content


@pytest.mark.parametrize("name", REFUSED)
def test_deck_is_refused(read: ReadDeck, name: str) -> None:
    with pytest.raises(DeckError) as caught:
        read(CASES[name].deck)
    assert_says(caught.value, REFUSED[name])


@pytest.mark.parametrize("name", WITHOUT_X)
def test_deck_whose_code_may_not_run(folder: Path, read: ReadDeck, name: str) -> None:
    case, wanted = CASES[name], WITHOUT_X[name]
    path = folder / "deck.md"
    path.write_text(case.deck, encoding="utf-8")
    if isinstance(wanted, Refusal):
        with pytest.raises(DeckError) as caught:
            load_deck(path, NOTHING)
        assert_says(caught.value, wanted)
    else:
        assert shown(load_deck(path, NOTHING)) == listed(wanted)


def assert_says(error: DeckError, refusal: Refusal) -> None:
    assert (error.path.name, error.line) == (refusal.file, refusal.line), str(error)
    assert refusal.reason in error.reason


def test_the_table_is_as_long_as_the_dialect() -> None:
    assert len(CASES) >= 250
    assert len(CASES) == sum(map(len, TABLE.values())), "two cases of one name"


# A new command, attribute, option or key without its cases fails here.

DECLARED = {
    **{command.name: command.name for command in COMMANDS},
    **{f"+{attribute.name}": f"+{attribute.name}" for attribute in ATTRIBUTES},
    **{key: f"{key}:" for key in KEYS},
    **{f"option {option}": f"{option}:" for option in OPTIONS},
}
"""Each subject, and how a deck spells it."""


def test_all_that_is_declared_is_in_the_table_right_and_wrong() -> None:
    assert [subject for subject in DECLARED if not right_and_wrong(subject)] == []


def right_and_wrong(subject: str) -> bool:
    right = [case for case in TABLE[subject] if case.refusal is None]
    wrong = [case for case in TABLE[subject] if case.refusal is not None]
    return bool(wrong) and any(DECLARED[subject] in case.deck for case in right)
