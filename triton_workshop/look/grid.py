"""A map of the grid, to choose a program from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.widgets import Static

from triton_workshop.look.recording import RecordedLaunch
from triton_workshop.screen.blocks import Cell, letter_block
from triton_workshop.screen.box import Box

COLUMNS, ROWS = 20, 12
"""Programs that are shown at a time."""
CELL_COLUMNS = 3


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
        self.shape = plane_shape(launch.grid)
        self.chosen = program
        self.map = Static()
        super().__init__(f"Programs of {launch.kernel}", self.map)
        self.map.border_subtitle = "↑ ↓ ← → move   enter choose   esc back"
        self._show()

    def _show(self) -> None:
        rows, columns = self.shape
        planes = self.launch.programs // (rows * columns)
        plane, place = divmod(self.chosen, rows * columns)
        row, column = divmod(place, columns)
        self._window = (_start(row, rows, ROWS), _start(column, columns, COLUMNS))
        first_row, first_column = self._window
        cells = [
            [self._cell(plane, y, x) for x in range(first_column, min(first_column + COLUMNS, columns))]
            for y in range(first_row, min(first_row + ROWS, rows))
        ]
        ids = ", ".join(map(str, self.launch.ids(self.chosen)))
        grid = ", ".join(map(str, self.launch.grid))
        legend = Text.assemble(("·", "good"), (" recorded  ", "muted"), ("○", "muted"), (" runs again for it", "muted"))
        if self.launch.faults:
            legend.append("  ").append("✗", "bad").append(" has a fault", "muted")
        more = f"   plane {plane} of {planes}, tab: the next" * (planes > 1)
        self.map.update(
            Text.assemble(
                ("Program ", "muted"), (f"({ids})", "accent"), (f" of ({grid}){more}\n\n", "muted"),
                letter_block(cells, CELL_COLUMNS), "\n\n", legend,
            )
        )  # fmt: skip

    def _cell(self, plane: int, row: int, column: int) -> Cell:
        rows, columns = self.shape
        program = (plane * rows + row) * columns + column
        if program >= self.launch.programs:
            return Cell("", "muted")
        faulty = any(fault.program == program for fault in self.launch.faults)
        letter, style = ("✗", "bad") if faulty else ("·", "good") if self.launch.has(program) else ("○", "muted")
        return Cell(letter, style, is_marked=program == self.chosen)

    def action_move(self, rows: int, columns: int) -> None:
        """Choose the program that is so many further on."""
        height, width = self.shape
        plane, place = divmod(self.chosen, height * width)
        row, column = divmod(place, width)
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
        if offset is None or offset.y < 2:
            return
        row, column = self._window[0] + offset.y - 2, self._window[1] + offset.x // CELL_COLUMNS
        height, width = self.shape
        if row < height and column < width and offset.y - 2 < ROWS:
            size = height * width
            program = self.chosen // size * size + row * width + column
            if program < self.launch.programs:
                self.dismiss(program)


def plane_shape(grid: Sequence[int]) -> tuple[int, int]:
    """Return rows and columns of a map: the last two axes of a grid; of one axis, as many rows as it takes."""
    if len(grid) > 1:
        return grid[-2], grid[-1]
    return -(-grid[0] // COLUMNS), min(grid[0], COLUMNS)


def _start(index: int, size: int, shown: int) -> int:
    return max(0, min(index - shown // 2, size - shown))
