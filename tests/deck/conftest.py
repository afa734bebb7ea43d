"""A deck from a text, in a folder with what decks ask for: a picture, a file to include, a file with code."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path

import pytest

from triton_workshop.deck import Deck, load_deck

ReadDeck = Callable[[str], Deck]

# A whole picture: presenterm decodes it.
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFElEQVR4nGM8ISfHgA0wYRUdtBIA0MoBFD5jqJkAAAAASUVORK5CYII="
).decode("latin-1")
FILES = {
    "picture.png": PICTURE,
    "words.png": "not a picture",
    "part.md": "included\n\n<!-- pause -->\n\n* item\n",
    "wrong.md": "fine\n\n<!-- pauze -->\n",
    "with_front_matter.md": "---\ntitle: Part\n---\n",
    "words.md": "words\n",
    "centred.md": "<!-- alignment: center -->\n",
    "cycle.md": "<!-- include: deck.md -->\n",
    "deeper/first.md": "from deeper\n\n<!-- include: second.md -->\n\n![](dot.png)\n\n"
    "```file\npath: ../code.py\nlanguage: text\n```\n",
    "deeper/second.md": "even deeper\n",
    "deeper/dot.png": PICTURE,
    "code.py": "one\ntwo\nthree\nfour\n",
    "theme.yaml": "default: {}\n",
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return filled(tmp_path_factory.mktemp("deck"))


def filled(path: Path) -> Path:
    """The folder, with the files in it."""
    for name, text in FILES.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(text.encode("latin-1"))
    return path


@pytest.fixture
def read(folder: Path) -> ReadDeck:
    def read(text: str) -> Deck:
        path = folder / "deck.md"
        path.write_text(text, encoding="utf-8", newline="")
        return load_deck(path)

    return read
