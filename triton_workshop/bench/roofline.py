"""Roofline as a PNG: operations per second over operations per byte.

Needs matplotlib, as `benchmarks` does.
"""

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
"""Ratio of a roof to the next lower one, below which they are close.

The name of the lower one then stands below its line.
"""


@dataclass(frozen=True)
class Roof:
    """Slanted limit of memory, up to the flat limit of arithmetic."""

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
        """Operations per byte at which the slope ends."""
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
    x_min = min(0.05, min(intensities) / 2)
    # Room on both sides, so that slopes and flat parts can be told apart.
    corners = [roof.corner for roof in roofs if roof.corner is not None]
    x_max = 4 * max([*intensities, *corners])
    figure = Figure(figsize=(9, 5.5), dpi=DPI, layout="constrained")
    axes = figure.add_subplot()
    axes.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel="operations per second", title=title)
    axes.set_xlim(x_min, x_max)
    over_lines = [withStroke(linewidth=3, foreground="white")]
    label: dict[str, Any] = {"textcoords": "offset points", "path_effects": over_lines}
    # Not a set, which has no order: a series' colour and marker follow from its place.
    for number, series in enumerate(dict.fromkeys(point.series for point in points)):
        coordinates = [(point.intensity, point.rate) for point in points if point.series == series]
        across, up = zip(*coordinates, strict=True)
        look: dict[str, Any] = {"marker": MARKERS[number % len(MARKERS)], "color": COLOURS[number % len(COLOURS)]}
        axes.scatter(across, up, label=series, zorder=2, **look)
    for point in points:
        # Labels stand where no roof is: above a slope to the left, below a flat part to the right.
        on_the_slope = point.intensity < min(corners, default=x_max)
        side: dict[str, Any] = {"xytext": (-8, 6), "ha": "right"} if on_the_slope else {"xytext": (8, -5)}
        axes.annotate(point.label, (point.intensity, point.rate), fontsize=8, **label, **side)
    for roof in roofs:
        xs = (x_min, *([] if roof.corner is None else [roof.corner]), x_max)
        axes.plot(xs, [roof(x) for x in xs], color=GREY, zorder=1)
        # `1 <`, because the roof itself is among them.
        below = any(1 < roof_above(x_max) / roof(x_max) < CLOSE for roof_above in roofs)
        side = {"xytext": (-6, -4), "va": "top"} if below else {"xytext": (-6, 4)}
        axes.annotate(roof.name, (x_max, roof(x_max)), color="0.35", fontsize=9, ha="right", **label, **side)
    axes.legend(loc="lower right")
    figure.savefig(file)
