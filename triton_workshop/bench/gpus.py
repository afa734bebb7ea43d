"""What GPU makers publish about their GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedGpu:
    """Peak rates: bytes per second, and operations per second. A fused multiply-add is two operations."""

    name: str
    bandwidth: float
    """Of the GPU's memory."""
    float32: float
    """Without tensor cores."""
    tensor: Mapping[str, float]
    """Of the tensor cores, without sparsity and with sums in float32, by what they multiply: tf32, fp16, bf16."""


PUBLISHED = (
    # NVIDIA, T4 Tensor Core GPU product brief (PB-09256) and data sheet.
    PublishedGpu("T4", 320e9, 8.1e12, {"fp16": 65e12}),
    # NVIDIA, Ada GPU Architecture white paper, table of the GeForce RTX 4090.
    PublishedGpu("RTX 4090", 1008e9, 82.6e12, {"tf32": 82.6e12, "fp16": 165.2e12, "bf16": 165.2e12}),
    # NVIDIA, A100 Tensor Core GPU data sheet, 80 GB SXM.
    PublishedGpu("A100", 2039e9, 19.5e12, {"tf32": 156e12, "fp16": 312e12, "bf16": 312e12}),
    # NVIDIA, H200 Tensor Core GPU data sheet, SXM. It gives the tensor cores' rates with sparsity; these are half.
    PublishedGpu("H200", 4.8e12, 67e12, {"tf32": 494.5e12, "fp16": 989.5e12, "bf16": 989.5e12}),
)
H200 = PUBLISHED[-1]
