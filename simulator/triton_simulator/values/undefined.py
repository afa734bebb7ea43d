"""Where undefined values come from: a masked load without `other=` leaves some, and what is computed with them is one.

So is the index of a loop after the loop, and what a division by zero or a shift by too many bits gives.

NVIDIA's GPUs happen to give 0 there with this Triton, while Triton's documentation calls the value undefined. Here it
is NaN, or an absurd integer; a mask of such elements goes with every value, whatever its type, and a launch that stores
a result of one starts again to find out which load it was.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from triton_simulator.faults import PoisonSource
from triton_simulator.values.formats import Array

UNDEFINED_SWITCH = "TRITON_SIMULATOR_UNDEFINED"
"""Set to `zero`, this environment variable makes 0 of what a masked load without `other=` leaves undefined, for kernels
that rely on what NVIDIA's GPUs happen to do."""


def counts_as_zero() -> bool:
    """Whether such elements are 0 here too."""
    return os.environ.get(UNDEFINED_SWITCH, "").strip().lower() == "zero"


class UndefinedResult(UserWarning):
    """A kernel has combined defined elements with undefined ones, and stored the result."""


class Poison(np.ndarray[Any, np.dtype[np.bool_]]):
    """Which elements are undefined, and for each source (a load, a loop) which of them come from it.

    Whatever numpy makes of it, it makes of each source's part too.
    """

    parts: dict[PoisonSource, Array]
    mixed: bool = False
    """Whether undefined elements were combined with defined ones, as in a sum."""

    def __array_finalize__(self, other: Any) -> None:
        self.parts = {}
        self.mixed = isinstance(other, Poison) and other.mixed

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return _made(getattr(ufunc, method), inputs, options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        return _made(function, arguments, options)

    def __getitem__(self, key: Any) -> Any:
        return _made(operator.getitem, (self, key), {})


def _method(name: str) -> Any:
    return lambda poison, *arguments, **options: _made(
        operator.methodcaller(name, *arguments, **options), (poison,), {}
    )


for _name in ("astype", "copy", "reshape", "squeeze", "swapaxes", "transpose"):
    setattr(Poison, _name, _method(_name))


def poison_from(where: Array, source: PoisonSource) -> Poison:
    poison = np.asarray(where).view(Poison)
    poison.parts = {source: np.asarray(where)}
    return poison


def source_of(poison: Array | None, matters: Callable[[Array], Array] = lambda part: part) -> PoisonSource | None:
    """The first operation, loop, or else load that a value's undefined elements come from, if that is known.

    `matters` picks those elements that matter, out of an array like `poison`.
    """
    parts = poison.parts if isinstance(poison, Poison) else {}
    sources = (source for source, part in parts.items() if matters(part).any())
    return min(sources, key=lambda source: (source.is_load, source.line.number), default=None)


def is_mixed(poison: Array | None) -> bool:
    return isinstance(poison, Poison) and poison.mixed


def mixed(poison: Array, axis: int, *, in_order: bool = False) -> Array:
    """The poison of elements that are combined along an axis (each only with those before it, if `in_order`)."""
    if not isinstance(poison, Poison) or poison.mixed:
        return poison
    plain = np.asarray(poison)
    before = np.logical_or.accumulate(plain, axis=axis) if in_order else plain.any(axis=axis, keepdims=True)
    result: Poison = poison.copy()
    result.mixed = bool((before & ~plain).any())
    return result


def _made(function: Callable[..., Any], arguments: Any, options: dict[str, Any]) -> Any:
    """What a function makes of poison, and of each source's part alone."""
    given = list(_poisons([*arguments, *options.values()]))
    made = function(*_only(arguments, None), **_only(options, None))
    if not isinstance(made, np.ndarray | np.bool_) or made.dtype != np.bool_:
        return made
    result = np.asarray(made).view(Poison)
    result.mixed = any(poison.mixed for poison in given)
    for source in dict.fromkeys(source for poison in given for source in poison.parts):
        part = function(*_only(arguments, source), **_only(options, source))
        result.parts[source] = np.broadcast_to(part, result.shape)
    return result


def _poisons(things: Iterable[Any]) -> Iterator[Poison]:
    for thing in things:
        if isinstance(thing, Poison):
            yield thing
        elif isinstance(thing, list | tuple):
            yield from _poisons(thing)


def _only(thing: Any, source: PoisonSource | None) -> Any:
    """Arguments in which poison is a plain array: a source's part of it, or all."""
    if isinstance(thing, Poison):
        plain = thing.view(np.ndarray)
        return plain if source is None else thing.parts.get(source, np.zeros_like(plain))
    if isinstance(thing, dict):
        return {name: _only(part, source) for name, part in thing.items()}
    return type(thing)(_only(part, source) for part in thing) if type(thing) in (list, tuple) else thing
