"""Where undefined values come from: a masked load without `other=` leaves some, and what is computed with them is one.

So is the index of a loop after the loop.

NVIDIA's GPUs happen to give 0 there with this Triton, while Triton's documentation calls the value undefined. Here it
is NaN, and a launch that stores a result of it starts again to find out which load it was.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from triton_workshop.simulator.faults import PoisonSource
from triton_workshop.simulator.formats import Array
from triton_workshop.simulator.install import UNDEFINED_SWITCH


def counts_as_zero() -> bool:
    """Whether such elements are 0 here too."""
    return os.environ.get(UNDEFINED_SWITCH, "").strip().lower() == "zero"


class UndefinedResult(UserWarning):
    """A kernel has combined defined elements with undefined ones, and stored the result."""


class Poison(np.ndarray[Any, np.dtype[np.bool_]]):
    """Which elements are undefined, and by which loads. What numpy makes of it knows too."""

    sources: frozenset[PoisonSource] = frozenset()
    mixed: bool = False
    """Whether undefined elements were combined with defined ones, as in a sum."""

    def __array_finalize__(self, other: Any) -> None:
        self._learn([other])

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return _taught(getattr(ufunc, method)(*map(_plain, inputs), **_all_plain(options)), inputs)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        given = [*_parts(arguments), *_parts(options.values())]
        return _taught(function(*map(_plain, arguments), **_all_plain(options)), given)

    def _learn(self, teachers: Iterable[Any]) -> None:
        for teacher in teachers:
            if isinstance(teacher, Poison):
                self.sources |= teacher.sources
                self.mixed |= teacher.mixed


def poison_from(where: Array, source: PoisonSource) -> Poison:
    poison = np.asarray(where).view(Poison)
    poison.sources = frozenset({source})
    return poison


def source_of(poison: Array | bool | None) -> PoisonSource | None:
    """The first loop, or else the first load, that a value's undefined elements come from, if that is known."""
    sources = poison.sources if isinstance(poison, Poison) else ()
    return min(sources, key=lambda source: (not source.is_index, source.line.number), default=None)


def is_mixed(poison: Array | bool | None) -> bool:
    return isinstance(poison, Poison) and poison.mixed


def mixed(poison: Array, axis: int, *, in_order: bool = False) -> Array:
    """The poison of elements that are combined along an axis (each only with those before it, if `in_order`)."""
    if not isinstance(poison, Poison) or poison.mixed:
        return poison
    plain = np.asarray(poison)
    before = np.logical_or.accumulate(plain, axis=axis) if in_order else plain.any(axis=axis, keepdims=True)
    result = poison.view(Poison)
    result.mixed = bool((before & ~plain).any())
    return result


def _plain(thing: Any) -> Any:
    if isinstance(thing, Poison):
        return thing.view(np.ndarray)
    return type(thing)(map(_plain, thing)) if isinstance(thing, list | tuple) else thing


def _all_plain(options: dict[str, Any]) -> dict[str, Any]:
    return {name: _plain(option) for name, option in options.items()}


def _parts(things: Iterable[Any]) -> Iterator[Any]:
    for thing in things:
        yield from _parts(thing) if isinstance(thing, list | tuple) else (thing,)


def _taught(result: Any, teachers: Iterable[Any]) -> Any:
    if isinstance(result, np.ndarray):
        result = result.view(Poison)
        result._learn(teachers)
    return result
