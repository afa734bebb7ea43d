"""A widget that shows any number of lines of output."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from triton_workshop.screen.lines import fold, folded_height, strip
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.printed_pictures import PictureLine
from triton_workshop.terminal import Terminal
from triton_workshop.viewer.live.live_blocks import BlockRun
from triton_workshop.viewer.pictures.drawing import ScaledPicture, half_blocks, output_cells


class Pager(ScrollView, can_focus=True):
    """The lines of an output.

    It follows the output while it grows, until the presenter scrolls up.
    """

    DEFAULT_CSS = "Pager { scrollbar-size: 0 0; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("down,j", "rows(1)", "Down"),
        ("up,k", "rows(-1)", "Up"),
        ("pagedown,space", "page(1.0)", "A screen down"),
        ("pageup", "page(-1.0)", "A screen up"),
        ("ctrl+d", "page(0.5)", "Half a screen down"),
        ("ctrl+u", "page(-0.5)", "Half a screen up"),
        ("home,g", "top", "To the start"),
        ("end,G,upper_g,shift+g", "end", "To the end"),
    ]

    def __init__(self, run: BlockRun, palette: Palette, terminal: Terminal) -> None:
        super().__init__()
        self.palette = palette
        self.terminal = terminal
        self.bar = Segment("▎ ")
        self.open(run)

    def open(self, run: BlockRun) -> None:
        """Show another output, from its end."""
        self.run = run
        self.lines: Sequence[Text] = ()
        self.starts = [0]
        """The row in which each line starts, and the number of rows."""
        self.follows = True
        self.dropped = 0

    def update(self, bar: str) -> None:
        """Show the current output, with a bar of this colour beside it."""
        self.bar = Segment("▎ ", Style(color=bar, bgcolor=self.palette.well))
        transcript = self.run.transcript
        self.lines = () if transcript.empty else transcript.visible_lines()
        dropped, self.dropped = transcript.dropped - self.dropped, transcript.dropped
        dropped_rows = self.starts[min(dropped, len(self.starts) - 1)]
        self._lay_out()
        if self.follows:
            self._go(self.starts[-1])
        elif dropped_rows:  # stays at the same lines when the first ones are dropped
            self._go(self.top - dropped_rows)
        self.refresh()

    def _lay_out(self) -> None:
        self.starts = [0, *accumulate(map(self._height, self.lines))]
        self.virtual_size = Size(self.size.width, self.starts[-1])

    def on_resize(self) -> None:
        self._lay_out()
        if self.follows:
            self._go(self.starts[-1])

    @property
    def columns(self) -> int:
        """Columns for text: all but the bar, and one at the right."""
        return max(self.size.width - 3, 1)

    @property
    def visible_rows(self) -> int:
        """Rows for text."""
        return max(self.size.height, 1)

    @property
    def top(self) -> int:
        """The first visible row."""
        return self.scroll_offset.y

    def _height(self, line: Text) -> int:
        if isinstance(line, PictureLine):
            return self._picture(line).rows
        return folded_height(line, self.columns)

    def _picture(self, line: PictureLine) -> ScaledPicture:
        """Scale a picture in characters to one screen."""
        columns, rows = output_cells(line.picture, self.columns, self.visible_rows, self.terminal)
        return ScaledPicture(line.picture, columns, rows, self.palette.well)

    # Drawing

    def render_line(self, y: int) -> Strip:
        """Draw one row of the screen."""
        ground = Style(color=self.palette.text, bgcolor=self.palette.well)
        row = self.top + y
        number = self.line_at(row)
        rows = self._rows(number, ground)[row - self.starts[number] :] if row < self.starts[-1] else ()
        return Strip([self.bar, *(rows[0] if rows else ())]).adjust_cell_length(self.size.width, ground)

    def line_at(self, row: int) -> int:
        """Return the number of the line in a row."""
        return max(bisect_right(self.starts, row) - 1, 0)

    def _rows(self, number: int, ground: Style) -> Sequence[Strip]:
        """Draw a line in as many rows as it takes."""
        line = self.lines[number]
        if isinstance(line, PictureLine):
            picture = self._picture(line)
            return half_blocks(picture) or [Strip([])] * picture.rows
        return [strip(text, self.columns, ground) for text in fold(line, self.columns)]

    # Moving

    def _go(self, row: int) -> None:
        self.scroll_to(y=row, animate=False, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the output again at its end."""
        super().watch_scroll_y(old_value, new_value)
        self.follows = new_value >= self.max_scroll_y

    def action_rows(self, rows: int) -> None:
        """Scroll by rows."""
        self._go(self.top + rows)

    def action_page(self, screens: float) -> None:
        """Scroll by screens, with one row in common."""
        self._go(self.top + round(screens * max(self.visible_rows - 1, 1)))

    def action_top(self) -> None:
        """Scroll to the start."""
        self._go(0)

    def action_end(self) -> None:
        """Scroll to the end, and follow the output."""
        self._go(self.starts[-1])
