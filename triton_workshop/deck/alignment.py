"""Alignment of text within its line.

A module of its own, since screens without a deck use it as well.
"""

from __future__ import annotations

from enum import StrEnum


class Alignment(StrEnum):
    """Position of text within the columns that it has."""

    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"
