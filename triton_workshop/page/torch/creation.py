"""Creation of tensors from numbers, arrays and other tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from triton_workshop.page.torch import layout
from triton_workshop.page.torch.dtypes import BOOL, FLOAT32, INT64, dtype, dtype_of_array, dtype_of_numbers, require_cpu
from triton_workshop.page.torch.elementwise import result_type, to_python
from triton_workshop.page.torch.layout import normalize_axis
from triton_workshop.page.torch.tensor import Tensor, empty, from_encoded, from_values, register, tensor_over, to_shape
from triton_workshop.page.torch.views import copy_, copy_as, requires_grad_

UNWRITTEN = {"b": True, "i": None, "u": None, "f": math.nan}
"""Value of memory before anything is written, by kind of dtype.

For integers it is the largest.
"""


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Create a tensor from numbers, an array or a tensor, always as a copy."""
    require_cpu(device)
    if isinstance(data, Tensor):
        new = copy_as(data, dtype or data.dtype)
    elif isinstance(data, np.ndarray | np.generic):
        new = from_values(data, dtype or dtype_of_array(np.asarray(data)))
    else:
        new = _from_numbers(data, dtype)
    return requires_grad_(new, requires_grad) if requires_grad else new


def _from_numbers(data: Any, kind: dtype | None) -> Tensor:
    leaves, nested = list(_leaves(data)), _to_lists(data)
    # By itself, numpy takes uint64 or objects for integers beyond 63 bits: asked for int64, it raises.
    all_ints = bool(leaves) and all(map(_is_integer, leaves))
    try:
        values = np.array(nested, np.int64 if all_ints else None)
    except ValueError:
        raise ValueError("expected sequence of equal length at every dimension") from None
    except OverflowError:
        raise ValueError("a number has no room in 64 bits") from None
    first = next(iter(leaves), None)
    default = first.dtype if isinstance(first, Tensor) else dtype_of_numbers(values)
    return from_values(values, kind or default)


def _is_integer(item: Any) -> bool:
    return isinstance(item, int) and not isinstance(item, bool)


def _leaves(data: Any) -> Iterator[Any]:
    if isinstance(data, list | tuple | range):
        for item in data:
            yield from _leaves(item)
    else:
        yield data


def _to_lists(data: Any) -> Any:
    if isinstance(data, list | tuple | range):
        return [_to_lists(item) for item in data]
    return data.values.tolist() if isinstance(data, Tensor) else data


def _to_number(value: Any) -> Any:
    """Return the number of a tensor or of numpy as Python's."""
    return to_python(value.number if isinstance(value, Tensor) else value)


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Create a tensor of one value."""
    require_cpu(device)
    value = _to_number(fill_value)
    kind = dtype or dtype_of_numbers(np.asarray(value))
    new = empty(to_shape([size] if isinstance(size, tuple | list) else (size,)), kind)
    copy_(new, from_values(value, kind))
    return requires_grad_(new, requires_grad)


def _filled(value: Any) -> Callable[..., Tensor]:
    def make(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        return full(to_shape(size), value, dtype=dtype or FLOAT32, device=device, requires_grad=requires_grad)

    return make


def mark_unwritten(new: Tensor) -> Tensor:
    """Fill a tensor with values that show that nothing has been written.

    Memory may hold anything.
    """
    kind = new.dtype.stored.kind if not new.dtype.is_bfloat16 else "f"
    value = UNWRITTEN[kind] if kind in "bf" else np.iinfo(new.dtype.stored).max
    return copy_(new, from_values(value, new.dtype))


def empty_(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Create a tensor whose values are recognizable as unwritten."""
    require_cpu(device)
    return requires_grad_(mark_unwritten(empty(to_shape(size), dtype or FLOAT32)), requires_grad)


def empty_like(
    input: Tensor,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Create an unwritten tensor with the layout of another one."""
    require_cpu(device)
    strides = None if memory_format else layout.result_strides(input.shape, [(tuple(input.shape), input.strides_)])
    return requires_grad_(mark_unwritten(empty(input.shape, dtype or input.dtype, strides)), requires_grad)


def _like(value: Any) -> Callable[..., Tensor]:
    def make(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        new = empty_like(input, dtype=dtype, device=device)
        copy_(new, from_values(value, new.dtype))
        return requires_grad_(new, requires_grad)

    return make


def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Create a tensor of one value with the layout of another one."""
    return copy_(empty_like(input, dtype=dtype, device=device), fill_value)


def _new(value: Any) -> Callable[..., Tensor]:
    def make(self: Tensor, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
        return full(to_shape(size), value, dtype=dtype or self.dtype, device=device)

    return make


def arange(*bounds: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Create a tensor of evenly spaced numbers."""
    require_cpu(device)
    numbers = [_to_number(item) for item in bounds]
    start, end, step = (0, *numbers, 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("the step leads away from the end")
    has_float = any(isinstance(item, float) for item in (start, end, step))
    default = FLOAT32 if has_float else INT64
    kind = dtype or default
    count = max(0, math.ceil((end - start) / step))
    # By a count: with a step that is a float, numpy's arange may have one element too many.
    indices = np.arange(count, dtype=np.int64)
    return requires_grad_(from_values(start + indices * step, kind), requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Create an identity matrix."""
    require_cpu(device)
    return from_values(np.eye(n, m), dtype or FLOAT32)


def from_numpy(ndarray: Any) -> Tensor:
    """Create a tensor over the memory of an array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    kind, item = dtype_of_array(ndarray), ndarray.itemsize
    storage, start = layout.borrow(ndarray)
    return tensor_over(storage, kind, ndarray.shape, [stride // item for stride in ndarray.strides], start // item)


def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0) -> Tensor:
    """Create a tensor over the memory of a buffer."""
    array = np.frombuffer(buffer, dtype.stored, count, offset)
    storage, _ = layout.borrow(array)
    return tensor_over(storage, dtype, array.shape, (1,))


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Join tensors along a dimension."""
    if not tensors:
        raise ValueError("expected a non-empty list of Tensors")
    # PyTorch lets an empty vector join anything.
    nonempty = [operand for operand in tensors if operand.shape != (0,)]
    first = nonempty[0] if nonempty else tensors[0]
    axis = normalize_axis(dim, first.ndim)
    for operand in nonempty:
        if not _are_joinable(first.shape, operand.shape, axis):
            raise RuntimeError(
                f"cat joins shapes that agree except in dimension {axis}: {first.shape}, {operand.shape}"
            )
    return _join(np.concatenate, nonempty or [first], tensors, axis)


def _are_joinable(first: Sequence[int], second: Sequence[int], axis: int) -> bool:
    """Return whether shapes have dimensions, and agree except in one."""
    if not len(first) == len(second) > 0:
        return False
    sizes = [*zip(first, second, strict=True)]
    return all(size == expected for size, expected in (*sizes[:axis], *sizes[axis + 1 :]))


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """Join tensors along a new dimension."""
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    shapes = {operand.shape for operand in tensors}
    if len(shapes) > 1:
        raise RuntimeError("stack joins tensors of one shape")
    return _join(np.stack, tensors, tensors, normalize_axis(dim, tensors[0].ndim + 1))


def _join(operation: Any, operands: Sequence[Tensor], tensors: Sequence[Tensor], axis: int) -> Tensor:
    # Of all tensors: an empty vector adds no elements, but its dtype counts.
    kinds = {operand.dtype for operand in tensors}
    if len(kinds) == 1:
        return from_encoded(operation([operand.array for operand in operands], axis), tensors[0].dtype)
    return from_values(operation([operand.values for operand in operands], axis), result_type(*tensors))


def isin(elements: Tensor, test_elements: Any) -> Tensor:
    """Return a mask of elements that are in a set."""
    return from_values(np.isin(elements.values, getattr(test_elements, "values", test_elements)), BOOL)


def is_tensor(obj: object) -> bool:
    """Return whether an object is a tensor."""
    return isinstance(obj, Tensor)


def new_tensor(self: Tensor, data: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Create a tensor from data, with this tensor's dtype by default."""
    return tensor(data, dtype=dtype or self.dtype, device=device)


def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Create a tensor of one value, with this tensor's dtype by default."""
    return full(size, fill_value, dtype=dtype or self.dtype, device=device)


zeros, ones, zeros_like, ones_like = _filled(0), _filled(1), _like(0), _like(1)
register("tensor full zeros ones empty empty_like zeros_like ones_like full_like", vars(), function=True, gradient=True)
register("arange eye from_numpy frombuffer is_tensor", vars(), function=True, gradient=True)
register("cat stack isin", vars(), function=True)


def new_empty(self: Tensor, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Create an unwritten tensor, with this tensor's dtype by default."""
    return empty_(*size, dtype=dtype or self.dtype, device=device)


NEW = {
    "new_empty": new_empty,
    "new_tensor": new_tensor,
    "new_full": new_full,
    "new_zeros": _new(0),
    "new_ones": _new(1),
}
register(" ".join(NEW), NEW, method=True)
