"""A few screens, compared with how they looked when somebody last looked at them.

After a change that is meant: `uv run pytest tests/viewer/test_snapshots.py --snapshot-update`, then look at them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.viewer.app import Viewer

DECKS = Path(__file__).parent / "decks"


@pytest.fixture(autouse=True)
def true_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the terminal of the tests has: with 256 colours the same screens have the nearest of those."""
    monkeypatch.setenv("COLORTERM", "truecolor")


@pytest.mark.parametrize(
    ("deck", "slide", "keys", "size"),
    [
        pytest.param("tour.md", 1, [], (80, 24), id="introduction"),
        pytest.param("tour.md", 3, ["right"], (80, 24), id="highlights"),
        pytest.param("tour.md", 4, ["s"], (120, 36), id="columns"),
        pytest.param("live.md", 2, ["s"], (80, 24), id="light"),
        pytest.param("tour.md", 2, ["question_mark"], (80, 24), id="keys"),
        pytest.param("tour.md", 2, ["slash", *"some"], (80, 24), id="search"),
        pytest.param("live.md", 2, ["s", "ctrl+o", "end", "enter", *"x = ("], (80, 24), id="editor"),
    ],
)
def test_a_screen_looks_as_it_did(
    snap_compare: Any, deck: str, slide: int, keys: list[str], size: tuple[int, int]
) -> None:
    assert snap_compare(Viewer(load_deck(DECKS / deck), slide), press=keys, terminal_size=size)
