"""The words of a screen, whoever drew it: layout, frames and our own signs left out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from triton_workshop.deck import Deck
from triton_workshop.deck.model import Slide
from triton_workshop.screen.palette import DARK
from triton_workshop.viewer.slides.page import compose
from triton_workshop.viewer.slides.view import View

WIDTH, HEIGHT = 160, 60
"""Wide and high enough that nothing of a case wraps or scrolls away."""

_SIGNS = re.compile(
    "[\u2500-\u259f"  # lines and blocks: frames, bars, pictures
    "\u2014\u2800-\u28ff"  # presenterm's rules, and the picture of a terminal that waits
    "●★◆▲✖·"  # our alerts, and what stands between event, place and date
    "\ue000-\uf8ff\U000f0000-\U000ffffd"  # presenterm's alerts: a private font
    "^]"  # our sign for what cannot be raised
)
_RUNS = re.compile(
    r"▶ Ctrl\+E|does not run here|\+\w+ (?:runs|is drawn) in presenterm|\[not started\]|snippet \S+ is disabled"
)
"""Lines that say that, and how, a block runs."""


_RAISED = re.compile(r"(?<!\S)([\u00b2\u00b3\u00b9\u1d43-\u1dbf\u2070-\u207f]+) +")
"""With the blank that we put behind a footnote's mark."""


def words(rows: Iterable[str]) -> str:
    """The rows' words; raised characters as plain ones."""
    text = _RAISED.sub(r"\1", " ".join(row for row in rows if not _RUNS.search(row)))
    return " ".join(unicodedata.normalize("NFKC", _SIGNS.sub(" ", text)).split())


def shown(deck: Deck) -> list[list[str]]:
    """What our viewer shows at each step of each slide."""
    return [[shown_at(deck, slide, step) for step in range(slide.steps)] for slide in deck.slides]


def shown_at(deck: Deck, slide: Slide, step: int) -> str:
    page = compose(deck, slide, View(DARK, WIDTH, HEIGHT, step))
    return words(row.text for row in (*page.title, *page.body))
