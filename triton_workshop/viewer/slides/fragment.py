"""A stretch of a page while it is put together: its lines, and what stands where on them."""

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
    """Where a live block ends: the row after its output, and the columns its output may fill."""

    bottom: int
    columns: int


class BlockPart(Enum):
    """What the mouse can mean by pointing at a live block."""

    HEADER = "header"
    CODE = "code"
    OUTPUT = "output"


@dataclass(frozen=True)
class Spot:
    """Where a part of a live block is, in cells of the body."""

    block: Block
    target: BlockPart
    x: int
    y: int
    width: int
    height: int

    def covers(self, x: int, y: int) -> bool:
        return self.x <= x < self.x + self.width and self.y <= y < self.y + self.height


@dataclass
class Fragment:
    """Lines of one width."""

    lines: list[Strip] = field(default_factory=list)
    pictures: list[PlacedPicture] = field(default_factory=list)
    live: dict[Block, LiveArea] = field(default_factory=dict)
    spots: list[Spot] = field(default_factory=list)
    revealed: int = 0
    """Rows up to the last that is visible at this step; below it everything is still blank."""

    @property
    def height(self) -> int:
        return len(self.lines)

    def append(self, other: Fragment) -> None:
        """Put another fragment below this one."""
        self.adopt(other, 0, self.height)
        self.lines += other.lines

    def adopt(self, other: Fragment, x: int, y: int) -> None:
        """Take over what stands on the lines of another fragment, which is placed at (x, y)."""
        self.pictures += [picture.moved(x, y) for picture in other.pictures]
        self.live |= {block: LiveArea(area.bottom + y, area.columns) for block, area in other.live.items()}
        self.spots += [replace(spot, x=spot.x + x, y=spot.y + y) for spot in other.spots]
        if other.revealed:
            self.revealed = max(self.revealed, y + other.revealed)

    def behind(self, lead: Segment, width: int, ground: Style | None) -> Fragment:
        """The same with a segment before each line, which fills that width on that ground."""
        x = lead.cell_length
        lines = (Strip([lead, *line], x + line.cell_length) for line in self.lines)
        whole = Fragment([line.adjust_cell_length(width, ground) for line in lines])
        whole.adopt(self, x, 0)
        return whole


def picture_fragment(picture: ScaledPicture, terminal: Terminal, x: int, width: int, ground: Style) -> Fragment:
    """A picture on lines of that width: characters, or room for what the terminal shows itself."""
    if terminal.shows_pictures:
        return Fragment([Strip.blank(width, ground)] * picture.rows, [PlacedPicture(picture, x, 0)])
    return Fragment(list(half_blocks(picture) or ())).behind(Segment(" " * x, ground), width, ground)
