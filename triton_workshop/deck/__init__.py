"""Presenterm's dialect: text in, slides out. No screen, nothing runs.

deck = load_deck(Path("slides/triton-workshop.md")), whose parts are described in `model`.
"""

from .errors import DeckError, NoSuchDeckError
from .load import load_deck
from .model import Deck

__all__ = ["Deck", "DeckError", "NoSuchDeckError", "load_deck"]
