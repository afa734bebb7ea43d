"""Draws a roofline as a PNG: operations per second over operations per byte. Needs matplotlib, as `benchmarks` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GREY = "0.55"
DPI = 150
COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple")
MARKERS = ("o", "x", "s", "^", "v")
CLOSE = 2
"""A roof whose next higher one is less than so many times higher has its name below its line."""


@dataclass(frozen=True)
class Roof:
    """The slanted limit of memory, and the flat limit of arithmetic that it leads up to."""

    name: str
    bandwidth: float
    """Bytes per second."""
    peak: float | None
    """Operations per second; None if unknown."""

    def __call__(self, intensity: float) -> float:
        """Operations per second, at most."""
        slope = intensity * self.bandwidth
        return slope if self.peak is None else min(slope, self.peak)

    @property
    def corner(self) -> float | None:
        """Where the slope ends, in operations per byte."""
        return None if self.peak is None else self.peak / self.bandwidth


@dataclass(frozen=True)
class Point:
    """A kernel. A point without a label is one of many in its place."""

    intensity: float
    """Operations per byte."""
    rate: float
    """Operations per second."""
    series: str
    label: str = ""


def draw_roofline(title: str, roofs: Sequence[Roof], points: Sequence[Point], file: Path) -> None:
    """Draw roofs and kernels.

    Raises OSError if the file cannot be written, and ValueError for a format that matplotlib does not know.
    """
    from matplotlib.figure import Figure
    from matplotlib.patheffects import withStroke

    intensities = [point.intensity for point in points]
    left = min(0.05, min(intensities) / 2)
    corners = [roof.corner for roof in roofs if roof.corner is not None]
    right = 4 * max([*intensities, *corners])
    figure = Figure(figsize=(9, 5.5), dpi=DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel="operations per second", title=title)
    axes.set_xlim(left, right)
    over_lines = [withStroke(linewidth=3, foreground="white")]
    label: dict[str, Any] = {"textcoords": "offset points", "path_effects": over_lines}
    for number, series in enumerate(dict.fromkeys(point.series for point in points)):
        places = [(point.intensity, point.rate) for point in points if point.series == series]
        across, up = zip(*places, strict=True)
        look: dict[str, Any] = {"marker": MARKERS[number % len(MARKERS)], "color": COLOURS[number % len(COLOURS)]}
        axes.scatter(across, up, label=series, zorder=2, **look)
    for point in points:
        on_the_slope = point.intensity < min(corners, default=right)
        side: dict[str, Any] = {"xytext": (-8, 6), "ha": "right"} if on_the_slope else {"xytext": (8, -5)}
        axes.annotate(point.label, (point.intensity, point.rate), fontsize=8, **label, **side)
    for roof in roofs:
        xs = (left, *([] if roof.corner is None else [roof.corner]), right)
        axes.plot(xs, [roof(x) for x in xs], color=GREY, zorder=1)
        below = any(1 < other(right) / roof(right) < CLOSE for other in roofs)
        side = {"xytext": (-6, -4), "va": "top"} if below else {"xytext": (-6, 4)}
        axes.annotate(roof.name, (right, roof(right)), color="0.35", fontsize=9, ha="right", **label, **side)
    axes.legend(loc="lower right")
    figure.savefig(file)
