"""Kernels of the second half-day beside their limits.

They are cross-entropy, layer norm, attention and 4-bit weights: part of `python -m benchmarks.kernels`.

Attention is timed beside PyTorch's, which chooses between cuDNN's and flash attention, and beside both of these by
name. Everything else is replayed from a CUDA graph, as launching some of it from Python takes as long as the GPU does.
Errors are relative, in the Frobenius norm, against float64.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

# ruff: noqa: I001, N803
from triton_workshop import DEVICE, cdiv  # first: it chooses the GPU

import torch
import triton
import triton.language as tl
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.solutions import load_launcher, load_solution
from triton_workshop.bench.timing import Run, Timing, cold_times, copies_needed, in_turns, prepare
from triton_workshop.exercises.attention.pytorch import attention_of_heads
from triton_workshop.exercises.causal_attention.pytorch import causal_attention_of_heads
from triton_workshop.exercises.cross_entropy_backward.pytorch import eager_cross_entropy_backward
from triton_workshop.exercises.int4_linear.pytorch import eager_int4_linear
from triton_workshop.exercises.layer_norm.pytorch import eager_layer_norm

ROUNDS = 6
Ways = dict[str, tuple[Run, ...]]
"""Contender → the ways to write it; the fastest counts."""
PRODUCTS = "attention"
"""How the name of a kernel begins whose rate is in operations per second."""
HEADS_CHECKED = 4


@dataclass(frozen=True)
class Work:
    kernel: str
    size: str
    bytes: int
    """Each input read once, the output written once; 4-bit weights are half a byte."""
    operations: int
    ways: Ways
    exact: Callable[[], torch.Tensor]
    """In float64; of some works, only the first rows or heads."""
    replayed: bool = True
    tolerance: float = 1e-2


@dataclass(frozen=True)
class Row:
    kernel: str
    size: str
    bytes: int
    operations: int
    times: dict[str, Timing]
    errors: dict[str, float]
    """Of "ours", "plain" and "eager", where they ran."""


def rows() -> Iterator[Row]:
    """All of them; three minutes on an H200."""
    for make in works():
        work = make()
        yield _row(work)
        del work
        gc.collect()
        torch.cuda.empty_cache()
        torch.compiler.reset()


def works() -> Iterator[Callable[[], Work]]:
    """Return the works; each makes its tensors when it is called.

    All of them together have no room.
    """
    bfloat16, float16, float32 = torch.bfloat16, torch.float16, torch.float32
    for shape, dtype in (
        ((16_384, 4096), float32),
        ((8192, 32_768), bfloat16),
        ((8192, 128_256), bfloat16),
        ((4096, 131_072), bfloat16),
    ):
        yield partial(cross_entropy, *shape, dtype)
    for shape in ((8192, 32_768), (4096, 128_256), (4096, 131_072)):
        yield partial(cross_entropy_backward, *shape, bfloat16)
    for shape in ((16_384, 4096), (32_768, 16_384)):
        yield partial(layer_norm, *shape, bfloat16)
    for sizes in ((128, 4096, 64), (32, 16_384, 64), (64, 4096, 128), (16, 16_384, 128)):
        for causal in (False, True):
            yield partial(attention, *sizes, float16, causal)
    for batch in (1, 16):
        yield partial(int4_linear, batch, 8192, 28_672)


def _row(work: Work) -> Row:
    errors = _errors(work)
    if work.replayed:
        copies = max(2, copies_needed(work.bytes, torch.cuda.get_device_properties(0).L2_cache_size))
        prepared = {
            name: tuple(prepare([_with_own_inputs(run) for _ in range(copies)]) for run in ways)
            for name, ways in work.ways.items()
        }
        times = in_turns(prepared, lambda contender: contender.sample(), ROUNDS)
    else:
        times = in_turns(work.ways, cold_times, ROUNDS)
    return Row(work.kernel, work.size, work.bytes, work.operations, times, errors)


def _with_own_inputs(run: Run) -> Run:
    assert isinstance(run, partial)
    own = (each.clone() if isinstance(each, torch.Tensor) else each for each in run.args)
    return partial(run.func, *own, **run.keywords)


def _errors(work: Work) -> dict[str, float]:
    exact = work.exact()
    found: dict[str, float] = {}
    for name, ways in work.ways.items():
        for run in () if name in ("read", "copy", "float16") else ways:
            result = run()[: len(exact)].double()
            error = float((result - exact).norm() / exact.norm())
            if not error <= work.tolerance:
                raise SystemExit(f"{work.kernel} {work.size}: {name} is wrong, relative error {error:.1e}")
            if name in ("ours", "plain", "eager"):
                found[name] = min(error, found.get(name, error))
    return found


# What only reads


@triton.jit
def _read_kernel(x_ptr, output_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(axis=0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    words = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.store(output_ptr + tl.program_id(axis=0), tl.xor_sum(words, axis=0))


def _reads(*tensors: torch.Tensor) -> tuple[Run, ...]:
    """Ways to read tensors once, as words of 32 bits: several blocks' sizes."""
    return tuple(partial(_read, *tensors, block=block) for block in (2048, 4096, 8192, 16_384))


def _read(*tensors: torch.Tensor, block: int) -> torch.Tensor:
    for tensor in tensors:
        words = tensor.flatten().view(torch.int32)
        output = torch.empty(cdiv(words.numel(), block), dtype=torch.int32, device=DEVICE)
        _read_kernel[(len(output),)](words, output, words.numel(), block, num_warps=8)
    return output


# The work


def _of_pytorch(way: Callable[..., torch.Tensor], *arguments: object) -> Ways:
    """Return PyTorch's eager and compiled functions, for this size alone.

    What was compiled before is forgotten.
    """
    torch.compiler.reset()
    return {"eager": (partial(way, *arguments),), "compiled": (partial(torch.compile(way), *arguments),)}


def cross_entropy(rows: int, columns: int, dtype: torch.dtype) -> Work:
    logits, target = _logits(rows, columns, dtype)
    way = partial(torch.nn.functional.cross_entropy, reduction="none")
    ways: Ways = {
        "read": _reads(logits),
        "ours": (partial(load_launcher("5", fast=True), logits, target),),
        "plain": (partial(load_launcher("5"), logits, target),),
        **_of_pytorch(way, logits, target),
    }
    exact = partial(_exact_loss, logits, target)
    return Work("cross-entropy", _size(logits), _bytes(logits), 0, ways, exact)


def cross_entropy_backward(rows: int, columns: int, dtype: torch.dtype) -> Work:
    logits, target = _logits(rows, columns, dtype)
    grad = torch.rand(rows, device=DEVICE)
    n_bytes = 2 * _bytes(logits)
    ways: Ways = {
        "copy": (partial(torch.neg, logits),),
        "ours": (partial(load_launcher("5b", fast=True), logits, target, grad),),
        "plain": (partial(load_launcher("5b"), logits, target, grad),),
        **_of_pytorch(eager_cross_entropy_backward, logits, target, grad),
    }
    exact = partial(_exact_gradient, logits[:256], target[:256], grad[:256])
    return Work("cross-entropy backward", _size(logits), n_bytes, 0, ways, exact)


def layer_norm(rows: int, columns: int, dtype: torch.dtype) -> Work:
    x = torch.randn(rows, columns, device=DEVICE).to(dtype)
    weight, bias = torch.randn(2, columns, device=DEVICE).to(dtype)
    n_bytes = 2 * _bytes(x)
    ways: Ways = {
        "copy": (partial(torch.neg, x),),
        "ours": (partial(load_launcher("5c", fast=True), x, weight, bias, 1e-5),),
        "plain": (partial(load_launcher("5c"), x, weight, bias, 1e-5),),
        **_of_pytorch(eager_layer_norm, x, weight, bias, 1e-5),
    }
    exact = partial(eager_layer_norm, x[:256].double(), weight.double(), bias.double(), 1e-5)
    return Work("layer norm", _size(x), n_bytes, 0, ways, exact)


def attention(heads: int, length: int, dims: int, dtype: torch.dtype, causal: bool) -> Work:
    q, k, v = (torch.randn(heads, length, dims, device=DEVICE).to(dtype) for _ in range(3))
    number, name = ("6b", "causal_attention") if causal else ("6", "attention")
    way = causal_attention_of_heads if causal else attention_of_heads
    ways: Ways = {
        "ours": (partial(getattr(load_solution("6", fast=True), name), q, k, v),),
        "plain": (partial(load_launcher(number), q, k, v),),
        "eager": (partial(way, q, k, v),),
        "cuDNN": (partial(_by, SDPBackend.CUDNN_ATTENTION, way, q, k, v),),
        "flash": (partial(_by, SDPBackend.FLASH_ATTENTION, way, q, k, v),),
    }
    operations = 4 * heads * length**2 * dims // (2 if causal else 1)
    exact = partial(_exact_attention, q, k, v, causal)
    kernel = f"{PRODUCTS}, causal" if causal else PRODUCTS
    return Work(
        kernel, f"{heads} × {length} × {dims} {_name(dtype)}", 4 * _bytes(q), operations, ways, exact, replayed=False
    )


def _by(
    backend: SDPBackend, way: Callable[..., torch.Tensor], q: torch.Tensor, k: torch.Tensor, v: torch.Tensor
) -> torch.Tensor:
    with sdpa_kernel([backend]):
        return way(q, k, v)


def int4_linear(batch: int, n: int, k: int) -> Work:
    x = torch.randn(batch, k, device=DEVICE).half()
    weight = torch.randint(0, 256, (n, k // 2), dtype=torch.uint8, device=DEVICE)
    scale = (torch.randn(n, k // 128, device=DEVICE) / 50).half()
    halves = (_whole(weight, scale)).half()
    ways: Ways = {
        "read": _reads(weight),
        "ours": (partial(load_launcher("6c", fast=True), x, weight, scale),),
        "plain": (partial(load_launcher("6c"), x, weight, scale),),
        "eager": (partial(eager_int4_linear, x, weight, scale),),
        "float16": (partial(torch.nn.functional.linear, x, halves),),
    }
    exact = lambda: x.double() @ _whole(weight, scale).T  # noqa: E731
    n_bytes = _bytes(weight) + _bytes(scale) + _bytes(x) + 2 * batch * n
    return Work("4-bit layer", f"{batch}×{k} by {n}×{k}", n_bytes, 0, ways, exact)


# What is exact


def _whole(weight: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """The weights, (N, K) float64."""
    numbers = torch.stack((weight & 0xF, weight >> 4), 2).double() - 8
    return (numbers.view(*scale.shape, 128) * scale[:, :, None]).view(len(weight), -1)


def _exact_loss(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """A few rows at a time, as float64 takes four times the room of bfloat16."""
    parts = (slice(at, at + 512) for at in range(0, len(logits), 512))
    loss = partial(torch.nn.functional.cross_entropy, reduction="none")
    return torch.cat([loss(logits[part].double(), target[part]) for part in parts])


def _exact_gradient(logits: torch.Tensor, target: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    hits = torch.nn.functional.one_hot(target, logits.shape[1])
    return (torch.softmax(logits.double(), dim=1) - hits) * grad.double()[:, None]


def _exact_attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    return torch.stack(
        [_exact_head(q[at].double(), k[at].double(), v[at].double(), causal) for at in range(HEADS_CHECKED)]
    )


def _exact_head(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    scores = q @ k.T * q.shape[1] ** -0.5
    if causal:
        later = torch.ones_like(scores, dtype=torch.bool).triu(1)
        scores.masked_fill_(later, -float("inf"))
    return torch.softmax(scores, dim=-1) @ v


def _logits(rows: int, columns: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    logits = torch.randn(rows, columns, device=DEVICE).to(dtype)
    return logits, torch.randint(columns, (rows,), device=DEVICE)


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _size(tensor: torch.Tensor) -> str:
    return f"{tensor.shape[0]} × {tensor.shape[1]} {_name(tensor.dtype)}"


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
