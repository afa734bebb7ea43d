"""The widget that lets the terminal itself show a picture.

Its escape sequences go out with the rest of the screen, in order, so that none can split another sequence. If another
screen lies over the slides, characters are shown instead of the picture.
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
KITTY_CACHE_SIZE = 24
"""Pictures that kitty stores for us.

A presenter may soon go back to as many.
"""
SHARPNESS = 2
"""Pixels to send per pixel that iTerm2 reports.

It counts points, and a sharp screen has several pixels per point.
"""

REST_SECONDS = 0.15
"""Seconds after its last move when a scrolling picture counts as stopped."""


class KittyImageCache:
    """The pictures that kitty stores for us, each under a number.

    Kitty shows a picture wherever its number is written.
    """

    def __init__(self) -> None:
        self._next = count(escapes.new_identifier())
        self._numbers: OrderedDict[ScaledPicture, int] = OrderedDict()

    def number(self, picture: ScaledPicture) -> tuple[int, bool, list[int]]:
        """Return a picture's number, True if it is new, and the dropped numbers.

        Kitty has not got a new picture yet; the oldest ones are dropped for it.
        """
        new = picture not in self._numbers
        number = self._numbers.setdefault(picture, next(self._next) if new else 0)
        self._numbers.move_to_end(picture)
        return number, new, [self._numbers.popitem(last=False)[1] for _ in range(len(self._numbers) - KITTY_CACHE_SIZE)]

    def release(self, terminal: Terminal) -> str:
        """Return the sequence that makes kitty drop all pictures."""
        numbers, self._numbers = list(self._numbers.values()), OrderedDict()
        return "".join(escapes.wrap_for_tmux(escapes.kitty_forget(number), terminal) for number in numbers)


class PictureWidget(Widget):
    """A picture, at the position given by its offset."""

    DEFAULT_CSS = "PictureWidget { position: absolute; }"

    def __init__(self, picture: ScaledPicture, terminal: Terminal, kitty_cache: KittyImageCache) -> None:
        super().__init__()
        self.picture = picture
        self._terminal = terminal
        self._kitty_cache = kitty_cache
        self._drawn: tuple[Region, Region] | None = None
        """The picture's region on the screen, and the crop that is shown there.

        None if something else may have been written there.
        """
        self._last_position: tuple[Region, Region] | None = None
        self._rest: Timer | None = None
        """Runs while the picture moves, as sending it for every row is slow."""
        self.styles.width, self.styles.height = picture.columns, picture.rows

    def redraw(self) -> None:
        """Draw the picture again, for a terminal that may have lost it."""
        self._drawn = self._rest = None
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw the picture, or characters while another screen covers it."""
        try:
            covered = not self.screen.is_active
            region = self.screen.find_widget(self).visible_region
        except (NoScreen, LookupError):  # it is about to be removed
            return []
        if covered:
            return self._characters(crop)
        image = prepared(self.picture, self._terminal)
        if image is None:
            return []
        if self._terminal.graphics is GraphicsProtocol.KITTY:
            return self._letters(image, crop)
        return self._pixels(region, crop)

    def _letters(self, image: Image, crop: Region) -> list[Strip]:
        """Draw letters that kitty replaces by the picture.

        The picture itself is sent once, before the first letter.
        """
        number, new, dropped = self._kitty_cache.number(self.picture)
        sequences = [escapes.kitty_forget(old) for old in dropped]
        if new:
            sequences += escapes.kitty(image, number, self.picture.columns, self.picture.rows)
        prefix = "".join(escapes.wrap_for_tmux(sequence, self._terminal) for sequence in sequences)
        # Kitty counts a letter's row and column by diacritics, of which there are only so many.
        last = escapes.max_cells()
        columns = range(crop.x, min(crop.right, last))
        lines = []
        for row in range(crop.y, min(crop.bottom, last)):
            letters, colour = escapes.placeholders(number, row, columns)
            # Without a style, as a terminal with few colours would change its colour.
            segments = [Segment(prefix + colour, None, CONTROL), Segment(letters), Segment("\x1b[0m", None, CONTROL)]
            lines.append(Strip(segments, len(columns)))
            prefix = ""
        return lines

    def _characters(self, crop: Region) -> list[Strip]:
        self._drawn = None
        lines = half_blocks(self.picture) or ()
        return [line.crop(crop.x, crop.right) for line in lines[crop.y : crop.bottom]]

    def _moves(self, position: tuple[Region, Region]) -> bool:
        """Return True if the picture is moving, or was a moment ago."""
        last, self._last_position = self._last_position, position
        if last not in (None, position):
            if self._rest is not None:
                self._rest.stop()
            self._rest = self.set_timer(REST_SECONDS, self.redraw)
        return self._rest is not None

    def _pixels(self, region: Region, crop: Region) -> list[Strip]:
        """Draw the cells under the picture, and after the last the picture itself.

        The picture is left out if the terminal already shows it.
        """
        if self._moves((region, crop)):
            return self._characters(crop)
        drawn, self._drawn = self._drawn, (region, crop)
        if drawn == self._drawn:
            over = Strip([Segment(escapes.step_over(crop.width), None, CONTROL)], crop.width)
            return [over] * crop.height
        blank = Strip.blank(crop.width, Style(bgcolor=self.picture.background))
        # A picture that touches the last row of the screen would make some terminals scroll.
        height = crop.height - max(region.bottom + 1 - self.screen.size.height, 0)
        if height <= 0:
            return [blank] * crop.height
        sequence = escapes.move_to(region.x, region.y)
        sequence += encoded(self.picture, self._terminal, Region(crop.x, crop.y, crop.width, height))
        sequence += escapes.move_to(region.right, region.bottom - 1)
        last = Strip([*blank, Segment(sequence, None, CONTROL)], crop.width)
        return [*[blank] * (crop.height - 1), last]


@lru_cache(maxsize=8)
def prepared(picture: ScaledPicture, terminal: Terminal) -> Image | None:
    """Return the picture at its size on the screen, or None."""
    width, height = picture.columns * terminal.cell[0], picture.rows * terminal.cell[1]
    flat = flat_picture(picture.source, picture.background, SHARPNESS * width, SHARPNESS * height)
    if flat is None:
        return None
    # A file with fewer pixels would be larger to send, but no sharper.
    sharper = terminal.graphics is GraphicsProtocol.ITERM2 and flat.width >= SHARPNESS * width
    return (
        escapes.resize(flat, SHARPNESS * width, SHARPNESS * height) if sharper else escapes.resize(flat, width, height)
    )


def clear_prepared() -> None:
    """Drop everything that was read from picture files, after a save."""
    prepared.cache_clear()
    encoded.cache_clear()


@lru_cache(maxsize=16)
def encoded(picture: ScaledPicture, terminal: Terminal, crop: Region) -> str:
    """Return the sequence that shows a crop of the picture at the cursor."""
    image = prepared(picture, terminal)
    if image is None:
        return ""
    across, down = image.width // picture.columns, image.height // picture.rows
    cut = image.crop((crop.x * across, crop.y * down, crop.right * across, crop.bottom * down))
    if terminal.graphics is GraphicsProtocol.SIXEL:
        return escapes.sixel(cut)
    return escapes.iterm2(cut, f"width={crop.width};height={crop.height};preserveAspectRatio=0;doNotMoveCursor=1")
