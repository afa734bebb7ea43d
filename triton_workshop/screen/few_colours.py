"""256 colours, for terminals that have no more, tmux without true colour among them: the nearest of them to each.

Rich rounds red, green and blue apart, which turns the dark grey-blue behind code into navy.
"""

from __future__ import annotations

from functools import lru_cache

from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as ScreenColor
from textual.filter import LineFilter

PALETTE = {number: Color.from_ansi(number).get_truecolor() for number in range(16, 256)}
"""Those that a terminal's user does not change."""
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

    def distance(number: int) -> int:
        return sum((one - other) ** 2 for one, other in zip(wanted, PALETTE[number], strict=True))

    choices = [number for number, choice in PALETTE.items() if not colourful or spread(choice)]
    return Color.from_ansi(min(choices, key=distance))


@lru_cache(maxsize=4096)
def in_few(style: Style) -> Style:
    colour, ground = style.color, style.bgcolor
    return style + Style(color=colour and nearest(colour), bgcolor=ground and nearest(ground))


class FewColours(LineFilter):
    """Has the screen drawn in 256 colours."""

    def apply(self, segments: list[Segment], background: ScreenColor) -> list[Segment]:  # noqa: ARG002 (Textual's)
        return [Segment(text, style and in_few(style), control) for text, style, control in segments]
