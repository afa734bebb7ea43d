"""A map of the grid, to choose a program from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.widgets import Static

from triton_workshop.block_pictures import Cell, letter_block, letter_margin
from triton_workshop.look.recording import RecordedLaunch
from triton_workshop.look.timeline import numbers_text
from triton_workshop.screen.box import FRAME_COLUMNS, Box

COLUMNS, ROWS = 16, 12
"""Programs that are shown at a time."""
CELL_COLUMNS = 4
"""Columns of a program at least; heads of more digits take more."""
HEAD_ROWS = 3
"""Rows above the first program's: which is chosen, an empty one, and the heads of the columns."""


class GridMap(Box[int]):
    """The programs around the chosen one; dismissed with a program's number."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("left,h", "move(0,-1)", "Left"),
        ("right,l", "move(0,1)", "Right"),
        ("up,k", "move(-1,0)", "Up"),
        ("down,j", "move(1,0)", "Down"),
        ("pageup", "move(-12,0)", "Far up"),
        ("pagedown", "move(12,0)", "Far down"),
        ("tab", "plane(1)", "Next plane"),
        ("shift+tab", "plane(-1)", "Previous plane"),
        ("enter,g,space", "choose", "Choose"),
    ]

    def __init__(self, launch: RecordedLaunch, program: int) -> None:
        self.launch = launch
        self.chosen = program
        self.map = Static()
        super().__init__(f"Programs of {launch.kernel}", self.map)
        self.map.border_subtitle = "↑ ↓ ← → move   enter choose   esc back"

    def on_resize(self) -> None:
        """Show as many programs as there is room for."""
        grid = self.launch.grid
        row_ids, column_ids = grid[-2:] if len(grid) > 1 else (self.launch.programs, COLUMNS)
        self.cell_columns = max(CELL_COLUMNS, 1 + len(str(column_ids - 1)))
        # Not with the margin of the rows in sight, which would change as the map moves along.
        margin = letter_margin([str(row_ids - 1)])
        # The last cell ends in a blank, for which there need be no room.
        wanted = margin + COLUMNS * self.cell_columns - 1
        self.width = min(max(wanted, self.MAX_COLUMNS - FRAME_COLUMNS), self.app.size.width - FRAME_COLUMNS)
        self.map.styles.width = self.width + FRAME_COLUMNS
        self.columns = max(1, min(COLUMNS, (self.width + 1 - margin) // self.cell_columns))
        self.shape = plane_shape(grid, self.columns)
        self._show()

    def _show(self) -> None:
        rows, columns = self.shape
        planes = self.launch.programs // (rows * columns)
        plane, index = divmod(self.chosen, rows * columns)
        row, column = divmod(index, columns)
        self._window = (_start(row, rows, ROWS), _start(column, columns, self.columns))
        first_row, first_column = self._window
        cells = [
            [self._cell(plane, y, x) for x in range(first_column, min(first_column + self.columns, columns))]
            for y in range(first_row, min(first_row + ROWS, rows))
        ]
        ids, grid = numbers_text(self.launch.ids(self.chosen)), numbers_text(self.launch.grid)
        legend = Text("· recorded", "good")
        if not all(map(self.launch.has, range(self.launch.programs))):
            legend.append("   ○ the script runs again for it", "muted")
        if self.launch.faults:
            legend.append("   ✗ has a fault", "bad")
        is_cut = rows > ROWS or columns > self.columns
        if is_cut:
            legend.append("   the map moves along", "muted")
        more = f"   first id {plane} of {planes}: tab" * (planes > 1)
        title = Text.assemble(("Program ", "muted"), (ids, "accent"), (f" in a grid of {grid}{more}", "muted"))
        # One row, or the map would be further down than `HEAD_ROWS`.
        title.truncate(max(self.width, 1), overflow="ellipsis")
        block = letter_block(cells, self.cell_columns, heads=self._heads())
        self.map.update(Text.assemble(title, "\n\n", block, "\n\n", legend))

    def _heads(self) -> tuple[list[str], list[str]]:
        """Return the ids of the rows and the columns that are shown.

        Of a grid with one axis, a row's id is its first program's.
        """
        rows, columns = self.shape
        visible = range(self._window[0], min(self._window[0] + ROWS, rows))
        step = 1 if len(self.launch.grid) > 1 else columns
        heads = range(self._window[1], min(self._window[1] + self.columns, columns))
        row_ids = [str(row * step) for row in visible]
        column_ids = [str(column) for column in heads]
        return row_ids, column_ids

    def _cell(self, plane: int, row: int, column: int) -> Cell:
        rows, columns = self.shape
        program = (plane * rows + row) * columns + column
        if program >= self.launch.programs:
            return Cell("", "muted")
        letter, style = self._letter_of(program)
        return Cell(letter, style, is_marked=program == self.chosen)

    def _letter_of(self, program: int) -> tuple[str, str]:
        """Return the letter and the style of a program."""
        is_faulty = any(fault.program == program for fault in self.launch.faults)
        if is_faulty:
            return "✗", "bad"
        return ("·", "good") if self.launch.has(program) else ("○", "muted")

    def action_move(self, rows: int, columns: int) -> None:
        """Choose the program that is so many further on."""
        height, width = self.shape
        plane, index = divmod(self.chosen, height * width)
        row, column = divmod(index, width)
        row, column = min(max(row + rows, 0), height - 1), min(max(column + columns, 0), width - 1)
        self._choose((plane * height + row) * width + column)

    def action_plane(self, offset: int) -> None:
        """Choose the same program in another plane of a grid with three axes."""
        size = self.shape[0] * self.shape[1]
        self._choose((self.chosen + offset * size) % self.launch.programs)

    def action_choose(self) -> None:
        """Show the chosen program."""
        self.dismiss(self.chosen)

    def _choose(self, program: int) -> None:
        self.chosen = min(program, self.launch.programs - 1)
        self._show()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        offset = event.get_content_offset(self.map)
        margin = letter_margin(self._heads()[0])
        if offset is None:
            return
        y, x = offset.y - HEAD_ROWS, (offset.x - margin) // self.cell_columns
        (first_row, first_column), (height, width) = self._window, self.shape
        # Below the rows that are shown stands the legend.
        rows, columns = min(ROWS, height - first_row), min(self.columns, width - first_column)
        is_on_map = 0 <= y < rows and 0 <= x < columns
        if not is_on_map:
            return
        size = height * width
        program = self.chosen // size * size + (first_row + y) * width + first_column + x
        if program < self.launch.programs:
            self.dismiss(program)


def plane_shape(grid: Sequence[int], columns: int) -> tuple[int, int]:
    """Return rows and columns of a map of the last two axes.

    Of a grid with one axis, it has so many columns, and as many rows as it takes.
    """
    if len(grid) > 1:
        return grid[-2], grid[-1]
    return -(-grid[0] // columns), min(grid[0], columns)


def _start(index: int, size: int, visible: int) -> int:
    return max(0, min(index - visible // 2, size - visible))
