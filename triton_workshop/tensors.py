"""Preparation of a launch: count the programs and check the tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.device import simulated

if TYPE_CHECKING:
    import torch

    Dtype = torch.dtype | type[float]


def cdiv(dividend: int, divisor: int) -> int:
    """Return the ceiling of a division: blocks that cover `dividend` elements.

    Each block has `divisor` elements. Raises ValueError for a divisor below 1.
    """
    if divisor < 1:
        raise ValueError(f"cdiv expects a divisor of at least 1, got {divisor} (as in cdiv({dividend}, {divisor}))")
    return -(-dividend // divisor)


ceiling_divide = cdiv


def check_tensors_gpu_ready(
    *tensors: torch.Tensor,
    shapes: str = "",
    dtype: Dtype | tuple[Dtype, ...] | None = None,
    contiguous: bool = True,
) -> None:
    """Raise unless a kernel can be launched on these tensors.

    Unless kernels are simulated, each must be on the GPU on which PyTorch starts kernels now. Each must be contiguous,
    so that a kernel can take it as a plain pointer; with `contiguous=False`, any strides will do.
    `shapes` has one pattern per tensor, separated by commas: names and numbers, one per dimension, as in
    "3 height width" or "M K, K N". The same name means the same size.
    `dtype` is what all of them must have, or a tuple of what each must have; `float` stands for any one of float32,
    float16 and bfloat16, the same for all.

    Raises TypeError for an argument that is not a tensor, and ValueError otherwise. The message says what to do.
    """
    import torch

    for position, tensor in enumerate(tensors, start=1):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(
                f"argument {position}: expected a torch.Tensor, got {type(tensor).__name__}; "
                "make one with torch.tensor, for example"
            )
        _check_memory(position, tensor, tensors[0].device, contiguous)
    if shapes:
        _check_shapes(tensors, shapes)
    if dtype is not None:
        _check_dtypes(tensors, dtype if isinstance(dtype, tuple) else (dtype,) * len(tensors))


def _check_memory(position: int, tensor: torch.Tensor, device: torch.device, contiguous: bool) -> None:
    """Raise unless a kernel that starts now can reach the tensor.

    It must be on `device`, like all the others.
    """
    import torch

    description = f"on {tensor.device}, shape {tuple(tensor.shape)}, strides {tensor.stride()}"
    if not simulated() and not tensor.is_cuda:
        raise ValueError(f'argument {position}: expected a tensor on the GPU, got one {description}; call .to("cuda")')
    if contiguous and not tensor.is_contiguous():
        raise ValueError(
            f"argument {position}: expected a contiguous tensor, got one {description}; call .contiguous()"
        )
    if tensor.device != device:
        expected = f"expected {device}, as for argument 1"
        raise ValueError(f'argument {position}: {expected}, got a tensor {description}; call .to("{device}")')
    if not simulated() and tensor.device.index != torch.cuda.current_device():
        current = f"cuda:{torch.cuda.current_device()}, where kernels start now"
        fix = f"call torch.cuda.set_device({tensor.device.index})"
        raise ValueError(f"argument {position}: expected a tensor on {current}, got one {description}; {fix}")


def _check_shapes(tensors: tuple[torch.Tensor, ...], shapes: str) -> None:
    """Raise unless each tensor fits its pattern.

    Sizes with the same name must agree.
    """
    patterns = [pattern.split() for pattern in shapes.split(",")]
    if len(patterns) != len(tensors):
        raise ValueError(
            f'shapes="{shapes}": expected one pattern per tensor, separated by commas, '
            f"got {len(patterns)} for {len(tensors)} tensors; write as many patterns as tensors"
        )
    sizes: dict[str, int] = {}
    for position, (tensor, names) in enumerate(zip(tensors, patterns, strict=True), start=1):
        got = tuple(tensor.shape)
        expected = _describe_shape(names, sizes)
        if len(got) != len(names):
            dimensions = f"{len(names)} dimension{'s' if len(names) != 1 else ''}"
            raise ValueError(f"argument {position}: expected {expected}, got {got}; pass a tensor with {dimensions}")
        if any(size != _size(name, size, sizes) for name, size in zip(names, got, strict=True)):
            raise ValueError(f"argument {position}: expected {expected}, got {got}; pass a tensor of that shape")


def _size(name: str, size: int, sizes: dict[str, int]) -> int:
    """Return the size that a pattern asks for.

    It is a number, or the size that this name had first.
    """
    return int(name) if name.isdecimal() else sizes.setdefault(name, size)


def _describe_shape(names: list[str], sizes: dict[str, int]) -> str:
    """Return a pattern as Python writes a shape, with the known sizes."""
    shape = f"({', '.join(names)}{',' if len(names) == 1 else ''})"
    settled = [f"{name} = {sizes[name]}" for name in dict.fromkeys(names) if name in sizes]
    return f"shape {shape} with {' and '.join(settled)}" if settled else f"shape {shape}"


def _check_dtypes(tensors: tuple[torch.Tensor, ...], dtypes: tuple[Dtype, ...]) -> None:
    """Raise unless each tensor has its dtype.

    `float` stands for any that kernels compute with.
    """
    import torch

    if len(dtypes) != len(tensors):
        raise ValueError(f"dtype: expected one for each of {len(tensors)} tensors, got {len(dtypes)}; write as many")
    floats = (torch.float32, torch.float16, torch.bfloat16)
    # A kernel computes in one type: all that may be any float have to be as the first of them.
    first = dtypes.index(float) if float in dtypes else 0
    for position, (tensor, dtype) in enumerate(zip(tensors, dtypes, strict=True), start=1):
        if dtype is float and tensor.dtype not in floats:
            raise ValueError(
                f"argument {position}: expected torch.float32, torch.float16 or torch.bfloat16, got {tensor.dtype}; "
                "call .to(torch.float32)"
            )
        expected = tensors[first].dtype if dtype is float else dtype
        if tensor.dtype != expected:
            as_first = f", as for argument {first + 1}" if dtype is float else ""
            raise ValueError(
                f"argument {position}: expected {expected}{as_first}, got {tensor.dtype}; call .to({expected})"
            )
