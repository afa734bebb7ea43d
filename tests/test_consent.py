"""Code of our own repository runs; code from elsewhere needs leave."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import EVERYTHING, NOTHING, Consent, flag, home, in_force, is_trusted, live_code
from triton_workshop.deck.model import Execution
from triton_workshop.repository import ROOT
from triton_workshop.viewer.consent_prompt import consent_to

TALK = "One\n===\n\n```python +exec\nprint(1)\n```\n"
INCLUDING = "One\n===\n\n<!-- include: {} -->\n"
NAMING = "One\n===\n\n```file +exec\npath: {}\nlanguage: python\n```\n"


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A repository beside another folder, with a repository inside it."""
    for folder in ("ours/slides", "ours/vendored/.git", "elsewhere"):
        (tmp_path / folder).mkdir(parents=True)
    for folder in ("ours", "ours/vendored", "elsewhere"):
        (tmp_path / folder / "talk.md").write_text(TALK)
        (tmp_path / folder / "code.py").write_text("print(1)\n")
        (tmp_path / folder / "words.md").write_text("Only words.\n")
    (tmp_path / "ours" / "link.md").symlink_to(tmp_path / "elsewhere" / "talk.md")
    (tmp_path / "elsewhere" / "link.md").symlink_to(tmp_path / "ours" / "talk.md")
    return tmp_path


@pytest.mark.parametrize(
    ("deck", "text", "expected"),
    [
        ("ours/talk.md", TALK, True),
        ("elsewhere/talk.md", TALK, False),
        ("ours/vendored/talk.md", TALK, False),
        ("ours/link.md", None, False),
        ("elsewhere/link.md", None, True),
        ("ours/slides/new.md", INCLUDING.format("../talk.md"), True),
        ("ours/slides/new.md", INCLUDING.format("../../elsewhere/talk.md"), False),
        ("ours/slides/new.md", INCLUDING.format("../../elsewhere/words.md"), True),
        ("ours/slides/new.md", INCLUDING.format("../vendored/talk.md"), False),
        ("ours/slides/new.md", NAMING.format("../code.py"), True),
        ("ours/slides/new.md", NAMING.format("../../elsewhere/code.py"), False),
        ("elsewhere/new.md", INCLUDING.format("../ours/talk.md"), False),
    ],
)
def test_a_deck_is_at_home_where_all_its_code_is(places: Path, deck: str, text: str | None, expected: bool) -> None:
    path = places / deck
    if text is not None:
        path.write_text(text)
    assert is_trusted(load_deck(path), places / "ours") is expected


def test_the_workshops_own_deck_is_at_home() -> None:
    assert home() == ROOT
    assert in_force(load_deck(ROOT / "slides" / "triton-workshop.md"), NOTHING) == EVERYTHING


def test_elsewhere_counts_what_was_given(places: Path) -> None:
    deck = load_deck(places / "elsewhere" / "talk.md")
    assert in_force(deck, Consent(run=True)) == Consent(run=True)


def test_what_a_save_brings_in_from_elsewhere_has_no_leave(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triton_workshop.deck.consent.home", lambda: places / "ours")
    path = places / "ours" / "slides" / "new.md"
    path.write_text(TALK)
    agreed = consent_to(load_deck(path), NOTHING, Console(file=io.StringIO()))
    assert in_force(load_deck(path), agreed) == EVERYTHING
    path.write_text(INCLUDING.format("../../elsewhere/talk.md"))
    assert in_force(load_deck(path), agreed) == NOTHING


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        (NOTHING, set()),
        (Consent(run=True), {Execution.ON_KEY, Execution.AUTOMATIC}),
        (Consent(replace=True), {Execution.REPLACE, Execution.IMAGE}),
    ],
)
def test_each_kind_has_its_flag(given: Consent, allowed: set[Execution]) -> None:
    kinds = set(Execution) - {Execution.NONE}
    assert {kind for kind in kinds if given.allows(kind)} == allowed
    assert {flag(kind) for kind in allowed} == ({"-x"} if given.run else {"-X"} if given.replace else set())


def test_what_is_only_shown_is_not_listed(places: Path) -> None:
    path = places / "elsewhere" / "shown.md"
    path.write_text(TALK.replace(" +exec", "") + "\n```python +auto_exec\nprint(2)\n```\n")
    assert [(live.slide, live.block.line) for live in live_code(load_deck(path))] == [(1, 8)]
