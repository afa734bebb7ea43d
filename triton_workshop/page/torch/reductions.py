"""Sums, extremes and orders over dimensions. Sums of floating-point numbers are rounded once, from float64."""

from __future__ import annotations

import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from triton_workshop.page.torch.absent import NotInThisPageError
from triton_workshop.page.torch.dtypes import BOOL, INT64, UINT8, Array, dtype
from triton_workshop.page.torch.layout import axis_of
from triton_workshop.page.torch.tensor import Tensor, made, offer, stored
from triton_workshop.page.torch.views import flatten

# As PyTorch's, which can be unpacked, and whose parts have names.
Extreme: dict[str, Any] = {}
for _name in ("max", "min", "sort"):
    Extreme[_name] = namedtuple(_name, ("values", "indices"))


def axes_of(self: Tensor, dim: Any) -> tuple[int, ...]:
    """The dimensions that are asked for: all of them if none is."""
    if dim is None or dim == ():
        return tuple(range(self.ndim))
    found = tuple(axis_of(each, self.ndim) for each in (dim if isinstance(dim, tuple | list) else [dim]))
    if len(set(found)) < len(found):
        raise RuntimeError(f"dim {found[0]} appears multiple times in the list of dims")
    return found if self.ndim else ()


def _reduced(work: Callable[..., Array], self: Tensor, dim: Any, keepdim: bool, kind: dtype) -> Tensor:
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):  # a mean of nothing is NaN
        return made(work(self, axis=axes_of(self, dim), keepdims=keepdim), kind)


def _exact(self: Tensor, kind: dtype) -> Array:
    return self.values.astype("f8" if kind.rank == 2 else kind.stored)


def sum_(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    kind = dtype or (self.dtype if self.dtype.rank == 2 else INT64)
    result = _reduced(lambda x, **how: np.sum(_exact(x, kind), **how), self, dim, keepdim, kind)
    if self.backward_ is not None:  # of a function of the script's own: see `autograd`
        if dim is not None:
            raise NotInThisPageError("the gradient of torch.sum along a dimension")
        back = self.backward_
        result.backward_ = lambda gradient: back(made(np.broadcast_to(gradient.values, self.shape), self.dtype))
    elif self.requires_grad:
        raise NotInThisPageError("the gradient of torch.sum")
    return result


def prod(self: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    kind = dtype or (self.dtype if self.dtype.rank == 2 else INT64)
    return _reduced(lambda x, **how: np.prod(_exact(x, kind), **how), self, dim, keepdim, kind)


def _float_of(name: str, self: Tensor) -> dtype:
    if self.dtype.rank < 2:
        raise NotImplementedError(f"{name} is of floating-point numbers, not of {self.dtype!r}")
    return self.dtype


def mean(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    kind = dtype or _float_of("mean", self)
    return _reduced(lambda x, **how: np.mean(_exact(x, kind), **how), self, dim, keepdim, kind)


def var(self: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Tensor:
    work = lambda x, **how: np.var(x.values.astype("f8"), ddof=correction, **how)  # noqa: E731
    return _reduced(work, self, dim, keepdim, _float_of("var", self))


def std(self: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Tensor:
    work = lambda x, **how: np.std(x.values.astype("f8"), ddof=correction, **how)  # noqa: E731
    return _reduced(work, self, dim, keepdim, _float_of("std", self))


def norm(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
    if p not in ("fro", 2):
        raise NotInThisPageError(f"torch.norm with p={p}")
    work = lambda x, **how: np.sqrt(np.sum(x.values.astype("f8") ** 2, **how))  # noqa: E731
    return _reduced(work, self, dim, keepdim, _float_of("linalg.vector_norm", self))


def _truth(work: Callable[..., Array]) -> Any:
    def reduce(self: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        kind = UINT8 if self.dtype is UINT8 else BOOL
        return _reduced(lambda x, **how: work(x.values != 0, **how), self, dim, keepdim, kind)

    return reduce


def _extreme(name: str, work: Callable[..., Array], place: Callable[..., Array]) -> Any:
    from triton_workshop.page.torch.elementwise import TWO

    def reduce(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, Tensor):
            return TWO[f"{name}imum"](self, dim)
        if dim is None:
            if not self.size_:
                raise RuntimeError(f"no element has the {name}imum: name a dimension")
            return made(work(self.values), self.dtype)
        axis = axis_of(dim, self.ndim)
        values = self.values if self.ndim else self.values.reshape(1)
        kept = {"axis": axis, "keepdims": keepdim and bool(self.ndim)}
        found, where_ = work(values, **kept), place(values, **kept)
        shape = np.shape(found) if self.ndim else ()
        return Extreme[name](made(np.reshape(found, shape), self.dtype), made(np.reshape(where_, shape), INT64))

    return reduce


def _place(name: str, work: Callable[..., Array]) -> Any:
    def reduce(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        if not self.size_ and dim is None:
            raise IndexError(f"{name} of no element: name a dimension")
        axis = None if dim is None or not self.ndim else axis_of(dim, self.ndim)
        return made(work(self.values, axis=axis, keepdims=keepdim), INT64)

    return reduce


def amax(self: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return _reduced(lambda x, **how: np.max(x.values, **how), self, dim, keepdim, self.dtype)


def amin(self: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return _reduced(lambda x, **how: np.min(x.values, **how), self, dim, keepdim, self.dtype)


def cumsum(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    kind = dtype or (self.dtype if self.dtype.rank == 2 else INT64)
    values = np.atleast_1d(_exact(self, kind))
    return made(np.cumsum(values, axis_of(dim, self.ndim)).reshape(self.shape), kind)


def sort(self: Tensor, dim: int = -1, descending: bool = False) -> Any:
    axis, values = axis_of(dim, self.ndim), np.atleast_1d(self.values)
    if descending:  # what is equal keeps its order in both directions
        values = np.flip(values, axis)
    order = np.argsort(values, axis, kind="stable")
    if descending:
        order = values.shape[axis] - 1 - np.flip(order, axis)
        values = np.flip(values, axis)
    found = np.take_along_axis(values, order, axis)
    return Extreme["sort"](made(found.reshape(self.shape), self.dtype), made(order.reshape(self.shape), INT64))


def nonzero(self: Tensor) -> Tensor:
    places = np.argwhere(self.values)
    return made(places, INT64, (1, max(len(places), 1)))


def unique(self: Tensor) -> Tensor:
    return made(np.unique(self.values), self.dtype)


def softmax(self: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    kind = dtype or self.dtype
    if dim is None or kind.rank < 2:
        raise NotInThisPageError("torch.softmax of integers or without a dimension")
    values, axis = np.atleast_1d(self.values.astype("f8")), axis_of(dim, self.ndim)
    with np.errstate(all="ignore"):
        powers = np.exp(values - values.max(axis, keepdims=True, initial=-np.inf))
        return made((powers / powers.sum(axis, keepdims=True)).reshape(self.shape), kind)


def logsumexp(self: Tensor, dim: int, keepdim: bool = False) -> Tensor:
    def work(x: Tensor, **how: Any) -> Array:
        values = x.values.astype("f8")
        most = np.max(values, axis=how["axis"], keepdims=True)
        most = np.where(np.isfinite(most), most, 0.0)
        sums: Array = np.log(np.sum(np.exp(values - most), **how))
        return sums + most.reshape(sums.shape)

    return _reduced(work, self, dim, keepdim, _float_of("logsumexp", self))


def gather(self: Tensor, dim: int, index: Tensor) -> Tensor:
    axis = axis_of(dim, self.ndim)
    near = tuple(slice(None) if each == axis else slice(size) for each, size in enumerate(index.shape))
    return stored(np.take_along_axis(self.array[near], index.array, axis), self.dtype)


def isclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Tensor:
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype!r} and {other.dtype!r} are two dtypes")
    one, two = (each.values.astype("f8") for each in (input, other))
    with np.errstate(all="ignore"):
        return made(np.isclose(one, two, rtol, atol, equal_nan), BOOL)


def equal(input: Tensor, other: Tensor) -> bool:
    if not isinstance(other, Tensor):
        raise TypeError(f"equal(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype!r} and {other.dtype!r} are two dtypes")
    return input.shape == other.shape and bool(np.array_equal(input.values, other.values))


def repeat_interleave(self: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    times = repeats.array if isinstance(repeats, Tensor) else repeats
    return stored(np.repeat((self if dim is not None else flatten(self)).array, times, dim or 0), self.dtype)


def argsort(self: Tensor, dim: int = -1, descending: bool = False) -> Tensor:
    return sort(self, dim, descending).indices  # type: ignore[no-any-return]


def flip(self: Tensor, *dims: Any) -> Tensor:
    return stored(np.flip(self.array, axes_of(self, dims[0] if len(dims) == 1 else dims)), self.dtype)


def roll(self: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    return stored(np.roll(self.array, shifts, dims), self.dtype)


TABLE = {
    "all": _truth(np.all),
    "any": _truth(np.any),
    "max": _extreme("max", np.max, np.argmax),
    "min": _extreme("min", np.min, np.argmin),
    "argmax": _place("argmax", np.argmax),
    "argmin": _place("argmin", np.argmin),
    "count_nonzero": lambda self: made(np.count_nonzero(self.values), INT64),
    "allclose": lambda *tensors, **how: bool(isclose(*tensors, **how).array.all()),
}
offer("sum", vars(), function=True, method=True, gradient=True)
offer(" ".join(TABLE), TABLE, function=True, method=True)
offer("prod mean var std norm amax amin cumsum sort argsort nonzero", vars(), function=True, method=True)
offer("unique softmax logsumexp gather isclose equal repeat_interleave flip roll", vars(), function=True, method=True)
