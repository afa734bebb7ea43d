"""How errors are told. What is an error stands in the dialect's table."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.deck import DeckError, load_deck

from .conftest import ReadDeck


def test_error_is_one_line_of_file_line_and_reason(read: ReadDeck) -> None:
    with pytest.raises(DeckError) as caught:
        read("text\n\n![](none.png)\n")
    assert str(caught.value) == f"{caught.value.path}:3: image not found: none.png"


def test_unknown_deck_is_one_line_without_a_line_number(folder: Path) -> None:
    with pytest.raises(DeckError) as caught:
        load_deck(folder / "none.md")
    assert str(caught.value) == f"{folder / 'none.md'}: no such deck"


def test_folder_is_no_deck(folder: Path) -> None:
    with pytest.raises(DeckError, match="a folder, not a deck"):
        load_deck(folder)


def test_text_that_is_not_utf8_is_named_with_its_line(folder: Path) -> None:
    path = folder / "latin.md"
    path.write_bytes(b"one\ntwo \xe9\n")
    with pytest.raises(DeckError) as caught:
        load_deck(path)
    assert (caught.value.line, caught.value.reason) == (2, "not UTF-8 text")
