"""Roofline: how fast a counted kernel can be, at best.

Williams, Waterman and Patterson, CACM 52(4), 2009.
"""

from __future__ import annotations

from dataclasses import dataclass

from triton_simulator.gpus import PUBLISHED, GpuModel
from triton_workshop.costs.cost import Cost

TENSOR_PRODUCTS = {
    "tf32": ("tf32", 1),
    "tf32x3": ("tf32", 3),
    "bf16x3": ("bf16", 3),
    "bf16x6": ("bf16", 6),
    "fp16": ("fp16", 1),
    "bf16": ("bf16", 1),
}
"""Tensor cores' unit for a tl.dot, and its products for one of these.

By what the tl.dot multiplies.
"""
ON_FLOAT32_UNITS = ("ieee", "tf32", "tf32x3")
"""Products that Triton computes without tensor cores.

The last two only on GPUs without TF32 units: Turing.
"""


@dataclass(frozen=True)
class Limit:
    """Shortest time in which a GPU could do what was counted.

    One time is that of its memory, and one of its arithmetic.
    """

    gpu: GpuModel
    memory: float
    """Seconds, if a cache serves every repeated access."""
    arithmetic: float
    """Seconds, if the slowest units are always busy."""
    special: float
    """Seconds, if the special function units are always busy."""
    useful: int
    """Operations that the work itself takes, whatever else the kernel does."""
    intensity: float

    @property
    def bound(self) -> str:
        return "memory" if self.memory >= self.arithmetic else "compute"

    @property
    def rate(self) -> float:
        """Useful operations per second, at most."""
        return self.useful / max(self.memory, self.arithmetic)

    @property
    def balance(self) -> float:
        """Operations per byte above which arithmetic is the limit.

        It depends on this kernel's mix of operations.
        """
        return self.intensity * self.memory / self.arithmetic if self.arithmetic else float("inf")

    def as_json(self) -> dict[str, object]:
        """Operations per second, in 1e12; `balance` in operations per byte."""
        return {
            "gpu": self.gpu.name,
            "bound": self.bound,
            "tflops_at_most": round(self.rate / 1e12, 4),
            "balance": round(self.balance, 2) if self.arithmetic else None,
        }


def limit_on(gpu: GpuModel, cost: Cost, useful: int) -> Limit | None:
    """Return the limit of the counted launches on one GPU.

    None if it has no unit for what they multiply.
    """
    if missing_unit(gpu, cost) is not None:
        return None
    float32 = (cost.operations - cost.special - sum(cost.products.values())) / gpu.float32
    tensor = 0.0
    for product, operations in cost.products.items():
        unit, products = TENSOR_PRODUCTS.get(product, ("", 0))
        # What a GPU has no tensor cores for, it does on its float32 units: see `missing_unit`.
        if unit in gpu.tensor:
            tensor += products * operations / gpu.tensor[unit]
        else:
            float32 += operations / gpu.float32
    special = cost.special / gpu.special
    # At best, units overlap perfectly, and the slowest one alone counts: fast attention comes close to that.
    arithmetic = max(float32, tensor, special)
    return Limit(gpu, cost.distinct / gpu.bandwidth, arithmetic, special, useful, cost.intensity)


def missing_unit(gpu: GpuModel, cost: Cost) -> str | None:
    """The first multiplied type for which the GPU has no known unit."""
    units = {product: TENSOR_PRODUCTS.get(product, (product, 0))[0] for product in cost.products}
    missing = (unit for product, unit in units.items() if unit not in gpu.tensor and product not in ON_FLOAT32_UNITS)
    return next(missing, None)


def limits_of(cost: Cost, useful: int) -> tuple[Limit | None, ...]:
    """On each of the published GPUs, in their order."""
    return tuple(limit_on(gpu, cost, useful) for gpu in PUBLISHED)
