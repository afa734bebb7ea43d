"""GPU figures of the decks beyond the exercises.

They are measured with the code on the decks' own slides. Part of `python -m benchmarks.kernels`. Needs a GPU.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType

# ruff: noqa: I001, N803, N806
from triton_workshop.repository import ROOT
from triton_workshop import DEVICE, cdiv  # first: it chooses the GPU

import torch
import triton
import triton.language as tl

from benchmarks.solutions import load_solution
from triton_workshop.bench.timing import ROUND_MS, Run, cold_times, in_turns

DECKS = tuple(ROOT / "slides" / name for name in ("triton-workshop.md", "second-half.md"))
LINE = 32
"""float32 or int32 values per cache line."""
STEPS = 4096
LEVELS = (("L1", 2**14, 1), ("L2", 2**22, 1), ("HBM", 2**30, 0))
"""Where a ring of so many bytes lies, and how often it is gone round first.

A round brings a small ring into the cache. The large one needs none: it is larger than the L2 cache.
"""


@dataclass(frozen=True)
class Figure:
    name: str
    value: float
    unit: str


def deck_figures() -> Iterator[Figure]:
    """All of them; a minute on an H200."""
    yield from latencies()
    yield from fusion()
    yield tf32_error()
    yield from block_sizes(2**28)
    yield from tile_orders(16384)
    yield from tile_sizes((1024, 2048, 4096))
    yield from attention(heads=32, length=16384)


# How far away memory is


@triton.jit
def _clock(after):
    """The multiprocessor's clock, read once `after` is available."""
    return tl.inline_asm_elementwise("mov.u64 $0, %clock64;", "=l,r", [after], tl.int64, is_pure=False, pack=1)


@triton.jit
def _additions_kernel(number_ptr, cycles_ptr, STEPS: tl.constexpr):
    number = tl.load(number_ptr)
    total = tl.load(number_ptr)
    start = _clock(total.to(tl.int32, bitcast=True))
    for _ in tl.static_range(STEPS):
        total += number
    tl.store(cycles_ptr, _clock(total.to(tl.int32, bitcast=True)) - start)
    tl.store(number_ptr, total)


@triton.jit
def _chase_kernel(next_ptr, cycles_ptr, steps_before, steps):
    place = tl.load(next_ptr)
    for _ in range(steps_before):
        place = tl.load(next_ptr + place)
    start = _clock(place)
    for _ in range(steps):
        place = tl.load(next_ptr + place)
    tl.store(cycles_ptr, _clock(place) - start)
    tl.store(cycles_ptr + 1, place.to(tl.int64))


@triton.jit
def _read_kernel(x_ptr, sums_ptr, n, times, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for turn in range(times):
        # A different block each time, so that each is read by a different multiprocessor than before.
        place = (first + turn * 37 * BLOCK) % n
        total += tl.load(x_ptr + place + tl.arange(0, BLOCK))
    tl.store(sums_ptr + tl.program_id(0), tl.sum(total, axis=0))


def latencies() -> Iterator[Figure]:
    """Measure cycles until a value requested in the previous step arrives.

    Beside them stands the rate at which L2 serves all readers.
    """
    cycles = torch.zeros(2, dtype=torch.int64, device=DEVICE)
    for _ in range(3):  # the first one compiles
        _additions_kernel[(1,)](torch.rand(1, device=DEVICE), cycles, 1024, num_warps=1)
    yield Figure("addition", int(cycles[0]) / 1024, "cycles")
    for name, size, rounds in LEVELS:
        ring = _ring(size)
        torch.zeros(2**27, device=DEVICE)
        _chase_kernel[(1,)](ring, cycles, rounds * ring.numel() // LINE, STEPS, num_warps=1)
        yield Figure(f"a load from {name}", int(cycles[0]) / STEPS, "cycles")
        del ring
    multiprocessors = torch.cuda.get_device_properties(0).multi_processor_count
    x, programs, times, BLOCK = torch.rand(2**22, device=DEVICE), 16 * multiprocessors, 256, 1024
    sums = torch.empty(programs, device=DEVICE)
    read = partial(_read_kernel[(programs,)], x, sums, x.numel(), times, BLOCK)
    read()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    read()
    end.record()
    end.synchronize()
    moved = 4 * programs * times * BLOCK
    yield Figure("L2, read again and again", moved / start.elapsed_time(end) / 1e9, "TB/s")


def _ring(n_bytes: int) -> torch.Tensor:
    """Return int32 positions: each line holds that of another one.

    The order is random, until all have been visited.
    """
    lines = n_bytes // (4 * LINE)
    order = torch.randperm(lines, device=DEVICE)
    ring = torch.zeros(lines * LINE, dtype=torch.int32, device=DEVICE)
    order = torch.cat((order[order != 0], torch.zeros(1, dtype=order.dtype, device=DEVICE)))
    before = torch.cat((torch.zeros(1, dtype=order.dtype, device=DEVICE), order[:-1]))
    ring[before * LINE] = (order * LINE).to(torch.int32)
    return ring


# What slides say of their own code


def fusion() -> Iterator[Figure]:
    slide = slide_code("Fusion, measured: `sqrt(a * b + c)`")
    times = _times({"three kernels": slide.three_kernels, "one kernel": slide.one_kernel})
    for name, milliseconds in times.items():
        yield Figure(f"sqrt(a * b + c), 2^{slide.N.bit_length() - 1} floats, {name}", milliseconds, "ms")


def tf32_error() -> Figure:
    slide = slide_code("Multiply by the identity")
    n = 64  # the slide's matmul has one tile
    torch.manual_seed(0)
    a, b = torch.randn(2, n, n, device=DEVICE)
    exact = a.double() @ b.double()
    error = float((slide.matmul(a, b, "tf32") - exact).norm() / exact.norm())
    return Figure(f"a product by TF32, {n}³, against float64", error, "relative error")


def attention(heads: int, length: int, dims: int = 64) -> Iterator[Figure]:
    slide = slide_code("Attention without its matrix")
    q, k, v = torch.randn(3, heads, length, dims, device=DEVICE).half()

    def step_by_step() -> torch.Tensor:
        scores: torch.Tensor = q @ k.transpose(1, 2) * dims**-0.5
        return torch.matmul(torch.softmax(scores, dim=-1), v)

    ways: dict[str, Run] = {
        "step by step": step_by_step,
        "the slide's": partial(slide.attention, q, k, v),
        "PyTorch's": partial(torch.nn.functional.scaled_dot_product_attention, q[None], k[None], v[None]),
    }
    expected = torch.stack([_attention_in_float32(*head) for head in zip(q, k, v, strict=True)])
    for name, way in ways.items():
        error = float((way().view_as(expected) - expected).norm() / expected.norm())
        if not error <= 1e-2:
            raise SystemExit(f"attention, {name}: wrong, relative error {error:.1e}")
    for name, milliseconds in _times(ways).items():
        yield Figure(f"attention, {heads} heads of {length}, {name}", milliseconds, "ms")


def _attention_in_float32(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    """Of one head: (length, dims) each."""
    scores = q.float() @ k.float().T * q.shape[1] ** -0.5
    return torch.softmax(scores, dim=-1) @ v.float()


# Vectors in blocks


def block_sizes(n: int) -> Iterator[Figure]:
    """Time the plain add with its default of 4 warps per program.

    Small blocks leave most threads without an element.
    """
    x, y = torch.rand(2, n, device=DEVICE)
    output = torch.empty_like(x)
    kernel = load_solution(1).add_kernel
    ways: dict[str, Run] = {
        f"blocks of {size}": partial(kernel[(cdiv(n, size),)], x, y, output, n, size) for size in (64, 128, 256, 1024)
    }
    for name, milliseconds in _times(ways).items():
        yield Figure(f"add, 2^{n.bit_length() - 1} floats, {name}", milliseconds, "ms")


# The deck's matmul: pointers and masks, with tiles in any order and of any size


def tile_orders(n: int) -> Iterator[Figure]:
    a, b = torch.randn(2, n, n, device=DEVICE).bfloat16()
    ways = {
        name: partial(_product, a, b, (128, 256, 64, 8), rows)
        for name, rows in (("row by row", 1), ("in groups of 8", 8))
    }
    for name, milliseconds in _times(ways).items():
        yield Figure(f"matmul bfloat16, {n}³, tiles {name}", 2 * n**3 / milliseconds / 1e9, "TFLOP/s")


def tile_sizes(sizes: tuple[int, ...]) -> Iterator[Figure]:
    """Time them as graphs: Python takes longer to launch a small product than a GPU to compute it."""
    for n in sizes:
        a, b = torch.randn(2, n, n, device=DEVICE).half()
        ways = {f"{tile}×{tile}": partial(_product, a, b, (tile, tile, 64, 4), 8) for tile in (32, 64, 128)}
        for name, milliseconds in _times(ways, _graph_times).items():
            yield Figure(f"matmul float16, {n}³, tiles of {name}", 2 * n**3 / milliseconds / 1e9, "TFLOP/s")


def _product(a: torch.Tensor, b: torch.Tensor, tile: tuple[int, int, int, int], group: int) -> torch.Tensor:
    (M, K), (_, N) = a.shape, b.shape
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    rows, columns, depth, num_warps = tile
    load_solution(4, fast=True).matmul_pointer_kernel[(cdiv(M, rows) * cdiv(N, columns),)](
        a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), "ieee", group, rows, columns, depth,
        num_warps=num_warps, num_stages=3,
    )  # fmt: skip
    return c


def _times(ways: Mapping[str, Run], sample: Callable[[Run], list[float]] = cold_times) -> dict[str, float]:
    """Milliseconds: medians, in turns."""
    times = in_turns({name: (way,) for name, way in ways.items()}, sample)
    return {name: timing.median for name, timing in times.items()}


def _graph_times(run: Run) -> list[float]:
    """Return the times of a call in a CUDA graph, whose inputs may stay in the L2 cache."""
    times: list[float] = triton.testing.do_bench_cudagraph(run, rep=ROUND_MS, return_mode="all")
    return times


def slide_code(title: str) -> ModuleType:
    """Return what the code of the slide with this title defines.

    It runs once, and its output is not shown.
    """
    _, slide = "".join(deck.read_text(encoding="utf-8") for deck in DECKS).split(f"\n{title}\n===\n")
    _, code, *_ = re.split(r"^```.*\n", slide, maxsplit=2, flags=re.MULTILINE)
    source = re.sub(r"^/// ?", "", code, flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "slide.py")  # a file, as Triton reads a kernel's source
        file.write_text(source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location("slide", file)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        with contextlib.redirect_stdout(io.StringIO()):
            spec.loader.exec_module(module)
    return module
