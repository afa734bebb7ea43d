"""Matrices in tiles: the walk along K, and the order of programs that a cache likes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from drawing.canvas import (
    DATA,
    FAINT,
    INK,
    MOVES,
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

M, N, K = 3, 3, 4
"""Tiles of matmul_tiles."""
PID_M, PID_N, STEP = 1, 1, 1
OUTPUT = PROGRAMS[0]
STEPS = (
    ("each step along K", MUTED),
    ("load a", MOVES),
    ("load b", MOVES),
    ("acc = tl.dot(", OUTPUT),
    ("    a, b, acc)", OUTPUT),
    ("once, at the end", MUTED),
    ("store acc", OUTPUT),
)


def matmul_tiles(canvas: Canvas) -> None:
    """One tile of C: its program walks along K, over a row of A's tiles and a column of B's."""
    size, colour, pid_m, pid_n, step = 106, OUTPUT, PID_M, PID_N, STEP
    a = table(50, 478, M, K, size)
    b = table(514, 24, K, N, size)
    c = table(514, 478, M, N, size)
    for m, line in enumerate(a):
        for k, box in enumerate(line):
            canvas.cell(box, _walked(k, step) if m == pid_m else DATA)
    for k, line in enumerate(b):
        for n, box in enumerate(line):
            canvas.cell(box, _walked(k, step) if n == pid_n else DATA)
    for m, line in enumerate(c):
        for n, box in enumerate(line):
            canvas.cell(box, colour if (m, n) == (pid_m, pid_n) else DATA)
    tile_of_a, tile_of_b, tile_of_c = a[pid_m][step], b[step][pid_n], c[pid_m][pid_n]
    canvas.words(tile_of_a.centre, "a", 60, ink_on(MOVES), code=True, bold=True)
    canvas.words(tile_of_b.centre, "b", 60, ink_on(MOVES), code=True, bold=True)
    canvas.words(tile_of_c.centre, "c", 60, ink_on(colour), code=True, bold=True)
    y, x = tile_of_a.centre[1], tile_of_b.centre[0]
    canvas.arrow((tile_of_a.right + 14, y), (a[pid_m][-1].right - 12, y), MOVES, 20)
    canvas.arrow((x, tile_of_b.bottom + 14), (x, b[-1][pid_n].bottom - 12), MOVES, 20)
    canvas.words((262, 430), "A", 64, bold=True)
    canvas.words((470, 236), "B", 64, bold=True)
    canvas.words((876, c[0][0].centre[1]), "C", 64, bold=True)
    canvas.words((848, y), "pid_m", 44, colour, code=True, bold=True, align="left")
    canvas.words((x, 846), "pid_n", 44, colour, code=True, bold=True)
    for top, (words, ink) in zip((96, 186, 258, 330, 402, 690, 780), STEPS, strict=True):
        is_code = ink != MUTED
        canvas.words((1020, top), words, 52 if is_code else 46, ink, code=is_code, bold=is_code, align="left")


def matmul_tiles_cells(canvas: CellCanvas) -> None:
    size, high = (8, 2) if canvas.wide else (5, 1)
    left, top = K * size + 3, K * high + 1

    def matrix(x: int, y: int, rows: int, columns: int, fills: Callable[[int, int], str]) -> None:
        for row in range(rows):
            for column in range(columns):
                canvas.tile(x + column * size, y + row * high, size, "", fills(row, column), rows=high)

    matrix(0, top, M, K, lambda m, k: _walked(k, STEP) if m == PID_M else DATA)
    matrix(left, 0, K, N, lambda k, n: _walked(k, STEP) if n == PID_N else DATA)
    matrix(left, top, M, N, lambda m, n: OUTPUT if (m, n) == (PID_M, PID_N) else DATA)
    across, down = top + PID_M * high, left + PID_N * size
    canvas.tile(STEP * size, across, size, "a", MOVES, rows=high)
    canvas.tile(down, STEP * high, size, "b", MOVES, rows=high)
    canvas.tile(down, across, size, "c", OUTPUT, rows=high)
    for k in range(STEP + 1, K):
        right, below = ("━" * (size - 3) + "▶", "▼") if k == K - 1 else ("━" * (size - 2), "┃")
        canvas.tile(k * size, across, size, right, _walked(k, STEP), rows=high, ink=MOVES)
        canvas.tile(down, k * high, size, below, _walked(k, STEP), rows=high, ink=MOVES)
    canvas.within(0, top - 1, K * size, "A", bold=True)
    canvas.words(left - 2, K * high // 2 - 1, "B", bold=True)
    canvas.words(left + N * size + 1, top, "C", bold=True)
    canvas.words(left + N * size + 1, across, "pid_m", OUTPUT, bold=True)
    canvas.within(down, top + M * high, size, "pid_n", OUTPUT, bold=True)
    rows = (0, 2, 3, 4, 5, 11, 12) if canvas.wide else (0, 1, 2, 3, 4, 7, 8)
    for row, (words, ink) in zip(rows, STEPS, strict=True):
        canvas.words(left + N * size + 12, row, words, ink, bold=ink != MUTED)


def _walked(k: int, step: int) -> str:
    """The tile under way is bright, the ones before and after it are dim."""
    return MOVES if k == step else dimmed(MOVES, 0.4)


TILES = 9
"""A, B and C are 9 x 9 tiles each."""
PROGRAMS_AT_ONCE = 9
GROUP_SIZE_M = 3


def row_after_row(pid: int) -> tuple[int, int]:
    """pid_m, pid_n of a program: which tile of C it computes."""
    return divmod(pid, TILES)


def in_groups(pid: int) -> tuple[int, int]:
    """The same, in groups of GROUP_SIZE_M rows of tiles, each walked column by column."""
    group, place = divmod(pid, GROUP_SIZE_M * TILES)
    pid_n, row = divmod(place, GROUP_SIZE_M)
    return group * GROUP_SIZE_M + row, pid_n


def tiles_loaded(owned: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Different tiles of A and of B that programs with these tiles of C load: whole rows of A, whole columns of B."""
    return TILES * len({pid_m for pid_m, _ in owned}), TILES * len({pid_n for _, pid_n in owned})


ORDERS = (("row after row", row_after_row), (f"GROUP_SIZE_M = {GROUP_SIZE_M}", in_groups))
LOADED = ("tiles loaded by", f"programs 0 to {PROGRAMS_AT_ONCE - 1}")


def grouped_order(canvas: Canvas) -> None:
    """The first nine programs in both orders, and the tiles of A and B that they load."""
    for start, (title, order) in zip((40, 820), ORDERS, strict=True):
        owned = [order(pid) for pid in range(PROGRAMS_AT_ONCE)]
        canvas.box(Box(start, 30, 740, 840), PANEL, radius=28)
        _draw_order(canvas, owned, start + 30)
        of_a, of_b = tiles_loaded(owned)
        left = start + 44
        canvas.words((left, 90), title, 42, bold=True, code="_" in title, align="left")
        canvas.words((left, 190), f"A: {of_a}", 44, MOVES, align="left")
        canvas.words((left, 252), f"B: {of_b}", 44, MOVES, align="left")
        canvas.words((left, 350), str(of_a + of_b), 96, TEXT, bold=True, align="left")
        canvas.words((left, 448), "\n".join(LOADED), 36, MUTED, align="left")


def _draw_order(canvas: Canvas, owned: Sequence[tuple[int, int]], left: float) -> None:
    size, gap, bottom = 36, 20, 846
    side = TILES * size
    a = table(left, bottom - side, TILES, TILES, size)
    c = table(left + side + gap, bottom - side, TILES, TILES, size)
    b = table(left + side + gap, bottom - 2 * side - gap, TILES, TILES, size)
    rows, columns = {pid_m for pid_m, _ in owned}, {pid_n for _, pid_n in owned}
    for m in range(TILES):
        for n in range(TILES):
            canvas.cell(a[m][n], MOVES if m in rows else DATA, gap=2)
            canvas.cell(b[m][n], MOVES if n in columns else DATA, gap=2)
            canvas.cell(c[m][n], PROGRAMS[0] if (m, n) in owned else DATA, gap=2)
    for box, name in ((a[5][4], "A"), (b[4][6], "B"), (c[5][4], "C")):
        canvas.words(box.centre, name, 110, INK if len(columns) == TILES and name == "B" else TEXT, bold=True)
    for pid, (m, n) in enumerate(owned):
        canvas.words(c[m][n].centre, str(pid), 28, ink_on(PROGRAMS[0]), code=True, bold=True)


def grouped_order_cells(canvas: CellCanvas) -> None:
    """The three matrices side by side, so that it is no higher than one of them."""
    panel, pitch, gap = (53, 2, 1) if canvas.wide else (35, 1, 3)
    side = TILES * pitch - (pitch - 1)
    for start, (title, order) in zip((0, canvas.width - panel), ORDERS, strict=True):
        owned = [order(pid) for pid in range(PROGRAMS_AT_ONCE)]
        of_a, of_b = tiles_loaded(owned)
        rows, columns = {pid_m for pid_m, _ in owned}, {pid_n for _, pid_n in owned}
        lefts = [start + number * (side + gap) for number in range(3)]
        canvas.words(start, 0, title, bold=True)
        for left, name, words in zip(lefts, "ABC", (f"A: {of_a}", f"B: {of_b}", ""), strict=True):
            canvas.words(left, 1, words or name, MOVES if words else None, bold=not words)
        for m in range(TILES):
            for n in range(TILES):
                for left, loaded in zip(lefts, (m in rows, n in columns, False), strict=True):
                    canvas.words(left + n * pitch, 2 + m, "■" if loaded else "□", MOVES if loaded else FAINT)
            for left in lefts[1:] if canvas.wide else ():
                canvas.words(left - 1, 2 + m, "│", FAINT)
        for pid, (m, n) in enumerate(owned):
            canvas.words(
                lefts[2] + n * pitch, 2 + m, str(pid).ljust(pitch), ink_on(PROGRAMS[0]), fill=PROGRAMS[0], bold=True
            )
        canvas.words(start, 2 + TILES, str(of_a + of_b), bold=True)
        canvas.words(start + 3, 2 + TILES, " ".join(LOADED), MUTED)
