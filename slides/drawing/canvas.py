"""What every diagram is drawn with: one palette, one pair of fonts, and boxes, words and arrows.

Every coordinate is in pixels of the finished 1600 x 900 picture, x to the right and y down. Words are given in pixels
too: 26 at the least, which the back row can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import matplotlib.style
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Polygon

from triton_workshop.screen.palette import DARK

WIDTH, HEIGHT = 1600, 900
DPI = 100
POINTS = 72 / DPI  # matplotlib measures lines and words in points; this many are a pixel
CAPITALS = 0.729  # height of a capital letter of DejaVu, as a part of the font's size
LINE_HEIGHT = 1.4

BACKGROUND = DARK.background
PANEL = DARK.panel
TEXT = DARK.text
MUTED = DARK.muted
FAINT = DARK.faint
INK = DARK.well  # words on a bright colour

PROGRAMS = ("#ffb454", "#b79bff", "#6cc7ff", "#a8e05f")
"""Programs 0, 1, 2 and 3, and what belongs to them."""
DATA = "#33475e"
"""Data that lies in memory."""
MOVES = DARK.accent
"""What moves: loads, stores, windows."""
MASKED = DARK.bad
"""What a mask keeps a program from touching."""
CHANNELS = ("#e8606b", "#4fbf78", "#5c8fff")
"""Red, green and blue, where they are meant."""

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle, in pixels."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def centre(self) -> Point:
        return self.left + self.width / 2, self.top + self.height / 2

    @property
    def upper(self) -> Point:
        """The middle of the upper edge."""
        return self.centre[0], self.top

    @property
    def lower(self) -> Point:
        return self.centre[0], self.bottom

    def moved(self, right: float = 0, down: float = 0) -> Box:
        return Box(self.left + right, self.top + down, self.width, self.height)

    def grown(self, by: float) -> Box:
        return Box(self.left - by, self.top - by, self.width + 2 * by, self.height + 2 * by)


def table(left: float, top: float, rows: int, columns: int, width: float, height: float = 0) -> list[list[Box]]:
    """Boxes side by side, without a gap: `rows` lists of `columns`; square unless a height is given."""
    tall = height or width
    return [[Box(left + x * width, top + y * tall, width, tall) for x in range(columns)] for y in range(rows)]


def around(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds all of these."""
    left, top = min(box.left for box in boxes), min(box.top for box in boxes)
    return Box(left, top, max(box.right for box in boxes) - left, max(box.bottom for box in boxes) - top)


def dimmed(colour: str, share: float = 0.3) -> str:
    """`share` of a colour, the rest of it background."""
    mixed = share * np.array(to_rgb(colour)) + (1 - share) * np.array(to_rgb(BACKGROUND))
    return "#" + "".join(f"{round(255 * value):02x}" for value in mixed)


def ink_on(colour: str) -> str:
    """Dark words on a bright colour, bright words on a dark one."""
    red, green, blue = to_rgb(colour)
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else TEXT


class Canvas:
    """An empty picture and the brush for it. What is drawn later lies on top."""

    def __init__(self) -> None:
        with matplotlib.style.context("default"):
            self.figure = Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI, facecolor=BACKGROUND)
            FigureCanvasAgg(self.figure)
            self.axes: Axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, WIDTH), ylim=(HEIGHT, 0))
        self.axes.axis("off")
        self._layer = 1.0

    def box(
        self,
        box: Box,
        fill: str | None = None,
        line: str | None = None,
        *,
        thick: float = 5,
        dashed: bool = False,
        radius: float = 10,
    ) -> None:
        self.axes.add_patch(
            FancyBboxPatch(
                (box.left, box.top),
                box.width,
                box.height,
                boxstyle=f"round,pad=0,rounding_size={radius}",
                facecolor=fill or "none",
                edgecolor=line or "none",
                linewidth=thick * POINTS if line else 0,
                linestyle=(0, (2.2, 1.6)) if dashed else "solid",
                zorder=self._next(),
            )
        )

    def words(
        self,
        at: Point,
        words: str,
        size: float = 38,
        colour: str = TEXT,
        *,
        code: bool = False,
        bold: bool = False,
        align: Literal["left", "center", "right"] = "center",
        turned: float = 0,
    ) -> None:
        """Words whose middle line runs through `at`, `turned` degrees anticlockwise; code in the fixed-width font."""
        # Placed by the height of capitals, not by each word's own ink, so that words in one row share a baseline.
        lines = words.split("\n")
        lean = np.radians(turned)
        for number, line in enumerate(lines):
            down = CAPITALS / 2 * size + (number - (len(lines) - 1) / 2) * LINE_HEIGHT * size
            self.axes.text(
                at[0] + down * float(np.sin(lean)),
                at[1] + down * float(np.cos(lean)),
                line,
                fontsize=size * POINTS,
                color=colour,
                family="DejaVu Sans Mono" if code else "DejaVu Sans",
                weight="bold" if bold else "normal",
                ha=align,
                va="baseline",
                rotation=turned,
                rotation_mode="anchor",
                parse_math=False,
                zorder=self._next(),
            )

    def cell(
        self, box: Box, fill: str, words: str = "", size: float = 38, *, colour: str | None = None, gap: float = 4
    ) -> None:
        """One element of an array, with its value or index in it."""
        self.box(box.grown(-gap), fill, radius=min(8, box.width / 8))
        if words:
            self.words(box.centre, words, size, colour or ink_on(fill), code=True, bold=True)

    def masked(self, box: Box, words: str = "", size: float = 38, *, gap: float = 4) -> None:
        """An element that a mask keeps a program from touching."""
        self.box(box.grown(-gap - 2), dimmed(MASKED, 0.16), MASKED, thick=4, dashed=True, radius=min(8, box.width / 8))
        if words:
            self.words(box.centre, words, size, MASKED, code=True, bold=True)

    def line(self, points: Sequence[Point], colour: str, thick: float = 6, *, dashed: bool = False) -> None:
        x, y = zip(*points, strict=True)
        style: str | tuple[int, tuple[float, float]] = (0, (2.2, 1.6)) if dashed else "solid"
        self.axes.plot(
            x, y, color=colour, linewidth=thick * POINTS, linestyle=style, solid_capstyle="butt", zorder=self._next()
        )

    def arrow(self, start: Point, end: Point, colour: str = MOVES, thick: float = 10) -> None:
        """A straight arrow whose point is at `end`."""
        origin, tip = np.array(start), np.array(end)
        along = (tip - origin) / np.linalg.norm(tip - origin)
        across = np.array([-along[1], along[0]])
        neck = tip - 2.4 * thick * along
        half, barb = across * thick / 2, across * 1.5 * thick
        corners = [origin + half, neck + half, neck + barb, tip, neck - barb, neck - half, origin - half]
        self.shape([(float(x), float(y)) for x, y in corners], colour)

    def shape(self, corners: Sequence[Point], fill: str) -> None:
        self.axes.add_patch(Polygon(corners, closed=True, facecolor=fill, linewidth=0, zorder=self._next()))

    def bend(self, start: Point, end: Point, bow: float, colour: str = MOVES, thick: float = 8) -> None:
        """A bowed arrow: `bow` is its height by its length, and positive to the right of its direction."""
        self.axes.add_patch(
            FancyArrowPatch(
                start,
                end,
                connectionstyle=f"arc3,rad={bow}",
                arrowstyle=f"simple,head_length={2.4 * thick * POINTS},head_width={3 * thick * POINTS},"
                f"tail_width={thick * POINTS}",
                facecolor=colour,
                linewidth=0,
                shrinkA=0,
                shrinkB=0,
                zorder=self._next(),
            )
        )

    def cross(self, at: Point, size: float = 22, colour: str = MASKED, thick: float = 9) -> None:
        x, y = at
        for side in (-1, 1):
            self.line([(x - size, y - side * size), (x + size, y + side * size)], colour, thick)

    def disc(self, at: Point, radius: float, fill: str, line: str | None = None, thick: float = 5) -> None:
        edge = thick * POINTS if line else 0
        self.axes.add_patch(
            Circle(at, radius, facecolor=fill, edgecolor=line or "none", linewidth=edge, zorder=self._next())
        )

    def save(self, path: Path) -> None:
        self.figure.savefig(path, dpi=DPI, facecolor=BACKGROUND, metadata={"Software": None})

    def _next(self) -> float:
        self._layer += 1
        return self._layer
