"""Fragments of a page while it is laid out."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from triton_workshop.deck.model import Block
from triton_workshop.terminal import Terminal
from triton_workshop.viewer.pictures.drawing import PlacedPicture, ScaledPicture, half_blocks


@dataclass(frozen=True)
class LiveArea:
    """The area of a live block."""

    bottom: int
    """The row after its output."""
    columns: int
    """The columns that its output may fill."""


class SpotTarget(Enum):
    """Areas of a live block that the mouse can point at."""

    HEADER = "header"
    CODE = "code"
    OUTPUT = "output"


@dataclass(frozen=True)
class Spot:
    """The position of one area of a live block, in cells of the body."""

    block: Block
    target: SpotTarget
    x: int
    y: int
    width: int
    height: int

    def covers(self, x: int, y: int) -> bool:
        """Return True if a cell is in the area."""
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@dataclass
class Fragment:
    """Lines of one width."""

    lines: list[Strip] = field(default_factory=list)
    pictures: list[PlacedPicture] = field(default_factory=list)
    live: dict[Block, LiveArea] = field(default_factory=dict)
    spots: list[Spot] = field(default_factory=list)
    revealed: int = 0
    """Rows up to the last visible one; below it everything is still blank."""

    @property
    def height(self) -> int:
        """The number of lines."""
        return len(self.lines)

    def append(self, fragment: Fragment) -> None:
        """Put another fragment below this one."""
        self.adopt(fragment, 0, self.height)
        self.lines += fragment.lines

    def adopt(self, fragment: Fragment, x: int, y: int) -> None:
        """Add the pictures and areas of another fragment, which is at (x, y)."""
        self.pictures += [picture.moved(x, y) for picture in fragment.pictures]
        self.live |= {block: LiveArea(area.bottom + y, area.columns) for block, area in fragment.live.items()}
        self.spots += [replace(spot, x=spot.x + x, y=spot.y + y) for spot in fragment.spots]
        # Of a blank fragment nothing is revealed, so its offset must not count.
        if fragment.revealed:
            self.revealed = max(self.revealed, y + fragment.revealed)

    def with_lead(self, lead: Segment, width: int, ground: Style | None) -> Fragment:
        """Return the fragment with a segment before each line, at a width."""
        x = lead.cell_length
        lines = (Strip([lead, *line], x + line.cell_length) for line in self.lines)
        result = Fragment([line.adjust_cell_length(width, ground) for line in lines])
        result.adopt(self, x, 0)
        return result


def picture_fragment(picture: ScaledPicture, terminal: Terminal, x: int, width: int, ground: Style) -> Fragment:
    """Draw a picture on lines of a width.

    It is drawn in characters, or as space for a picture that the terminal itself shows.
    """
    if terminal.shows_pictures:
        return Fragment([Strip.blank(width, ground)] * picture.rows, [PlacedPicture(picture, x, 0)])
    return Fragment(list(half_blocks(picture) or ())).with_lead(Segment(" " * x, ground), width, ground)
