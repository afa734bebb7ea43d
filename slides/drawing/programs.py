"""Programs and what is theirs: slices of a vector, blocks instead of threads, tiles of a grid."""

from __future__ import annotations

from drawing.canvas import (
    DATA,
    FAINT,
    MASKED,
    MUTED,
    PANEL,
    PROGRAMS,
    TEXT,
    Box,
    Canvas,
    dimmed,
    ink_on,
    table,
)
from drawing.cells import CellCanvas

N_ELEMENTS, BLOCK_SIZE = 6, 4
ROWS_OF_A_PROGRAM = ("offsets", "mask", "x")
NOT_OURS = "not\nours"


def _owner(pid: int) -> str:
    return f"program {pid}: pid = {pid}"


def programs_vector(canvas: Canvas) -> None:
    """Six elements in blocks of four: the offsets of two programs, their masks, and what they touch."""
    left, size = 290, 150
    for y, name in zip((296, 476, 745), ROWS_OF_A_PROGRAM, strict=True):
        canvas.words((left - 40, y), name, 42, MUTED, code=True, align="right")
    for pid in range(2):
        colour = PROGRAMS[pid]
        start = left + pid * (BLOCK_SIZE * size + 60)
        head = Box(start + 4, 60, BLOCK_SIZE * size - 8, 110)
        canvas.box(head, colour, radius=24)
        canvas.words(head.centre, _owner(pid), 46, ink_on(colour), code=True, bold=True)
        offsets = table(start, 228, 1, BLOCK_SIZE, size, 136)[0]
        masks = table(start, 408, 1, BLOCK_SIZE, size, 136)[0]
        elements = table(start, 672, 1, BLOCK_SIZE, size, 146)[0]
        for lane in range(BLOCK_SIZE):
            offset = pid * BLOCK_SIZE + lane
            canvas.cell(offsets[lane], dimmed(colour, 0.45), str(offset), 52, colour=TEXT)
            x, _ = masks[lane].lower
            if offset < N_ELEMENTS:
                canvas.cell(masks[lane], colour, "True", 40)
                canvas.arrow((x, 562), (x, 658), colour, 14)
                canvas.cell(elements[lane], DATA, f"x[{offset}]", 42)
            else:
                canvas.masked(masks[lane], "False", 40)
                canvas.line([(x, 562), (x, 590)], MASKED, 14)
                canvas.cross((x, 618), 24)
                canvas.box(elements[lane].grown(-6), None, FAINT, thick=4, dashed=True)
                canvas.words(elements[lane].centre, NOT_OURS, 34, MUTED)


def programs_vector_cells(canvas: CellCanvas) -> None:
    size, rows, left = (11, 3, 10) if canvas.wide else (7, 1, 10)
    gap = 0 if canvas.wide else 1
    tops = [rows + gap, 2 * (rows + gap), 3 * rows + 2 * gap + 2]
    for y, name in zip(tops, ROWS_OF_A_PROGRAM, strict=True):
        canvas.words(left - 2, y + rows // 2, name, MUTED, align="right")
    for pid in range(2):
        colour, start = PROGRAMS[pid], left + pid * (BLOCK_SIZE * size + 4)
        canvas.chip(start, 0, BLOCK_SIZE * size, _owner(pid), colour, rows=rows)
        for lane in range(BLOCK_SIZE):
            offset, x = pid * BLOCK_SIZE + lane, start + lane * size
            canvas.chip(x, tops[0], size, str(offset), dimmed(colour, 0.45), rows=rows, ink=TEXT)
            if offset < N_ELEMENTS:
                canvas.chip(x, tops[1], size, "True", colour, rows=rows)
                canvas.down(x + size // 2, tops[2] - 2, tops[2] - 1, colour)
                canvas.chip(x, tops[2], size, f"x[{offset}]", DATA, rows=max(rows, 2))
            else:
                canvas.masked(x, tops[1], size, "False", rows=rows)
                canvas.down(x + size // 2, tops[2] - 2, tops[2] - 1, MASKED, point="✗")
                words = NOT_OURS.replace("\n", " ") if canvas.wide else NOT_OURS
                canvas.masked(x, tops[2], size, words, rows=max(rows, 2), colour=MUTED)


CUDA, TRITON = "CUDA C++", "Triton"
ONE_THREAD, ONE_PROGRAM = "one thread, one element", "one program, one block"
LANES = range(4)
SCALAR, GUARD = "i =", "if (i < n)"
BLOCK, MASK = "offsets =", "mask = offsets < n"


def scalar_block(canvas: Canvas) -> None:
    """One element per thread beside one block per program: the same four elements, added by both."""
    colour = PROGRAMS[0]
    for start, title, unit in ((40, CUDA, ONE_THREAD), (820, TRITON, ONE_PROGRAM)):
        panel = Box(start, 40, 740, 820)
        canvas.box(panel, PANEL, radius=28)
        canvas.words((panel.centre[0], 106), title, 56, bold=True)
        canvas.words((panel.centre[0], 182), unit, 42, MUTED)
        elements = table(start + 50, 660, 1, len(LANES), 160, 140)[0]
        for index, element in enumerate(elements):
            canvas.cell(element, DATA, f"x[{index}]", 44)
    for lane, thread in zip(LANES, table(90, 268, 1, len(LANES), 160, 210)[0], strict=True):
        canvas.box(thread.grown(-14), colour, radius=22)
        canvas.words((thread.centre[0], 336), SCALAR, 40, ink_on(colour), code=True)
        canvas.words((thread.centre[0], 408), str(lane), 60, ink_on(colour), code=True, bold=True)
        canvas.arrow((thread.centre[0], 486), (thread.centre[0], 650), colour, 14)
    gate = Box(110, 520, 600, 82)
    canvas.box(gate, dimmed(colour, 0.3), colour, radius=14)
    canvas.words(gate.centre, GUARD, 44, colour, code=True, bold=True)
    program = Box(884, 282, 612, 182)
    canvas.box(program, colour, radius=22)
    canvas.words((program.centre[0], 336), BLOCK, 40, ink_on(colour), code=True)
    canvas.words((program.centre[0], 408), str(list(LANES)), 60, ink_on(colour), code=True, bold=True)
    # One arrow as wide as the block: its four loads are one.
    canvas.shape(
        [(898, 486), (1482, 486), (1482, 580), (1530, 580), (1190, 650), (850, 580), (898, 580)],
        colour,
    )
    canvas.words((program.centre[0], 562), MASK, 44, ink_on(colour), code=True, bold=True)


def scalar_block_cells(canvas: CellCanvas) -> None:
    size, rows, colour = (11, 3, PROGRAMS[0]) if canvas.wide else (7, 1, PROGRAMS[0])
    panel, block, start = canvas.width // 2 - 1, size * len(LANES), 1 + (canvas.width // 2 - 3 - size * len(LANES)) // 2
    other, load = start + panel + 2, rows + 2
    for x, title, unit in ((start, CUDA, ONE_THREAD), (other, TRITON, ONE_PROGRAM)):
        canvas.frame(x - start, 0, panel, 2 * rows + 6, title)
        canvas.within(x, 1, block, unit, MUTED)
        for lane in LANES:
            canvas.chip(x + lane * size, load + 3, size, f"x[{lane}]", DATA, rows=rows)
    for lane in LANES:
        canvas.chip(start + lane * size, 2, size, f"{SCALAR} {lane}", colour, rows=rows)
        canvas.down(start + lane * size + size // 2, load, load + 2, colour)
    canvas.chip(start, load + 1, block, GUARD, dimmed(colour, 0.3), ink=colour)
    canvas.chip(other, 2, block, f"{BLOCK} {list(LANES)}", colour, rows=rows)
    # One arrow as wide as the block, as in the picture.
    canvas.within(other, load, block, "█" * (block - 8), colour)
    canvas.chip(other, load + 1, block, MASK, colour)
    canvas.within(other, load + 2, block, f"▀▀▀▀▀▀{'█' * (block - 18)}▀▀▀▀▀▀", colour)


GRID = (3, 4)
PROGRAM = (1, 3)
STAGES = (
    (f"grid {GRID}", f"{GRID[0] * GRID[1]} programs"),
    (f"program {PROGRAM}", "one of them"),
    (f"tile {PROGRAM}", "its part of the output"),
)
"""Each with the words below it."""
IDS = tuple(f"{name} = {pid}" for name, pid in zip(("pid_h", "pid_w"), PROGRAM, strict=True))


def grid_program_tile(canvas: Canvas) -> None:
    """The grid holds programs; each has its ids; with them it finds its tile of the output."""
    colour, across = PROGRAMS[0], 450
    for x, (title, words) in zip((275, 800, 1325), STAGES, strict=True):
        canvas.words((x, 90), title, 54, bold=True)
        canvas.words((x, 800), words, 44, MUTED)
    grid = table(55, 210, *GRID, 110, 160)
    for row, line in enumerate(grid):
        for column, program in enumerate(line):
            canvas.box(program.grown(-9), colour if (row, column) == PROGRAM else dimmed(colour, 0.4), radius=24)
    body = Box(650, 250, 300, 400)
    canvas.box(body, colour, radius=40)
    for y, words in zip((380, 520), IDS, strict=True):
        canvas.words((800, y), words, 44, ink_on(colour), code=True, bold=True)
    tiles = table(1105, 210, *GRID, 110, 160)
    for line in tiles:
        for tile in line:
            canvas.cell(tile, DATA, gap=3)
    row, column = PROGRAM
    mine = tiles[row][column]
    for pixels in table(mine.left + 3, mine.top + 4, 8, 4, 26, 19):
        for pixel in pixels:
            canvas.cell(pixel, colour, gap=1.5)
    canvas.arrow((grid[row][column].right + 6, across), (body.left - 14, across), colour, 18)
    canvas.arrow((body.right + 14, across), (tiles[0][0].left - 10, across), colour, 18)


def grid_program_tile_cells(canvas: CellCanvas) -> None:
    size, rows, gap = (8, 3, 7) if canvas.wide else (5, 2, 5)
    colour, across = PROGRAMS[0], 2 + PROGRAM[0] * rows + (rows - 1) // 2
    width, height = GRID[1] * size, GRID[0] * rows
    starts = [0, width + gap, 2 * (width + gap)]
    for x, (title, words) in zip(starts, STAGES, strict=True):
        canvas.within(x, 0, width, title, bold=True)
        canvas.within(x, 2 + height, width, words, MUTED)
    for row in range(GRID[0]):
        for column in range(GRID[1]):
            x, y, mine = column * size, 2 + row * rows, (row, column) == PROGRAM
            canvas.chip(x, y, size, "●" if mine else "", colour if mine else dimmed(colour, 0.4), rows=rows)
            canvas.chip(starts[2] + x, y, size, "⣿" * (size - 2) if mine else "", DATA, rows=rows, ink=colour)
    canvas.chip(starts[1], 2, width, "\n\n".join(IDS), colour, rows=height)
    for x in starts[:2]:
        canvas.right(x + width + 1, across, gap - 2, colour)
