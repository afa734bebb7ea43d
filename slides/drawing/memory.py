"""Memory: its levels, how an array lies in it, and how a program counts its way to a tile."""

from __future__ import annotations

from dataclasses import dataclass

from drawing.canvas import (
    DATA,
    MASKED,
    MOVES,
    MUTED,
    PROGRAMS,
    TEXT,
    Box,
    Canvas,
    around,
    dimmed,
    ink_on,
    table,
)
from drawing.cells import CellCanvas
from drawing.measured import figure


@dataclass(frozen=True)
class Level:
    name: str
    a100: str
    h200: str
    cycles: int
    """Until a value is there, on an H200."""
    shade: float


def _cycles(name: str) -> int:
    """Rounded to tens, where there are tens."""
    cycles = figure(name)
    return 10 * round(cycles / 10) if cycles > 10 else round(cycles)


L2_READ = figure("L2, read again and again")
"""TB/s."""
LEVELS = (
    Level("Registers", "256 KB per SM", "256 KB per SM", _cycles("addition"), 1.0),
    Level("Shared, L1", "192 KB per SM\n19 TB/s", "256 KB per SM\n33 TB/s", _cycles("a load from L1"), 0.75),
    Level("L2", "40 MB\n7 TB/s", f"60 MB\n{L2_READ:.0f} TB/s", _cycles("a load from L2"), 0.5),
    Level("HBM", "80 GB\n2.0 TB/s", "141 GB\n4.8 TB/s", _cycles("a load from HBM"), 0.3),
)
"""Sizes and HBM: NVIDIA's A100 and H100 architecture papers and H200 data sheet; the H200's L2 as PyTorch reports it.

Bandwidths: shared memory gives 128 bytes per clock and SM (CUDA programming guide): 108 SMs at 1.41 GHz, 132 at
1.98 GHz. The A100's L2 gives 5120 bytes per clock (its architecture paper); the H200's, and the cycles, are those
in benchmarks/results/h200.json: of an addition, or a load, that waits for the one before it.
"""


GPUS = ("A100", "H200")
CYCLES = "H200 cycles"


def memory_hierarchy(canvas: Canvas) -> None:
    """Four levels, each larger and further away than the one above it."""
    columns = tuple(zip((650, 1000), GPUS, (MUTED, TEXT), strict=True))
    for left, name, colour in columns:
        canvas.words((left, 62), name, 46, colour, bold=True, align="left")
    canvas.words((1560, 62), CYCLES, 46, MUTED, align="right")
    for row, level in enumerate(LEVELS):
        colour = dimmed(MOVES, level.shade)
        bar = Box(40, 112 + 195 * row, 400 + 50 * row, 171)
        canvas.box(bar, colour, radius=24)
        canvas.words((bar.left + 40, bar.centre[1]), level.name, 56, ink_on(colour), bold=True, align="left")
        for (left, _, ink), words in zip(columns, (level.a100, level.h200), strict=True):
            canvas.words((left, bar.centre[1]), words, 40, ink, align="left")
        canvas.words((1560, bar.centre[1]), str(level.cycles), 88, TEXT, bold=True, align="right")


def memory_hierarchy_cells(canvas: CellCanvas) -> None:
    rows, grows, size = (3, 4, 26) if canvas.wide else (3, 3, 18)
    columns = tuple(zip((48, 74) if canvas.wide else (32, 48), GPUS, (MUTED, None), strict=True))
    for left, name, colour in columns:
        canvas.words(left, 0, name, colour, bold=True)
    canvas.words(canvas.width, 0, CYCLES, MUTED, align="right")
    for number, level in enumerate(LEVELS):
        y, colour = int(canvas.wide) + rows * number, dimmed(MOVES, level.shade)
        canvas.chip(0, y, size + grows * number, level.name, colour, rows=rows)
        for (left, _, ink), words in zip(columns, (level.a100, level.h200), strict=True):
            lines = [words.replace("\n", " · ")] if canvas.wide else words.split("\n")
            for line, text in enumerate(lines, start=y + (rows - len(lines)) // 2):
                canvas.words(left, line, text, ink)
        canvas.words(canvas.width, y + (rows - 1) // 2, str(level.cycles), bold=True, align="right")


SHAPE, STRIDE_M, STRIDE_N = (3, 4), 4, 1
CHOSEN = (1, 2)
OFFSET = CHOSEN[0] * STRIDE_M + CHOSEN[1] * STRIDE_N
STRIDES = (f"stride_m = {STRIDE_M}", f"stride_n = {STRIDE_N}")
OFFSET_LINES = (
    "offset = row * stride_m",
    "       + col * stride_n",
    f"     {OFFSET} = {CHOSEN[0]} * {STRIDE_M} + {CHOSEN[1]} * {STRIDE_N}",
)
STEPS = ("+ stride_m", "+ stride_n")
ARRAY, STRIP = "the array", "memory: one row after the other"


def _colour_of(row: int, col: int) -> str:
    return PROGRAMS[row] if (row, col) == CHOSEN else dimmed(PROGRAMS[row], 0.42)


def row_major(canvas: Canvas) -> None:
    """A 3 x 4 array, and the same twelve elements in memory: row after row."""
    rows, columns = SHAPE
    array = table(64, 118, rows, columns, 130, 110)
    strip = table(56, 640, 1, rows * columns, 124, 124)[0]
    for m in range(rows):
        for n in range(columns):
            offset, colour = m * STRIDE_M + n * STRIDE_N, _colour_of(m, n)
            for box in (array[m][n], strip[offset]):
                canvas.cell(box, colour, str(offset), 50, colour=ink_on(colour))
    canvas.words((324, 64), ARRAY, 44, MUTED)
    canvas.words((800, 832), STRIP, 44, MUTED)

    # One row down in the array is stride_m elements on in memory, one column is stride_n.
    before, here, after = (strip[OFFSET + step].centre[0] for step in (-STRIDE_M, 0, STRIDE_N))
    canvas.bend((before, 628), (here - 10, 628), -0.24, MOVES, 12)
    canvas.bend((here + 14, 628), (after, 628), -0.55, MOVES, 12)
    canvas.words(((before + here) / 2, 514), STEPS[0], 44, MOVES, code=True, bold=True)
    canvas.words((here + 90, 560), STEPS[1], 44, MOVES, code=True, bold=True, align="left")
    for y, words, colour in zip(
        (118, 188, 290, 360, 430),
        STRIDES + OFFSET_LINES,
        (MOVES, MOVES, TEXT, TEXT, PROGRAMS[CHOSEN[0]]),
        strict=True,
    ):
        canvas.words((720, y), words, 54, colour, code=True, bold=True, align="left")


def row_major_cells(canvas: CellCanvas) -> None:
    size, rows = (9, 3) if canvas.wide else (6, 1)
    top = 1 + SHAPE[0] * rows + (0 if canvas.wide else 2)
    for m in range(SHAPE[0]):
        for n in range(SHAPE[1]):
            offset, colour = m * STRIDE_M + n * STRIDE_N, _colour_of(m, n)
            words = f"[{offset}]" if (m, n) == CHOSEN else str(offset)
            canvas.chip(n * size, 1 + m * rows, size, words, colour, rows=rows)
            canvas.chip(offset * size, top + 2, size, words, colour, rows=rows)
    canvas.within(0, 0, SHAPE[1] * size, ARRAY, MUTED)
    canvas.within(0, top + 2 + rows, SHAPE[0] * SHAPE[1] * size, STRIP, MUTED)
    before, here, after = ((OFFSET + step) * size + size // 2 for step in (-STRIDE_M, 0, STRIDE_N))
    canvas.words(before, top, f"┏{f' {STEPS[0]} '.center(here - before - 1, '━')}┓", MOVES)
    canvas.words(here + 1, top, f"┏{'━' * (after - here - 2)}┓ {STEPS[1]}", MOVES)
    canvas.words(before, top + 1, "┃", MOVES)
    canvas.words(here, top + 1, "▼┃", MOVES)
    canvas.words(after, top + 1, "▼", MOVES)
    left, inks = SHAPE[1] * size + size, (MOVES, MOVES, None, None, PROGRAMS[CHOSEN[0]])
    for y, words, ink in zip(
        (1, 2, 4, 5, 6) if canvas.wide else (0, 1, 2, 3, 4), STRIDES + OFFSET_LINES, inks, strict=True
    ):
        canvas.words(left, y, words, ink, bold=True)


HEIGHT_4, WIDTH_7 = 4, 7
"""The array of offsets_2d."""
ROWS, COLS = (2, 3), (4, 5, 6, 7)
"""Of the tile of program (1, 1), in tiles of 2 x 4: its last column lies outside."""
SUM = (f"rows[:, None] * {WIDTH_7}", "+", "cols[None, :]", "=", "offsets")
OF_THE_ARRAY = f"{HEIGHT_4} × {WIDTH_7} array"
OUTSIDE = (f"cols < {WIDTH_7}", "is False")


def offsets_2d(canvas: Canvas) -> None:
    """A tile's rows as a column, its columns as a row: their sum is every offset of the tile."""
    colour = PROGRAMS[0]
    column = [line[0] for line in table(175, 130, 2, 1, 130, 104)]
    line = table(440, 182, 1, 4, 130, 104)[0]
    tile = table(1040, 130, 2, 4, 130, 104)
    for row, box in zip(ROWS, column, strict=True):
        canvas.cell(box, PROGRAMS[1], str(row * WIDTH_7), 50)
    for col, box in zip(COLS, line, strict=True):
        canvas.cell(box, PROGRAMS[2], str(col), 50)
    for row, boxes in zip(ROWS, tile, strict=True):
        for col, box in zip(COLS, boxes, strict=True):
            offset = str(row * WIDTH_7 + col)
            if col < WIDTH_7:
                canvas.cell(box, colour, offset, 50)
            else:
                canvas.masked(box, offset, 50)
    of_rows, plus, of_cols, equals, of_tile = SUM
    canvas.words((372, 234), plus, 70, bold=True)
    canvas.words((1000, 234), equals, 70, bold=True)
    canvas.words((240, 70), of_rows, 38, PROGRAMS[1], code=True, bold=True)
    canvas.words((700, 70), of_cols, 38, PROGRAMS[2], code=True, bold=True)
    canvas.words((1300, 70), of_tile, 38, colour, code=True, bold=True)

    array = table(175, 436, HEIGHT_4, WIDTH_7, 130, 104)
    for row, boxes in enumerate(array):
        for col, box in enumerate(boxes):
            mine = row in ROWS and col in COLS
            canvas.cell(box, colour if mine else DATA, str(row * WIDTH_7 + col), 50)
    outside = [boxes[-1].moved(right=130) for boxes in array[2:]]
    for box in outside:
        canvas.masked(box)
        canvas.cross(box.centre, 22)
    canvas.box(around([array[2][4], outside[1]]).grown(2), None, colour, thick=7)
    canvas.words((1260, 540), OF_THE_ARRAY, 44, MUTED, align="left")
    for y, words in zip((708, 776), OUTSIDE, strict=True):
        canvas.words((1260, y), words, 44, MASKED, code=True, bold=True, align="left")


def offsets_2d_cells(canvas: CellCanvas) -> None:
    size, high, colour = (8, 2, PROGRAMS[0]) if canvas.wide else (6, 1, PROGRAMS[0])
    of_rows, plus, of_cols, equals, of_tile = SUM
    line, tile = (28, 74) if canvas.wide else (21, 48)
    canvas.words(0, 0, of_rows, PROGRAMS[1], bold=True)
    canvas.within(line, 0, len(COLS) * size, of_cols, PROGRAMS[2], bold=True)
    canvas.within(tile, 0, len(COLS) * size, of_tile, colour, bold=True)
    column = (len(of_rows) - size) // 2
    canvas.words((column + size + line) // 2, 1, plus, bold=True)
    canvas.words((line + len(COLS) * size + tile) // 2, 1, equals, bold=True)
    for number, row in enumerate(ROWS):
        canvas.chip(column, 1 + number * high, size, str(row * WIDTH_7), PROGRAMS[1], rows=high)
        for place, col in enumerate(COLS):
            x, offset = tile + place * size, str(row * WIDTH_7 + col)
            if col < WIDTH_7:
                canvas.chip(x, 1 + number * high, size, offset, colour, rows=high)
            else:
                canvas.masked(x, 1 + number * high, size, offset, rows=high)
    for place, col in enumerate(COLS):
        canvas.chip(line + place * size, 1, size, str(col), PROGRAMS[2], rows=high)

    # The array, a frame around the tile: one row and two columns more than its elements need.
    top = 2 + 2 * high
    left, down = 1 + COLS[0] * size, top + ROWS[0] * high
    for row in range(HEIGHT_4):
        for col in range(WIDTH_7 + 1):
            x, y = col * size + (col >= COLS[0]), top + row * high + (row >= ROWS[0])
            mine = row in ROWS and col in COLS
            if col < WIDTH_7:
                canvas.chip(x, y, size, str(row * WIDTH_7 + col), colour if mine else DATA, rows=high)
            elif mine:
                canvas.masked(x, y, size, rows=high)
    canvas.frame(left - 1, down, len(COLS) * size + 2, len(ROWS) * high + 2, colour=colour)
    right = left + len(COLS) * size + 3
    canvas.words(right, top + high // 2, OF_THE_ARRAY, MUTED)
    for y, words in enumerate(OUTSIDE, start=down + 1):
        canvas.words(right, y, words, MASKED, bold=True)
