"""Attention in tiles: one program's queries, and the keys and values that it walks along."""

from __future__ import annotations

from drawing.canvas import DATA, MOVES, MUTED, PROGRAMS, Box, Canvas, dimmed, ink_on, table
from drawing.cells import CellCanvas

QUERIES, KEYS = 3, 4
"""Tiles of q and of the output; tiles of k and of v."""
ROW, STEP = 1, 1
OWN = PROGRAMS[0]
"""What a program keeps for the whole loop."""
PASSING = PROGRAMS[1]
"""What exists for one step."""
STEPS = (
    ("once", MUTED),
    ("load q", OWN),
    ("each step of the loop", MUTED),
    ("load k and v", MOVES),
    ("scores = q @ k.T", PASSING),
    ("p = exp(scores - max)", PASSING),
    ("out = out * shrink", OWN),
    ("    + p @ v", OWN),
    ("once, at the end", MUTED),
    ("store out / sum", OWN),
)


def _met(step: int, colour: str) -> str:
    """The tile under way is bright, the others are dim."""
    return colour if step == STEP else dimmed(colour, 0.4)


def attention_tiles(canvas: Canvas) -> None:
    """A tile of q meets tiles of k and v: each step makes a tile of p, and adds to one tile of the output."""
    size, top, p_left, out_left = 92, 500, 222, 660
    q = table(72, top, QUERIES, 1, size)
    p = table(p_left, top, QUERIES, KEYS, size)
    k = table(p_left, top - size - 26, 1, KEYS, size)
    v = table(out_left, top - KEYS * size - 26, KEYS, 1, size)
    out = table(out_left, top, QUERIES, 1, size)
    for row in range(QUERIES):
        canvas.cell(q[row][0], OWN if row == ROW else DATA)
        canvas.cell(out[row][0], OWN if row == ROW else DATA)
        for step in range(KEYS):
            canvas.cell(p[row][step], _met(step, PASSING) if row == ROW else dimmed(DATA, 0.5))
    for step in range(KEYS):
        canvas.cell(k[0][step], _met(step, MOVES))
        canvas.cell(v[step][0], _met(step, MOVES))
    _letter(canvas, q[ROW][0], "q", OWN)
    _letter(canvas, k[0][STEP], "k", MOVES)
    _letter(canvas, p[ROW][STEP], "p", PASSING)
    _letter(canvas, v[STEP][0], "v", MOVES)
    _letter(canvas, out[ROW][0], "out", OWN, 36)
    y, x = k[0][0].centre[1], v[0][0].centre[0]
    canvas.arrow((k[0][STEP].right + 14, y), (k[0][-1].right - 12, y), MOVES, 18)
    canvas.arrow((x, v[STEP][0].bottom + 14), (x, v[-1][0].bottom - 12), MOVES, 18)
    below = top + QUERIES * size + 48
    canvas.words((20, below), "q (BM, D)", 34, OWN, code=True, bold=True, align="left")
    canvas.words((p_left + KEYS * size / 2, below), "p (BM, BN)", 34, PASSING, code=True, bold=True)
    canvas.words((x, below), "out (BM, D)", 34, OWN, code=True, bold=True)
    canvas.words((p_left + KEYS * size / 2, y - 132), "k (BN, D)", 34, MOVES, code=True, bold=True)
    canvas.words((p_left + KEYS * size / 2, y - 82), "transposed", 34, MUTED)
    canvas.words((x, v[0][0].top - 40), "v (BN, D)", 34, MOVES, code=True, bold=True)
    for height, (words, ink) in zip((80, 146, 250, 316, 382, 448, 514, 570, 674, 740), STEPS, strict=True):
        is_code = ink != MUTED
        canvas.words((920, height), words, 44 if is_code else 38, ink, code=is_code, bold=is_code, align="left")


def _letter(canvas: Canvas, box: Box, word: str, fill: str, size: float = 52) -> None:
    canvas.words(box.centre, word, size, ink_on(fill), code=True, bold=True)


def attention_tiles_cells(canvas: CellCanvas) -> None:
    size, high = (8, 2) if canvas.wide else (5, 1)
    p_left, top = size + 3, KEYS * high + 1
    out_left = p_left + KEYS * size + 4
    for row in range(QUERIES):
        y = top + row * high
        own = OWN if row == ROW else DATA
        canvas.tile(0, y, size, "q" if row == ROW else "", own, rows=high)
        canvas.tile(out_left, y, size, "out" if row == ROW else "", own, rows=high)
        for step in range(KEYS):
            fill = _met(step, PASSING) if row == ROW else dimmed(DATA, 0.5)
            canvas.tile(p_left + step * size, y, size, "p" if (row, step) == (ROW, STEP) else "", fill, rows=high)
    for step in range(KEYS):
        here, last = step == STEP, step == KEYS - 1
        right, below = ("━" * (size - 3) + "▶", "▼") if last else ("━" * (size - 2), "┃")
        across, down = ("k", "v") if here else (right, below) if step > STEP else ("", "")
        ink = None if here else MOVES
        canvas.tile(p_left + step * size, top - 1 - high, size, across, _met(step, MOVES), rows=high, ink=ink)
        canvas.tile(out_left, step * high, size, down, _met(step, MOVES), rows=high, ink=ink)
    below = top + QUERIES * high + (1 if canvas.wide else 0)
    canvas.words(0, below, "q (BM, D)", OWN, bold=True)
    canvas.within(p_left, below, KEYS * size, "p (BM, BN)", PASSING, bold=True)
    canvas.within(out_left, below, size, "out (BM, D)", OWN, bold=True)
    canvas.within(p_left, top - 3 - high, KEYS * size, "k (BN, D)", MOVES, bold=True)
    canvas.within(p_left, top - 2 - high, KEYS * size, "transposed", MUTED)
    canvas.words(out_left + size + 1, 0, "v (BN, D)", MOVES, bold=True)
    left = out_left + size + (13 if canvas.wide else 12)
    rows = (0, 1, 3, 4, 5, 6, 7, 8, 10, 11) if canvas.wide else range(len(STEPS))
    for y, (words, ink) in zip(rows, STEPS, strict=True):
        canvas.words(left, y, words, ink, bold=ink != MUTED)
