"""256 colours, for terminals that have no more.

tmux without true colour is one of them. Each colour becomes the nearest of the 256. Rich rounds red, green and blue
apart, which turns the dark grey-blue behind code into navy.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import dist

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as ScreenColor
from textual.filter import LineFilter

PALETTE = {number: Color.from_ansi(number).get_truecolor() for number in range(16, 256)}
"""Colours that a terminal's user does not change: a cube, then greys."""
LEVELS = (0, 95, 135, 175, 215, 255)
"""Of red, green and blue in the cube."""
MIN_CHROMA = 48
"""Chroma above which a colour must not become grey."""


def chroma(colour: ColorTriplet) -> int:
    """Return the largest minus the smallest of red, green and blue."""
    return max(colour) - min(colour)


@lru_cache(maxsize=4096)
def nearest(colour: Color) -> Color:
    """Return the nearest of the 256; a numbered colour stays as it is."""
    if colour.triplet is None:
        return colour
    triplet = colour.triplet
    colourful = chroma(triplet) > MIN_CHROMA
    choices = neighbours(triplet)
    if colourful:
        choices = [number for number in choices if chroma(PALETTE[number])]
    return Color.from_ansi(min(choices, key=lambda number: dist(triplet, PALETTE[number])))


def neighbours(colour: ColorTriplet) -> list[int]:
    """Return the cube's colours around this one, and the nearest grey.

    They are numbers, and the nearest colour of all is among them. A photograph has thousands of colours, too many to
    compare each with all 240.
    """
    red, green, blue = map(closest_levels, colour)
    grey = round((sum(colour) / 3 - 8) / 10)
    return [*(16 + 36 * r + 6 * g + b for r, g, b in product(red, green, blue)), 232 + min(max(grey, 0), 23)]


@lru_cache(maxsize=256)
def closest_levels(value: int) -> list[int]:
    """Return the indices of the two levels nearest to this one."""
    return sorted(range(len(LEVELS)), key=lambda index: abs(LEVELS[index] - value))[:2]


@lru_cache(maxsize=4096)
def reduce_style(style: Style) -> Style:
    """Return a style in colours of the 256."""
    colour = style.color and nearest(style.color)
    ground = style.bgcolor and nearest(style.bgcolor)
    return style + Style(color=colour, bgcolor=ground)


class Colours256Filter(LineFilter):
    """Has the screen drawn in 256 colours."""

    def apply(self, segments: list[Segment], background: ScreenColor) -> list[Segment]:  # noqa: ARG002 (Textual's)
        """Return a line's segments in colours of the 256."""
        return [Segment(text, style and reduce_style(style), control) for text, style, control in segments]
