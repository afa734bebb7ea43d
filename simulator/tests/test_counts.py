"""What a launch costs, and what it takes beyond its tensors."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import triton
import triton.language as tl

from triton_simulator import record
from triton_simulator.memory import marks
from triton_simulator.memory.coalescing import Coalescing, Sectors

from .processes import RunPython


@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(x_ptr + at, mask=at < n) + tl.load(y_ptr + at, mask=at < n)
    tl.store(out_ptr + at, total, mask=at < n)


@triton.jit
def transpose(x_ptr, out_ptr):
    rows, cols = tl.program_id(0) * 16 + tl.arange(0, 16), tl.arange(0, 16)
    tl.store(out_ptr + cols[None, :] * 32 + rows[:, None], tl.load(x_ptr + rows[:, None] * 16 + cols[None, :]))


@triton.jit
def product(a_ptr, b_ptr, c_ptr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    tile = tl.program_id(0) * 256
    tl.store(c_ptr + tile + at, tl.dot(tl.load(a_ptr + tile + at), tl.load(b_ptr + at)))


def test_a_large_region_is_counted_by_the_parts_that_were_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(marks, "LARGE", 0)
    monkeypatch.setattr(marks, "CHUNK_BITS", 3)
    with record() as launches:
        add[(4,)](torch.rand(1000), torch.rand(1000), torch.zeros(1000), 1000, BLOCK=256)
        transpose[(2,)](torch.rand(32, 16), torch.zeros(16, 32))
    assert [launch.counts.total.distinct for launch in launches] == [12000, 2 * 4 * 32 * 16]
    assert [launch.counts.total.rewritten for launch in launches] == [0, 0]


def test_bytes_and_operations_of_an_addition() -> None:
    with record() as launches:
        add[(4,)](torch.rand(1000), torch.rand(1000), torch.zeros(1000), 1000, BLOCK=256)
    (launch,) = launches
    assert launch.programs == 4
    assert {name: (row.loaded, row.stored) for name, row in launch.counts.arguments.items()} == {
        "x_ptr": (4000, 0),
        "y_ptr": (4000, 0),
        "out_ptr": (0, 4000),
    }
    assert launch.counts.operations == 1024
    assert (launch.counts.total.loaded, launch.counts.total.distinct) == (8000, 12000)
    assert launch.counts.total.scattered_loads == launch.counts.total.scattered_stores == 0


def test_what_programs_share_counts_once_as_distinct() -> None:
    with record() as launches:
        product[(3,)](torch.rand(3, 16, 16), torch.rand(16, 16), torch.zeros(3, 16, 16))
    counts = launches[0].counts
    assert (counts.arguments["b_ptr"].loaded, counts.arguments["b_ptr"].distinct) == (3 * 1024, 1024)
    assert counts.operations == 3 * 2 * 16**3


def test_rows_that_are_not_contiguous_are_counted() -> None:
    with record() as launches:
        transpose[(2,)](torch.rand(32, 16), torch.zeros(16, 32))
    arguments = launches[0].counts.arguments
    assert arguments["x_ptr"].scattered_loads == 0
    assert arguments["out_ptr"].scattered_stores > 0


@triton.jit
def follow(addresses_ptr, out_ptr):
    pid = tl.program_id(0)
    x_ptr = tl.load(addresses_ptr + pid).to(tl.pointer_type(tl.float32))
    tl.store(out_ptr + pid, tl.load(x_ptr))


def test_tensors_reached_by_address_count_apart() -> None:
    first, second = torch.rand(2), torch.rand(300)
    addresses = torch.tensor([first.data_ptr(), second.data_ptr()])
    with record() as launches:
        follow[(2,)](addresses, torch.zeros(2))
    assert launches[0].counts.arguments["memory"].distinct == 8


@triton.jit
def copy_as(x_ptr, out_ptr, TYPE: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    for _ in range(2):
        tl.store(out_ptr.to(tl.pointer_type(TYPE)) + at, tl.load(x_ptr.to(tl.pointer_type(TYPE)) + at))


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32, torch.int64])
@pytest.mark.parametrize(("kind", "item"), [(tl.int8, 1), (tl.int16, 2), (tl.int32, 4), (tl.int64, 8)])
def test_a_cast_pointer_counts_all_bytes_of_its_elements(dtype: torch.dtype, kind: tl.dtype, item: int) -> None:
    x, out = torch.zeros(64, dtype=dtype), torch.zeros(64, dtype=dtype)
    with record(writes=True) as launches:
        copy_as[(1,)](x, out, TYPE=kind, N=4)
    counts, writes = launches[0].counts, launches[0].writes
    assert writes is not None
    assert (counts.arguments["x_ptr"].distinct, counts.arguments["out_ptr"].distinct) == (4 * item, 4 * item)
    assert counts.arguments["out_ptr"].rewritten == 4 * item
    assert writes[out.data_ptr()].stored.nonzero()[0].tolist() == list(range(4 * item))
    assert counts.reads() == [("x_ptr", x.data_ptr(), -(-4 * item // dtype.itemsize))]


ADD = """
@triton.jit
def kernel(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) + tl.load(y_ptr + at))

tensors = [torch.full((102_400_000,), value) for value in (1.0, 2.0, 0.0)]
"""
IN_PLACE_BY_BYTES = """
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at) + 3)

tensors = [torch.zeros(102_400_000, dtype=torch.int8)]
"""
LARGE_GRID = """
from triton_simulator import install
install()
import resource
import torch, triton, triton.language as tl

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
{kernel}
small = [tensor[:1024].clone() for tensor in tensors]
kernel[(1,)](*small, 1024)
before = peak()
kernel[(100_000,)](*tensors, 1024)
assert (tensors[-1] == 3).all()
print(peak() - before, sum(tensor.nbytes for tensor in tensors))
"""


@pytest.mark.parametrize("kernel", [ADD, IN_PLACE_BY_BYTES], ids=["add", "in place by bytes"])
def test_a_large_grid_takes_bounded_memory(run_forked: RunPython, tmp_path: Path, kernel: str) -> None:
    script = tmp_path / "large.py"
    script.write_text(LARGE_GRID.format(kernel=kernel))
    run = run_forked(script, env={"TRITON_INTERPRET": "1"})
    assert run.returncode == 0, run.stderr
    extra, tensors = map(int, run.stdout.split())
    assert extra <= (256 << 20) + 2 * tensors


# How blocks lie in memory: on request.


@triton.jit
def copy_by_steps(x_ptr, out_ptr, n, step, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at * step, mask=at < n), mask=at < n)


def _coalescing_of_a_copy(n: int, step: int, programs: int) -> Coalescing:
    with record(coalescing=True) as launches:
        copy_by_steps[(programs,)](torch.rand(n * step), torch.zeros(n), n, step, BLOCK=64)
    coalescing = launches[0].counts.coalescing
    assert coalescing is not None
    return coalescing


def test_neighbours_share_sectors() -> None:
    coalescing = _coalescing_of_a_copy(256, 1, 4)
    assert coalescing.sectors == {
        ("x_ptr", False): Sectors(touched=32, minimum=32, useful=1024, runs=4),
        ("out_ptr", True): Sectors(touched=32, minimum=32, useful=1024, runs=4),
    }
    assert coalescing.steps == {}


@pytest.mark.parametrize(("step", "touched"), [(2, 64), (8, 256), (100, 256)])
def test_a_stride_takes_more_sectors_than_it_must(step: int, touched: int) -> None:
    coalescing = _coalescing_of_a_copy(256, step, 4)
    assert coalescing.sectors["x_ptr", False] == Sectors(touched, minimum=32, useful=1024, runs=256)
    assert coalescing.steps == {("x_ptr", False): {4 * step: 252}}


def test_the_order_within_a_block_is_no_waste() -> None:
    """A GPU's threads are laid along memory, whichever axis of the block that is."""
    with record(coalescing=True) as launches:
        transpose[(2,)](torch.rand(32, 16), torch.zeros(16, 32))
    coalescing = launches[0].counts.coalescing
    assert coalescing is not None
    for sectors in coalescing.sectors.values():
        assert sectors.touched == sectors.minimum == 64


def test_masked_lanes_are_counted() -> None:
    coalescing = _coalescing_of_a_copy(100, 1, 5)
    assert (coalescing.lanes, coalescing.masked) == (2 * 320, 2 * 220)


def test_programs_that_store_nothing_are_idle() -> None:
    with record() as launches:
        copy_by_steps[(5,)](torch.rand(100), torch.zeros(100), 100, 1, BLOCK=64)
    assert (launches[0].programs, launches[0].counts.idle) == (5, 3)


def test_a_layout_costs_only_those_who_ask() -> None:
    with record() as launches:
        copy_by_steps[(1,)](torch.rand(64), torch.zeros(64), 64, 1, BLOCK=64)
    assert launches[0].counts.coalescing is None


@triton.jit
def either_way(x_ptr, out_ptr, n):
    at = tl.program_id(0) * 8 + tl.arange(0, 8)
    x = tl.load(x_ptr + at)
    if tl.program_id(0) % 2:
        x += tl.load(x_ptr + at)
    tl.store(out_ptr + at, x)


def test_what_a_group_takes_back_is_not_counted_twice() -> None:
    with record(coalescing=True) as launches:
        either_way[(8,)](torch.rand(64), torch.zeros(64), 64)
    coalescing = launches[0].counts.coalescing
    assert coalescing is not None
    assert coalescing.sectors["x_ptr", False] == Sectors(12, 12, 12 * 32, 12)
    assert coalescing.sectors["out_ptr", True] == Sectors(8, 8, 8 * 32, 8)
    assert (coalescing.lanes, launches[0].counts.idle) == (12 * 8 + 64, 0)


@pytest.mark.parametrize(
    ("dtype", "what"), [(torch.float32, "tf32"), (torch.float16, "fp16"), (torch.bfloat16, "bf16")]
)
def test_products_are_counted_by_what_is_multiplied(dtype: torch.dtype, what: str) -> None:
    with record() as launches:
        product[(3,)](torch.rand(3, 16, 16).to(dtype), torch.rand(16, 16).to(dtype), torch.zeros(3, 16, 16))
    assert launches[0].counts.products == {what: 3 * 2 * 16**3}


def test_sectors_are_counted_by_line() -> None:
    with record(coalescing=True) as launches:
        transpose[(2,)](torch.rand(32, 16), torch.zeros(16, 32))
    assert launches[0].counts.coalescing is not None
    lines = launches[0].counts.coalescing.lines
    # The load and the store stand on one line: a tile's rows of 64 bytes, and as many columns of it.
    assert [line.text.partition("(")[0] for line in lines] == ["tl.store"]
    assert [(sectors.touched, sectors.minimum) for sectors in lines.values()] == [(2 * 32 + 2 * 32, 2 * 32 + 2 * 32)]


@pytest.mark.parametrize(("wave", "times"), [(1, 4), (2, 2), (3, 2), (4, 1)])
def test_a_wave_loads_each_byte_once(wave: int, times: int) -> None:
    with record(wave=wave) as launches:
        product[(4,)](torch.rand(64, 16), torch.rand(16, 16), torch.zeros(64, 16))
    assert launches[0].counts.coalescing is not None
    # Each program has a tile of its own, and all have another one together.
    assert launches[0].counts.coalescing.wave_bytes.total() == (4 + times) * 4 * 256


@triton.jit
def load_as_both(x_ptr, out_ptr, FIRST: tl.constexpr, SECOND: tl.constexpr):
    first = tl.load(x_ptr.to(tl.pointer_type(FIRST)) + tl.arange(0, 16))
    second = tl.load(x_ptr.to(tl.pointer_type(SECOND)) + tl.arange(0, 16))
    tl.store(out_ptr + tl.arange(0, 16), first + second)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int32])
@pytest.mark.parametrize(("first", "second"), [(tl.int32, tl.int16), (tl.int16, tl.int32), (tl.int16, tl.int16)])
def test_a_wave_loads_the_bytes_of_a_cast_pointer_once(dtype: torch.dtype, first: tl.dtype, second: tl.dtype) -> None:
    with record(wave=2) as launches:
        load_as_both[(2,)](torch.zeros(64, dtype=dtype), torch.zeros(16, dtype=torch.int32), first, second)
    assert launches[0].counts.coalescing is not None
    assert launches[0].counts.coalescing.wave_bytes.total() == 16 * max(first.itemsize, second.itemsize)


@triton.jit
def sums(x_ptr, out_ptr, BLOCK: tl.constexpr):
    total = 0.0
    for start in range(0, 64, BLOCK):
        total += tl.sum(tl.load(x_ptr + start + tl.arange(0, BLOCK)))
    tl.store(out_ptr + tl.program_id(0), total)


@pytest.mark.parametrize(("block", "warps"), [(64, 4), (16, 4), (16, 8)])
def test_warps_wait_at_each_reduction(block: int, warps: int) -> None:
    with record() as launches:
        sums[(3,)](torch.rand(64), torch.zeros(3), BLOCK=block, num_warps=warps)
    [(line, waits)] = launches[0].counts.waits.items()
    assert (line.text[:17], waits) == ("total += tl.sum(t", 3 * (64 // block) * warps)
