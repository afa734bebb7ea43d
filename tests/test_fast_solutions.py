"""The fast solutions: right for whatever the plain ones take, on the simulator; as accurate as cuBLAS, on a GPU."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import statistics
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from simulator.tests.tables import SLOW_EVERY, across
from triton_workshop.repository import ROOT

_before = os.environ.get("TRITON_INTERPRET")
os.environ["TRITON_INTERPRET"] = "1"

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402

from benchmarks import second_half_report  # noqa: E402
from benchmarks.kernels_report import markdown, product_rate, ratio  # noqa: E402
from triton_simulator import install  # noqa: E402
from triton_simulator.faults import KernelFaults, Kind  # noqa: E402
from triton_simulator.gpus import H100, H200  # noqa: E402
from triton_workshop.checking.check import CheckRequest, check  # noqa: E402
from triton_workshop.exercises import EXERCISES, REQUIRED  # noqa: E402
from triton_workshop.exercises.tolerance import tolerance  # noqa: E402

install()

RunPython = Callable[..., subprocess.CompletedProcess[str]]
FOLDER = ROOT / "solutions" / "fast"


def _load(number: str, folder: Path = FOLDER) -> ModuleType:
    file = folder / f"exercise_{number}.py"
    spec = importlib.util.spec_from_file_location(f"{folder.name}_solution_{number}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FAST = {number: _load(number) for number, exercise in EXERCISES.items() if exercise.fast_file}
exercise_4 = FAST["4"]
plain_layer_norm = _load("5c", FOLDER.parent).layer_norm


@triton.jit
def number_tiles(out_ptr, tiles, BLOCK: tl.constexpr):
    tile = tl.arange(0, BLOCK)
    tl.store(out_ptr + tile, exercise_4.numbered_in_blocks(tile, tiles), mask=tile < tiles)


if _before is None:
    del os.environ["TRITON_INTERPRET"]
else:
    os.environ["TRITON_INTERPRET"] = _before

add, sepia, conv2d = FAST["1"].add, FAST["2"].sepia, FAST["3"].conv2d
matmul = exercise_4.matmul
PRECISIONS = ("bf16x6", "fp16x3")


@pytest.fixture(autouse=True)
def _interpreted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.node.get_closest_marker("gpu") is None:
        monkeypatch.setenv("TRITON_INTERPRET", "1")


def noise(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


@pytest.mark.parametrize("number", list(FAST)[::SLOW_EVERY])
def test_the_checker_finds_nothing(number: str) -> None:
    request = CheckRequest(EXERCISES[number], FOLDER / f"exercise_{number}.py", compiler=None)  # the next test compiles
    verdict = check(request)
    assert verdict.passed, verdict.findings


def test_a_fast_solution_checks_itself(run_python: RunPython) -> None:
    """One as a process; that each ends in the same lines, tests/test_check_reminder.py makes sure."""
    outcome = run_python(FOLDER / "exercise_1.py", env={"TRITON_INTERPRET": "1"})
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


@pytest.mark.parametrize("D", [64, 128])
@pytest.mark.parametrize("length", [1, 65, 200])
def test_causal_attention_is_right_for_lengths_that_no_tile_divides(length: int, D: int) -> None:
    q, k, v = torch.randn(3, 2, length, D).half()
    exact = torch.nn.functional.scaled_dot_product_attention(*(x.double()[None] for x in (q, k, v)), is_causal=True)[0]
    assert torch.allclose(FAST["6"].causal_attention(q, k, v).double(), exact, atol=2e-3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@across("n", [0, 1, 3, 1023, 1025, 5001])
def test_add_is_exact_for_any_length_and_dtype(n: int, dtype: torch.dtype) -> None:
    x, y = noise(n, dtype=dtype), noise(n, dtype=dtype, seed=1)
    assert torch.equal(add(x, y), x + y)


def test_add_takes_tensors_that_start_at_no_multiple_of_16_bytes() -> None:
    x, y = noise(1025)[1:], noise(1026)[2:]
    assert torch.equal(add(x, y), x + y)


@pytest.mark.parametrize(("height", "width"), [(1, 1), (1, 513), (7, 3), (64, 8), (61, 97)])
def test_sepia_is_right_for_any_picture(height: int, width: int) -> None:
    image = torch.rand(3, height, width, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(sepia(image), EXERCISES["2"].reference(image))


PICTURES = [(1, 1, 1), (3, 9, 4), (5, 17, 7), (2, 33, 20), (1, 3, 515), (1, 40, 520)]


def assert_conv2d_is_right(image: torch.Tensor, weight: torch.Tensor) -> None:
    expected = EXERCISES["3"].reference(image.double(), weight.double()).float()
    torch.testing.assert_close(conv2d(image, weight), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("size", [1, 3, 5, 7, 9, 11])
@pytest.mark.parametrize(("channels", "height", "width"), PICTURES)
def test_conv2d_is_right_for_any_picture_and_filter(channels: int, height: int, width: int, size: int) -> None:
    assert_conv2d_is_right(noise(channels, height, width), noise(size, size, seed=1))


@pytest.mark.parametrize("size", [3, 7, 11])
def test_a_pixel_that_is_no_number_spoils_only_what_its_filter_reaches(size: int) -> None:
    image, weight = noise(1, 29, 21), noise(size, size, seed=1)
    image[0, 14, 10] = float("nan")
    reached = torch.zeros_like(image, dtype=torch.bool)
    reached[0, 14 - size // 2 : 15 + size // 2, 10 - size // 2 : 11 + size // 2] = True
    assert torch.equal(conv2d(image, weight).isnan(), reached)


@pytest.mark.parametrize("size", [1, 3, 5, 7, 9, 11])
@pytest.mark.parametrize("rows", [1, 2])
def test_a_gpus_tiles_for_small_pictures_are_right(rows: int, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FAST["3"], "SMALL", 2**16 if rows == 1 else 0)
    monkeypatch.setattr(FAST["3"], "MEDIUM", 2**20)
    image = noise(2, 33, 131)
    assert FAST["3"].tile_for(image, size)[1:] == (rows, 32, 1)
    assert_conv2d_is_right(image, noise(size, size, seed=1))


@pytest.mark.parametrize(("size", "width"), [(7, 12), (7, 13), (7, 1030), (9, 12)])
def test_conv2d_walks_down_in_pieces(size: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FAST["3"], "multiprocessors", lambda image: 4)
    image = noise(3, 61, width)
    assert FAST["3"].walking_tile(image, size)[0] < image.shape[1]
    assert_conv2d_is_right(image, noise(size, size, seed=1))


@across("height", [1, 16, 511, 512, 8191])
@across("width", [5, 2048, 2049, 8189])
@pytest.mark.parametrize("channels", [1, 3, 64, 1000])
def test_walking_programs_fill_the_gpu_a_whole_number_of_times(
    channels: int, width: int, height: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FAST["3"], "multiprocessors", lambda image: 132)
    rows, quads, warps = FAST["3"].walking_tile(torch.empty(channels, height, width, device="meta"), 7)
    strips = channels * -(-width // (4 * quads))
    programs, at_once = strips * -(-height // rows), 132 * FAST["3"].WALKING_WARPS[7, width % 4 == 0] // warps
    assert rows % 2 == 0
    assert programs * rows >= strips * height
    assert rows <= max(16, FAST["3"].FARTHEST, height) + 1
    if programs > strips:  # else the pictures are too small, or too many, to be cut
        assert programs <= -(-strips * height // (at_once * FAST["3"].FARTHEST)) * at_once


EXTRA_ROUNDINGS = {"bf16x6": 2, "fp16x3": 10}
"""Beyond one for each term of a sum. Two float16 parts hold 22 bits only: 8 roundings' worth in each product."""


def as_accurate_as_a_float32_sum(c: torch.Tensor, a: torch.Tensor, b: torch.Tensor, precision: str = "bf16x6") -> bool:
    """The checker's bound: as many roundings of the sum of absolute values."""
    roundings = a.shape[1] + EXTRA_ROUNDINGS[precision]
    magnitude = a.double().abs() @ b.double().abs()
    return bool(((c.double() - a.double() @ b.double()).abs() <= roundings * 2**-24 * magnitude).all())


MATRICES = {
    "one": (noise(1, 1), noise(1, 1, seed=1)),
    "a row and a column": (noise(1, 70), noise(70, 1, seed=1)),
    "a column and a row": (noise(129, 1), noise(1, 131, seed=1)),
    "no multiple of anything": (noise(137, 67), noise(67, 259, seed=1)),
    "A transposed": (noise(67, 137).t(), noise(67, 140, seed=1)),
    "B transposed": (noise(137, 67), noise(140, 67, seed=1).t()),
    "both transposed": (noise(66, 137).t(), noise(131, 66, seed=1).t()),
    "every other element": (noise(80, 140)[::2, ::2], noise(70, 90, seed=1)[:, ::3]),
    "broadcast rows": (noise(1, 40).expand(50, 40), noise(40, 30, seed=1)),
    "a start at no multiple of 16 bytes": (noise(40, 41)[:, 1:], noise(40, 33, seed=1)[:, 1:]),
    "tiles that a program takes one after the other": (noise(300, 64), noise(64, 300, seed=1)),
}


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", MATRICES)
def test_float32_products_are_as_accurate_as_float32_sums(name: str, precision: str) -> None:
    a, b = MATRICES[name]
    c = matmul(a, b, precision=precision)
    assert c.dtype == torch.float32
    assert c.is_contiguous()
    assert as_accurate_as_a_float32_sum(c, a, b, precision)


ALIGNED = {
    "aligned": (noise(130, 72), noise(72, 264, seed=1)),
    "aligned and transposed": (noise(72, 136).t(), noise(264, 72, seed=1).t()),
    "a group and a half": (noise(2200, 136), noise(136, 520, seed=1)),
    "a group and a half, and K less than a step": (noise(2200, 8), noise(8, 520, seed=1)),
}


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", [*MATRICES, *ALIGNED])
def test_half_products_keep_their_dtype(name: str, dtype: torch.dtype) -> None:
    a, b = (matrix.to(dtype) for matrix in {**MATRICES, **ALIGNED}[name])
    c = matmul(a, b)
    assert c.dtype == dtype
    torch.testing.assert_close(c, (a.float() @ b.float()).to(dtype), rtol=2 * torch.finfo(dtype).eps, atol=1e-2)


def test_aligned_half_matrices_go_by_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(exercise_4, "matmul_by_pointers")
    matmul(noise(16, 8, dtype=torch.float16), noise(8, 24, dtype=torch.float16))


@pytest.mark.parametrize("tiles", [1, 31, 32, 33, 70, 512])
def test_each_tile_keeps_a_number_of_its_own(tiles: int) -> None:
    numbers = torch.empty(tiles, dtype=torch.int32)
    number_tiles[(1,)](numbers, tiles, 512)
    assert sorted(numbers.tolist()) == list(range(tiles))


def test_neighbouring_numbers_are_blocks_of_tiles() -> None:
    numbers = torch.empty(512, dtype=torch.int32)
    number_tiles[(1,)](numbers, 512, 512)
    rows, columns = numbers % 16, numbers // 16
    for length, height in ((8, 4), (16, 8), (32, 16)):
        for first in range(0, 512, length):
            block = slice(first, first + length)
            assert len(set(rows[block].tolist())) == height
            assert len(set(columns[block].tolist())) == 2


@pytest.fixture(params=[1, 114, 132])
def multiprocessors(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    count: int = request.param
    monkeypatch.setattr(exercise_4, "DEVICE", "cuda")
    properties = SimpleNamespace(multi_processor_count=count)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
    return count


def test_one_program_less_would_take_a_round_more(multiprocessors: int) -> None:
    for tiles in range(1, 700):
        programs = exercise_4.persistent_programs(torch.empty(0), tiles)
        rounds = triton.cdiv(tiles, multiprocessors)
        assert triton.cdiv(tiles, programs) == rounds
        assert programs <= multiprocessors
        assert programs == 1 or triton.cdiv(tiles, programs - 1) > rounds


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("capability", [7, 8])
def test_older_gpus_get_a_kernel_with_pointers(name: str, capability: int) -> None:
    a, b = MATRICES[name]
    assert as_accurate_as_a_float32_sum(exercise_4.matmul_by_pointers(a, b, capability), a, b)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", MATRICES)
def test_a_gpus_way_for_small_products_is_right(name: str, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in ("matmul_by_pointers", "matmul_by_descriptors", "matmul_in_parts"):
        monkeypatch.delattr(exercise_4, other)
    monkeypatch.setattr(exercise_4, "SMALL", 2**29)
    a, b = (matrix.to(dtype) for matrix in MATRICES[name])
    c = matmul(a, b)
    assert c.dtype == dtype
    if dtype == torch.float32:
        assert as_accurate_as_a_float32_sum(c, a, b)
    else:
        torch.testing.assert_close(c, (a.float() @ b.float()).to(dtype), rtol=2 * torch.finfo(dtype).eps, atol=1e-2)


@pytest.mark.parametrize("name", MATRICES)
def test_a_gpus_way_for_a_short_k_is_right(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(exercise_4, "matmul_in_parts")
    monkeypatch.setattr(exercise_4, "SHORT_K", 2**20)
    a, b = MATRICES[name]
    assert as_accurate_as_a_float32_sum(matmul(a, b), a, b)


class LaunchRecorder:
    """In a kernel's place: keeps the grids."""

    def __init__(self) -> None:
        self.grids: list[tuple[int, ...]] = []

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., None]:
        self.grids.append(grid)
        return lambda *arguments: None


@pytest.mark.parametrize("shape", [(64, 2**24), (2**24, 64)])
def test_a_matrix_may_be_millions_long(shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = LaunchRecorder()
    monkeypatch.setattr(exercise_4, "split_kernel", kernel)
    monkeypatch.setattr(exercise_4, "largest_kernel", kernel)
    matrix = torch.empty(shape, device="meta")
    for x in (matrix, matrix.t()):
        exercise_4.split(x, 2, torch.float16)
    assert len(kernel.grids) == 4
    assert [grid for grid in kernel.grids if grid[1] > 65535] == []  # CUDA takes no more along a second axis


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("name", ["no multiple of anything", "both transposed"])
def test_a_long_k_may_be_the_first_axis(name: str, precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exercise_4, "LONGEST_SECOND_AXIS", 0)
    a, b = MATRICES[name]
    assert as_accurate_as_a_float32_sum(matmul(a, b, precision=precision), a, b, precision)


def test_the_place_of_a_part_does_not_wrap_around() -> None:
    rows, K, part_stride = 2, 64, 2**30
    x, parts, largest = noise(rows, K), noise(rows, K, dtype=torch.bfloat16), torch.zeros(rows, dtype=torch.int32)
    with pytest.raises(KernelFaults) as caught:  # no tensor here is as large as that
        exercise_4.split_kernel[(1, 1)](x, parts, largest, rows, K, K, K, 1, part_stride, K, 1, 3, 1, 16, 128)
    assert {fault.kind for fault in caught.value.faults} == {Kind.OUT_OF_BOUNDS_STORE}


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(("m", "n", "k"), [(0, 3, 4), (3, 0, 4), (3, 4, 0)])
def test_empty_matrices_have_a_product_too(m: int, n: int, k: int, precision: str) -> None:
    assert torch.equal(matmul(noise(m, k), noise(k, n), precision=precision), torch.zeros(m, n))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_rows_and_columns_may_have_any_magnitude(precision: str) -> None:
    a, b = noise(40, 64), noise(64, 40, seed=1)
    a[::2] *= 1e15
    a[1::2] *= 1e-15
    b[:, ::3] *= 1e-15
    assert as_accurate_as_a_float32_sum(matmul(a, b, precision=precision), a, b, precision)


def test_six_products_take_magnitudes_mixed_within_a_row() -> None:
    a, b = noise(40, 64), noise(64, 40, seed=1)
    a[:, 7] *= 1e12
    b[7] = 0
    assert as_accurate_as_a_float32_sum(matmul(a, b), a, b)


def test_three_products_keep_elements_to_2_to_the_minus_39_of_their_rows_largest() -> None:
    a, b = noise(8, 64), torch.eye(64)
    a[:, 7] = 2.0**30
    found = matmul(a, b, precision="fp16x3")
    assert ((found - a).abs() <= 2.0 ** (30 - 39) + 2**-22 * a.abs()).all()
    assert not torch.equal(found[:, 8:], a[:, 8:])


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan")])
def test_inf_and_nan_spoil_their_row_and_their_column_only(value: float, precision: str) -> None:
    a, b = noise(40, 64), noise(64, 40, seed=1)
    expected = matmul(a, b, precision=precision)
    expected[3], expected[:, 5] = float("nan"), float("nan")
    a[3, 10], b[11, 5] = value, value
    assert torch.equal(matmul(a, b, precision=precision).isnan(), expected.isnan())
    kept = ~expected.isnan()
    assert torch.equal(matmul(a, b, precision=precision)[kept], expected[kept])


@pytest.mark.parametrize("precision", PRECISIONS)
def test_the_largest_float32_is_finite(precision: str) -> None:
    largest = torch.finfo(torch.float32).max
    a = torch.full((2, 1), largest)
    a[1] = -largest
    torch.testing.assert_close(matmul(a, torch.full((1, 2), 0.5), precision=precision), a.expand(2, 2) * 0.5)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_overflow_is_never_a_finite_number(precision: str) -> None:
    assert not matmul(torch.full((1, 1), 3e38), torch.full((1, 1), 1e4), precision=precision).isfinite().any()


def test_subnormal_numbers_keep_an_absolute_accuracy() -> None:
    a = noise(16, 16) * 1e-38
    assert ((matmul(a, torch.eye(16)) - a).abs() <= 2.0**-134).all()


def test_three_products_bring_rows_of_subnormal_numbers_into_range() -> None:
    a = noise(16, 16) * 1e-38
    torch.testing.assert_close(matmul(a * 1.0, torch.eye(16) * 1e10, precision="fp16x3"), a * 1e10, rtol=1e-5, atol=0)


def test_an_unknown_precision_is_named() -> None:
    with pytest.raises(ValueError, match="precision is 'bf16x6' or 'fp16x3', got 'tf32'"):
        matmul(noise(2, 2), noise(2, 2), precision="tf32")


def test_bfloat16_before_ampere_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exercise_4, "compute_capability", lambda matrix: (7, 5))
    a = noise(4, 4, dtype=torch.bfloat16)
    with pytest.raises(RuntimeError, match=r"bfloat16 needs a GPU of compute capability 8\.0 or more"):
        matmul(a, a)


def test_a_gpu_that_triton_does_not_know_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exercise_4, "DEVICE", "cuda")
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (6, 1))
    with pytest.raises(RuntimeError, match=r"7\.5 or more, this one has \(6, 1\)"):
        exercise_4.compute_capability(noise(1, 1))


LOGITS = {
    "no multiple of 16": (3, 1003),
    "less than a lane": (2, 5),
    "one block": (2, 1024),
    "many blocks": (2, 16_384 + 48),
    "many blocks, and rows start anywhere": (2, 16_384 + 7),
    "long rows": (1, 2**17 + 32),
    "long rows, and they start anywhere": (2, 2**17 + 1),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", LOGITS)
def test_cross_entropy_and_its_gradient_are_right_for_any_row(name: str, dtype: torch.dtype) -> None:
    logits = noise(*LOGITS[name], dtype=dtype)
    rows, columns = logits.shape
    target, grad = torch.arange(rows) % 2 * (columns - 1), noise(rows, seed=1)
    exact = logits.double().requires_grad_()
    losses = torch.nn.functional.cross_entropy(exact, target, reduction="none")
    losses.backward(grad.double())
    assert exact.grad is not None
    torch.testing.assert_close(FAST["5"].cross_entropy(logits, target).double(), losses, rtol=1e-6, atol=1e-6)
    found = FAST["5b"].cross_entropy_backward(logits, target, grad).double()
    error = (found - exact.grad).abs()
    assert (error <= 1.1 * torch.finfo(dtype).eps / 2 * exact.grad.abs() + 1e-7 * exact.grad.abs().max()).all()


@pytest.mark.parametrize("columns", [3, 1000, 8192, 16_384, 16_400, 20_001])
@pytest.mark.parametrize("offset", [0, 300])
def test_layer_norm_is_as_accurate_as_the_plain_one(columns: int, offset: int) -> None:
    x, (weight, bias) = noise(3, columns) + offset, noise(2, columns, seed=1)
    exact = torch.nn.functional.layer_norm(x.double(), (columns,), weight.double(), bias.double(), 1e-5)
    errors = [float((norm(x, weight, bias, 1e-5) - exact).norm()) for norm in (FAST["5c"].layer_norm, plain_layer_norm)]
    assert errors[0] <= 1.5 * errors[1]


@pytest.mark.parametrize("columns", [4096, 8191, 8192])
def test_layer_norm_of_16_bits_is_the_plain_ones(columns: int) -> None:
    x, (weight, bias) = (noise(rows, columns, dtype=torch.float16, seed=rows) for rows in (3, 2))
    torch.testing.assert_close(FAST["5c"].layer_norm(x, weight, bias, 1e-5), plain_layer_norm(x, weight, bias, 1e-5))


def test_a_long_row_may_have_a_first_number_far_from_all_others() -> None:
    x = noise(2, 8192)
    x[:, 0] = 1e6
    exact = torch.nn.functional.layer_norm(x.double(), (8192,), eps=1e-5)
    found = FAST["5c"].layer_norm(x, torch.ones(8192), torch.zeros(8192), 1e-5)
    torch.testing.assert_close(found.double(), exact, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("start", [0, 1, 2])
@across("batch", [1, 2, 16])
@pytest.mark.parametrize("large", [2**25, 0])
def test_a_layer_of_4_bit_weights_may_begin_at_any_byte(
    batch: int, start: int, large: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FAST["6c"], "LARGE", large)
    x, scale = noise(batch, 384, dtype=torch.float16), noise(21, 3, dtype=torch.float16, seed=1)
    memory = torch.arange(21 * 192 + start).mul(37).to(torch.uint8)
    weight = memory[start:].view(21, 192)
    layer = EXERCISES["6c"]
    expected = layer.reference(x.double(), weight, scale.double())
    assert (
        (FAST["6c"].int4_linear(x, weight, scale) - expected).abs() <= tolerance(layer, (x, weight, scale), expected)
    ).all()


@pytest.mark.parametrize("batch", [0, 1, 3])
def test_a_layer_without_weights_or_without_rows_is_empty_or_zero(batch: int) -> None:
    half = torch.float16
    for n, groups in ((0, 2), (5, 0)):
        x, scale = torch.ones(batch, 128 * groups, dtype=half), torch.ones(n, groups, dtype=half)
        result = FAST["6c"].int4_linear(x, torch.zeros(n, 64 * groups, dtype=torch.uint8), scale)
        assert torch.equal(result, torch.zeros(batch, n, dtype=half))


@pytest.mark.gpu
@pytest.mark.parametrize("number", FAST)
def test_the_checker_finds_nothing_on_the_gpu(number: str, run_python: RunPython) -> None:
    outcome = run_python(FOLDER / f"exercise_{number}.py")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


COMPARE = """
import json
from benchmarks.solutions import load_launcher  # first: chooses the GPU
import torch

errors = {}

def compare(name, found, expected):
    errors[name] = float((found.double() - expected).norm() / expected.norm())
"""
MEASURE_CONV2D = """
torch.backends.cudnn.allow_tf32 = False
conv2d = load_launcher(3, fast=True)
for shape in ((3, 2048, 2048), (2, 1541, 2050), (5, 1021, 1023), (40, 517, 260)):
    image, weight = torch.rand(*shape, device="cuda"), torch.randn(size, size, device="cuda")
    weights = weight.double().expand(shape[0], 1, size, size)
    expected = torch.nn.functional.conv2d(image.double()[None], weights, padding=size // 2, groups=shape[0])[0]
    compare(f"conv2d {shape} {size}", conv2d(image, weight), expected)
print(json.dumps(errors))
"""
MEASURE_MATMUL = """
matmul = load_launcher(4, fast=True)
named = {"precision": precision} if precision else {}
for m, k, n in ((1030, 1048, 1160), (1031, 1049, 1161), (4096, 40, 4104), (70, 8200, 1096), (3000, 1000, 4000)):
    a, b = torch.randn(m, k, device="cuda").to(dtype), torch.randn(k, n, device="cuda").to(dtype)
    for how, (x, y) in {"": (a, b), " transposed": (a.t().contiguous().t(), b.t().contiguous().t())}.items():
        compare(f"matmul {m} {k} {n} {dtype} {precision}{how}", matmul(x, y, **named), a.double() @ b.double())
print(json.dumps(errors))
"""
LARGE = (
    *(f"{COMPARE}size = {size}{MEASURE_CONV2D}" for size in (1, 3, 5, 7, 9, 11, 15)),
    *(f"{COMPARE}dtype, precision = torch.float32, {precision!r}{MEASURE_MATMUL}" for precision in PRECISIONS),
    *(f'{COMPARE}dtype, precision = {dtype}, ""{MEASURE_MATMUL}' for dtype in (torch.float16, torch.bfloat16)),
)


@pytest.mark.gpu
def test_what_is_too_large_for_the_checker_is_right_too(run_python: RunPython) -> None:
    """A process for each kernel, side by side: nearly all of the time is Triton's, which compiles on one core."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda source: run_python("-c", source), LARGE))
    assert [outcome.stderr for outcome in outcomes if outcome.returncode != 0] == []
    errors = {name: error for outcome in outcomes for name, error in json.loads(outcome.stdout).items()}
    assert len(errors) == 4 * 7 + 5 * 4 * 2
    allowed = {"float16": 5e-4, "bfloat16": 4e-3}  # half a unit in the last place, and float32 sums
    assert {name: error for name, error in errors.items() if not error <= allowed.get(_dtype_in(name), 1e-6)} == {}


def _dtype_in(name: str) -> str:
    return name.partition("torch.")[2].partition(" ")[0]


MEASURE_ACCURACY = """
import json
from dataclasses import asdict
from benchmarks.kernels import accuracies
print(json.dumps([asdict(accuracy) for accuracy in accuracies()]))
"""


@pytest.mark.gpu
def test_large_float32_products_are_as_accurate_as_those_of_cublas(run_python: RunPython) -> None:
    outcome = run_python("-c", MEASURE_ACCURACY)
    assert outcome.returncode == 0, outcome.stderr
    rows = json.loads(outcome.stdout)
    assert len(rows) == 14
    assert [row for row in rows if row["fast"] > row["vendor"]] == []


RESULTS = ROOT / "benchmarks" / "results"
KERNELS = {number: exercise.launcher for number, exercise in REQUIRED.items() if exercise.session == 1}
SECOND_HALF = {
    "5": "cross-entropy",
    "5b": "cross-entropy backward",
    "5c": "layer norm",
    "6": "attention",
    "6c": "4-bit layer",
}


@pytest.mark.parametrize("number", KERNELS)
def test_the_times_in_a_docstring_are_those_that_were_measured(number: str) -> None:
    report = json.loads((RESULTS / "h200.json").read_text(encoding="utf-8"))
    results = [result for result in report["results"] if result["kernel"].startswith(KERNELS[number])]
    measured = {f"{time['median']:.3f}" for result in results for time in result["times"].values()}
    claimed = set(re.findall(r"(\d+\.\d+) ms", (FAST[number].__doc__ or "").replace("\n", " ")))
    assert claimed
    assert claimed <= measured


@pytest.mark.parametrize("number", SECOND_HALF)
def test_the_times_in_a_docstring_of_the_second_half_are_those_that_were_measured(number: str) -> None:
    rows = [row for row in second_half()["rows"] if row["kernel"].removesuffix(", causal") == SECOND_HALF[number]]
    measured = {f"{time['median']:.3f}" for row in rows for time in row["times"].values()}
    claimed = set(re.findall(r"(\d+\.\d+) ms", (FAST[number].__doc__ or "").replace("\n", " ")))
    assert claimed
    assert claimed <= measured


def test_docstrings_of_the_second_half_say_how_far_the_limit_is() -> None:
    short, *long = (
        second_half_report.over_limit(second_half_result(f"cross-entropy backward, {size} bfloat16"))
        for size in ("8192 × 32768", "4096 × 128256", "4096 × 131072")
    )
    text = text_of("solutions/fast/exercise_5b.py")
    assert f"Rows of 32,768 take {short:.2f} times as long as a copy" in text
    assert f"and the long ones {long[0]:.2f} and {long[1]:.2f} times" in text

    text = text_of("solutions/fast/exercise_5c.py")
    fast, compiled, copy = second_half_times("layer norm, 32768 × 16384 bfloat16", "ours", "compiled", "copy")
    assert f"rows of 16,384 take {fast / copy:.2f} times as long, as with torch.compile" in text
    assert f"{compiled / copy:.2f}" == f"{fast / copy:.2f}"
    fast, copy = second_half_times("layer norm, 16384 × 4096 bfloat16", "ours", "copy")
    assert f"Rows of 4,096 take {fast / copy:.2f} times as long as a copy" in text


def test_the_second_halfs_page_of_results_shows_the_raw_figures() -> None:
    page = (RESULTS / "h200-second-half.md").read_text(encoding="utf-8")
    assert page == second_half_report.markdown(second_half())


def second_half() -> dict[str, Any]:
    report: dict[str, Any] = json.loads((RESULTS / "h200-second-half.json").read_text(encoding="utf-8"))
    return report


def test_the_page_of_results_shows_the_raw_figures() -> None:
    report = json.loads((RESULTS / "h200.json").read_text(encoding="utf-8"))
    page = (RESULTS / "h200.md").read_text(encoding="utf-8")
    assert page == markdown(report, RESULTS / "h200.png")


# What docs/performance.md and the deck claim

REPORT = json.loads((RESULTS / "h200.json").read_text(encoding="utf-8"))
Result = dict[str, Any]


def result_of(kernel: str, size: str = "") -> Result:
    [result] = [each for each in REPORT["results"] if each["kernel"] == kernel and size in each["size"]]
    return result


def text_of(file: str) -> str:
    """With every run of white space and of marks for bold made one space, so that a table's columns do not matter."""
    return re.sub(r"[\s*]+", " ", (ROOT / file).read_text(encoding="utf-8"))


def row(*cells: str) -> str:
    return re.sub(r" +", " ", f"| {' | '.join(cells)} |")


HEADLINE = {
    "add": result_of("add"),
    "sepia": result_of("sepia"),
    "conv2d 3×3": result_of("conv2d 3×3"),
    "conv2d 5×5": result_of("conv2d 5×5"),
    "conv2d 7×7": result_of("conv2d 7×7"),
    "matmul 8192, float32 by bf16x6": result_of("matmul float32 by bf16x6", "8192"),
    "matmul 8192, float32 by fp16x3": result_of("matmul float32 by fp16x3", "8192"),
    "matmul 8192, float16": result_of("matmul float16", "8192"),
}


@pytest.mark.parametrize("name", HEADLINE)
def test_the_pages_headline_is_what_was_measured(name: str) -> None:
    result = HEADLINE[name]
    columns = ("limit", "eager", "compiled", "static")
    cells = (f"{ratio(result, each):.2f}" if each in result["times"] else "" for each in columns)
    assert row(name, *cells) in text_of("docs/performance.md")


SECOND_HEADLINE = (
    "cross-entropy, 8192 × 128256 bfloat16",
    "cross-entropy backward, 8192 × 32768 bfloat16",
    "cross-entropy backward, 4096 × 128256 bfloat16",
    "layer norm, 16384 × 4096 bfloat16",
    "layer norm, 32768 × 16384 bfloat16",
    "attention, 32 × 16384 × 64 float16",
    "attention, causal, 32 × 16384 × 64 float16",
    "attention, 16 × 16384 × 128 float16",
    "attention, causal, 16 × 16384 × 128 float16",
    "4-bit layer, 1×28672 by 8192×28672",
    "4-bit layer, 16×28672 by 8192×28672",
)


@pytest.mark.parametrize("name", SECOND_HEADLINE)
def test_the_pages_headline_of_the_second_half_is_what_was_measured(name: str) -> None:
    result = second_half_result(name)
    known = not {"read", "copy"}.isdisjoint(result["times"])
    limit = f"{second_half_report.over_limit(result):.2f}" if known else ""
    others = (
        f"{second_half_report.over_ours(result, each):.2f}" if each in result["times"] else ""
        for each in ("eager", "compiled", "cuDNN")
    )
    assert row(name, limit, *others) in text_of("docs/performance.md")


def second_half_result(name: str) -> Result:
    """By kernel and size, as in `attention, 32 × 16384 × 64 float16`."""
    [result] = [each for each in second_half()["rows"] if f"{each['kernel']}, {each['size']}" == name]
    return dict(result)


def second_half_times(name: str, *contenders: str) -> list[float]:
    """Medians in milliseconds."""
    times = second_half_result(name)["times"]
    return [times[each]["median"] for each in contenders]


def test_the_page_says_where_others_win() -> None:
    """Attention with D = 128, layer norm, and the 4-bit layer until it unpacks cheaply."""
    page = text_of("docs/performance.md")
    eager, fast = second_half_times("attention, 16 × 16384 × 128 float16", "eager", "ours")
    assert f"takes {eager:.2f} ms for 16 heads of 16,384, and our fast kernel {fast:.2f} ms" in page
    compiled, copy = second_half_times("layer norm, 32768 × 16384 bfloat16", "compiled", "copy")
    assert f"it takes {compiled / copy:.2f} times as long as the copy" in page
    ways = [second_half_result(f"4-bit layer, {rows}×28672 by 8192×28672") for rows in (1, 16)]
    ratios = " and ".join(f"{second_half_report.over_ours(each, 'eager'):.2f}" for each in ways)
    assert f"{ratios} compare with a layer that first turns them into float16" in page
    assert f"takes {second_half_report.over_limit(ways[1]):.2f} times as long as reading the weights" in page
    fast, plain, library = second_half_times("4-bit layer, 1×28672 by 8192×28672", "ours", "plain", "float16")
    for claim in (
        f"cuBLAS takes {library:.3f} ms: {library / fast:.2f} times as long as our fast kernel ({fast:.3f} ms)",
        f"less than the plain one ({plain:.3f} ms)",
    ):
        assert claim in page
    for folder in ("exercises", "solutions"):
        text = " ".join(text_of(f"{folder}/exercise_6c.py").split())
        assert f"takes {library:.3f} ms, our plain kernel {plain:.3f} ms" in text
        assert f"unpacks in a cheaper way, {fast:.3f} ms" in text


def test_the_page_may_say_that_parts_err_less_than_cublas() -> None:
    assert "its error is smaller than that of cuBLAS in float32" in text_of("docs/performance.md")
    assert {each["kernel"] for each in REPORT["accuracy"]} == {f"matmul float32 by {each}" for each in PRECISIONS}
    assert [each for each in REPORT["accuracy"] if each["fast"] >= each["vendor"]] == []


def test_the_page_calls_16_bits_a_tie_since_the_times_vary_more() -> None:
    result = HEADLINE["matmul 8192, float16"]
    times = (result["times"]["fast"], result["times"]["eager"])
    spreads = [(time["high"] - time["low"]) / time["median"] for time in times]
    claim = f"Read {ratio(result, 'eager'):.2f} for float16 as a tie: from call to call, both times vary by 5%."
    assert claim in text_of("docs/performance.md")
    assert [f"{spread:.0%}" for spread in spreads] == ["5%", "5%"]
    assert ratio(result, "eager") - 1 < min(spreads)


def rates(kernel: str, *contenders: str) -> tuple[str, ...]:
    """TFLOP/s at 8192³."""
    result = result_of(kernel, "8192")
    return tuple(f"{result['operations'] / result['times'][each]['median'] / 1e9:.0f}" for each in contenders)


def milliseconds(kernel: str, *contenders: str) -> tuple[str, ...]:
    """Three digits, and never more than three behind the point."""
    times = (result_of(kernel)["times"][each]["median"] for each in contenders)
    return tuple(f"{time:.2f}" if time >= 0.9995 else f"{time:.3f}" for time in times)


def copies() -> list[float]:
    """TB/s."""
    known = [result for result in REPORT["results"] if "limit" in result["times"]]
    return [result["bytes"] / result["times"]["limit"]["median"] / 1e9 for result in known]


def short(number: float) -> str:
    return f"{number:.1e}".replace("e-0", "e-")


def data_type(name: str) -> tuple[str, str]:
    """TFLOP/s and error of cuBLAS."""
    [found] = [each for each in REPORT["data_types"] if each["inputs"] == name]
    return f"{product_rate(found):.0f}", short(found["error"])


def figure(name: str) -> float:
    [found] = [each["value"] for each in REPORT["deck"] if each["name"].startswith(name)]
    return float(found)


def deck_claims() -> Iterator[str]:
    half, single, exact = (
        rates(f"matmul {name}", "eager", "plain", "fast")
        for name in ("bfloat16", "float32 by fp16x3", "float32 by bf16x6")
    )
    yield row("matmul 8192, bf16, TFLOP/s", f"{half[0]} cuBLAS", "–", *half[1:])
    appendix, _ = data_type("bfloat16")
    yield f"{half[0]} and {half[2]} are nearly level: cuBLAS has {appendix} in the appendix"
    yield row("the same, float32 ¹", f"{single[0]} cuBLAS", "–", single[1], f" {exact[2]} / {single[2]} ")
    for name, label in (
        ("add", "add, 2²⁸ floats, ms"),
        ("sepia", "sepia, 3×8192×8192, ms"),
        ("conv2d 3×3", "conv2d 3×3, ms"),
    ):
        eager, *others, fast = milliseconds(name, "eager", "static", "plain", "fast")
        yield row(label, eager, *others, fast if name == "add" else f" {fast} ")
    times = result_of("conv2d 3×3")["times"]
    yield f"takes {times['plain']['median'] / times['limit']['median']:.1f} times as long as a copy because"
    yield f"takes {ratio(result_of('conv2d 3×3'), 'limit'):.2f} times as long as a copy"

    for name, bits in (("float32", "8, 23"), ("TF32", "8, 10"), ("bfloat16", "8, 7"), ("float16", "5, 10")):
        yield row(name, f"{bits} bits", *data_type(name))
    [eager, compiled] = milliseconds("sepia", "eager", "static")
    yield f"sepia in PyTorch: {eager} ms → {compiled} ms"
    assert f"{statistics.median(copies()):.1f}" == "4.2"
    assert max(copies()) < 1.02 * min(copies())
    yield "we measured 4.2 TB/s for a copy"
    yield from claims_about_slides_own_code()


def slow_times() -> dict[tuple[str, str], float]:
    """Milliseconds of exercise 7's scripts, by exercise and script."""
    report = json.loads((RESULTS / "h200-slow-kernels.json").read_text(encoding="utf-8"))
    return {(each["exercise"], each["script"]): each["time"]["median"] for each in report["rows"]}


def odd_result(kernel: str, size: str) -> Result:
    [result] = [each for each in REPORT["odd"] if (each["kernel"], each["size"]) == (kernel, size)]
    return dict(result)


def odd_sepia() -> dict[str, dict[str, float]]:
    """The times of an image whose rows are no multiple of 16."""
    return dict(odd_result("sepia", "3×8191×8189")["times"])


def claims_about_attention(steps: float) -> Iterator[str]:
    """The plain exercise, PyTorch and the fast solution in one run; `steps` is from another."""
    eager, plain, fast = second_half_times("attention, 32 × 16384 × 64 float16", "eager", "plain", "ours")
    yield row("attention, D = 64, ms ²", f"{eager:.2f}", "–", f"{plain:.2f}", f"{fast:.2f}")
    for label, milliseconds in (
        ("four steps in PyTorch", f"{steps:.1f} ms"),
        ("exercise 6, our solution", f" {plain:.2f} ms "),
        ("PyTorch's attention", f"{eager:.2f} ms"),
        ("`solutions/fast/exercise_6.py`", f"{fast:.2f} ms"),
    ):
        yield row(label, milliseconds)
    yield f"Exercise 6 is {steps / plain:.1f} times as fast as four steps"
    yield f"faster than PyTorch's attention, which takes {eager:.2f} ms"
    assert f"{eager / fast:.1f}" == "1.0"
    yield "Our fast solution is as fast at D = 64"
    wide = second_half_times("attention, 16 × 16384 × 128 float16", "eager", "plain", "ours")
    eager, plain, fast = wide
    yield row("attention, D = 128, ms ²", f" {eager:.2f} ", "–", f"{plain:.2f}", f"{fast:.2f}")
    yield f"and {eager / fast:.1f} times as fast at D = 128"


def claims_about_cross_entropy() -> Iterator[str]:
    ways = ("eager", "compiled", "plain", "ours", "read")
    eager, compiled, plain, fast, read = second_half_times("cross-entropy, 8192 × 128256 bfloat16", *ways)
    yield row("bfloat16", f"{eager:.3f} ms", f"{compiled:.3f} ms", f" {plain:.3f} ms ", f"{fast:.3f} ms")
    yield f"one read of the logits takes {read:.3f} ms"


def claims_about_slides_own_code() -> Iterator[str]:
    addition, hbm = round(figure("addition")), round(figure("a load from HBM"), -1)
    yield f"An addition takes {addition} cycles."
    yield f"Fetching from HBM takes {hbm:.0f} cycles."
    three, one = (figure(f"sqrt(a * b + c), 2^27 floats, {which}") for which in ("three kernels", "one kernel"))
    yield f"2²⁷ floats: {three:.2f} ms in three kernels, {one:.2f} ms in one."
    yield f"{figure('a product by TF32'):.0e} on an H200, whose tensor cores truncate"
    small, large = (figure(f"add, 2^28 floats, blocks of {size}") for size in (64, 1024))
    yield f"2²⁸ floats on an H200: {small:.2f} ms at 64, {large:.3f} ms at 1024"
    rows, groups = (figure(f"matmul bfloat16, 16384³, tiles {which}") for which in ("row by row", "in groups of 8"))
    yield f"bfloat16, n = 16384: {rows:.0f} TFLOP/s row by row, {groups:.0f} in groups of 8"
    for n in (1024, 2048, 4096):
        cells = (f"{figure(f'matmul float16, {n}³, tiles of {tile}×{tile}'):.0f}" for tile in (32, 64, 128))
        yield row(str(n), *cells)
    steps, own, library = (
        figure(f"attention, 32 heads of 16384, {which}") for which in ("step by step", "the slide's", "PyTorch's")
    )
    yield f"32 heads, length 16384: unfused {steps:.1f} ms, ours {own:.1f} , PyTorch {library:.1f} ."
    [flash] = second_half_times("attention, 32 × 16384 × 64 float16", "flash")
    yield f"PyTorch calls cuDNN here, which takes {library:.1f} ms; its FlashAttention takes {flash:.1f} ms"
    yield f"store the scores in HBM and load them again: {steps:.1f} ms on an H200"
    yield from claims_about_attention(steps)
    yield from claims_about_cross_entropy()
    small, large = (figure(f"add, 2^28 floats, blocks of {size}") for size in (256, 1024))
    yield f"Blocks of 256 are as fast as blocks of 1024: {small:.3f} ms."
    assert abs(small - large) < 0.01
    odd, even = (
        each["times"]["plain"]["median"] for each in (odd_result("add", "268,435,455 floats"), result_of("add"))
    )
    yield f"takes {100 * (odd / even - 1):.0f}% longer for 2²⁸ − 1 floats"
    yield f"For 2^28 floats, add takes {even:.3f} ms, and for one less {odd:.3f}."
    for shape, times in (("3×8192×8192", result_of("sepia")["times"]), ("3×8191×8189", odd_sepia())):
        plain, fast = (f"{times[way]['median']:.3f} ms" for way in ("plain", "fast"))
        yield row(shape, *((f" {plain} ", f" {fast} ") if shape == "3×8191×8189" else (plain, fast)))
    plain, fast = (odd_sepia()[way]["median"] / result_of("sepia")["times"][way]["median"] for way in ("plain", "fast"))
    yield f"Together: {100 * (plain - 1):.0f}% more time."
    rows, columns = (slow_times()["7a", script] for script in ("rows-first", "as shipped"))
    yield f"takes {rows:.3f} ms with rows on axis 0 and {columns:.3f} ms with columns there"
    yield f"the image has no tiles, only narrow accesses: {100 * (fast - 1):.0f}% ."
    even, odd = (times["plain"]["median"] for times in (result_of("sepia")["times"], odd_sepia()))
    yield f"as its rows lose their alignment too: {even:.3f} ms at 8192 by 8192, and {odd:.3f} ms at 8191 by 8189."


@pytest.mark.parametrize("claim", tuple(deck_claims()))
def test_a_deck_claims_what_was_measured(claim: str) -> None:
    assert any(claim in text_of(f"slides/{deck}.md") for deck in ("triton-workshop", "second-half"))


CLAIMING = (
    "slides/triton-workshop.md", "slides/second-half.md", "docs/performance.md",
    *(f"solutions/exercise_{number}.py" for number in EXERCISES),
)  # fmt: skip
"""Texts whose times and rates are those of an H200."""


def computed_times() -> dict[str, float]:
    """Milliseconds that slides compute, by what they compute."""
    logits, copy = 8192 * 128_256, 4.2e12
    scores = 32 * 16_384**2
    return {
        "logits.float()": 1e3 * 6 * logits / copy,
        "log-softmax": 1e3 * 8 * logits / copy,
        "both": 1e3 * 14 * logits / copy,
        "one pass": 1e3 * 2 * logits / copy,
        "products": 1e3 * 4 * 64 * scores / H100.tensor["fp16"],
        "exponentials": 1e3 * scores / 3.9e12,
        "bytes of attention": 1e3 * 4 * 32 * 16_384 * 64 * 2 / H100.bandwidth,
        "two more trips of C": 1e3 * 2 * 4 * 8192**2 / copy,
    }


def published_rates() -> set[str]:
    """TFLOP/s of the data sheets; FP8's is from the H200's, without sparsity."""
    rates = [H200.float32, *H200.tensor.values()]
    return {f"{rate / 1e12:.0f}" for rate in rates} | {f"{int(rate / 1e12)}" for rate in rates} | {"1,979"}


def measured_times() -> list[float]:
    """Milliseconds of all results."""
    results = (*REPORT["results"], *REPORT["odd"], *second_half()["rows"])
    times = [time["median"] for result in results for time in result["times"].values()]
    times += slow_times().values()
    return times + [each["value"] for each in REPORT["deck"] if each["unit"] == "ms"]


def measured_rates() -> list[float]:
    """TFLOP/s of all products."""
    products = [result for result in REPORT["results"] if result["kernel"].startswith("matmul")]
    rates = [each["operations"] / time["median"] / 1e9 for each in products for time in each["times"].values()]
    rates += [product_rate(each) for each in REPORT["data_types"]]
    return rates + [each["value"] for each in REPORT["deck"] if each["unit"] == "TFLOP/s"]


@pytest.mark.parametrize("page", CLAIMING)
def test_every_time_and_rate_of_a_text_is_measured_computed_or_published(page: str) -> None:
    text = text_of(page)
    times = {f"{time:.{digits}f}" for time in (*measured_times(), *computed_times().values()) for digits in (1, 2, 3)}
    assert set(re.findall(r"(\d+\.\d+) ms\b", text)) - times == set()
    rates = {f"{rate:.0f}" for rate in measured_rates()} | published_rates()
    assert set(re.findall(r"([\d,]*\d) TFLOP/s", text)) - rates == set()
    bandwidths = {f"{rate:.1f}" for rate in copies()} | {f"{gpu.bandwidth / 1e12:g}" for gpu in (H100, H200)}
    assert set(re.findall(r"(\d+\.\d+) TB/s", text)) - bandwidths == set()


def test_decks_and_pages_have_such_figures() -> None:
    figures = [re.findall(r"\d ms\b|\d TFLOP/s|\d TB/s", text_of(page)) for page in CLAIMING[:3]]
    assert [len(found) > 2 for found in figures] == [True] * 3
