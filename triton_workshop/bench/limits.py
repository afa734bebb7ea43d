"""Limits of a GPU, measured.

Imports only torch, since `python -m benchmarks.kernels` uses it too.
"""

from __future__ import annotations

from functools import partial

import torch

from triton_workshop.bench.timing import Run


def copy_of(n_bytes: int, device: str) -> Run:
    """Return a copy that reads and writes n_bytes altogether.

    Its time is the limit of memory, measured.
    """
    source = torch.rand(n_bytes // 8, device=device)
    return partial(torch.empty_like(source).copy_, source)


def half_product(operations: int, device: str) -> Run:
    """Return a product of float16 matrices of about so many operations.

    cuBLAS computes it: its time is the tensor cores' rate, measured. All sides are multiples of what cuBLAS divides
    them by: others take several times as long.
    """
    side = max(round((operations / 2) ** (1 / 3) / 128) * 128, 128)
    depth = max(round(operations / 2 / side**2 / 16) * 16, 16)
    return partial(torch.mm, *(torch.rand(shape, device=device).half() for shape in ((side, depth), (depth, side))))
