"""What makes tensors, from numbers, arrays and other tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from triton_workshop.page.torch import layout
from triton_workshop.page.torch.dtypes import BOOL, FLOAT32, INT64, dtype, of_array, of_numbers, only_the_cpu
from triton_workshop.page.torch.elementwise import number
from triton_workshop.page.torch.layout import axis_of
from triton_workshop.page.torch.tensor import Tensor, empty, ints, made, offer, over, stored
from triton_workshop.page.torch.views import copied, copy_, requires_grad_

NOT_YET = {"b": True, "i": None, "u": None, "f": math.nan}
"""By the kind of a dtype: what memory holds before anything is written. For integers it is the largest."""


def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    only_the_cpu(device)
    if isinstance(data, Tensor):
        new = copied(data, dtype or data.dtype)
    elif isinstance(data, np.ndarray | np.generic):
        new = made(data, dtype or of_array(np.asarray(data)))
    else:
        new = _of_numbers(data, dtype)
    return requires_grad_(new, requires_grad) if requires_grad else new


def _of_numbers(data: Any, kind: dtype | None) -> Tensor:
    leaves, plain = list(_leaves(data)), _plain(data)
    whole = bool(leaves) and all(isinstance(each, int) and not isinstance(each, bool) for each in leaves)
    try:
        values = np.array(plain, np.int64 if whole else None)
    except ValueError:
        raise ValueError("expected sequence of equal length at every dimension") from None
    except OverflowError:
        raise ValueError("a number has no room in 64 bits") from None
    own = leaves[0].dtype if leaves and isinstance(leaves[0], Tensor) else of_numbers(values)
    return made(values, kind or own)


def _leaves(data: Any) -> Iterator[Any]:
    if isinstance(data, list | tuple | range):
        for each in data:
            yield from _leaves(each)
    else:
        yield data


def _plain(data: Any) -> Any:
    if isinstance(data, list | tuple | range):
        return [_plain(each) for each in data]
    return data.values.tolist() if isinstance(data, Tensor) else data


def full(size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    only_the_cpu(device)
    value = number(fill_value.number if isinstance(fill_value, Tensor) else fill_value)
    kind = dtype or of_numbers(np.asarray(value))
    new = empty(ints([size] if isinstance(size, tuple | list) else (size,)), kind)
    copy_(new, made(value, kind))
    return requires_grad_(new, requires_grad)


def _filled(value: Any) -> Callable[..., Tensor]:
    def make(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        return full(ints(size), value, dtype=dtype or FLOAT32, device=device, requires_grad=requires_grad)

    return make


def not_yet(new: Tensor) -> Tensor:
    """What was made, filled with what shows that nothing has been written: memory may hold anything."""
    kind = new.dtype.stored.kind if not new.dtype.is_bfloat16 else "f"
    value = NOT_YET[kind] if kind in "bf" else np.iinfo(new.dtype.stored).max
    return copy_(new, made(value, new.dtype))


def empty_(*size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    only_the_cpu(device)
    return requires_grad_(not_yet(empty(ints(size), dtype or FLOAT32)), requires_grad)


def empty_like(
    input: Tensor,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    only_the_cpu(device)
    strides = None if memory_format else layout.strides_of_result(input.shape, [(tuple(input.shape), input.strides_)])
    return requires_grad_(not_yet(empty(input.shape, dtype or input.dtype, strides)), requires_grad)


def _like(value: Any) -> Callable[..., Tensor]:
    def make(input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
        new = empty_like(input, dtype=dtype, device=device)
        copy_(new, made(value, new.dtype))
        return requires_grad_(new, requires_grad)

    return make


def full_like(input: Tensor, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    return copy_(empty_like(input, dtype=dtype, device=device), fill_value)


def _new(value: Any) -> Callable[..., Tensor]:
    def make(self: Tensor, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
        return full(ints(size), value, dtype=dtype or self.dtype, device=device)

    return make


def arange(*bounds: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    only_the_cpu(device)
    numbers = [number(each.number if isinstance(each, Tensor) else each) for each in bounds]
    start, end, step = (0, *numbers, 1) if len(numbers) == 1 else (*numbers, 1)[:3]
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("the step leads away from the end")
    kind = dtype or (FLOAT32 if any(isinstance(each, float) for each in (start, end, step)) else INT64)
    count = max(0, math.ceil((end - start) / step))
    places = np.arange(count, dtype=np.int64)
    return requires_grad_(made(start + places * step, kind), requires_grad)


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None) -> Tensor:
    only_the_cpu(device)
    return made(np.eye(n, m), dtype or FLOAT32)


def from_numpy(ndarray: Any) -> Tensor:
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    kind, item = of_array(ndarray), ndarray.itemsize
    storage, start = layout.borrowed(ndarray)
    return over(storage, kind, ndarray.shape, [stride // item for stride in ndarray.strides], start // item)


def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0) -> Tensor:
    array = np.frombuffer(buffer, dtype.stored, count, offset)
    storage, _ = layout.borrowed(array)
    return over(storage, dtype, array.shape, (1,))


def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    if not tensors:
        raise ValueError("expected a non-empty list of Tensors")
    parts = [each for each in tensors if each.shape != (0,)] or list(tensors[:1])
    axis, first = axis_of(dim, parts[0].ndim), parts[0]
    for each in tensors:
        sizes = [*zip(first.shape, each.shape, strict=False)]
        same = each.ndim == first.ndim and all(one == other for one, other in (*sizes[:axis], *sizes[axis + 1 :]))
        if each.shape != (0,) and not (each.shape and same):
            raise RuntimeError(f"cat joins shapes that agree except in dimension {axis}: {first.shape}, {each.shape}")
    return _joined(np.concatenate, parts, tensors, axis)


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    if any(each.shape != tensors[0].shape for each in tensors):
        raise RuntimeError("stack joins tensors of one shape")
    return _joined(np.stack, tensors, tensors, axis_of(dim, tensors[0].ndim + 1))


def _joined(work: Any, parts: Sequence[Tensor], of: Sequence[Tensor], axis: int) -> Tensor:
    from triton_workshop.page.torch.elementwise import result_type

    kinds = {each.dtype for each in of}
    if len(kinds) == 1:
        return stored(work([each.array for each in parts], axis), of[0].dtype)
    return made(work([each.values for each in parts], axis), result_type(*of))


def isin(elements: Tensor, test_elements: Any) -> Tensor:
    return made(np.isin(elements.values, getattr(test_elements, "values", test_elements)), BOOL)


def is_tensor(obj: object) -> bool:
    return isinstance(obj, Tensor)


def new_tensor(self: Tensor, data: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    return tensor(data, dtype=dtype or self.dtype, device=device)


def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    return full(size, fill_value, dtype=dtype or self.dtype, device=device)


zeros, ones, zeros_like, ones_like = _filled(0), _filled(1), _like(0), _like(1)
offer("tensor full zeros ones empty empty_like zeros_like ones_like full_like", vars(), function=True, gradient=True)
offer("arange eye from_numpy frombuffer is_tensor", vars(), function=True, gradient=True)
offer("cat stack isin", vars(), function=True)


def new_empty(self: Tensor, *size: Any, dtype: Any = None, device: Any = None) -> Tensor:
    return empty_(*size, dtype=dtype or self.dtype, device=device)


NEW = {
    "new_empty": new_empty,
    "new_tensor": new_tensor,
    "new_full": new_full,
    "new_zeros": _new(0),
    "new_ones": _new(1),
}
offer(" ".join(NEW), NEW, method=True)
