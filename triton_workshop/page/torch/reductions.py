"""Sums, extremes and orders over dimensions.

Sums of floating-point numbers are rounded once, from float64.
"""

from __future__ import annotations

import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from triton_workshop.page.torch.absent import NotInThisPageError
from triton_workshop.page.torch.dtypes import BOOL, INT64, UINT8, Array, dtype
from triton_workshop.page.torch.layout import normalize_axis
from triton_workshop.page.torch.tensor import Tensor, _grad_enabled, from_encoded, from_values, register
from triton_workshop.page.torch.views import flatten

# As PyTorch's, which can be unpacked, and whose parts have names.
RESULT_TYPES: dict[str, Any] = {}
for _name in ("max", "min", "sort"):
    RESULT_TYPES[_name] = namedtuple(_name, ("values", "indices"))


def normalize_axes(self: Tensor, dim: Any) -> tuple[int, ...]:
    """Return the requested dimensions, by default all."""
    if dim is None or dim == ():
        return tuple(range(self.ndim))
    dims = dim if isinstance(dim, tuple | list) else [dim]
    axes = tuple(normalize_axis(axis, self.ndim) for axis in dims)
    repeated = next((axis for position, axis in enumerate(axes) if axis in axes[:position]), None)
    if repeated is not None:
        raise RuntimeError(f"dim {repeated} appears multiple times in the list of dims")
    # PyTorch takes 0 and -1 as dimensions of a scalar, where numpy has no axis.
    return axes if self.ndim else ()


def _reduce(operation: Callable[..., Array], self: Tensor, dim: Any, keepdim: bool, kind: dtype) -> Tensor:
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):  # a mean of nothing is NaN
        return from_values(operation(self, axis=normalize_axes(self, dim), keepdims=keepdim), kind)


def _accumulator_values(self: Tensor, kind: dtype) -> Array:
    return self.values.astype("f8" if kind.rank == 2 else kind.stored)


def _total_dtype(self: Tensor) -> dtype:
    """Return the dtype of a sum or a product: int64 for integers."""
    return self.dtype if self.dtype.rank == 2 else INT64


def sum_(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Sum over dimensions."""
    kind = dtype or _total_dtype(self)
    result = _reduce(lambda x, **options: np.sum(_accumulator_values(x, kind), **options), self, dim, keepdim, kind)
    if not _grad_enabled[0]:
        return result
    if self.backward_ is not None:  # of a function of the script's own: see `install.Function`
        if dim is not None:
            raise NotInThisPageError("the gradient of torch.sum along a dimension")
        back = self.backward_
        result.requires_grad = True
        result.backward_ = lambda gradient: back(from_values(np.broadcast_to(gradient.values, self.shape), self.dtype))
    elif self.requires_grad:
        raise NotInThisPageError("the gradient of torch.sum")
    return result


def prod(self: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Multiply over a dimension."""
    kind = dtype or _total_dtype(self)
    return _reduce(lambda x, **options: np.prod(_accumulator_values(x, kind), **options), self, dim, keepdim, kind)


def _require_float(name: str, self: Tensor) -> dtype:
    if self.dtype.rank < 2:
        raise NotImplementedError(f"{name} is of floating-point numbers, not of {self.dtype!r}")
    return self.dtype


def mean(self: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """Average over dimensions."""
    kind = dtype or _require_float("mean", self)
    return _reduce(lambda x, **options: np.mean(_accumulator_values(x, kind), **options), self, dim, keepdim, kind)


def var(self: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Tensor:
    """Return the variance over dimensions."""
    operation = lambda x, **options: np.var(x.values.astype("f8"), ddof=correction, **options)  # noqa: E731
    return _reduce(operation, self, dim, keepdim, _require_float("var", self))


def std(self: Tensor, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Tensor:
    """Return the standard deviation over dimensions."""
    operation = lambda x, **options: np.std(x.values.astype("f8"), ddof=correction, **options)  # noqa: E731
    return _reduce(operation, self, dim, keepdim, _require_float("std", self))


def norm(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
    """Return the Euclidean norm over dimensions."""
    if p not in ("fro", 2):
        raise NotInThisPageError(f"torch.norm with p={p}")
    operation = lambda x, **options: np.sqrt(np.sum(x.values.astype("f8") ** 2, **options))  # noqa: E731
    return _reduce(operation, self, dim, keepdim, _require_float("linalg.vector_norm", self))


def _truth_reduction(operation: Callable[..., Array]) -> Any:
    def reduce(self: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        kind = UINT8 if self.dtype is UINT8 else BOOL
        return _reduce(lambda x, **options: operation(x.values != 0, **options), self, dim, keepdim, kind)

    return reduce


def _extreme_reduction(name: str, operation: Callable[..., Array], index_operation: Callable[..., Array]) -> Any:
    from triton_workshop.page.torch.elementwise import BINARY

    def reduce(self: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        if isinstance(dim, Tensor):
            # torch.max(a, b) is of two tensors, torch.max(a, dim) of one.
            return BINARY[f"{name}imum"](self, dim)
        if dim is None:
            if not self.size_:
                raise RuntimeError(f"no element has the {name}imum: name a dimension")
            return from_values(operation(self.values), self.dtype)
        axis = normalize_axis(dim, self.ndim)
        # numpy reduces no scalar along a dimension, PyTorch does.
        values = self.values if self.ndim else self.values.reshape(1)
        options = {"axis": axis, "keepdims": keepdim and bool(self.ndim)}
        extremes, indices = operation(values, **options), index_operation(values, **options)
        shape = np.shape(extremes) if self.ndim else ()
        return RESULT_TYPES[name](
            from_values(np.reshape(extremes, shape), self.dtype), from_values(np.reshape(indices, shape), INT64)
        )

    return reduce


def _index_reduction(name: str, operation: Callable[..., Array]) -> Any:
    def reduce(self: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        if dim is None:
            if not self.size_:
                raise IndexError(f"{name} of no element: name a dimension")
            return from_values(operation(self.values, axis=None, keepdims=keepdim), INT64)
        axis = normalize_axis(dim, self.ndim) if self.ndim else None
        return from_values(operation(self.values, axis=axis, keepdims=keepdim), INT64)

    return reduce


def amax(self: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the maximum over dimensions."""
    return _reduce(lambda x, **options: np.max(x.values, **options), self, dim, keepdim, self.dtype)


def amin(self: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Return the minimum over dimensions."""
    return _reduce(lambda x, **options: np.min(x.values, **options), self, dim, keepdim, self.dtype)


def cumsum(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """Return running sums along a dimension."""
    kind = dtype or _total_dtype(self)
    values = np.atleast_1d(_accumulator_values(self, kind))
    return from_values(np.cumsum(values, normalize_axis(dim, self.ndim)).reshape(self.shape), kind)


def sort(self: Tensor, dim: int = -1, descending: bool = False) -> Any:
    """Sort along a dimension; equal values keep their order."""
    axis, values = normalize_axis(dim, self.ndim), np.atleast_1d(self.values)
    if descending:  # what is equal keeps its order in both directions
        values = np.flip(values, axis)
    order = np.argsort(values, axis, kind="stable")
    if descending:
        order = values.shape[axis] - 1 - np.flip(order, axis)
        values = np.flip(values, axis)
    ordered = np.take_along_axis(values, order, axis)
    return RESULT_TYPES["sort"](
        from_values(ordered.reshape(self.shape), self.dtype), from_values(order.reshape(self.shape), INT64)
    )


def nonzero(self: Tensor) -> Tensor:
    """Return the indices of elements that are not zero."""
    indices = np.argwhere(self.values)
    # In memory, PyTorch's indices lie column by column.
    return from_values(indices, INT64, (1, max(len(indices), 1)))


def unique(self: Tensor) -> Tensor:
    """Return the different values, sorted."""
    return from_values(np.unique(self.values), self.dtype)


def softmax(self: Tensor, dim: int | None = None, dtype: Any = None) -> Tensor:
    """Compute softmax along a dimension, in float64."""
    kind = dtype or self.dtype
    if dim is None or kind.rank < 2:
        raise NotInThisPageError("torch.softmax of integers or without a dimension")
    values, axis = np.atleast_1d(self.values.astype("f8")), normalize_axis(dim, self.ndim)
    with np.errstate(all="ignore"):
        # `initial`, because numpy finds no maximum in a dimension without elements.
        powers = np.exp(values - values.max(axis, keepdims=True, initial=-np.inf))
        return from_values((powers / powers.sum(axis, keepdims=True)).reshape(self.shape), kind)


def logsumexp(self: Tensor, dim: int, keepdim: bool = False) -> Tensor:
    """Compute the logarithm of summed exponentials, in float64."""

    def operation(x: Tensor, **options: Any) -> Array:
        values = x.values.astype("f8")
        largest = np.max(values, axis=options["axis"], keepdims=True)
        # Without an infinity, which would give NaN when it is subtracted.
        largest = np.where(np.isfinite(largest), largest, 0.0)
        sums: Array = np.log(np.sum(np.exp(values - largest), **options))
        return sums + largest.reshape(sums.shape)

    return _reduce(operation, self, dim, keepdim, _require_float("logsumexp", self))


def gather(self: Tensor, dim: int, index: Tensor) -> Tensor:
    """Collect elements along a dimension by index."""
    axis = normalize_axis(dim, self.ndim)
    # numpy broadcasts the other dimensions; PyTorch takes only those elements that the index spans.
    window = tuple(slice(None) if position == axis else slice(size) for position, size in enumerate(index.shape))
    return from_encoded(np.take_along_axis(self.array[window], index.array, axis), self.dtype)


def isclose(
    input: Tensor,
    other: Tensor,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Tensor:
    """Return a mask of elements that are close to each other."""
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype!r} and {other.dtype!r} are two dtypes")
    first, second = (tensor.values.astype("f8") for tensor in (input, other))
    with np.errstate(all="ignore"):
        return from_values(np.isclose(first, second, rtol, atol, equal_nan), BOOL)


def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors of one dtype are equal."""
    if not isinstance(other, Tensor):
        raise TypeError(f"equal(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype!r} and {other.dtype!r} are two dtypes")
    return input.shape == other.shape and bool(np.array_equal(input.values, other.values))


def repeat_interleave(self: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    """Repeat each element."""
    times = repeats.array if isinstance(repeats, Tensor) else repeats
    operand = self if dim is not None else flatten(self)
    return from_encoded(np.repeat(operand.array, times, dim or 0), self.dtype)


def argsort(self: Tensor, dim: int = -1, descending: bool = False) -> Tensor:
    """Return the indices that sort along a dimension."""
    return sort(self, dim, descending).indices  # type: ignore[no-any-return]


def flip(self: Tensor, *dims: Any) -> Tensor:
    """Reverse the order along dimensions."""
    return from_encoded(np.flip(self.array, normalize_axes(self, dims[0] if len(dims) == 1 else dims)), self.dtype)


def roll(self: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Shift elements along dimensions, around the end."""
    return from_encoded(np.roll(self.array, shifts, dims), self.dtype)


TABLE = {
    "all": _truth_reduction(np.all),
    "any": _truth_reduction(np.any),
    "max": _extreme_reduction("max", np.max, np.argmax),
    "min": _extreme_reduction("min", np.min, np.argmin),
    "argmax": _index_reduction("argmax", np.argmax),
    "argmin": _index_reduction("argmin", np.argmin),
    "count_nonzero": lambda self: from_values(np.count_nonzero(self.values), INT64),
    "allclose": lambda *tensors, **options: bool(isclose(*tensors, **options).array.all()),
}
register("sum", vars(), function=True, method=True, gradient=True)
register(" ".join(TABLE), TABLE, function=True, method=True)
register("prod mean var std norm amax amin cumsum sort argsort nonzero", vars(), function=True, method=True)
register(
    "unique softmax logsumexp gather isclose equal repeat_interleave flip roll", vars(), function=True, method=True
)
