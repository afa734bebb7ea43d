"""Pictures in memory, and the window that slides over one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from drawing.canvas import (
    BACKGROUND,
    CHANNELS,
    DATA,
    FAINT,
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

Integers = NDArray[np.int64]
CHANNEL_NAMES = ("red", "green", "blue")
STARTS = ("0", "height * width", "2 * height * width")
ONE_PIXEL = "one pixel, three loads"
ITS_OFFSET = ("channel * height * width", "+ row * width + col")
PLANE = (6, 8)
PIXEL = (4, 6)


def image_planes(canvas: Canvas) -> None:
    """Three planes, red, green and blue, lie one after the other: a channel is height * width further on."""
    (rows, columns), (row, column) = PLANE, PIXEL
    strip = table(50, 610, 1, 3, 500, 130)[0]
    # From the back to the front: the pixel chosen is one that no other plane hides.
    for channel in (2, 1, 0):
        colour, segment = CHANNELS[channel], strip[channel]
        plane = Box(60 + 210 * channel, 60 + 62 * (2 - channel), 50 * columns, 50 * rows)
        canvas.box(plane.grown(11), BACKGROUND)
        pixels = table(plane.left, plane.top, rows, columns, 50)
        for line in pixels:
            for pixel in line:
                canvas.cell(pixel, dimmed(colour, 0.75), gap=2)
        mine = pixels[row][column]
        canvas.cell(mine, TEXT, gap=2)
        canvas.box(segment.grown(-4), colour)
        canvas.words((segment.left + 200, segment.centre[1]), CHANNEL_NAMES[channel], 54, ink_on(colour), bold=True)
        mark = segment.left + segment.width * (row * columns + column + 0.5) / (rows * columns)
        canvas.box(Box(mark - 14, segment.top + 10, 28, segment.height - 20), TEXT, radius=4)
        canvas.arrow((mine.centre[0], mine.bottom), (mark, segment.top - 10), TEXT, 10)
        canvas.line([(segment.left + 6, 748), (segment.left + 6, 780)], MUTED, 6)
        canvas.words((segment.left + 4, 816), STARTS[channel], 40, MUTED, code=True, align="left")
    canvas.words((950, 90), ONE_PIXEL, 48, TEXT, bold=True, align="left")
    for y, words in zip((190, 250), ITS_OFFSET, strict=True):
        canvas.words((950, y), words, 42, TEXT, code=True, align="left")


def image_planes_cells(canvas: CellCanvas) -> None:
    """Each plane stands over its place in memory."""
    (rows, columns), (row, column) = PLANE, PIXEL
    segment, pixel = (36, 2) if canvas.wide else (24, 1)
    pitch, high, top = pixel + 1, 3 if canvas.wide else 2, 2 if canvas.wide else 1
    strip = top + rows + 2
    canvas.words(0, 0, ONE_PIXEL, bold=True)
    canvas.words(3 * segment - 1, 0, " ".join(ITS_OFFSET), align="right")
    for channel, colour in enumerate(CHANNELS):
        start, plane = channel * segment, channel * segment + 2
        for y in range(rows):
            for x in range(columns):
                letter, ink = ("█", None) if (y, x) == (row, column) else ("▆", dimmed(colour, 0.75))
                canvas.words(plane + x * pitch, top + y, letter * pixel, ink)
        mark = start + 2 + (segment - 4) * (row * columns + column) // (rows * columns)
        canvas.chip(start, strip, segment, CHANNEL_NAMES[channel], colour, rows=high)
        canvas.words(mark, strip + high // 3, "█", TEXT)
        canvas.words(mark, strip + high - 1, "▀", TEXT)
        canvas.words(start, strip + high, f"╵{STARTS[channel]}", MUTED)
        here = plane + column * pitch
        for y in range(top + row + 1, top + rows):
            canvas.words(here, y, "┃".ljust(pixel))
        canvas.words(here, top + rows, f"┗{'━' * (mark - here - 1)}┓")
        canvas.words(mark, top + rows + 1, "▼")


IMAGE = np.array(
    [
        [3, 1, 4, 1, 5],
        [2, 6, 5, 3, 5],
        [8, 9, 7, 9, 3],
        [2, 3, 8, 4, 6],
    ]
)
SHARPEN = np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]])


def filtered(image: Integers, weight: Integers, row: int, column: int) -> int:
    """One pixel of a centred 3 x 3 filter, zeros outside."""
    window = np.pad(image, 1)[row : row + 3, column : column + 3]
    return int((window * weight).sum())


WINDOW_SUM = "sum(window * weight)"
ZEROS_OUTSIDE, WEIGHT, OUTPUT = "image, zeros outside", "weight", "output"


def sliding_window(canvas: Canvas) -> None:
    """A 3 x 3 filter on the first pixel of a picture: zeros outside, nine products, one sum."""
    height, width = IMAGE.shape
    padded = table(40, 150, height + 2, width + 2, 100)
    for row, line in enumerate(padded):
        for column, box in enumerate(line):
            if 0 < row <= height and 0 < column <= width:
                canvas.cell(box, DATA, str(IMAGE[row - 1, column - 1]), 48)
            else:
                canvas.box(box.grown(-8), None, FAINT, thick=3, dashed=True)
                canvas.words(box.centre, "0", 42, MUTED, code=True)
    window = around([padded[0][0], padded[2][2]])
    canvas.box(window.grown(3), None, MOVES, thick=16)
    canvas.arrow((window.left, 92), (window.right + 160, 92), MOVES, 20)

    weights = table(834, 306, 3, 3, 96)
    for line, values in zip(weights, SHARPEN, strict=True):
        for box, value in zip(line, values, strict=True):
            canvas.cell(box, MOVES, str(value), 48)
    output = table(1210, 310, height, width, 70)
    for line in output:
        for box in line:
            canvas.cell(box, DATA, gap=3)
    first = filtered(IMAGE, SHARPEN, 0, 0)
    canvas.cell(output[0][0], PROGRAMS[0], str(first), 40, gap=3)
    canvas.words((787, 450), "×", 72, bold=True)
    canvas.arrow((1136, 450), (1200, 450), TEXT, 12)
    canvas.words((1185, 130), f"{WINDOW_SUM} = {first}", 48, PROGRAMS[0], code=True, bold=True)
    canvas.words((390, 818), ZEROS_OUTSIDE, 44, MUTED)
    canvas.words((978, 818), WEIGHT, 44, MUTED)
    canvas.words((1385, 818), OUTPUT, 44, MUTED)


def sliding_window_cells(canvas: CellCanvas) -> None:
    height, width = IMAGE.shape
    size, high = (6, 2) if canvas.wide else (4, 1)
    image, reach = np.pad(IMAGE, 1), len(SHARPEN)
    caption, edge = 3 + (height + 2) * high, 1 + reach * size
    for row in range(height + 2):
        for column in range(width + 2):
            x, y = 1 + column * size + (column >= reach), 2 + row * high + (row >= reach)
            if 0 < row <= height and 0 < column <= width:
                canvas.chip(x, y, size, str(image[row, column]), DATA, rows=high)
            else:
                canvas.within(x, y, size, "0", MUTED)
    canvas.frame(0, 1, edge + 1, reach * high + 2, colour=MOVES)
    canvas.right(1, 0, edge + size, MOVES)
    canvas.within(0, caption, (width + 2) * size + 2, ZEROS_OUTSIDE, MUTED)

    first = filtered(IMAGE, SHARPEN, 0, 0)
    weights, part = (width + 2) * size + (8 if canvas.wide else 5), 6 if canvas.wide else 4
    output, top = weights + reach * part + (8 if canvas.wide else 5), 2 + 2 * high
    canvas.words(weights - 3, top + high, "×", bold=True)
    canvas.right(output - 4, top + high, 3, None)
    for row, values in enumerate(SHARPEN):
        for column, value in enumerate(values):
            canvas.chip(weights + column * part, top + row * high, part, str(value), MOVES, rows=high)
    for row in range(height):
        for column in range(width):
            words, fill = (str(first), PROGRAMS[0]) if row == column == 0 else ("", DATA)
            canvas.tile(output + column * part, top + row * high, part, words, fill, rows=high)
    canvas.within(weights, caption, reach * part, WEIGHT, MUTED)
    canvas.within(output, caption, width * part, OUTPUT, MUTED)
    canvas.words(output + width * part, 0, f"{WINDOW_SUM} = {first}", PROGRAMS[0], bold=True, align="right")
