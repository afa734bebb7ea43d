"""A deck from a text, in a folder with what decks ask for: a picture, a file to include, a file with code."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from triton_workshop.deck import Deck, load_deck

ReadDeck = Callable[[str], Deck]

FILES = {
    "picture.png": "\x89PNG\r\n\x1a\n",
    "words.png": "not a picture",
    "part.md": "included\n\n<!-- pause -->\n\n* item\n",
    "wrong.md": "fine\n\n<!-- pauze -->\n",
    "with_front_matter.md": "---\ntitle: Part\n---\n",
    "code.py": "one\ntwo\nthree\nfour\n",
    "theme.yaml": "default: {}\n",
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("deck")
    for name, text in FILES.items():
        (path / name).write_bytes(text.encode("latin-1"))
    return path


@pytest.fixture
def read(folder: Path) -> ReadDeck:
    def read(text: str) -> Deck:
        path = folder / "deck.md"
        path.write_text(text, encoding="utf-8", newline="")
        return load_deck(path)

    return read
