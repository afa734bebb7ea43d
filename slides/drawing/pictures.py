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

Integers = NDArray[np.int64]
CHANNEL_NAMES = ("red", "green", "blue")


def image_planes(canvas: Canvas) -> None:
    """Three planes, red, green and blue, lie one after the other: a channel is height * width further on."""
    rows, columns, row, column = 6, 8, 4, 6
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
        start = ("0", "height * width", "2 * height * width")[channel]
        canvas.words((segment.left + 4, 816), start, 40, MUTED, code=True, align="left")
    canvas.words((950, 90), "one pixel, three loads", 48, TEXT, bold=True, align="left")
    canvas.words((950, 190), "channel * height * width", 42, TEXT, code=True, align="left")
    canvas.words((950, 250), "+ row * width + col", 42, TEXT, code=True, align="left")


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
    canvas.words((1185, 130), f"sum(window * weight) = {first}", 48, PROGRAMS[0], code=True, bold=True)
    canvas.words((390, 818), "image, zeros outside", 44, MUTED)
    canvas.words((978, 818), "weight", 44, MUTED)
    canvas.words((1385, 818), "output", 44, MUTED)
