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

N_ELEMENTS, BLOCK_SIZE = 6, 4


def programs_vector(canvas: Canvas) -> None:
    """Six elements in blocks of four: the offsets of two programs, their masks, and what they touch."""
    left, size = 290, 150
    for y, name in ((296, "offsets"), (476, "mask"), (745, "x")):
        canvas.words((left - 40, y), name, 42, MUTED, code=True, align="right")
    for pid in range(2):
        colour = PROGRAMS[pid]
        start = left + pid * (BLOCK_SIZE * size + 60)
        head = Box(start + 4, 60, BLOCK_SIZE * size - 8, 110)
        canvas.box(head, colour, radius=24)
        canvas.words(head.centre, f"pid = {pid}", 52, ink_on(colour), code=True, bold=True)
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
                canvas.words(elements[lane].centre, "not\nours", 34, MUTED)


def scalar_block(canvas: Canvas) -> None:
    """One element a thread beside one block a program: the same four elements, added by both."""
    colour = PROGRAMS[0]
    for start, title, unit in ((40, "CUDA C++", "a thread: one element"), (820, "Triton", "a program: one block")):
        panel = Box(start, 40, 740, 820)
        canvas.box(panel, PANEL, radius=28)
        canvas.words((panel.centre[0], 106), title, 56, bold=True)
        canvas.words((panel.centre[0], 182), unit, 42, MUTED)
        elements = table(start + 50, 660, 1, 4, 160, 140)[0]
        for index, element in enumerate(elements):
            canvas.cell(element, DATA, f"x[{index}]", 44)
    for lane, thread in enumerate(table(90, 268, 1, 4, 160, 210)[0]):
        canvas.box(thread.grown(-14), colour, radius=22)
        canvas.words((thread.centre[0], 336), "i =", 40, ink_on(colour), code=True)
        canvas.words((thread.centre[0], 408), str(lane), 60, ink_on(colour), code=True, bold=True)
        canvas.arrow((thread.centre[0], 486), (thread.centre[0], 650), colour, 14)
    gate = Box(110, 520, 600, 82)
    canvas.box(gate, dimmed(colour, 0.3), colour, radius=14)
    canvas.words(gate.centre, "if (i < n)", 44, colour, code=True, bold=True)
    program = Box(884, 282, 612, 182)
    canvas.box(program, colour, radius=22)
    canvas.words((program.centre[0], 336), "offsets =", 40, ink_on(colour), code=True)
    canvas.words((program.centre[0], 408), "[0, 1, 2, 3]", 60, ink_on(colour), code=True, bold=True)
    # One arrow as wide as the block: its four loads are one.
    canvas.shape(
        [(898, 486), (1482, 486), (1482, 580), (1530, 580), (1190, 650), (850, 580), (898, 580)],
        colour,
    )
    canvas.words((program.centre[0], 562), "mask = offsets < n", 44, ink_on(colour), code=True, bold=True)


def grid_program_tile(canvas: Canvas) -> None:
    """The grid holds programs; each has its ids; with them it finds its tile of the output."""
    rows, columns, pid_h, pid_w = 3, 4, 1, 3
    colour, across = PROGRAMS[0], 450
    for x, title, words in (
        (275, f"grid ({rows}, {columns})", "12 programs"),
        (800, f"program ({pid_h}, {pid_w})", "one of them"),
        (1325, f"tile ({pid_h}, {pid_w})", "its part of the output"),
    ):
        canvas.words((x, 90), title, 54, bold=True)
        canvas.words((x, 800), words, 44, MUTED)
    grid = table(55, 210, rows, columns, 110, 160)
    for row, line in enumerate(grid):
        for column, program in enumerate(line):
            canvas.box(program.grown(-9), colour if (row, column) == (pid_h, pid_w) else dimmed(colour, 0.4), radius=24)
    body = Box(650, 250, 300, 400)
    canvas.box(body, colour, radius=40)
    canvas.words((800, 380), f"pid_h = {pid_h}", 44, ink_on(colour), code=True, bold=True)
    canvas.words((800, 520), f"pid_w = {pid_w}", 44, ink_on(colour), code=True, bold=True)
    tiles = table(1105, 210, rows, columns, 110, 160)
    for line in tiles:
        for tile in line:
            canvas.cell(tile, DATA, gap=3)
    mine = tiles[pid_h][pid_w]
    for pixels in table(mine.left + 3, mine.top + 4, 8, 4, 26, 19):
        for pixel in pixels:
            canvas.cell(pixel, colour, gap=1.5)
    canvas.arrow((grid[pid_h][pid_w].right + 6, across), (body.left - 14, across), colour, 18)
    canvas.arrow((body.right + 14, across), (tiles[0][0].left - 10, across), colour, 18)
