"""Where programs run: the GPU, its SMs, and what one program is made of."""

from __future__ import annotations

from drawing.canvas import DATA, FAINT, MOVES, MUTED, PANEL, PROGRAMS, TEXT, Box, Canvas, dimmed, ink_on, table
from drawing.cells import CellCanvas
from drawing.performance import BANDWIDTH_DATA_SHEET

SMS = 132
"""Of an H200, as PyTorch reports it."""
THREADS_OF_AN_SM, THREADS_OF_A_WARP = 2048, 32
"""At most at once, and always (NVIDIA's H100 architecture paper; CUDA programming guide)."""
NUM_WARPS = 4
"""Triton's default."""

SHOWN = ((0, 4), (2, 5), (3, 1))
"""The programs of three SMs: in no order, as a GPU hands them out."""
OPENED = 3
TILE = (8, 16)

KERNEL = "kernel: a function, launched as a grid of programs"
GPU = f"GPU: an H200 has {SMS} SMs"
SM = "SM"
SM_RUNS = f"SM: runs programs, up to {THREADS_OF_AN_SM} threads"
L2 = "L2 cache"
HBM = f"HBM: the GPU's memory, {BANDWIDTH_DATA_SHEET / 1e12} TB/s"
TILE_IS = ("tile: the block of", "elements it works on")
WARP_IS = (f"warp: {THREADS_OF_A_WARP} threads", "that issue together")


def _name(pid: int) -> str:
    return f"program {pid}"


def _colour(pid: int) -> str:
    return PROGRAMS[0] if pid == OPENED else dimmed(PROGRAMS[0], 0.4)


def gpu_sms_programs(canvas: Canvas) -> None:
    """A GPU, three of its SMs with their programs; and one program opened: its tile and its warps."""
    canvas.words((40, 66), KERNEL, 46, bold=True, align="left")
    canvas.box(Box(40, 120, 980, 750), PANEL, radius=28)
    canvas.words((76, 176), GPU, 44, bold=True, align="left")
    for left, programs in zip((64, 360, 716), SHOWN, strict=True):
        sm = Box(left, 226, 280, 300)
        canvas.box(sm, None, FAINT, thick=5, radius=20)
        canvas.words((sm.centre[0], 266), SM, 38, MUTED, bold=True)
        for place, pid in enumerate(programs):
            chip = Box(sm.left + 20, 304 + 104 * place, 240, 88)
            canvas.box(chip, _colour(pid), radius=16)
            canvas.words(chip.centre, _name(pid), 36, ink_on(_colour(pid)), bold=True)
    canvas.words((678, 376), "…", 60, MUTED)
    canvas.words((530, 566), SM_RUNS, 38, MUTED)
    for box, words, fill in ((Box(64, 606, 932, 90), L2, dimmed(MOVES, 0.5)), (Box(64, 716, 932, 130), HBM, DATA)):
        canvas.box(box, fill, radius=18)
        canvas.words(box.centre, words, 46, ink_on(fill), bold=True)

    canvas.box(Box(1090, 120, 470, 750), None, PROGRAMS[0], thick=6, radius=28)
    canvas.words((1325, 176), _name(OPENED), 44, PROGRAMS[0], bold=True)
    canvas.arrow((980, 348), (1086, 348), PROGRAMS[0], 10)
    for line in table(1125, 236, *TILE, 25):
        for element in line:
            canvas.cell(element, MOVES, gap=2)
    for y, words in zip((474, 524), TILE_IS, strict=True):
        canvas.words((1325, y), words, 36, TEXT)
    for warp in range(NUM_WARPS):
        for thread in table(1125, 588 + 38 * warp, 1, THREADS_OF_A_WARP, 12.5, 28)[0]:
            canvas.box(Box(thread.left + 2, thread.top, 8, 28), PROGRAMS[0], radius=3)
    for y, words in zip((776, 826), WARP_IS, strict=True):
        canvas.words((1325, y), words, 36, TEXT)


def gpu_sms_programs_cells(canvas: CellCanvas) -> None:
    rows, width = (2, 18) if canvas.wide else (1, 13)
    height, left, bars = 4 * rows + 7, 3 * width + 6, 2 * rows + 5
    canvas.words(0, 0, KERNEL, bold=True)
    canvas.frame(0, 1, left, height - 1, GPU)
    for number, programs in enumerate(SHOWN):
        x = 1 + number * width + (4 if number == len(SHOWN) - 1 else 0)
        canvas.frame(x, 2, width, 2 * rows + 2, SM)
        for place, pid in enumerate(programs):
            canvas.chip(x + 1, 3 + place * rows, width - 2, _name(pid), _colour(pid), rows=rows)
    canvas.words(2 * width + 2, 2 + rows, "…", MUTED)
    canvas.within(1, bars - 1, left - 2, SM_RUNS, MUTED)
    canvas.chip(1, bars, left - 2, L2, dimmed(MOVES, 0.5), rows=rows)
    canvas.chip(1, bars + rows, left - 2, HBM, DATA, rows=rows + 1)
    canvas.right(left - 2, 3, 5, PROGRAMS[0])
    _draw_opened(canvas, left + 3, canvas.width - left - 3, height)


def _draw_opened(canvas: CellCanvas, left: int, width: int, height: int) -> None:
    """One program: its tile, and its warps, whose elements and threads are the dots of braille."""
    canvas.frame(left, 1, width, height - 1, _name(OPENED), PROGRAMS[0], ink=PROGRAMS[0])
    column, rows, first = ("⠅ ", TILE[0] // 2, 3) if canvas.wide else ("⡇", TILE[0] // 4, 2)
    warps = " ".join(["⣿" * (THREADS_OF_A_WARP // 8)] * NUM_WARPS)
    tile_is, warp_is = ([" ".join(words)] if canvas.wide else words for words in (TILE_IS, WARP_IS))
    lines = [
        *((column * TILE[1], MOVES) for _ in range(rows)),
        *((words, None) for words in tile_is),
        *[("", None)] * (first - 1),
        (warps, PROGRAMS[0]),
        *((words, None) for words in warp_is),
    ]
    for row, (words, colour) in enumerate(lines, start=first):
        canvas.words(left + 2, row, words, colour)
