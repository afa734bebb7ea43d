"""What is counted and measured for each exercise: the sizes, and how figures are shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from triton_workshop.checking.exercises.exercise import Case, changed, in_dtype, random_case

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Workload:
    counted: Case
    """For the simulator: large enough that edges hardly matter, small enough to take a second."""
    swept: tuple[Case, ...]
    """For the GPU, the smallest first."""
    noun: str | None = None
    """What an element of the largest input is."""
    products: bool = False
    """Whether it consists of products: then rates are operations per second, and tensor cores set the limit."""
    library: str = ""
    """Whose kernel PyTorch runs, where that is worth telling."""
    sized: Callable[..., Case] | None = None
    """A case of sizes that somebody else chooses: its parameters are called as `workshop asm --size` calls them."""


def _random(shape: tuple[int, ...], device: str, seed: int) -> torch.Tensor:
    """Made where it is needed, as copying a large tensor would take long."""
    import torch

    # On "meta" a tensor has a shape but no elements.
    generator = None if device == "meta" else torch.Generator(device).manual_seed(seed)
    return torch.rand(shape, device=device, generator=generator)


def _swept(name: str, *shapes: tuple[int, ...]) -> Case:
    """Arguments of these shapes, between -1 and 1 except for pictures."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        made = (_random(shape, device, seed) for seed, shape in enumerate(shapes))
        return tuple(tensor if tensor.ndim == 3 else 2 * tensor - 1 for tensor in made)

    return Case(name, arguments)


def _vectors(power: int) -> Case:
    return _swept(f"2^{power} floats", (2**power,), (2**power,))


def _picture(side: int, *size: int) -> Case:
    """Three channels of side × side pixels, and a filter of size × size weights if given."""
    name = f"{side}²" + (f", {size[0]}×{size[0]}" if size else "")
    return _swept(name, (3, side, side), *((each, each) for each in size))


def _logits(rows: int, columns: int) -> Case:
    """bfloat16 logits and targets, as the last layer of a language model has them."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        logits = (10 * _random((rows, columns), device, 0) - 5).bfloat16()
        return logits, (columns * _random((rows,), device, 1)).long()

    return Case(f"{rows}×{columns}", arguments)


def _heads(heads: int, length: int, size: int = 64) -> Case:
    """float16 queries, keys and values between -1 and 1."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        made = (_random((heads, length, size), device, seed) for seed in range(3))
        return tuple((2 * tensor - 1).half() for tensor in made)

    return Case(f"{heads}×{length}", arguments)


def _losses(rows: int, columns: int) -> Case:
    """The same, with how much each loss matters."""
    case = _logits(rows, columns)
    return changed(case, case.name, lambda logits, target: (logits, target, logits[:, 0].float()))


def _rows(rows: int, columns: int) -> Case:
    """bfloat16 rows of a layer's results, a weight and a bias for each column, and the usual eps."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        x, weight, bias = (
            _random(shape, device, at) for at, shape in enumerate(((rows, columns), (columns,), (columns,)))
        )
        return (10 * x - 5).bfloat16(), weight.bfloat16(), bias.bfloat16(), x.new_tensor(1e-5)

    return Case(f"{rows}×{columns}", arguments)


def _layer(batch: int, n: int, k: int) -> Case:
    """float16 numbers, n × k weights of 4 bits, and their scales."""

    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        x, halves, scale = (
            _random(shape, device, seed) for seed, shape in enumerate(((batch, k), (n, k // 2), (n, k // 128)))
        )
        return (2 * x - 1).half(), _bytes_of(halves), ((2 * scale - 1) / 50).half()

    return Case(f"{batch}×{k} by {n}×{k}", arguments)


def _bytes_of(values: torch.Tensor) -> torch.Tensor:
    """From numbers between 0 and 1, all bytes."""
    return (256 * values).byte()


def _matrices(n: int) -> Case:
    return _swept(f"{n}³", (n, n), (n, n))


def _counted(name: str, *shapes: tuple[int, ...], pictures: bool = True) -> Case:
    return random_case(name, ("bench", name), *shapes, pictures=pictures)


def _of_vectors(n: int) -> Case:
    return _counted(f"{n:,} float{'s' * (n != 1)}", (n,), (n,))


def _of_a_picture(height: int, width: int) -> Case:
    return _counted(f"3×{height}×{width}", (3, height, width))


def _of_a_filter(height: int, width: int, k: int = 3) -> Case:
    return _counted(f"3×{height}×{width}, filter {k}×{k}", (3, height, width), (k, k))


def _of_matrices(m: int, n: int, k: int) -> Case:
    return _counted(f"{m}×{k} times {k}×{n}", (m, k), (k, n))


def _of_a_layer(b: int, n: int, k: int) -> Case:
    name = f"{b}×{k} by {n}×{k}"
    drawn = _counted(name, (b, k), (1, n, k // 2), (n, k // 128))
    return changed(drawn, name, lambda x, halves, scale: (x.half(), _bytes_of(halves[0]), (scale / 50).half()))


_ROWS_OF_LOGITS = ((512, 4096), (16_384, 4096), (8192, 32_768), (4096, 131_072))
_ATTENTION = Workload(
    counted=in_dtype(_counted("4×512 of 64", *[(4, 512, 64)] * 3, pictures=False), "float16"),
    swept=tuple(_heads(*size) for size in ((16, 512), (16, 1024), (16, 2048), (8, 4096))),
    products=True,
)
"""Causal attention has the same sizes."""

WORKLOADS = {
    "1": Workload(
        counted=_counted("2^20 floats", (2**20,), (2**20,)),
        swept=tuple(map(_vectors, (16, 19, 22, 25, 28))),
        noun="number",
        sized=_of_vectors,
    ),
    "2": Workload(
        counted=_counted("3×512×512", (3, 512, 512)),
        swept=tuple(map(_picture, (256, 1024, 4096, 8192))),
        noun="pixel",
        sized=_of_a_picture,
    ),
    "3": Workload(
        counted=_counted("3×512×512, filter 3×3", (3, 512, 512), (3, 3)),
        swept=(*(_picture(side, 3) for side in (256, 1024, 4096, 8192)), _picture(8192, 5), _picture(8192, 7)),
        noun="pixel",
        sized=_of_a_filter,
    ),
    "4": Workload(
        counted=_counted("512³", (512, 512), (512, 512)),
        swept=tuple(map(_matrices, (256, 512, 1024, 2048, 4096, 8192))),
        products=True,
        library="cuBLAS",
        sized=_of_matrices,
    ),
    "5": Workload(
        counted=changed(
            _counted("256×4096", (256, 4096)), "256×4096", lambda logits: (logits, logits[:, 0].abs().long())
        ),
        swept=tuple(_logits(*size) for size in _ROWS_OF_LOGITS),
        noun="logit",
    ),
    "5b": Workload(
        counted=changed(
            _counted("256×4096", (256, 4096)),
            "256×4096",
            lambda logits: (logits, logits[:, 0].abs().long(), logits[:, 1].contiguous()),
        ),
        swept=tuple(_losses(*size) for size in _ROWS_OF_LOGITS),
        noun="logit",
    ),
    "5c": Workload(
        counted=changed(
            _counted("512×2048", (512, 2048), (2048,), (2048,)),
            "512×2048",
            lambda x, weight, bias: (x, weight, bias, x.new_tensor(1e-5)),
        ),
        swept=tuple(_rows(*size) for size in ((4096, 1024), (16_384, 1024), (16_384, 4096), (32_768, 16_384))),
        noun="number",
    ),
    "6": _ATTENTION,
    "6b": _ATTENTION,
    "6c": Workload(
        counted=_of_a_layer(1, 512, 2048),
        swept=tuple(
            _layer(*size) for size in ((1, 4096, 4096), (1, 8192, 8192), (1, 8192, 28_672), (16, 8192, 28_672))
        ),
        noun="byte of weights",
        sized=_of_a_layer,
    ),
}
"""By the number of the exercise."""
