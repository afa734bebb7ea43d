"""The widget that has the terminal itself show a picture, in whichever way the terminal supports.

What it draws goes out with the rest of the screen, in its place, so that no picture's escape sequence can split another
sequence. If another screen lies over the slides, characters are shown instead of the picture.
"""

from __future__ import annotations

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

from triton_workshop import terminal_pictures as escapes
from triton_workshop.terminal import GraphicsProtocol, Terminal
from triton_workshop.viewer.pictures.drawing import ScaledPicture, flat_picture, half_blocks

CONTROL = ((ControlType.CURSOR_FORWARD, 0),)
"""Marks text that takes up no cells of a line."""
KITTY_KEEPS = 24
"""Pictures that kitty holds for us at a time: as many as a presenter may soon go back to."""
SHARPNESS = 2
"""Pixels to send per pixel that iTerm2 reports: it counts points, and a sharp screen has several pixels per point."""

REST_SECONDS = 0.15
"""Seconds after its last move when a scrolling picture counts as having stopped."""


class Held:
    """The pictures that kitty holds for us, each under a number; kitty shows them wherever the number is written."""

    def __init__(self) -> None:
        self._next = count(escapes.new_identifier())
        self._numbers: OrderedDict[ScaledPicture, int] = OrderedDict()

    def number(self, picture: ScaledPicture) -> tuple[int, bool, list[int]]:
        """A picture's number, whether kitty still has to get it, and the numbers of those dropped to make room."""
        new = picture not in self._numbers
        number = self._numbers.setdefault(picture, next(self._next) if new else 0)
        self._numbers.move_to_end(picture)
        return number, new, [self._numbers.popitem(last=False)[1] for _ in range(len(self._numbers) - KITTY_KEEPS)]

    def let_go(self, terminal: Terminal) -> str:
        """The sequence that makes kitty forget them all."""
        numbers, self._numbers = list(self._numbers.values()), OrderedDict()
        return "".join(escapes.wrap_for_tmux(escapes.kitty_forget(number), terminal) for number in numbers)


class PictureWidget(Widget):
    """A picture, at the position given by its offset."""

    DEFAULT_CSS = "PictureWidget { position: absolute; }"

    def __init__(self, picture: ScaledPicture, terminal: Terminal, held: Held) -> None:
        super().__init__()
        self.picture = picture
        self._terminal = terminal
        self._held = held
        self._drawn: tuple[Region, Region] | None = None
        """Where on the screen the terminal shows which part, as long as nothing else has been written there."""
        self._place: tuple[Region, Region] | None = None
        """Where it was last."""
        self._rest: Timer | None = None
        """Runs while the picture moves: sending it for every row scrolled would hold up everything else."""
        self.styles.width, self.styles.height = picture.columns, picture.rows

    def draw_again(self) -> None:
        """Draw it again, for a terminal that may have lost it."""
        self._drawn = self._rest = None
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        try:
            covered = not self.screen.is_active
            place = self.screen.find_widget(self).visible_region
        except (NoScreen, LookupError):  # it is about to be removed
            return []
        if covered:
            return self._characters(crop)
        image = prepared(self.picture, self._terminal)
        if image is None:
            return []
        if self._terminal.graphics is GraphicsProtocol.KITTY:
            return self._letters(image, crop)
        return self._pixels(place, crop)

    def _letters(self, image: Image, crop: Region) -> list[Strip]:
        """Letters that stand for the picture, wherever they are; the picture itself is sent once, before the first."""
        number, new, gone = self._held.number(self.picture)
        sequences = [escapes.kitty_forget(old) for old in gone]
        if new:
            sequences += escapes.kitty(image, number, self.picture.columns, self.picture.rows)
        before = "".join(escapes.wrap_for_tmux(sequence, self._terminal) for sequence in sequences)
        last = escapes.max_cells()
        columns = range(crop.x, min(crop.right, last))
        lines = []
        for row in range(crop.y, min(crop.bottom, last)):
            letters, colour = escapes.placeholders(number, row, columns)
            # Without a style, as a terminal with few colours would change its colour.
            segments = [Segment(before + colour, None, CONTROL), Segment(letters), Segment("\x1b[0m", None, CONTROL)]
            lines.append(Strip(segments, len(columns)))
            before = ""
        return lines

    def _characters(self, crop: Region) -> list[Strip]:
        self._drawn = None
        lines = half_blocks(self.picture) or ()
        return [line.crop(crop.x, crop.right) for line in lines[crop.y : crop.bottom]]

    def _moves(self, place: tuple[Region, Region]) -> bool:
        """Whether it is moving, or was a moment ago."""
        before, self._place = self._place, place
        if before not in (None, place):
            if self._rest is not None:
                self._rest.stop()
            self._rest = self.set_timer(REST_SECONDS, self.draw_again)
        return self._rest is not None

    def _pixels(self, place: Region, crop: Region) -> list[Strip]:
        """The cells under the picture, and after the last the picture itself, unless the terminal already shows it."""
        if self._moves((place, crop)):
            return self._characters(crop)
        drawn, self._drawn = self._drawn, (place, crop)
        if drawn == self._drawn:
            over = Strip([Segment(escapes.step_over(crop.width), None, CONTROL)], crop.width)
            return [over] * crop.height
        blank = Strip.blank(crop.width, Style(bgcolor=self.picture.background))
        # A picture that touches the last row of the screen would make some terminals scroll.
        height = crop.height - max(place.bottom + 1 - self.screen.size.height, 0)
        if height <= 0:
            return [blank] * crop.height
        sequence = escapes.move_to(place.x, place.y)
        sequence += encoded(self.picture, self._terminal, Region(crop.x, crop.y, crop.width, height))
        sequence += escapes.move_to(place.right, place.bottom - 1)
        last = Strip([*blank, Segment(sequence, None, CONTROL)], crop.width)
        return [*[blank] * (crop.height - 1), last]


@lru_cache(maxsize=8)
def prepared(picture: ScaledPicture, terminal: Terminal) -> Image | None:
    """The picture in the size in which it is shown; None if it cannot be read."""
    width, height = picture.columns * terminal.cell[0], picture.rows * terminal.cell[1]
    flat = flat_picture(picture.source, picture.background, SHARPNESS * width, SHARPNESS * height)
    if flat is None:
        return None
    sharper = terminal.graphics is GraphicsProtocol.ITERM2 and flat.width >= SHARPNESS * width
    return (
        escapes.resize(flat, SHARPNESS * width, SHARPNESS * height) if sharper else escapes.resize(flat, width, height)
    )


def forget_prepared() -> None:
    """Forget what was read from picture files, as they have been saved since."""
    prepared.cache_clear()
    encoded.cache_clear()


@lru_cache(maxsize=16)
def encoded(picture: ScaledPicture, terminal: Terminal, part: Region) -> str:
    """The sequence that shows this part of the picture, in cells, at the cursor."""
    image = prepared(picture, terminal)
    if image is None:
        return ""
    across, down = image.width // picture.columns, image.height // picture.rows
    cut = image.crop((part.x * across, part.y * down, part.right * across, part.bottom * down))
    if terminal.graphics is GraphicsProtocol.SIXEL:
        return escapes.sixel(cut)
    return escapes.iterm2(cut, f"width={part.width};height={part.height};preserveAspectRatio=0;doNotMoveCursor=1")
