"""256 colours, for terminals that have no more, tmux without true colour among them: the nearest of them to each.

Rich rounds red, green and blue apart, which turns the dark grey-blue behind code into navy.
"""

from __future__ import annotations

from functools import lru_cache

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as ScreenColor
from textual.filter import LineFilter

Triplet = tuple[int, int, int]

STEPS = (0, 95, 135, 175, 215, 255)
"""Of red, green and blue in colours 16 to 231 (xterm's 256colres.pl)."""
BRIGHT: dict[int, Triplet] = {
    16 + 36 * r + 6 * g + b: (STEPS[r], STEPS[g], STEPS[b]) for r in range(6) for g in range(6) for b in range(6)
}
GREYS: dict[int, Triplet] = {232 + step: (8 + 10 * step, 8 + 10 * step, 8 + 10 * step) for step in range(24)}
COLOURFUL = 48
"""Between the largest and the smallest of red, green and blue: such a colour must not become grey."""


def spread(colour: Triplet) -> int:
    return max(colour) - min(colour)


@lru_cache(maxsize=4096)
def nearest(colour: Color) -> Color:
    """One of the 256; those that a terminal's user may have changed, 0 to 15, stay what they are."""
    if colour.triplet is None:
        return colour
    wanted: Triplet = colour.triplet
    choices = BRIGHT | GREYS
    if spread(wanted) > COLOURFUL:
        choices = {number: choice for number, choice in BRIGHT.items() if spread(choice)}

    def distance(number: int) -> int:
        return sum((one - other) ** 2 for one, other in zip(wanted, choices[number], strict=True))

    return Color.from_ansi(min(choices, key=distance))


@lru_cache(maxsize=4096)
def in_few(style: Style) -> Style:
    colour, ground = style.color, style.bgcolor
    return style + Style(color=colour and nearest(colour), bgcolor=ground and nearest(ground))


class FewColours(LineFilter):
    """Has the screen drawn in 256 colours."""

    def apply(self, segments: list[Segment], background: ScreenColor) -> list[Segment]:  # noqa: ARG002 (Textual's)
        return [Segment(text, style and in_few(style), control) for text, style, control in segments]
