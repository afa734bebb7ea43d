"""The forms that a launch can take, as Triton's own interpreter takes them."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest
import torch
import triton
import triton.language as tl
from packaging.version import Version
from triton.runtime._allocation import NullAllocator

from triton_simulator import SimulatorError, record
from triton_simulator.without_library import has_library

from . import launch_cases
from .executors import upstream
from .processes import RunPython


def same(launch: Any, size: int = 8) -> list[float]:
    """What `launch(out)` stores, on ours and on Triton's interpreter."""
    ours, theirs = torch.zeros(size), torch.zeros(size)
    with record() as launches:
        launch(ours)
    assert not any(made.faults or made.one_by_one for made in launches)
    with upstream():
        launch(theirs)
    assert torch.equal(ours, theirs)
    return ours.tolist()  # type: ignore[no-any-return]


@triton.jit
def scaled(out_ptr, scale, bias=1, N: tl.constexpr = 4):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, at * scale + bias)


FORMS = {
    "positional": lambda out: scaled[(2,)](out, 2, 3, 4),
    "by keyword": lambda out: scaled[(2,)](scale=2, out_ptr=out, N=4, bias=3),
    "defaults": lambda out: scaled[(2,)](out, 2),
    "a callable as grid": lambda out: scaled[lambda meta: (8 // meta["N"],)](out, 2, N=2),
    "unpacked arguments": lambda out: scaled[(2,)](*(out, 2), **{"bias": 5}),
    "run": lambda out: scaled.run(out, 2, grid=(2,), warmup=False),
    "options of the compiler": lambda out: scaled[(2,)](out, 2, num_warps=8, num_stages=3, num_ctas=1),
    "a float": lambda out: scaled[(2,)](out, 0.1, -2.5),
    "large integers": lambda out: scaled[(1,)](out, 2**31, 2**40),
    "negative integers": lambda out: scaled[(1,)](out, -(2**31), -(2**40)),
    "a tensor's offset": lambda out: scaled[(1,)](out[4:], 2),
    "a grid of sizes that are tensors": lambda out: scaled[(torch.tensor(2).item(),)](out, 2),
    "a constexpr that is wrapped": lambda out: scaled[(2,)](out, 2, N=tl.constexpr(4)),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_of_launch(form: str) -> None:
    assert any(same(FORMS[form]))


MORE_FORMS = {
    "a list as grid": lambda out: scaled[[2, 1]](out, 2),
    "a callable that gives a list": lambda out: scaled[lambda meta: [8 // meta["N"], 1, 1]](out, 2),
    "a bool": lambda out: scaled[(2,)](out, True),
}


@pytest.mark.parametrize("form", MORE_FORMS)
def test_a_form_that_a_gpu_takes_and_tritons_interpreter_does_not(form: str) -> None:
    out = torch.zeros(8)
    MORE_FORMS[form](out)
    assert out.tolist() == [at * (1 if form == "a bool" else 2) + 1.0 for at in range(8)]


def test_a_warmup_runs_nothing() -> None:
    out = torch.zeros(8)
    scaled.warmup(out, 2, grid=(2,))
    scaled.run(out, 2, grid=(2,), warmup=True)
    assert not out.any()


@triton.jit
def maybe(out_ptr, bias_ptr, HAS: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    value = at.to(tl.float32)
    if bias_ptr is not None:
        value += tl.load(bias_ptr + at)
    if HAS is not None:
        value *= HAS
    tl.store(out_ptr + at, value)


@pytest.mark.parametrize("bias", [None, torch.ones(8)])
@pytest.mark.parametrize("factor", [None, 3])
def test_arguments_that_are_none(bias: torch.Tensor | None, factor: int | None) -> None:
    same(lambda out: maybe[(1,)](out, bias, factor, N=8))


@triton.jit
def chosen(out_ptr, ACTIVATION: tl.constexpr, DTYPE: tl.constexpr, SHAPE: tl.constexpr, N: tl.constexpr):
    value = (tl.arange(0, N) - 3).to(DTYPE)
    if ACTIVATION == "relu":
        value = tl.maximum(value, 0.0)
    elif ACTIVATION is not None:
        value = ACTIVATION(value)
    tl.store(out_ptr + tl.arange(0, N), tl.reshape(tl.reshape(value, SHAPE), (N,)))


@triton.jit
def squared(x):
    return x * x


@pytest.mark.parametrize("activation", [None, "relu", squared])
def test_constexprs_of_every_kind(activation: Any) -> None:
    same(lambda out: chosen[(1,)](out, activation, tl.float16, (2, 4), N=8))


@triton.constexpr_function
def half_of(n):
    return n // 2


LANES = tl.constexpr(4)


@triton.jit
def lines(out_ptr, N: tl.constexpr):
    half: tl.constexpr = half_of(N)
    at = tl.program_id(0) * half + tl.arange(0, half)
    tl.store(out_ptr + at, at + LANES + triton.cdiv(N, 3) + triton.next_power_of_2(5))


def test_constexpr_functions_and_globals() -> None:
    assert same(lambda out: lines[(2,)](out, N=8)) == [lane + 15.0 for lane in range(8)]


@triton.jit(do_not_specialize=["scale"], noinline=False, debug=True)
def with_options(out_ptr, scale, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.device_assert(scale > 0)
    tl.store(out_ptr + at, at * scale)


@triton.jit(noinline=True)
def not_inlined(x, power: tl.constexpr):
    for _ in tl.static_range(power):
        x = x * 2
    return x


@triton.jit
def calls(out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, not_inlined(at, power=3))


def test_options_of_jit() -> None:
    same(lambda out: with_options[(1,)](out, 3, N=8))
    same(lambda out: calls[(1,)](out, N=8))


class Pair(NamedTuple):
    values: Any
    factor: Any


@triton.jit
def swapped(pair):
    return pair[1], pair[0]


@triton.jit
def with_tuples(out_ptr, pair, nested, N: tl.constexpr):
    at = tl.arange(0, N)
    second, first = swapped((pair.values, pair.factor))
    value = tl.load(first + at) * second + nested[1][0] + nested[0]
    for i in tl.static_range(len(nested[1])):
        value += nested[1][i]
    tl.store(out_ptr + at, value)


def test_tuples_named_and_nested() -> None:
    same(lambda out: with_tuples[(1,)](out, Pair(torch.arange(8.0), 3), (1, (2, 3)), N=8))


@triton.jit
def accepts(out_ptr, values, N: tl.constexpr):
    at = tl.arange(0, N)
    total = tl.zeros((N,), tl.float32)
    for i in tl.static_range(len(values)):
        total += tl.load(values[i] + at)
    tl.store(out_ptr + at, total)


@pytest.mark.parametrize("many", [1, 3])
def test_a_tuple_of_any_number_of_tensors(many: int) -> None:
    same(lambda out: accepts[(1,)](out, tuple(torch.full((8,), float(n)) for n in range(1, many + 1)), N=8))


@triton.autotune(
    [triton.Config({"N": 4}, num_warps=2), triton.Config({"N": 8})],
    key=["size"],
    prune_configs_by={"early_config_prune": lambda configs, named, **_: configs[1:]},
    reset_to_zero=["out_ptr"],
)
@triton.heuristics({"EVEN": lambda given: given["size"] % given["N"] == 0, "TWICE": lambda given: given["N"] * 2})
@triton.jit
def tuned(out_ptr, size, N: tl.constexpr, EVEN: tl.constexpr, TWICE: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out_ptr + at, tl.load(out_ptr + at, mask=at < size, other=0.0) + TWICE + EVEN, mask=at < size)


COMPARES_THE_ONLY_ONE = Version(triton.__version__) < Version("3.7")
"""Whether Triton's tuner runs its hooks though pruning has left one configuration."""


def test_autotune_and_heuristics_together() -> None:
    out = torch.ones(20)
    tuned[lambda meta: (triton.cdiv(20, meta["N"]),)](out, 20)
    assert out.tolist() == [16.0 + (not COMPARES_THE_ONLY_ONE)] * 20
    assert tuned.best_config.kwargs == {"N": 8}


@triton.heuristics({"N": lambda given: triton.next_power_of_2(given["size"])})
@triton.autotune([triton.Config({"ADDED": 5})], key=[])
@triton.jit
def tuned_inside(out_ptr, size, N: tl.constexpr, ADDED: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, at + ADDED, mask=at < size)


def test_heuristics_around_autotune() -> None:
    out = torch.zeros(6)
    tuned_inside[(1,)](out, 6)
    assert out.tolist() == [5.0, 6.0, 7.0, 8.0, 9.0, 10.0]


@pytest.fixture(scope="module")
def of_triton(run_forked: RunPython) -> dict[str, Any]:
    """What Triton's own launches and tuners do in the same cases, in a process that compiles for an H100."""
    if not has_library():
        pytest.skip("Triton's own launches need Triton's compiled library")
    done = run_forked("-m", "simulator.tests.launches_of_triton")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])  # type: ignore[no-any-return]


@pytest.mark.library
@pytest.mark.parametrize("name", launch_cases.CASES)
def test_a_launch_is_refused_if_triton_or_a_gpu_refuses_it(name: str, of_triton: dict[str, Any]) -> None:
    """Hooks of tuners run when Triton's do."""
    assert launch_cases.outcome(launch_cases.CASES[name]) == of_triton[name]


SAID = {
    "65,536 along y": "The grid of copied is (1, 65536): 65,536 programs along y, where a GPU takes at most 65,535",
    "a misspelt parameter": "copied has no parameter of this name, and Triton no such option. Did you mean BLOCK?",
    "num_warps=3": "num_warps must be a power of 2: expected 1, 2, 4, 8, 16 or 32, got 3",
    "num_warps=64": "num_warps=64 asks for 2,048 threads in a program: 32 warps are the most",
    "constant list": "unhashable type: 'list'. OTHER is a tl.constexpr and got a list",
    "argument ndarray": "failed to specialize argument of type: ndarray. n got it",
    "what the only configuration sets": "triton.autotune sets BLOCK of kernel, so leave it out of the launch",
    "none at all": "Cannot call @triton.jit'd outside of the scope of a kernel: launch a kernel on a grid, copied[",
}


@pytest.mark.parametrize("name", SAID)
def test_a_refusal_says_what_came_and_what_to_do(name: str) -> None:
    with pytest.raises(SimulatorError) as raised:
        launch_cases.CASES[name]()
    assert SAID[name] in str(raised.value)


def test_what_is_for_kernels_is_refused_outside_of_them() -> None:
    with pytest.raises(RuntimeError, match=r"tl\.cdiv is for kernels; here, compute with Python"):
        tl.cdiv(5, 2)


@triton.jit
def copies_a_tile(x, out, USED: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [16, 16], [16, 1], [16, 16])
    target = tl.make_tensor_descriptor(out, [16, 16], [16, 1], [16, 16])
    if USED:
        target.store([0, 0], source.load([0, 0]))


def test_a_kernels_own_descriptor_needs_an_allocator_if_it_is_used() -> None:
    x, out = torch.ones(16, 16), torch.zeros(16, 16)
    copies_a_tile[(1,)](x, out, USED=True)
    assert torch.equal(x, out)
    triton.set_allocator(NullAllocator())
    copies_a_tile[(1,)](x, out, USED=False)
    with pytest.raises(Exception, match=r"no allocator was set.*triton\.set_allocator\(lambda"):
        copies_a_tile[(1,)](x, out, USED=True)


def test_a_hook_runs_before_the_launch() -> None:
    seen = []

    @triton.jit
    def hooked(out_ptr, N: tl.constexpr):
        tl.store(out_ptr + tl.arange(0, N), 1.0)

    hooked.add_pre_run_hook(lambda *given, **named: seen.append(len(given) + len(named)))
    same(lambda out: hooked[(1,)](out, N=8))
    assert seen == [2, 2]


@triton.jit
def with_annotations(out_ptr: tl.tensor, scale: tl.int64, ratio: tl.float32, N: tl.constexpr):
    """A kernel may have a docstring."""
    at = tl.arange(0, N)
    tl.store(out_ptr + at, at * scale * ratio)


def test_annotations_and_docstrings() -> None:
    same(lambda out: with_annotations[(1,)](out, 3, 0.5, N=8))


@triton.jit
def multiplied(x_ptr, out_ptr, factor):
    tl.store(out_ptr + tl.arange(0, 4), tl.load(x_ptr + tl.arange(0, 4)) * factor)


@triton.jit
def multiplied_in_float16(x_ptr, out_ptr, factor: tl.float16):
    tl.store(out_ptr + tl.arange(0, 4), tl.load(x_ptr + tl.arange(0, 4)) * factor)


@triton.jit
def multiplied_in_int64(x_ptr, out_ptr, factor: tl.int64):
    tl.store(out_ptr + tl.arange(0, 4), tl.load(x_ptr + tl.arange(0, 4)) * factor)


@pytest.mark.parametrize(
    ("kernel", "dtype", "factor", "product"),
    [
        (multiplied, torch.float16, 2.0, 120000.0),
        (multiplied_in_float16, torch.float16, 2.0, math.inf),
        (multiplied, torch.int32, 100000, 60000 * 100000 - 2**32),
        (multiplied_in_int64, torch.int32, 100000, 60000 * 100000),
    ],
)
def test_a_number_has_the_type_that_the_compiler_gives_it(
    kernel: Any, dtype: torch.dtype, factor: float, product: float
) -> None:
    """A float is float32, as wide as it takes to hold what float16 cannot, unless its annotation says otherwise."""
    out = torch.zeros(4, dtype=torch.float64)
    kernel[(1,)](torch.full((4,), 60000.0).to(dtype), out, factor)
    assert out.tolist() == [product] * 4


@triton.jit
def helper_with_many_results(x, LOW: tl.constexpr = 0):
    if LOW:
        return x, x + 1, x + 2
    return x, x - 1, x - 2


@triton.jit
def unpacks(out_ptr, N: tl.constexpr):
    a, b, c = helper_with_many_results(tl.arange(0, N))
    first, *_ = helper_with_many_results(a + b + c, LOW=1)
    tl.store(out_ptr + tl.arange(0, N), first)


def test_functions_with_several_results() -> None:
    same(lambda out: unpacks[(1,)](out, N=8))


def test_a_kernel_defined_in_a_function_closes_over_nothing_mutable() -> None:
    @triton.jit
    def inner(out_ptr, N: tl.constexpr):
        at = tl.program_id(0) * N + tl.arange(0, N)
        tl.store(out_ptr + at, at)

    assert same(lambda out: inner[(2,)](out, N=4)) == list(range(8))


@pytest.fixture
def _switching_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_switching_often")
def test_threads_launch_at_the_same_time() -> None:
    tuned = triton.autotune([triton.Config({}), triton.Config({}, num_warps=8)], key=[])(scaled)

    def launch(scale: int) -> list[float]:
        out = torch.zeros(8)
        for kernel in (scaled, tuned):
            kernel[(2,)](out, scale)
        return out.tolist()  # type: ignore[no-any-return]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(launch, range(40)))
    assert results == [[scale * at + 1 for at in range(8)] for scale in range(40)]


if hasattr(tl, "aggregate_replace"):  # from Triton 3.9 on

    @tl.core._aggregate
    class Line:
        start: tl.tensor
        slope: tl.constexpr

        @triton.constexpr_function
        def __init__(self, start, slope):
            self.start = start
            self.slope = tl.constexpr(slope)

    @triton.jit
    def with_an_aggregate(out_ptr, N: tl.constexpr):
        at = tl.arange(0, N)
        line = tl.aggregate_replace(Line(at, 3), start=at + 1)
        tl.store(out_ptr + at, line.start * line.slope)

    def test_aggregates() -> None:
        same(lambda out: with_an_aggregate[(1,)](out, N=8))
