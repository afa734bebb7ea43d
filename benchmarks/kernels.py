"""Distance of the fast solutions from the limit, and from libraries.

Run it by `python -m benchmarks.kernels`.

Needs one NVIDIA GPU, PyTorch and Triton. All contenders for the same work are timed in turns, in this process: medians
of `triton.testing.do_bench`, which empties the L2 cache before each call. The limit is a copy of as many bytes.
Correctness comes first: a wrong result raises an error and gets no time. The kernels of the second half-day have a
page of their own; `--half` measures one of the two.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from triton_workshop import DEVICE  # first: chooses the GPU

import torch  # isort: skip
import triton  # isort: skip

from benchmarks.deck_figures import Figure, deck_figures  # isort: skip
from benchmarks import second_half, second_half_report  # isort: skip
from benchmarks.kernels_report import figures, markdown, roofline, table  # isort: skip
from benchmarks.solutions import load_launcher  # isort: skip
from triton_workshop.bench.limits import copy_of  # isort: skip
from triton_workshop.bench.timing import Run, Timing, cold_times, copies_needed, in_turns, prepare  # isort: skip
from triton_workshop.exercises.conv2d.pytorch import conv2d_by_channel  # isort: skip
from triton_workshop.exercises.sepia.pytorch import sepia_as_written, sepia_by_einsum  # isort: skip

ROUNDS = 10
"""A GPU's clock varies under load, so turns are many and short, and all contenders see the same."""
Runs = dict[str, tuple[Run, ...]]
"""Contender → the ways to write it; the fastest counts."""


@dataclass(frozen=True)
class Work:
    kernel: str
    size: str
    bytes: int
    """Each input read once, the output written once."""
    operations: int
    runs: Runs
    reference: Callable[[], torch.Tensor]
    tolerance: float
    """The largest relative error allowed, in the Frobenius norm."""


@dataclass(frozen=True)
class Result:
    kernel: str
    size: str
    bytes: int
    operations: int
    times: dict[str, Timing]


@dataclass(frozen=True)
class Accuracy:
    """‖C - C64‖ / ‖C64‖ for each row, as a root mean square over the rows.

    C64 is the float64 product.
    """

    kernel: str
    inputs: str
    size: int
    fast: float
    vendor: float


@dataclass(frozen=True)
class DataType:
    """Product of float32 matrices, by cuBLAS in another data type.

    Their numbers are normal.
    """

    inputs: str
    size: int
    time: Timing
    error: float
    """‖C - C64‖ / ‖C64‖ in the Frobenius norm, including the rounding of the inputs."""


@dataclass(frozen=True)
class Report:
    date: str
    gpu: str
    versions: dict[str, str]
    results: tuple[Result, ...]
    odd: tuple[Result, ...]
    """Sizes for which nothing was tuned: only fast and plain."""
    accuracy: tuple[Accuracy, ...]
    data_types: tuple[DataType, ...]
    deck: tuple[Figure, ...]
    """The deck's other figures."""


@dataclass(frozen=True)
class SecondHalf:
    date: str
    gpu: str
    versions: dict[str, str]
    rows: tuple[second_half.Row, ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one object: figure → number")
    parser.add_argument("--out", type=Path, help="write everything that was measured to this file, as JSON")
    parser.add_argument(
        "--markdown",
        type=Path,
        nargs="?",
        const=Path(__file__).parent / "results",
        help="write a report to this folder",
    )
    parser.add_argument("--half", type=int, choices=(1, 2), help="measure only the kernels of one half-day")
    options = parser.parse_args()
    if DEVICE != "cuda":
        raise SystemExit("benchmarks.kernels measures times on an NVIDIA GPU, and there is none here")
    flat: dict[str, float] = {}
    for half in (options.half,) if options.half else (1, 2):
        report: Report | SecondHalf
        for report in measure() if half == 1 else measure_second_half():
            if options.out:  # after each piece of work, so that an interrupted run keeps what it has
                file = options.out if half == 1 else options.out.with_stem(f"{options.out.stem}-second-half")
                file.write_text(_raw(report), encoding="utf-8")
        if options.markdown:
            write_results(report, options.markdown)
        flat |= figures(asdict(report)) if half == 1 else second_half_report.figures(asdict(report))
        if not options.json:
            print((table if half == 1 else second_half_report.table)(asdict(report)), end="\n\n")
    if options.json:
        print(json.dumps(flat))


def write_results(report: Report | SecondHalf, folder: Path) -> None:
    """Write the page and the raw figures.

    The first half has a roofline too, if matplotlib is installed.
    """
    if isinstance(report, SecondHalf):
        (folder / "h200-second-half.json").write_text(_raw(report), encoding="utf-8")
        page = second_half_report.markdown(asdict(report))
        (folder / "h200-second-half.md").write_text(page, encoding="utf-8")
        return
    (folder / "h200.json").write_text(_raw(report), encoding="utf-8")
    picture = roofline(asdict(report), folder / "h200.png")
    (folder / "h200.md").write_text(markdown(asdict(report), picture), encoding="utf-8")


def _raw(report: Report | SecondHalf) -> str:
    return json.dumps(asdict(report), indent=1, ensure_ascii=False) + "\n"


def measure() -> Iterator[Report]:
    """Yield the report so far after each piece of work.

    The last one is whole. The GPU is that of this process.
    """
    warnings.filterwarnings("ignore", module=r"torch\.")  # TF32 is not for us
    torch.manual_seed(0)
    torch.backends.cudnn.allow_tf32 = False  # as accurate as ours, for a fair comparison
    report = Report(
        date=_today(),
        gpu=torch.cuda.get_device_name(),
        versions=_versions(),
        results=(),
        odd=(),
        accuracy=(),
        data_types=(),
        deck=(),
    )
    for work in _all_work():
        report = replace(report, results=(*report.results, _time(work)))
        yield report
    for work in _odd_work():
        report = replace(report, odd=(*report.odd, _time_replayed(work)))
        yield report
    for accuracy in accuracies():
        report = replace(report, accuracy=(*report.accuracy, accuracy))
    report = replace(report, data_types=data_types())
    yield report
    yield replace(report, deck=tuple(deck_figures()))


def measure_second_half() -> Iterator[SecondHalf]:
    """The same for the kernels of the second half-day."""
    warnings.filterwarnings("ignore", module=r"torch\.")
    torch.manual_seed(0)
    report = SecondHalf(_today(), torch.cuda.get_device_name(), _versions(), rows=())
    for row in second_half.rows():
        report = replace(report, rows=(*report.rows, row))
        yield report


def _today() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d")


def _versions() -> dict[str, str]:
    return {"PyTorch": torch.__version__, "CUDA": str(torch.version.cuda), "Triton": triton.__version__}


def _time(work: Work) -> Result:
    _check(work)
    best = in_turns(work.runs, cold_times, ROUNDS)
    torch.cuda.empty_cache()
    return Result(work.kernel, work.size, work.bytes, work.operations, best)


def _time_replayed(work: Work) -> Result:
    """Time small calls in a CUDA graph.

    To launch them from Python would take longer than everything else.
    """
    _check(work)
    copies = copies_needed(work.bytes, torch.cuda.get_device_properties(0).L2_cache_size)
    prepared = {
        name: tuple(prepare([_with_own_inputs(run) for _ in range(copies)]) for run in ways)
        for name, ways in work.runs.items()
    }
    best = in_turns(prepared, lambda contender: contender.sample())
    torch.cuda.empty_cache()
    return Result(work.kernel, work.size, work.bytes, work.operations, best)


def _with_own_inputs(run: Run) -> Run:
    assert isinstance(run, partial)
    return partial(run.func, *(argument.clone() for argument in run.args), **run.keywords)


def _check(work: Work) -> None:
    reference = work.reference()
    for name, ways in work.runs.items():
        for run in ways:
            error = _relative_error(run(), reference)
            if name != "limit" and not error <= work.tolerance:
                raise SystemExit(f"{work.kernel} {work.size}: {name} is wrong, relative error {error:.1e}")


def _relative_error(found: torch.Tensor, reference: torch.Tensor) -> float:
    if found.shape != reference.shape:
        return float("inf")
    return float((found.double() - reference.double()).norm() / reference.double().norm())


def _all_work() -> Iterator[Work]:
    yield _add(2**28)
    yield _sepia(8192, 8192)
    for size in (3, 5, 7):
        yield _conv2d(3, 8192, 8192, size)
    for n in (4096, 8192):
        for dtype in (torch.float16, torch.bfloat16):
            yield _half_matmul(n, n, n, dtype)
        for precision in ("fp16x3", "bf16x6"):
            yield _float32_matmul(n, n, n, precision)


def _contenders(number: int, arguments: tuple[torch.Tensor, ...], n_bytes: int, *ways: Callable[..., Any]) -> Runs:
    """Return fast, plain, and each way that PyTorch offers.

    These are eager, compiled by default, and compiled for one size. By default, torch.compile compiles for any size as
    soon as it has seen a second one, which can be slower.
    """
    return {
        "limit": (copy_of(n_bytes, DEVICE),),
        "fast": (partial(load_launcher(number, fast=True), *arguments),),
        "plain": (partial(load_launcher(number), *arguments),),
        "eager": tuple(partial(way, *arguments) for way in ways),
        "compiled": tuple(partial(torch.compile(way), *arguments) for way in ways),
        "static": tuple(partial(torch.compile(_anew(way), dynamic=False), *arguments) for way in ways),
    }


def _anew(way: Callable[..., Any]) -> Callable[..., Any]:
    """Return a copy of the function with its own code object.

    torch.compile caches by code object.
    """
    return lambda *arguments: way(*arguments)


def _add(n: int) -> Work:
    x, y = torch.rand(n, device=DEVICE), torch.rand(n, device=DEVICE)
    runs = _contenders(1, (x, y), 12 * n, torch.add)
    size = f"2^{n.bit_length() - 1}" if n.bit_count() == 1 else f"{n:,}"
    return Work("add", f"{size} floats", 12 * n, n, runs, lambda: x + y, 0.0)


def _sepia(height: int, width: int) -> Work:
    image = torch.rand(3, height, width, device=DEVICE)
    n_bytes, pixels = 8 * image.numel(), height * width
    runs = _contenders(2, (image,), n_bytes, sepia_as_written, sepia_by_einsum(DEVICE))
    return Work("sepia", f"3×{height}×{width}", n_bytes, 18 * pixels, runs, partial(sepia_as_written, image), 1e-6)


def _conv2d(channels: int, height: int, width: int, size: int) -> Work:
    image, weight = torch.rand(channels, height, width, device=DEVICE), torch.randn(size, size, device=DEVICE)
    n_bytes, operations = 8 * image.numel(), 2 * size**2 * image.numel()
    runs = _contenders(3, (image, weight), n_bytes, conv2d_by_channel)
    kernel = f"conv2d {size}×{size}"
    reference = partial(conv2d_by_channel, image.double(), weight.double())
    return Work(kernel, f"{channels}×{height}×{width}", n_bytes, operations, runs, reference, 1e-6)


def _odd_work() -> Iterator[Work]:
    """Return sizes that tuning may not slow down.

    They are multiples of nothing, other channel counts, and small pictures.
    """
    for n in (2**28 - 1, 1_000_003, 1_001):
        yield _only_ours(_add(n))
    for height, width in ((8191, 8189), (1001, 1003), (61, 97)):
        yield _only_ours(_sepia(height, width))
    for size in (3, 5, 7, 9, 11):
        for shape in ((3, 8191, 8189), (3, 2047, 4090), (5, 1021, 1023), (1, 61, 97), (3, 128, 128)):
            yield _only_ours(_conv2d(*shape, size))
    for precision in ("fp16x3", "bf16x6"):
        for m, k, n in ((4097, 4099, 4095), (1000, 1000, 1000), (129, 131, 127), (8192, 64, 8192)):
            yield _only_ours(_float32_matmul(m, k, n, precision))
    for m, k, n in ((4097, 4099, 4095), (1000, 1000, 1000), (129, 131, 127)):
        yield _only_ours(_half_matmul(m, k, n, torch.float16))


def _only_ours(work: Work) -> Work:
    return replace(work, runs={name: work.runs[name] for name in ("fast", "plain")})


def _half_matmul(m: int, k: int, n: int, dtype: torch.dtype) -> Work:
    a, b = (torch.randn(*shape, device=DEVICE).to(dtype) for shape in ((m, k), (k, n)))
    name = str(dtype).removeprefix("torch.")
    runs: Runs = {
        "fast": (partial(load_launcher(4, fast=True), a, b),),
        "plain": (partial(load_launcher(4), a, b),),
        "eager": (partial(torch.mm, a, b),),
    }
    tolerance = 2 * torch.finfo(dtype).eps
    n_bytes = 2 * (m * k + k * n + m * n)
    reference = lambda: a.double() @ b.double()  # noqa: E731
    return Work(f"matmul {name}", _product(m, k, n), n_bytes, 2 * m * k * n, runs, reference, tolerance)


def _float32_matmul(m: int, k: int, n: int, precision: str) -> Work:
    a, b = torch.randn(m, k, device=DEVICE), torch.randn(k, n, device=DEVICE)
    runs: Runs = {
        "fast": (partial(load_launcher(4, fast=True), a, b, precision=precision),),
        "plain": (partial(load_launcher(4), a, b),),
        "eager": (partial(torch.mm, a, b),),
    }
    n_bytes = 4 * (m * k + k * n + m * n)
    reference = lambda: a.double() @ b.double()  # noqa: E731
    kernel = f"matmul float32 by {precision}"
    return Work(kernel, _product(m, k, n), n_bytes, 2 * m * k * n, runs, reference, 1e-5)


def _product(m: int, k: int, n: int) -> str:
    return f"{n}³" if m == k == n else f"{m}×{k} by {k}×{n}"


def accuracies(sizes: tuple[int, ...] = (4096, 8192)) -> Iterator[Accuracy]:
    """Measure both ways to multiply float32 beside cuBLAS.

    Inputs are easy and difficult ones.
    """
    matmul = load_launcher(4, fast=True)
    for precision in ("fp16x3", "bf16x6"):
        for inputs, make in INPUTS.items():
            if inputs == SCALED and precision == "fp16x3":
                continue  # it does not promise this
            for n in sizes:
                a, b = make(n)
                exact = a.double() @ b.double()
                fast, vendor = (_row_error(c, exact) for c in (matmul(a, b, precision=precision), a @ b))
                yield Accuracy(f"matmul float32 by {precision}", inputs, n, fast, vendor)


def data_types(n: int = 8192) -> tuple[DataType, ...]:
    """Measure cuBLAS on two n×n matrices, for each data type."""
    a, b = _pair(torch.randn, n)
    exact = a.double() @ b.double()
    runs: dict[str, Run] = {"float32": partial(torch.mm, a, b), "TF32": partial(_product_in_tf32, a, b)}
    for dtype in (torch.bfloat16, torch.float16):
        runs[str(dtype).removeprefix("torch.")] = partial(torch.mm, a.to(dtype), b.to(dtype))
    times = in_turns({name: (run,) for name, run in runs.items()}, cold_times, ROUNDS)
    return tuple(DataType(name, n, times[name], _relative_error(run(), exact)) for name, run in runs.items())


def _product_in_tf32(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        return a @ b
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False


def _row_error(found: torch.Tensor, exact: torch.Tensor) -> float:
    errors = (found.double() - exact).norm(dim=1) / exact.norm(dim=1)
    return float(errors.square().mean().sqrt())


def _pair(make: Callable[..., torch.Tensor], n: int) -> tuple[torch.Tensor, torch.Tensor]:
    return make(n, n, device=DEVICE), make(n, n, device=DEVICE)


def _log_uniform(*shape: int, device: str) -> torch.Tensor:
    """Magnitudes from 1e-3 to 1e3, with both signs."""
    size = 10 ** (6 * torch.rand(*shape, device=device) - 3)
    return torch.where(torch.rand(*shape, device=device) < 0.5, -size, size)


def _scaled_rows(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    a, b = _pair(torch.randn, n)
    a[::2] *= 1e15
    a[1::2] *= 1e-15
    return a, b


SCALED = "normal, rows scaled by 1e±15"
INPUTS: dict[str, Callable[[int], tuple[torch.Tensor, torch.Tensor]]] = {
    "normal": partial(_pair, torch.randn),
    "uniform": partial(_pair, torch.rand),
    "log-uniform": partial(_pair, _log_uniform),
    SCALED: _scaled_rows,
}


if __name__ == "__main__":
    main()
