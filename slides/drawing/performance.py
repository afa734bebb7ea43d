"""What a kernel costs: trips to memory, and how far it is from the hardware's limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from drawing.canvas import DATA, FAINT, MOVES, MUTED, PANEL, PROGRAMS, TEXT, Box, Canvas, dimmed, ink_on
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
        return len(self.loads) + len(self.stores)


ELEMENT_WISE = (
    Kernel("a * b", ("a", "b"), ("t",)),
    Kernel("t + c", ("t", "c"), ("u",)),
    Kernel("sqrt(u)", ("u",), ("out",)),
)
ELEMENT_WISE_FUSED = (Kernel("sqrt(a * b + c)", ("a", "b", "c"), ("out",)),)

MATMUL_THEN_RELU = (Kernel("a @ b", ("a", "b"), ("c",)), Kernel("leaky_relu(c)", ("c",), ("out",)))
MATMUL_WITH_RELU = (Kernel("leaky_relu(a @ b)", ("a", "b"), ("out",)),)


def fusion(canvas: Canvas) -> None:
    """sqrt(a * b + c) as three kernels and as one: every arrow is a trip of four bytes an element."""
    for title, kernels, panel in (
        ("three kernels", ELEMENT_WISE, Box(40, 40, 920, 820)),
        ("one kernel", ELEMENT_WISE_FUSED, Box(1000, 40, 560, 820)),
    ):
        trips = sum(kernel.trips for kernel in kernels)
        _draw_kernels(canvas, kernels, panel, title, f"{trips} trips · {BYTES * trips} bytes")


def leaky_relu(canvas: Canvas) -> None:
    """A leaky ReLU of its own stores the product, loads it and stores it again; in matmul's kernel it is no trip."""
    _draw_kernels(canvas, MATMUL_THEN_RELU, Box(40, 40, 900, 820), "two kernels", "the product: 3 trips")
    _draw_kernels(canvas, MATMUL_WITH_RELU, Box(980, 40, 580, 820), "one kernel", "the product: 1 trip")


def _draw_kernels(canvas: Canvas, kernels: Sequence[Kernel], panel: Box, title: str, cost: str) -> None:
    canvas.box(panel, PANEL, radius=28)
    canvas.words((panel.centre[0], 104), title, 50, bold=True)
    canvas.words((panel.centre[0], 184), cost, 48, MOVES, bold=True)
    hbm = Box(panel.left + 20, 690, panel.width - 40, 140)
    canvas.box(hbm, DATA, radius=18)
    canvas.words(hbm.centre, "HBM", 60, bold=True)
    pitch = hbm.width / len(kernels)
    for number, kernel in enumerate(kernels):
        middle = hbm.left + pitch * (number + 0.5)
        chip = Box(middle - pitch / 2 + 12, 250, pitch - 24, 130)
        canvas.box(chip, PROGRAMS[0], radius=24)
        canvas.words(chip.centre, kernel.body, 44, ink_on(PROGRAMS[0]), code=True, bold=True)
        trips = [*((name, True) for name in kernel.loads), *((name, False) for name in kernel.stores)]
        step = chip.width / kernel.trips
        for place, (name, is_load) in enumerate(trips):
            x = chip.left + step * (place + 0.5)
            bottom, top = (x, hbm.top - 6), (x, chip.bottom + 6)
            colour = MOVES if is_load else PROGRAMS[0]
            canvas.arrow(*((bottom, top) if is_load else (top, bottom)), colour, 16)
            tag = Box(x - 16 * len(name) - 8, 500, 32 * len(name) + 16, 70)
            canvas.box(tag, PANEL, radius=6)
            canvas.words(tag.centre, name, 44, colour, code=True, bold=True)


# One NVIDIA H200.

BANDWIDTH_DATA_SHEET = 4.8e12
"""Bytes a second: NVIDIA's H200 data sheet."""
PEAK_FLOAT32 = 67e12
"""Operations a second without tensor cores: NVIDIA's H200 data sheet (SXM)."""

BANDWIDTH_MEASURED = max(
    result["bytes"] / result["times"]["limit"]["median"] * 1e3
    for result in RESULTS["results"]
    if "limit" in result["times"]
)
"""Bytes a second, read and written, of the fastest copy in that run."""


@dataclass(frozen=True)
class Measurement:
    """A kernel of solutions/exercise_N.py, float32: the work by its definition, the time as measured.

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
        """Operations a second."""
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
)

PLOT = Box(230, 60, 1320, 680)
INTENSITIES = (0.04, 2000.0)
THROUGHPUTS = (0.1e12, 200e12)


def _place(intensity: float, throughput: float) -> tuple[float, float]:
    """Where a point lies in the picture; both axes are logarithmic."""
    across = log10(intensity / INTENSITIES[0]) / log10(INTENSITIES[1] / INTENSITIES[0])
    up = log10(throughput / THROUGHPUTS[0]) / log10(THROUGHPUTS[1] / THROUGHPUTS[0])
    return PLOT.left + across * PLOT.width, PLOT.bottom - up * PLOT.height


def roofline(canvas: Canvas) -> None:
    """Four kernels under the H200's roof: its slope is memory's limit, its flat part arithmetic's.

    Intensity = operations / bytes that have to move; the slope is intensity × bandwidth.
    """
    canvas.box(PLOT, PANEL, radius=0)
    for exponent, words in ((-1, "0.1"), (0, "1"), (1, "10"), (2, "100"), (3, "1000")):
        x, _ = _place(10.0**exponent, 1e12)
        canvas.line([(x, PLOT.top), (x, PLOT.bottom)], dimmed(FAINT, 0.4), 2)
        canvas.words((x, PLOT.bottom + 40), words, 38, MUTED)
    for throughput, words in ((0.1e12, "0.1"), (1e12, "1"), (10e12, "10"), (100e12, "100")):
        _, y = _place(1, throughput)
        canvas.line([(PLOT.left, y), (PLOT.right, y)], dimmed(FAINT, 0.4), 2)
        canvas.words((PLOT.left - 22, y), words, 38, MUTED, align="right")
    canvas.words((PLOT.centre[0], 848), "operations for each byte", 42, MUTED)
    canvas.words((64, PLOT.centre[1]), "TFLOP/s", 42, MUTED, turned=90)

    first, last = INTENSITIES
    for bandwidth, colour, thick, dashed in (
        (BANDWIDTH_DATA_SHEET, MUTED, 5, True),
        (BANDWIDTH_MEASURED, MOVES, 10, False),
    ):
        ridge = PEAK_FLOAT32 / bandwidth
        corners = [(first, first * bandwidth), (ridge, PEAK_FLOAT32), (last, PEAK_FLOAT32)]
        canvas.line([_place(*corner) for corner in corners], colour, thick, dashed=dashed)
    for kernel, colour in zip(KERNELS, PROGRAMS, strict=True):
        x, y = _place(kernel.intensity, kernel.throughput)
        canvas.disc((x, y), 21, colour, TEXT, 5)
        if kernel.name in ("sepia", "matmul"):
            canvas.words(
                (x - 42, y + (-22 if kernel.name == "sepia" else 16)), kernel.name, 46, colour, bold=True, align="right"
            )
        else:
            canvas.words((x + 42, y + 16), kernel.name, 46, colour, bold=True, align="left")
    canvas.words((1250, 104), "67 TFLOP/s float32", 40, MOVES, code=True, bold=True)
    for y, colour, dashed, words in (
        (600, MUTED, True, "data sheet: 4.8 TB/s"),
        (672, MOVES, False, f"measured copy: {BANDWIDTH_MEASURED / 1e12:.2f} TB/s"),
    ):
        canvas.line([(860, y), (950, y)], colour, 5 if dashed else 10, dashed=dashed)
        canvas.words((972, y), words, 40, colour, align="left")
