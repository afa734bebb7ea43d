"""Roofline plot of benches: measured, or predicted by the counts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path

from triton_simulator.gpus import A100, H200, RTX_4090, T4
from triton_workshop.bench.attainable import TENSOR_PRODUCTS
from triton_workshop.bench.bench import Bench
from triton_workshop.bench.roofline import Point, Roof, draw_roofline
from triton_workshop.exercises.workloads import WORKLOADS

ROOFS = (T4, RTX_4090, A100, H200)
"""Four suffice: the names of more would lie on each other."""


def plot(benches: Sequence[Bench], file: Path) -> bool:
    """Draw all benches with figures in one picture; False if none has any.

    Raises OSError, and ValueError for a format that matplotlib does not know.
    """
    timed = [bench for bench in benches if bench.times is not None]
    counted = [bench for bench in benches if bench.counts is not None]
    if timed:
        assert timed[0].times is not None
        draw_roofline(
            f"{timed[0].times.measured_on.gpu}, measured", _measured_roofs(timed), list(_measured(timed)), file
        )
    elif counted:
        title = "Counted on the simulator, at the limit of an H200; roofs: published peaks"
        draw_roofline(title, _published_roofs(counted), list(_predicted(counted)), file)
    return bool(timed or counted)


def _predicted(benches: Sequence[Bench]) -> Iterator[Point]:
    for bench in benches:
        assert bench.counts is not None
        for number, contender in enumerate(bench.counts.contenders):
            limits = filter(None, contender.limits)
            limit = next((limit for limit in limits if limit.gpu is H200), None)
            if limit is not None:
                label = bench.exercise.launcher if number == 0 else ""
                useful = limit.useful / max(contender.cost.distinct, 1)
                yield Point(useful, limit.rate, contender.name, label)


def _published_roofs(benches: Sequence[Bench]) -> list[Roof]:
    """float32 on each GPU, and an H200's tensor cores if a kernel uses any."""
    roofs = [Roof(f"{gpu.name}, float32", gpu.bandwidth, gpu.float32) for gpu in ROOFS]
    counts = [bench.counts for bench in benches if bench.counts is not None]
    contenders = itertools.chain.from_iterable(counted.contenders for counted in counts)
    products = itertools.chain.from_iterable(contender.cost.products for contender in contenders)
    units = {TENSOR_PRODUCTS[product][0] for product in products if product in TENSOR_PRODUCTS}
    return roofs + [Roof(f"H200, {unit} tensor cores", H200.bandwidth, H200.tensor[unit]) for unit in sorted(units)]


def _measured(benches: Sequence[Bench]) -> Iterator[Point]:
    """The largest size of each kernel."""
    for bench in benches:
        assert bench.times is not None
        size = bench.times.sizes[-1]
        for name, timing in size.times.items():
            if name != "limit":
                label = f"{bench.exercise.launcher}, {size.size}" if name == bench.name else ""
                yield Point(size.operations / size.bytes, size.operations / timing.median * 1e3, name, label)


def _measured_roofs(benches: Sequence[Bench]) -> list[Roof]:
    """Return the roofs that were measured: a copy, and then tensor cores.

    Without a rate of the tensor cores, the roof goes to the edge of the picture.
    """
    # Each kernel has its own limit, by what bounds it; together they make a roofline.
    sizes = [(bench, size) for bench in benches if bench.times is not None for size in bench.times.sizes]
    copies = [
        s.bytes / s.times["limit"].median * 1e3 for b, s in sizes if not WORKLOADS[b.exercise.number].compute_bound
    ]
    products = [
        s.operations / s.times["limit"].median * 1e3 for b, s in sizes if WORKLOADS[b.exercise.number].compute_bound
    ]
    if not copies:
        largest = max(s.operations / s.bytes for _, s in sizes)
        # No bandwidth was measured: this one puts the corner at an eighth of the largest intensity.
        return [Roof("cuBLAS, float16", 8 * max(products) / largest, max(products))]
    name = "copy, then cuBLAS, float16" if products else "copy"
    return [Roof(name, max(copies), max(products, default=None))]
