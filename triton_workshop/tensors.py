"""What a launcher does before its kernel starts: count the programs, look at the tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.device import simulated

if TYPE_CHECKING:
    import torch


def cdiv(dividend: int, divisor: int) -> int:
    """Ceiling division: how many blocks of `divisor` elements cover `dividend` elements.

    Raises ValueError for a divisor below 1.
    """
    if divisor < 1:
        raise ValueError(f"cdiv expects a divisor of at least 1, got {divisor} (as in cdiv({dividend}, {divisor}))")
    return -(-dividend // divisor)


ceiling_divide = cdiv


def check_tensors_gpu_ready(*tensors: torch.Tensor) -> None:
    """Raise unless every tensor can be handed to a kernel as a plain pointer.

    Each has to be contiguous, and, unless kernels are simulated, on the GPU on which PyTorch starts kernels now.
    Raises TypeError for what is not a tensor, ValueError otherwise; the message says which call fixes it.
    """
    import torch

    for position, tensor in enumerate(tensors, start=1):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"argument {position}: expected a torch.Tensor, got {type(tensor).__name__}")
        found = f"on {tensor.device}, shape {tuple(tensor.shape)}, strides {tensor.stride()}"
        if not simulated() and not tensor.is_cuda:
            raise ValueError(f'argument {position}: expected a tensor on the GPU, got one {found}; call .to("cuda")')
        if not tensor.is_contiguous():
            raise ValueError(f"argument {position}: expected a contiguous tensor, got one {found}; call .contiguous()")
        if tensor.device != tensors[0].device:
            expected = tensors[0].device
            raise ValueError(
                f'argument {position}: expected {expected}, as argument 1, got a tensor {found}; call .to("{expected}")'
            )
        if not simulated() and tensor.device.index != torch.cuda.current_device():
            current = f"cuda:{torch.cuda.current_device()}, where kernels start now"
            fix = f"call torch.cuda.set_device({tensor.device.index})"
            raise ValueError(f"argument {position}: expected a tensor on {current}, got one {found}; {fix}")
