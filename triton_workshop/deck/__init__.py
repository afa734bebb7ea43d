"""Presenterm's dialect, as docs/decks.md describes it.

Text comes in and slides go out. There is no screen, and nothing runs. `load_deck(path)` returns a `model.Deck`.
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
    """Import a public name on first use (PEP 562).

    Screens need no more than the model, so what reads Markdown and YAML is imported only where a deck is read.
    """
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(".load" if name == "load_deck" else ".model", __name__), name)
