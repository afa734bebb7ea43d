"""Undefined values and where they come from.

A masked load without `other=` leaves some, and what is computed with them is one.

So is the index of a loop after the loop, and what a division by zero or a shift by too many bits gives.

NVIDIA's GPUs happen to give 0 there with this Triton, while Triton's documentation calls the value undefined. Here it
is NaN, or an absurd integer; a mask of such elements goes with every value, whatever its type, and a launch that stores
a result of one starts again to find out which load it was.
"""

from __future__ import annotations

import itertools
import operator
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from triton_simulator.faults import PoisonSource
from triton_simulator.signals import Numbers
from triton_simulator.values.formats import Array, undefined_value

UNDEFINED_VARIABLE = "TRITON_SIMULATOR_UNDEFINED"
"""The variable that, set to `zero`, makes undefined loads 0.

It concerns what a masked load without `other=` leaves undefined, for kernels that rely on what NVIDIA's GPUs happen to
do.
"""


_numbers = Numbers.ABSURD
"""The numbers of the launch that runs; only one runs at a time."""


def use_numbers(numbers: Numbers) -> None:
    """Let these numbers stand for undefined elements from now on."""
    global _numbers
    _numbers = numbers


def stand_in(dtype: Any) -> Any:
    """Return the number that a launch computes with where nothing defined one."""
    return undefined_value(dtype, _numbers)


def undefined_is_zero() -> bool:
    """Return whether such elements are 0 here too."""
    return os.environ.get(UNDEFINED_VARIABLE, "").strip().lower() == "zero"


class Poison(np.ndarray[Any, np.dtype[np.bool_]]):
    """Mask of undefined elements, by their source.

    For each source (a load, a loop) it knows which of them come from it.

    Whatever numpy makes of it, it makes of each source's part too.
    """

    by_source: dict[PoisonSource, Array]
    mixed: bool = False
    """True if undefined elements were combined with defined ones.

    A sum does that.
    """

    def __array_finalize__(self, source: Any) -> None:
        self.by_source = {}
        self.mixed = isinstance(source, Poison) and source.mixed

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return _propagate(getattr(ufunc, method), inputs, options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        return _propagate(function, arguments, options)

    def __getitem__(self, key: Any) -> Any:
        return _propagate(operator.getitem, (self, key), {})


def _method(name: str) -> Any:
    return lambda poison, *arguments, **options: _propagate(
        operator.methodcaller(name, *arguments, **options), (poison,), {}
    )


for _name in ("astype", "copy", "reshape", "squeeze", "swapaxes", "transpose"):
    setattr(Poison, _name, _method(_name))


def make_poison(where: Array, source: PoisonSource) -> Poison:
    """Return poison of a single source."""
    poison = np.asarray(where).view(Poison)
    poison.by_source = {source: np.asarray(where)}
    return poison


def source_of(poison: Array | None, matters: Callable[[Array], Array] = lambda part: part) -> PoisonSource | None:
    """Return the source of a value's undefined elements, if known.

    Operations and loops come before loads, then what comes first is the source of the first element.

    `matters` picks those elements that matter, out of an array like `poison`.
    """
    by_source = poison.by_source if isinstance(poison, Poison) else {}
    firsts = {source: np.flatnonzero(matters(mask))[:1] for source, mask in by_source.items()}
    sources = [source for source, first in firsts.items() if len(first)]
    return min(sources, key=lambda source: (source.is_load, int(firsts[source][0]), source.line.number), default=None)


def is_mixed(poison: Array | None) -> bool:
    """Return whether poison was combined with defined elements."""
    return isinstance(poison, Poison) and poison.mixed


def mark_mixed(poison: Array, axis: int, *, in_order: bool = False) -> Array:
    """Return the poison of elements that are combined along an axis.

    Each is combined only with those before it, if `in_order`.
    """
    if not isinstance(poison, Poison):
        return poison
    if poison.mixed:
        return poison
    plain = np.asarray(poison)
    combined = np.logical_or.accumulate(plain, axis=axis) if in_order else plain.any(axis=axis, keepdims=True)
    result: Poison = poison.copy()
    result.mixed = bool((combined & ~plain).any())
    return result


def _propagate(function: Callable[..., Any], arguments: Any, options: dict[str, Any]) -> Any:
    """Apply a function to poison, and to each source's part alone."""
    poisons = list(_poisons([*arguments, *options.values()]))
    computed = function(*_select_source(arguments, None), **_select_source(options, None))
    # What is no mask, such as a count, has no elements that could have a source.
    is_mask = isinstance(computed, np.ndarray | np.bool_) and computed.dtype == np.bool_
    if not is_mask:
        return computed
    result = np.asarray(computed).view(Poison)
    result.mixed = any(poison.mixed for poison in poisons)
    sources = dict.fromkeys(itertools.chain.from_iterable(poison.by_source for poison in poisons))
    # The function runs once for each source, too, as it may move or combine elements in any way.
    for source in sources:
        mask = function(*_select_source(arguments, source), **_select_source(options, source))
        result.by_source[source] = np.broadcast_to(mask, result.shape)
    return result


def _poisons(things: Iterable[Any]) -> Iterator[Poison]:
    for thing in things:
        if isinstance(thing, Poison):
            yield thing
        elif isinstance(thing, list | tuple):
            yield from _poisons(thing)


def _select_source(thing: Any, source: PoisonSource | None) -> Any:
    """Return arguments in which poison is a plain array.

    It is one source's poison, or all of it.
    """
    if isinstance(thing, Poison):
        plain = thing.view(np.ndarray)
        return plain if source is None else thing.by_source.get(source, np.zeros_like(plain))
    if isinstance(thing, dict):
        return {name: _select_source(item, source) for name, item in thing.items()}
    if type(thing) in (list, tuple):
        return type(thing)(_select_source(item, source) for item in thing)
    return thing
