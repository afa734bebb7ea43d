"""Alignment of text within its line.

It has a module of its own because screens without a deck need it as well.
"""

from __future__ import annotations

from enum import StrEnum


class Alignment(StrEnum):
    """Position of text within the columns that it has."""

    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"
