"""Presenterm's dialect as docs/decks.md describes it: text in, slides out. No screen, nothing runs.

deck = load_deck(Path("slides/triton-workshop.md")), whose parts are described in `model`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .errors import DeckError, NoSuchDeckError

if TYPE_CHECKING:
    from .load import load_deck
    from .model import Deck

__all__ = ["Deck", "DeckError", "NoSuchDeckError", "load_deck"]


def __getattr__(name: str) -> object:
    """Import what reads Markdown and YAML only where a deck is read (PEP 562): screens need no more than the model."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(".load" if name == "load_deck" else ".model", __name__), name)
