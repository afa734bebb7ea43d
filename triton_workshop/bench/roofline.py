"""Draws a roofline as a PNG: operations per second over operations per byte. Needs matplotlib, as `benchmarks` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GREY = "0.55"
DPI = 150
DOT = 7
"""Pixels from the middle of a marker to its edge."""
COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple")
MARKERS = ("o", "x", "s", "^", "v")
Offset = tuple[float, float, str]
"""Points to the right and up, and the side of the text that lies there."""
BESIDE_THE_ROOF: tuple[Offset, ...] = ((-6, 9, "right"), (-6, -9, "right"), (-120, 9, "right"), (-120, -9, "right"))
UPPER_LEFT: tuple[Offset, ...] = tuple((-8, up, "right") for up in (8, 0, 16, -8))
RIGHT: tuple[Offset, ...] = tuple((10, up, "left") for up in (0, -10, 10, -20, 20, -32, 32))


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
    """Draw roofs and kernels, with no label over another or over a line.

    Raises OSError if the file cannot be written, and ValueError for a format that matplotlib does not know.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    intensities = [point.intensity for point in points]
    left = min(0.05, min(intensities) / 2)
    corners = [roof.corner for roof in roofs if roof.corner is not None]
    right = 4 * max([*intensities, *corners])
    figure = Figure(figsize=(9, 5.5), dpi=DPI, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set(xscale="log", yscale="log", xlabel="operations per byte", ylabel="operations per second", title=title)
    for number, series in enumerate(dict.fromkeys(point.series for point in points)):
        places = [(point.intensity, point.rate) for point in points if point.series == series]
        across, up = zip(*places, strict=True)
        look: dict[str, Any] = {"marker": MARKERS[number % len(MARKERS)], "color": COLOURS[number % len(COLOURS)]}
        axes.scatter(across, up, label=series, zorder=2, **look)
    for roof in roofs:
        xs = (left, *([] if roof.corner is None else [roof.corner]), right)
        axes.plot(xs, [roof(x) for x in xs], color=GREY, zorder=1)
    axes.set_xlim(left, right)
    legend = axes.legend(loc="lower right")
    figure.draw_without_rendering()
    renderer: Any = canvas.get_renderer()  # type: ignore[no-untyped-call]
    labels = _Labels(axes, renderer, [legend.get_window_extent(renderer)], _drawn(axes, roofs, points, (left, right)))
    for point in points:
        if point.label:
            on_the_slope = point.intensity < min(corners, default=right)
            offsets = (*UPPER_LEFT, *RIGHT) if on_the_slope else (*RIGHT, *UPPER_LEFT)
            labels.put(point.label, (point.intensity, point.rate), offsets, fontsize=8)
    for roof in roofs:
        labels.put(roof.name, (right, roof(right)), BESIDE_THE_ROOF, color="0.35", fontsize=9)
    figure.savefig(file)


def _drawn(axes: Any, roofs: Sequence[Roof], points: Sequence[Point], span: tuple[float, float]) -> Any:
    """Where the picture already has ink, in pixels: (n, 2)."""
    import numpy as np

    across = np.geomspace(*span, 600)
    ink = [(x, roof(x)) for roof in roofs for x in across]
    dots = axes.transData.transform([(point.intensity, point.rate) for point in points])
    around = np.array([(right, up) for right in (-DOT, 0, DOT) for up in (-DOT, 0, DOT)])
    return np.concatenate([axes.transData.transform(ink), *(dots + step for step in around)])


class _Labels:
    """Puts each label where nothing is yet."""

    def __init__(self, axes: Any, renderer: Any, taken: list[Any], ink: Any) -> None:
        self._axes = axes
        self._renderer = renderer
        self._taken = taken
        self._ink = ink

    def put(self, text: str, point: tuple[float, float], offsets: Sequence[Offset], **look: Any) -> None:
        """Put it at the first offset where it covers nothing, or else at the last offset."""
        for right, up, side in offsets:
            label = self._axes.annotate(
                text, point, xytext=(right, up), textcoords="offset points", ha=side, va="center", **look
            )
            box = label.get_window_extent(self._renderer).padded(2)
            if not self._covers(box) or (right, up, side) == offsets[-1]:
                self._taken.append(box)
                return
            label.remove()

    def _covers(self, box: Any) -> bool:
        x, y = self._ink[:, 0], self._ink[:, 1]
        inked = (box.x0 < x) & (x < box.x1) & (box.y0 < y) & (y < box.y1)
        inside = self._axes.get_window_extent(self._renderer)
        out = box.x0 < inside.x0 or box.x1 > inside.x1 or box.y0 < inside.y0 or box.y1 > inside.y1
        return bool(inked.any()) or out or any(box.overlaps(other) for other in self._taken)
