"""Where text stands in its room. Apart from the model, as screens without a deck need it as well."""

from __future__ import annotations

from enum import StrEnum


class Alignment(StrEnum):
    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"
