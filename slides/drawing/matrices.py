"""Matrices in tiles: the walk along K, and the order of programs that a cache likes."""

from __future__ import annotations

from collections.abc import Sequence

from drawing.canvas import (
    DATA,
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


def matmul_tiles(canvas: Canvas) -> None:
    """One tile of C: its program walks along K, over a row of A's tiles and a column of B's."""
    size, colour, pid_m, pid_n, step = 106, PROGRAMS[0], 1, 1, 1
    a = table(50, 478, 3, 4, size)
    b = table(514, 24, 4, 3, size)
    c = table(514, 478, 3, 3, size)
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
    for top, words, ink in (
        (96, "each step along K", MUTED),
        (186, "load a", MOVES),
        (258, "load b", MOVES),
        (330, "accumulator +=", colour),
        (402, "    tl.dot(a, b)", colour),
        (690, "once, at the end", MUTED),
        (780, "store accumulator", colour),
    ):
        is_code = ink != MUTED
        canvas.words((1020, top), words, 52 if is_code else 46, ink, code=is_code, bold=is_code, align="left")


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


def grouped_order(canvas: Canvas) -> None:
    """The first nine programs in both orders, and the tiles of A and B that they load."""
    orders = (("row after row", row_after_row, 40), (f"GROUP_SIZE_M = {GROUP_SIZE_M}", in_groups, 820))
    for title, order, start in orders:
        owned = [order(pid) for pid in range(PROGRAMS_AT_ONCE)]
        canvas.box(Box(start, 30, 740, 840), PANEL, radius=28)
        _draw_order(canvas, owned, start + 30)
        of_a, of_b = tiles_loaded(owned)
        left = start + 44
        canvas.words((left, 90), title, 42, bold=True, code="_" in title, align="left")
        canvas.words((left, 190), f"A: {of_a}", 44, MOVES, align="left")
        canvas.words((left, 252), f"B: {of_b}", 44, MOVES, align="left")
        canvas.words((left, 350), str(of_a + of_b), 96, TEXT, bold=True, align="left")
        canvas.words((left, 448), "tiles loaded by\nprograms 0 to 8", 36, MUTED, align="left")


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
