"""The widget that has the terminal show a picture itself, in whichever way the terminal knows.

What it draws goes out with the rest of the screen, at its place among it, so that no sequence of a picture can come
between the parts of another. Where another screen lies over the slides, characters stand for the picture.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from functools import lru_cache
from itertools import count

from PIL.Image import Image
from rich.segment import ControlType, Segment
from rich.style import Style
from textual.dom import NoScreen
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from triton_workshop.viewer import picture_escapes as escapes
from triton_workshop.viewer.pictures import Look, flat_picture, half_blocks
from triton_workshop.viewer.terminal import Terminal, Way

CONTROL = ((ControlType.CURSOR_FORWARD, 0),)
"""Marks text that takes no cells of a line."""
KITTY_KEEPS = 24
"""Pictures that kitty holds for us at once: as many as a presenter may soon go back to."""
SHARPNESS = 2
"""Pixels for each that iTerm2 says a cell has: its pixels are points, of which a sharp screen has more than one."""

REST = 0.15
"""Seconds after which a picture that has scrolled is taken to have arrived."""


class Held:
    """The pictures that kitty holds for us, each under a number: it shows them wherever the number is written."""

    def __init__(self) -> None:
        self._next = count(random.randrange(1 << 16, escapes.IDENTIFIERS // 2))
        self._numbers: OrderedDict[Look, int] = OrderedDict()

    def number(self, look: Look) -> tuple[int, bool, list[int]]:
        """A picture's number, whether kitty has yet to get it, and the numbers of those that go for it."""
        new = look not in self._numbers
        number = self._numbers.setdefault(look, next(self._next) if new else 0)
        self._numbers.move_to_end(look)
        return number, new, [self._numbers.popitem(last=False)[1] for _ in range(len(self._numbers) - KITTY_KEEPS)]

    def let_go(self, terminal: Terminal) -> str:
        """What has kitty forget them all."""
        numbers, self._numbers = list(self._numbers.values()), OrderedDict()
        return "".join(escapes.passed_on(escapes.kitty_forget(number), terminal) for number in numbers)


class PictureWidget(Widget):
    """A picture, at the place that its offset says."""

    DEFAULT_CSS = "PictureWidget { position: absolute; }"

    def __init__(self, look: Look, terminal: Terminal, held: Held) -> None:
        super().__init__()
        self.look = look
        self._terminal = terminal
        self._held = held
        self._drawn: tuple[Region, Region] | None = None
        """Where on the screen the terminal shows which part, as long as nothing else has been written there."""
        self._place: tuple[Region, Region] | None = None
        """Where it was last."""
        self._rest: Timer | None = None
        """Runs while it moves: to send it at every row that it scrolls by would hold up all else."""
        self.styles.width, self.styles.height = look.columns, look.rows

    def draw_again(self) -> None:
        """For a terminal that may not show it now."""
        self._drawn = self._rest = None
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        try:
            covered = not self.screen.is_active
            place = self.screen.find_widget(self).visible_region
        except (NoScreen, LookupError):  # it is about to go
            return []
        if covered:
            return self._characters(crop)
        image = prepared(self.look, self._terminal)
        if image is None:
            return []
        if self._terminal.way is Way.KITTY:
            return self._letters(image, crop)
        return self._pixels(place, crop)

    def _letters(self, image: Image, crop: Region) -> list[Strip]:
        """Letters that stand for the picture, wherever they are; before the first, the picture itself, once."""
        number, new, gone = self._held.number(self.look)
        sequences = [escapes.kitty_forget(old) for old in gone]
        if new:
            sequences += escapes.kitty(image, number, self.look.columns, self.look.rows)
        before = "".join(escapes.passed_on(sequence, self._terminal) for sequence in sequences)
        last = escapes.most_cells()
        columns = range(crop.x, min(crop.right, last))
        lines = []
        for row in range(crop.y, min(crop.bottom, last)):
            letters, colour = escapes.placeholders(number, row, columns)
            # Without a style: a terminal of few colours would get another colour from it.
            segments = [Segment(before + colour, None, CONTROL), Segment(letters), Segment("\x1b[0m", None, CONTROL)]
            lines.append(Strip(segments, len(columns)))
            before = ""
        return lines

    def _characters(self, crop: Region) -> list[Strip]:
        self._drawn = None
        lines = half_blocks(self.look) or ()
        return [line.crop(crop.x, crop.right) for line in lines[crop.y : crop.bottom]]

    def _moves(self, place: tuple[Region, Region]) -> bool:
        """Whether it is on its way to another place, or was a moment ago."""
        before, self._place = self._place, place
        if before not in (None, place):
            if self._rest is not None:
                self._rest.stop()
            self._rest = self.set_timer(REST, self.draw_again)
        return self._rest is not None

    def _pixels(self, place: Region, crop: Region) -> list[Strip]:
        """Cells that the picture lies on; after the last, the picture itself, where the terminal does not show it."""
        if self._moves((place, crop)):
            return self._characters(crop)
        drawn, self._drawn = self._drawn, (place, crop)
        if drawn == self._drawn:
            over = Strip([Segment(escapes.step_over(crop.width), None, CONTROL)], crop.width)
            return [over] * crop.height
        blank = Strip.blank(crop.width, Style(bgcolor=self.look.background))
        # A picture that touches the last row of the screen would have some terminals scroll.
        height = crop.height - max(place.bottom + 1 - self.screen.size.height, 0)
        if height <= 0:
            return [blank] * crop.height
        sequence = escapes.move_to(place.x, place.y)
        sequence += encoded(self.look, self._terminal, Region(crop.x, crop.y, crop.width, height))
        sequence += escapes.move_to(place.right, place.bottom - 1)
        last = Strip([*blank, Segment(sequence, None, CONTROL)], crop.width)
        return [*[blank] * (crop.height - 1), last]


@lru_cache(maxsize=8)
def prepared(look: Look, terminal: Terminal) -> Image | None:
    """The picture at the size in which it is shown; None where it cannot be read."""
    width, height = look.columns * terminal.cell[0], look.rows * terminal.cell[1]
    flat = flat_picture(look.source, look.background, SHARPNESS * width, SHARPNESS * height)
    if flat is None:
        return None
    sharper = terminal.way is Way.ITERM2 and flat.width >= SHARPNESS * width
    return (
        escapes.scaled(flat, SHARPNESS * width, SHARPNESS * height) if sharper else escapes.scaled(flat, width, height)
    )


def forget_prepared() -> None:
    """Forgets what was read of picture files: they have been saved since."""
    prepared.cache_clear()
    encoded.cache_clear()


@lru_cache(maxsize=16)
def encoded(look: Look, terminal: Terminal, part: Region) -> str:
    """What shows this part of the picture, in cells, at the cursor."""
    image = prepared(look, terminal)
    if image is None:
        return ""
    across, down = image.width // look.columns, image.height // look.rows
    cut = image.crop((part.x * across, part.y * down, part.right * across, part.bottom * down))
    return escapes.iterm2(cut, part.width, part.height) if terminal.way is Way.ITERM2 else escapes.sixel(cut)
