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

Bandwidths: shared memory gives 128 bytes a clock and SM (CUDA programming guide): 108 SMs at 1.41 GHz, 132 at 1.98 GHz.
The A100's L2 gives 5120 bytes a clock (its architecture paper); the H200's, and the cycles, are those in
benchmarks/results/h200.json: of an addition, or a load, that waits for the one before it.
"""


def memory_hierarchy(canvas: Canvas) -> None:
    """Four levels, each larger and further away than the one above it."""
    columns = ((650, "A100", MUTED), (1000, "H200", TEXT))
    for left, name, colour in columns:
        canvas.words((left, 62), name, 46, colour, bold=True, align="left")
    canvas.words((1560, 62), "cycles", 46, MUTED, align="right")
    for row, level in enumerate(LEVELS):
        colour = dimmed(MOVES, level.shade)
        bar = Box(40, 112 + 195 * row, 400 + 50 * row, 171)
        canvas.box(bar, colour, radius=24)
        canvas.words((bar.left + 40, bar.centre[1]), level.name, 56, ink_on(colour), bold=True, align="left")
        for (left, _, ink), words in zip(columns, (level.a100, level.h200), strict=True):
            canvas.words((left, bar.centre[1]), words, 40, ink, align="left")
        canvas.words((1560, bar.centre[1]), str(level.cycles), 88, TEXT, bold=True, align="right")


def row_major(canvas: Canvas) -> None:
    """A 3 x 4 array, and the same twelve elements in memory: row after row."""
    rows, columns, stride_m = 3, 4, 4
    array = table(64, 118, rows, columns, 130, 110)
    strip = table(56, 640, 1, rows * columns, 124, 124)[0]
    row, col = 1, 2
    for m in range(rows):
        for n in range(columns):
            offset = m * stride_m + n
            colour = PROGRAMS[m] if (m, n) == (row, col) else dimmed(PROGRAMS[m], 0.42)
            for box in (array[m][n], strip[offset]):
                canvas.cell(box, colour, str(offset), 50, colour=ink_on(colour))
    canvas.words((324, 64), "the array", 44, MUTED)
    canvas.words((800, 832), "memory: one row after the other", 44, MUTED)

    # One row down in the array is stride_m elements on in memory, one column is stride_n.
    before, here, after = (strip[row * stride_m + col + step].centre[0] for step in (-stride_m, 0, 1))
    canvas.bend((before, 628), (here - 10, 628), -0.24, MOVES, 12)
    canvas.bend((here + 14, 628), (after, 628), -0.55, MOVES, 12)
    canvas.words(((before + here) / 2, 514), "+ stride_m", 44, MOVES, code=True, bold=True)
    canvas.words((here + 90, 560), "+ stride_n", 44, MOVES, code=True, bold=True, align="left")
    for y, words, colour in (
        (118, "stride_m = 4", MOVES),
        (188, "stride_n = 1", MOVES),
        (290, "offset = row * stride_m", TEXT),
        (360, "       + col * stride_n", TEXT),
        (430, "     6 = 1 * 4 + 2 * 1", PROGRAMS[row]),
    ):
        canvas.words((720, y), words, 54, colour, code=True, bold=True, align="left")


HEIGHT_4, WIDTH_7 = 4, 7
"""The array of offsets_2d."""


def offsets_2d(canvas: Canvas) -> None:
    """A tile's rows as a column, its columns as a row: their sum is every offset of the tile.

    The tile of program (1, 1) in tiles of 2 x 4 on an array of 4 x 7: its last column lies outside.
    """
    colour = PROGRAMS[0]
    rows, cols = (2, 3), (4, 5, 6, 7)
    column = [line[0] for line in table(175, 130, 2, 1, 130, 104)]
    line = table(440, 182, 1, 4, 130, 104)[0]
    tile = table(1040, 130, 2, 4, 130, 104)
    for row, box in zip(rows, column, strict=True):
        canvas.cell(box, PROGRAMS[1], str(row * WIDTH_7), 50)
    for col, box in zip(cols, line, strict=True):
        canvas.cell(box, PROGRAMS[2], str(col), 50)
    for row, boxes in zip(rows, tile, strict=True):
        for col, box in zip(cols, boxes, strict=True):
            offset = str(row * WIDTH_7 + col)
            if col < WIDTH_7:
                canvas.cell(box, colour, offset, 50)
            else:
                canvas.masked(box, offset, 50)
    canvas.words((372, 234), "+", 70, bold=True)
    canvas.words((1000, 234), "=", 70, bold=True)
    canvas.words((240, 70), "rows[:, None] * 7", 38, PROGRAMS[1], code=True, bold=True)
    canvas.words((700, 70), "cols[None, :]", 38, PROGRAMS[2], code=True, bold=True)
    canvas.words((1300, 70), "offsets", 38, colour, code=True, bold=True)

    array = table(175, 436, HEIGHT_4, WIDTH_7, 130, 104)
    for row, boxes in enumerate(array):
        for col, box in enumerate(boxes):
            mine = row in rows and col in cols
            canvas.cell(box, colour if mine else DATA, str(row * WIDTH_7 + col), 50)
    outside = [boxes[-1].moved(right=130) for boxes in array[2:]]
    for box in outside:
        canvas.masked(box)
        canvas.cross(box.centre, 22)
    canvas.box(around([array[2][4], outside[1]]).grown(2), None, colour, thick=7)
    canvas.words((1260, 540), "4 × 7 array", 44, MUTED, align="left")
    canvas.words((1260, 708), "cols < 7", 44, MASKED, code=True, bold=True, align="left")
    canvas.words((1260, 776), "is False", 44, MASKED, code=True, bold=True, align="left")
