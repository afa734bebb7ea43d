"""The colours that a theme and a text may name, as presenterm spells them."""

from __future__ import annotations

import re

from .errors import RefusedError
from .spelling import did_you_mean

COLOURS = frozenset({
    "black", "white", "grey", "dark_grey", "red", "dark_red", "green", "dark_green", "blue", "dark_blue", "yellow",
    "dark_yellow", "magenta", "dark_magenta", "cyan", "dark_cyan",
})  # fmt: skip
_PALETTE_COLOUR = re.compile(r"(?:palette|p):.+", re.DOTALL)
"""A name that a theme's palette gives to a colour.

The name is not looked up, as we draw the palettes of presenterm's own themes only.
"""


def check_colour_in_theme(colour: str, line: int) -> None:
    """Check a colour as a theme writes it.

    A theme omits the `#` that text needs. Raises RefusedError, with this line.
    """
    _check(colour, r"(?:[0-9a-fA-F]{3}){1,2}", "rrggbb", line)


def check_colour_in_text(colour: str, line: int) -> None:
    """Check a colour as a text writes it. Raises RefusedError."""
    _check(colour, r"#(?:[0-9a-fA-F]{3}){1,2}", "#rrggbb", line)


def _check(colour: str, digits: str, spelling: str, line: int) -> None:
    if colour in COLOURS:
        return
    match = re.fullmatch(digits, colour) or _PALETTE_COLOUR.fullmatch(colour)
    if match is None:
        valid = [*sorted(COLOURS), spelling, "palette:NAME"]
        raise RefusedError(f"unknown colour '{colour}'" + did_you_mean(colour, valid), line)
