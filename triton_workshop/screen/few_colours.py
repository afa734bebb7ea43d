"""256 colours, for terminals that have no more, tmux without true colour among them: the nearest of them to each.

Rich rounds red, green and blue apart, which turns the dark grey-blue behind code into navy.
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
"""Those that a terminal's user does not change: a cube of colours, then greys."""
LEVELS = (0, 95, 135, 175, 215, 255)
"""Of red, green and blue in the cube."""
COLOURFUL = 48
"""Between the largest and the smallest of red, green and blue: such a colour must not become grey."""


def spread(colour: ColorTriplet) -> int:
    return max(colour) - min(colour)


@lru_cache(maxsize=4096)
def nearest(colour: Color) -> Color:
    """One of the 256; a colour by its number stays what it is."""
    if colour.triplet is None:
        return colour
    wanted = colour.triplet
    colourful = spread(wanted) > COLOURFUL
    choices = [number for number in neighbours(wanted) if not colourful or spread(PALETTE[number])]
    return Color.from_ansi(min(choices, key=lambda number: dist(wanted, PALETTE[number])))


def neighbours(colour: ColorTriplet) -> list[int]:
    """The numbers of the cube's colours around this one, and of the nearest grey.

    The nearest of all is among them. A photograph has thousands of colours, too many to compare each with all 240.
    """
    red, green, blue = map(nearest_levels, colour)
    grey = round((sum(colour) / 3 - 8) / 10)
    return [*(16 + 36 * r + 6 * g + b for r, g, b in product(red, green, blue)), 232 + min(max(grey, 0), 23)]


@lru_cache(maxsize=256)
def nearest_levels(value: int) -> list[int]:
    """The indices of the two levels nearest to this one."""
    return sorted(range(len(LEVELS)), key=lambda index: abs(LEVELS[index] - value))[:2]


@lru_cache(maxsize=4096)
def in_few(style: Style) -> Style:
    colour, ground = style.color, style.bgcolor
    return style + Style(color=colour and nearest(colour), bgcolor=ground and nearest(ground))


class FewColours(LineFilter):
    """Has the screen drawn in 256 colours."""

    def apply(self, segments: list[Segment], background: ScreenColor) -> list[Segment]:  # noqa: ARG002 (Textual's)
        return [Segment(text, style and in_few(style), control) for text, style, control in segments]
