"""What a kernel costs: trips to memory, and how far it is from the hardware's limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from drawing.canvas import DATA, FAINT, MOVES, MUTED, PANEL, PROGRAMS, TEXT, Box, Canvas, dimmed, ink_on
from drawing.cells import CellCanvas
from drawing.measured import RESULTS

BYTES = 4
"""Of a float32."""


@dataclass(frozen=True)
class Kernel:
    body: str
    loads: tuple[str, ...]
    stores: tuple[str, ...]

    @property
    def trips(self) -> int:
        return len(self.ways)

    @property
    def ways(self) -> tuple[tuple[str, bool], ...]:
        """What goes between HBM and the kernel: each name, and whether it is loaded."""
        return (*((name, True) for name in self.loads), *((name, False) for name in self.stores))


ELEMENT_WISE = (
    Kernel("a * b", ("a", "b"), ("t",)),
    Kernel("t + c", ("t", "c"), ("u",)),
    Kernel("sqrt(u)", ("u",), ("out",)),
)
ELEMENT_WISE_FUSED = (Kernel("sqrt(a * b + c)", ("a", "b", "c"), ("out",)),)

MATMUL_THEN_RELU = (Kernel("a @ b", ("a", "b"), ("c",)), Kernel("leaky_relu(c)", ("c",), ("out",)))
MATMUL_WITH_RELU = (Kernel("leaky_relu(a @ b)", ("a", "b"), ("out",)),)


@dataclass(frozen=True)
class Version:
    """A computation in so many kernels."""

    title: str
    kernels: Sequence[Kernel]
    cost: str


def _priced(title: str, kernels: Sequence[Kernel]) -> Version:
    trips = sum(kernel.trips for kernel in kernels)
    return Version(title, kernels, f"{trips} trips · {BYTES * trips} bytes")


FUSION = (_priced("three kernels", ELEMENT_WISE), _priced("one kernel", ELEMENT_WISE_FUSED))
LEAKY_RELU = (
    Version("two kernels", MATMUL_THEN_RELU, "the product: 3 trips"),
    Version("one kernel", MATMUL_WITH_RELU, "the product: 1 trip"),
)


def fusion(canvas: Canvas) -> None:
    """sqrt(a * b + c) as three kernels and as one: every arrow is a trip of four bytes per element."""
    for panel, version in zip((Box(40, 40, 920, 820), Box(1000, 40, 560, 820)), FUSION, strict=True):
        _draw_kernels(canvas, version, panel)


def fusion_cells(canvas: CellCanvas) -> None:
    split = 66 if canvas.wide else 45
    _draw_kernels_in_cells(canvas, FUSION[0], 0, split)
    _draw_kernels_in_cells(canvas, FUSION[1], split + 2, canvas.width - split - 2)


def leaky_relu(canvas: Canvas) -> None:
    """A leaky ReLU of its own stores the product, loads it and stores it again; in matmul's kernel it is no trip."""
    for panel, version in zip((Box(40, 40, 900, 820), Box(980, 40, 580, 820)), LEAKY_RELU, strict=True):
        _draw_kernels(canvas, version, panel)


def leaky_relu_cells(canvas: CellCanvas) -> None:
    split = 64 if canvas.wide else 43
    _draw_kernels_in_cells(canvas, LEAKY_RELU[0], 0, split)
    _draw_kernels_in_cells(canvas, LEAKY_RELU[1], split + 2, canvas.width - split - 2)


def _draw_kernels(canvas: Canvas, version: Version, panel: Box) -> None:
    kernels = version.kernels
    canvas.box(panel, PANEL, radius=28)
    canvas.words((panel.centre[0], 104), version.title, 50, bold=True)
    canvas.words((panel.centre[0], 184), version.cost, 48, MOVES, bold=True)
    hbm = Box(panel.left + 20, 690, panel.width - 40, 140)
    canvas.box(hbm, DATA, radius=18)
    canvas.words(hbm.centre, "HBM", 60, bold=True)
    pitch = hbm.width / len(kernels)
    for number, kernel in enumerate(kernels):
        middle = hbm.left + pitch * (number + 0.5)
        chip = Box(middle - pitch / 2 + 12, 250, pitch - 24, 130)
        canvas.box(chip, PROGRAMS[0], radius=24)
        canvas.words(chip.centre, kernel.body, 44, ink_on(PROGRAMS[0]), code=True, bold=True)
        step = chip.width / kernel.trips
        for place, (name, is_load) in enumerate(kernel.ways):
            x = chip.left + step * (place + 0.5)
            bottom, top = (x, hbm.top - 6), (x, chip.bottom + 6)
            colour = MOVES if is_load else PROGRAMS[0]
            canvas.arrow(*((bottom, top) if is_load else (top, bottom)), colour, 16)
            tag = Box(x - 16 * len(name) - 8, 500, 32 * len(name) + 16, 70)
            canvas.box(tag, PANEL, radius=6)
            canvas.words(tag.centre, name, 44, colour, code=True, bold=True)


def _draw_kernels_in_cells(canvas: CellCanvas, version: Version, left: int, width: int) -> None:
    rows, inner = 3 if canvas.wide else 1, width - 2
    top, bottom = 2 + rows, 7 + rows
    canvas.frame(left, 0, width, bottom + rows + 1, version.title)
    canvas.within(left, 1, width, version.cost, MOVES, bold=True)
    canvas.chip(left + 1, bottom, inner, "HBM", DATA, rows=rows)
    pitch = inner // len(version.kernels)
    for number, kernel in enumerate(version.kernels):
        start = left + 1 + (inner - pitch * len(version.kernels)) // 2 + pitch * number
        canvas.chip(start, 2, pitch, kernel.body, PROGRAMS[0], rows=rows)
        for place, (name, is_load) in enumerate(kernel.ways):
            x, colour = start + pitch * (2 * place + 1) // (2 * kernel.trips), MOVES if is_load else PROGRAMS[0]
            draw = canvas.up if is_load else canvas.down
            draw(x, top, bottom - 1, colour)
            canvas.words(x, top + 2, name, colour, bold=True, align="center")


# One NVIDIA H200.

BANDWIDTH_DATA_SHEET = 4.8e12
"""Bytes per second: NVIDIA's H200 data sheet."""
PEAK_FLOAT32 = 67e12
"""Operations per second without tensor cores: NVIDIA's H200 data sheet (SXM)."""
PEAK_TENSOR = 989e12
"""Of the tensor cores, in 16 bits and without sparsity: the same data sheet."""

BANDWIDTH_MEASURED = max(
    result["bytes"] / result["times"]["limit"]["median"] * 1e3
    for result in RESULTS["results"]
    if "limit" in result["times"]
)
"""Bytes per second, read and written, of the fastest copy in that run."""


@dataclass(frozen=True)
class Measurement:
    """A kernel of solutions/exercise_N.py: the work by its definition, the time as measured.

    From benchmarks/results/h200.json.
    """

    name: str
    operations: float
    bytes: float
    seconds: float

    @property
    def intensity(self) -> float:
        """Operations for each byte that has to move."""
        return self.operations / self.bytes

    @property
    def throughput(self) -> float:
        """Operations per second."""
        return self.operations / self.seconds


def _measured(name: str, kernel: str, size: str) -> Measurement:
    """The plain solution's time, under a shorter name."""
    [result] = [each for each in RESULTS["results"] if (each["kernel"], each["size"]) == (kernel, size)]
    return Measurement(name, result["operations"], result["bytes"], result["times"]["plain"]["median"] / 1e3)


KERNELS = (
    _measured("add", "add", "2^28 floats"),
    _measured("sepia", "sepia", "3×8192×8192"),
    _measured("conv2d 3×3", "conv2d 3×3", "3×8192×8192"),
    _measured("matmul", "matmul float32 by bf16x6", "4096³"),
    _measured("in bf16", "matmul bfloat16", "4096³"),
)
"""All but the last in float32."""

LABELLED_LEFT = ("sepia", "matmul", "in bf16")
TENSOR_CORES = "#ff7b85"
"""The colour of what runs on them."""
PLOT = Box(230, 60, 1320, 680)
INTENSITIES = (0.04, 4000.0)
THROUGHPUTS = (0.1e12, 2500e12)


TICKS_ACROSS = tuple((10.0**power, words) for power, words in enumerate(("0.1", "1", "10", "100", "1000"), start=-1))
TICKS_UP = tuple((10.0**power * 1e12, words) for power, words in enumerate(("0.1", "1", "10", "100", "1000"), start=-1))
AXES = ("operations per byte", "TFLOP/s")
PEAKS = (
    (PEAK_FLOAT32, f"{PEAK_FLOAT32 / 1e12:.0f} TFLOP/s float32"),
    (PEAK_TENSOR, f"{PEAK_TENSOR / 1e12:.0f} TFLOP/s tensor cores, 16 bits"),
)
DATA_SHEET = f"data sheet: {BANDWIDTH_DATA_SHEET / 1e12} TB/s"
MEASURED_COPY = f"measured copy: {BANDWIDTH_MEASURED / 1e12:.2f} TB/s"


def _shares(intensity: float, throughput: float) -> tuple[float, float]:
    """How far to the right and how far up a point lies, 0 to 1; both axes are logarithmic."""
    across = log10(intensity / INTENSITIES[0]) / log10(INTENSITIES[1] / INTENSITIES[0])
    return across, log10(throughput / THROUGHPUTS[0]) / log10(THROUGHPUTS[1] / THROUGHPUTS[0])


def _place(intensity: float, throughput: float) -> tuple[float, float]:
    """Where a point lies in the picture."""
    across, up = _shares(intensity, throughput)
    return PLOT.left + across * PLOT.width, PLOT.bottom - up * PLOT.height


def _corners(bandwidth: float, peak: float) -> list[tuple[float, float]]:
    """The roof over that bandwidth."""
    first, last = INTENSITIES
    return [(first, first * bandwidth), (peak / bandwidth, peak), (last, peak)]


def roofline(canvas: Canvas) -> None:
    """Five kernels under the H200's roofs: their slope is memory's limit, their flat parts arithmetic's.

    Intensity = operations / bytes that have to move; the slope is intensity × bandwidth.
    """
    canvas.box(PLOT, PANEL, radius=0)
    for intensity, words in TICKS_ACROSS:
        x, _ = _place(intensity, 1e12)
        canvas.line([(x, PLOT.top), (x, PLOT.bottom)], dimmed(FAINT, 0.4), 2)
        canvas.words((x, PLOT.bottom + 40), words, 38, MUTED)
    for throughput, words in TICKS_UP:
        _, y = _place(1, throughput)
        canvas.line([(PLOT.left, y), (PLOT.right, y)], dimmed(FAINT, 0.4), 2)
        canvas.words((PLOT.left - 22, y), words, 38, MUTED, align="right")
    canvas.words((PLOT.centre[0], 848), AXES[0], 42, MUTED)
    canvas.words((64, PLOT.centre[1]), AXES[1], 42, MUTED, turned=90)

    for peak, words in PEAKS:
        for bandwidth, colour, thick, dashed in (
            (BANDWIDTH_DATA_SHEET, MUTED, 5, True),
            (BANDWIDTH_MEASURED, MOVES, 10, False),
        ):
            canvas.line([_place(*corner) for corner in _corners(bandwidth, peak)], colour, thick, dashed=dashed)
        _, y = _place(1, peak)
        canvas.words((PLOT.right - 20, y - 36), words, 36, MOVES, bold=True, align="right")
    for kernel, colour in zip(KERNELS, (*PROGRAMS, TENSOR_CORES), strict=True):
        x, y = _place(kernel.intensity, kernel.throughput)
        canvas.disc((x, y), 21, colour, TEXT, 5)
        down, align = (-22 if kernel.name == "sepia" else 16), "right" if kernel.name in LABELLED_LEFT else "left"
        canvas.words((x + (-42 if align == "right" else 42), y + down), kernel.name, 46, colour, bold=True, align=align)
    for y, colour, dashed, words in ((600, MUTED, True, DATA_SHEET), (672, MOVES, False, MEASURED_COPY)):
        canvas.line([(860, y), (950, y)], colour, 5 if dashed else 10, dashed=dashed)
        canvas.words((972, y), words, 40, colour, align="left")


def roofline_cells(canvas: CellCanvas) -> None:
    left, rows = 5, 14 if canvas.wide else 11  # as many in each decade
    width = canvas.width - left

    def cell(intensity: float, throughput: float) -> tuple[int, int]:
        across, up = _shares(intensity, throughput)
        return left + round(across * (2 * width - 1)) // 2, round((1 - up) * (4 * rows - 1)) // 4

    canvas.words(0, 0, AXES[1], MUTED)
    for throughput, words in TICKS_UP:
        y = cell(1, throughput)[1]
        canvas.words(left - 1, y, words, MUTED, align="right")
        canvas.words(left, y, "┄" * width, dimmed(FAINT, 0.6))
    for intensity, words in TICKS_ACROSS:
        canvas.words(cell(intensity, 1e12)[0], rows, words, MUTED, align="center")
    canvas.words(canvas.width, rows - 1, f" {AXES[0]}", MUTED, align="right")
    # The data sheet's roof lies a dot above the measured one: too little to be seen.
    for peak, words in PEAKS:
        corners = [_shares(*corner) for corner in _corners(BANDWIDTH_MEASURED, peak)]
        canvas.curve((left, 0, width, rows), corners, MOVES)
        canvas.words(canvas.width, max(cell(1, peak)[1] - canvas.wide, 0), f" {words}", MOVES, bold=True, align="right")
    for kernel, colour in zip(KERNELS, (*PROGRAMS, TENSOR_CORES), strict=True):
        x, y = cell(kernel.intensity, kernel.throughput)
        is_left = kernel.name in LABELLED_LEFT
        canvas.words(x, y, "●", colour)
        canvas.words(
            x - 1 if is_left else x + 2, y, kernel.name, colour, bold=True, align="right" if is_left else "left"
        )
    canvas.words(canvas.width, rows - 4, MEASURED_COPY, MOVES, align="right")
    canvas.words(canvas.width, rows - 3, DATA_SHEET, MUTED, align="right")
