"""Search, without a screen."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.viewer.overlays.search import Hit, SearchedSlide, entries, hits, occurrences

SLIDES = (
    SearchedSlide("Two dimensions", ("a kernel over a picture", "sepia comes later")),
    SearchedSlide("Sepia", ("the sepia kernel", "Blocks")),
    SearchedSlide("The sepia kernel", ("code",)),
    SearchedSlide("", ("nothing",)),
)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", [Hit(0, ""), Hit(1, ""), Hit(2, ""), Hit(3, "")]),
        ("sepia kernel", [Hit(2, ""), Hit(1, "the sepia kernel"), Hit(0, "a kernel over a picture")]),
        ("sepia blocks", [Hit(1, "the sepia kernel")]),
        ("Blocks", [Hit(1, "Blocks")]),
        ("BLOCKS", []),
        ("noth", [Hit(3, "nothing")]),
        ("(", []),
    ],
)
def test_a_query_finds_slides_by_name_first_then_by_line(query: str, found: list[Hit]) -> None:
    assert hits(SLIDES, query) == found


def test_notes_and_later_steps_and_columns_are_searched(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text("One\n===\n\n<!-- pause -->\n\n| a | later |\n| - | - |\n\n<!-- speaker_note: whispered -->\n")
    slides = entries(load_deck(deck))
    assert hits(slides, "later")
    assert hits(slides, "whispered")
    assert not hits(slides, "===")


def test_a_query_without_capitals_finds_both() -> None:
    assert occurrences("ab", "ABxab") == [(0, 2), (3, 5)]
    assert occurrences("AB", "ABxab") == [(0, 2)]
    assert occurrences("", "ab") == []
