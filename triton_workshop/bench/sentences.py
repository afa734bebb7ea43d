"""Conclusions from a count, in words.

The figures in every sentence decide whether it is said.
"""

from __future__ import annotations

from collections.abc import Iterator

from triton_simulator.gpus import H200
from triton_workshop.bench.attainable import TENSOR_PRODUCTS, Limit, limits_of
from triton_workshop.costs.cost import Cost

OFTEN = 1.5
"""Requests per byte, or times the fewest sectors, worth a sentence."""
MANY = 0.1
"""The share of all lanes that masks may leave out without a sentence."""
SPECIAL = 0.5
"""The share of arithmetic's time that exponentials may take without a sentence."""
CLEARLY = 1.2
"""Ratio of bytes that is worth a sentence."""
_SPOKEN_WITH_A_VOWEL = "AEFHILMNORSX"
"""Letters whose names begin with a vowel."""


def sentences(cost: Cost, useful: int, noun: str | None = None, fast: Cost | None = None) -> tuple[str, ...]:
    """Return the conclusions from a kernel's counts.

    `useful`: the operations that the work itself takes. `noun`: what an element of the largest input is, such as a
    pixel. `fast`: the cost of the fast solution, if the kernel is another.
    """
    facts = [*_redundancy(cost, noun), *_scatter(cost), *_masks(cost)]
    # Praise only what is nearly perfect: between that and OFTEN there is nothing to say.
    is_nearly_perfect = max(cost.reuse, cost.spread) < 1.05
    if not facts and is_nearly_perfect:
        facts = ["asks for each byte once, in whole sectors; caching can't help"]
    limits = tuple(limit for limit in limits_of(cost, useful) if limit is not None)
    return (
        _bound(limits),
        *_exponentials(limits),
        *facts,
        *(_compare_with_fast(cost, fast) if fast is not None else ()),
    )


def _bound(limits: tuple[Limit, ...]) -> str:
    if not limits:
        return "no published GPU has units for what this kernel multiplies"
    bounds = {limit.bound for limit in limits}
    example = _example(limits)
    intensity = number(example.intensity)
    if bounds == {"memory"}:
        return f"memory-bound: {intensity} operations per byte, {_a(example)} needs {number(example.balance)}"
    if bounds == {"compute"}:
        return f"compute-bound: {intensity} operations per byte, {_a(example)} needs only {number(example.balance)}"
    sides = [_side(limits, bound) for bound in ("memory", "compute")]
    return f"{intensity} operations per byte: {sides[0]}, {sides[1]}"


def _example(limits: tuple[Limit, ...]) -> Limit:
    """The slides name an H200, so sentences do too, if it can run the kernel."""
    return next((limit for limit in limits if limit.gpu is H200), limits[-1])


def _exponentials(limits: tuple[Limit, ...]) -> Iterator[str]:
    """Say so if they, or roots and logarithms, take much of the time."""
    example = _example(limits) if limits else None
    if example is None or example.bound == "memory":
        return
    share = example.special / example.arithmetic
    if share >= SPECIAL:
        yield f"exponentials keep their own units busy for {share:.0%} of the time on {_a(example)}"


def _side(limits: tuple[Limit, ...], bound: str) -> str:
    gpus = [f"{_a(limit)} (needs {number(limit.balance)})" for limit in limits if limit.bound == bound]
    return f"{bound} is the limit on {' and '.join(gpus)}"


def _a(limit: Limit) -> str:
    """The name with its article: an RTX, an A100, an L40, but a T4."""
    return f"{'an' if limit.gpu.name[0] in _SPOKEN_WITH_A_VOWEL else 'a'} {limit.gpu.name}"


def _redundancy(cost: Cost, noun: str | None) -> Iterator[str]:
    """The input that is asked for repeatedly the most, in bytes."""
    loads = [access for access in cost.accesses if access.read_only]
    worst = max(loads, key=lambda access: access.asked - access.distinct, default=None)
    if worst is None or worst.asked < OFTEN * worst.distinct:
        return
    # The noun is for elements of the largest input, such as pixels, and not for those of a filter.
    largest = worst.distinct == max(access.distinct for access in loads)
    element = noun if noun and largest else f"element of {worst.argument}"
    subject = f"{worst.kernel} " if len(set(cost.kernels)) > 1 else ""
    times = worst.asked / worst.distinct
    yield f"{subject}asks for each {element} {number(times)} times; a cache must serve {number(times - 1)} of them"


def _scatter(cost: Cost) -> Iterator[str]:
    """Name the argument with the most sectors beyond the fewest possible."""
    worst = max(cost.accesses, key=lambda access: access.sectors - access.least_sectors, default=None)
    if worst is None or worst.sectors < OFTEN * worst.least_sectors:
        return
    verb, does = ("writes", "takes") if worst.stored else ("reads", "brings")
    apart = f" with a stride of {worst.step:,} bytes" if worst.step is not None else ""
    rows = f"rows of {number(worst.useful / worst.rows)} bytes{apart}"
    useful = number(worst.useful / worst.sectors)
    yield f"{verb} {worst.argument} in {rows}: each 32-byte sector {does} {useful} useful bytes"


def _masks(cost: Cost) -> Iterator[str]:
    if cost.idle:
        yield f"{cost.idle:,} of {cost.programs:,} programs store nothing: the grid is larger than the work"
    share = cost.masked / max(1, cost.lanes)
    if share >= MANY:
        yield f"masks leave out {share:.0%} of all lanes: blocks reach beyond the data"


def _compare_with_fast(cost: Cost, fast: Cost) -> Iterator[str]:
    if fast.asked * CLEARLY < cost.asked:
        yield f"the fast solution asks for {1 - fast.asked / cost.asked:.0%} fewer bytes"
    plain, tensor = cost.products.get("ieee", 0), _on_tensor_cores(fast)
    if _on_tensor_cores(cost):
        return
    # Several products on tensor cores may take the place of one exact product.
    if plain and tensor:
        faster = max(H200.tensor.values()) / H200.float32
        yield (
            f"the fast solution does {number(tensor / plain)} times the products, on tensor cores: "
            f"an H200's do {number(faster)} times as many per second"
        )


def _on_tensor_cores(cost: Cost) -> int:
    products = ((TENSOR_PRODUCTS.get(product, ("", 0))[1], operations) for product, operations in cost.products.items())
    return sum(times * operations for times, operations in products)


def number(value: float) -> str:
    """Format a number with two digits, or all before the point.

    There are no trailing zeros.
    """
    digits = 0
    if value < 10:
        digits = 1 if value >= 1 else 2
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
