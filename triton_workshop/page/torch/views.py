"""Views, copies and properties of tensors."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from triton_workshop.page.torch import layout
from triton_workshop.page.torch.absent import NotInThisPageError
from triton_workshop.page.torch.dtypes import ALIASES, DTYPES, Array, dtype, encode, require_cpu
from triton_workshop.page.torch.layout import normalize_axis
from triton_workshop.page.torch.tensor import (
    Tensor,
    _grad_enabled,
    from_encoded,
    from_values,
    register,
    tensor_over,
    to_shape,
    view,
)


def numpy(self: Tensor, *, force: bool = False) -> Array:
    """Return an array over the same memory."""
    if self.requires_grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if self.dtype.is_bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    return self.array


def as_subclass(self: Tensor, cls: type) -> Tensor:
    """Return a view of another class."""
    new = view(self, self.shape, self.strides_)
    new.__class__ = cls
    return new


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Require a gradient, or no longer."""
    if requires_grad and self.dtype.rank != 2:
        raise RuntimeError("only Tensors of floating point and complex dtype can require gradients")
    self.requires_grad = requires_grad
    return self


def view_(self: Tensor, *shape: Any) -> Tensor:
    """Return a view with another shape or dtype."""
    if shape and isinstance(shape[0], dtype):
        return _view_as_dtype(self, shape[0])
    new = layout.infer_shape(self.shape, to_shape(shape))
    strides = layout.view_strides(self.shape, self.strides_, new)
    if strides is None:
        raise RuntimeError("no view of this tensor has that shape: use .reshape(...), which copies it if need be")
    return view(self, new, strides)


def _view_as_dtype(self: Tensor, kind: dtype) -> Tensor:
    old, new, shape, strides = self.dtype.itemsize, kind.itemsize, list(self.shape), list(self.strides_)
    if old != new:
        # An element of the new size is made of neighbours, and begins at a multiple of that size.
        is_divisible = all(count * old % new == 0 for count in (*strides[:-1], *shape[-1:], self.offset_))
        fits = strides[-1:] == [1] and is_divisible
        if not fits:
            raise RuntimeError(f"self cannot be viewed as {kind!r}: its sizes and strides do not fit")
        shape[-1] = shape[-1] * old // new
        strides[:-1] = [stride * old // new for stride in strides[:-1]]
    return tensor_over(self.storage_, kind, shape, strides, self.offset_ * old // new)


def reshape(self: Tensor, *shape: Any) -> Tensor:
    """Return a view with another shape, or a copy if there is none."""
    new = layout.infer_shape(self.shape, to_shape(shape))
    strides = layout.view_strides(self.shape, self.strides_, new)
    return view_(from_encoded(self.array, self.dtype), new) if strides is None else view(self, new, strides)


def flatten(self: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge a range of dimensions into one."""
    first, last = normalize_axis(start_dim, self.ndim), normalize_axis(end_dim, self.ndim)
    return reshape(self, (*self.shape[:first], math.prod(self.shape[first : last + 1]), *self.shape[last + 1 :]))


def permute(self: Tensor, *dims: Any) -> Tensor:
    """Return a view with the dimensions in another order."""
    order = [normalize_axis(axis, self.ndim) for axis in to_shape(dims)]
    if sorted(order) != list(range(self.ndim)):
        raise RuntimeError(f"permute(): the dimensions {order} are not those of a tensor with {self.ndim}")
    return _select_axes(self, order)


def _select_axes(self: Tensor, axes: list[int]) -> Tensor:
    """Return a view with only these dimensions, in this order."""
    shape = [self.shape[axis] for axis in axes]
    strides = [self.strides_[axis] for axis in axes]
    return view(self, shape, strides)


def transpose(self: Tensor, dim0: int, dim1: int) -> Tensor:
    """Return a view with two dimensions exchanged."""
    order, (first, second) = list(range(self.ndim)), (normalize_axis(dim, self.ndim) for dim in (dim0, dim1))
    if order:
        order[first], order[second] = order[second], order[first]
    return permute(self, order)


def t(self: Tensor) -> Tensor:
    """Return the transpose of a matrix."""
    if self.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D")
    return permute(self, list(range(self.ndim))[::-1])


def squeeze(self: Tensor, dim: int | None = None) -> Tensor:
    """Remove dimensions of size 1."""
    axes = range(self.ndim) if dim is None else [normalize_axis(dim, self.ndim)]
    removed = {axis for axis, size in enumerate(self.shape) if size == 1}.intersection(axes)
    return _select_axes(self, [axis for axis in range(self.ndim) if axis not in removed])


def unsqueeze(self: Tensor, dim: int) -> Tensor:
    """Insert a dimension of size 1."""
    axis, shape, strides = normalize_axis(dim, self.ndim + 1), list(self.shape), list(self.strides_)
    # Any stride would do along one element: this is the one that PyTorch's `stride()` shows.
    strides.insert(axis, shape[axis] * strides[axis] if axis < len(shape) else 1)
    shape.insert(axis, 1)
    return view(self, shape, strides)


def expand(self: Tensor, *size: Any) -> Tensor:
    """Return a view that repeats dimensions of size 1."""
    new, current = to_shape(size), tuple(self.shape)
    padded = (1,) * (len(new) - len(current)) + current
    if len(new) < len(current):
        raise RuntimeError(f"the number of sizes provided ({len(new)}) must be greater or equal to that of {current}")
    leading = new[: len(new) - len(current)]
    if -1 in leading:
        axis = leading.index(-1)
        raise RuntimeError(
            f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {axis}"
        )
    shape: list[int] = []
    for target, old in zip(new, padded, strict=True):
        length = old if target == -1 else target
        if old not in (1, length):
            raise RuntimeError(f"a tensor of shape {list(current)} does not expand to {list(new)}")
        shape.append(length)
    return view(self, shape, layout.expanded_strides(current, self.strides_, tuple(shape)))


def as_strided(self: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """Return a view with these strides, within the same memory."""
    offset = self.offset_ if storage_offset is None else storage_offset
    # A tensor without elements touches no memory, wherever it begins.
    reach = 0 if 0 in size else (offset + layout.extent(size, stride)) * self.dtype.itemsize
    if reach > self.storage_.nbytes():
        raise RuntimeError(f"setStorage: {reach} bytes are out of bounds for storage of size {self.storage_.nbytes()}")
    return view(self, size, stride, offset)


def narrow(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a view of a range along a dimension."""
    axis = normalize_axis(dim, self.ndim)
    if not 0 <= start <= start + length <= self.shape[axis]:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({self.shape[axis]}).")
    shape = (*self.shape[:axis], length, *self.shape[axis + 1 :])
    return view(self, shape, self.strides_, self.offset_ + start * self.strides_[axis])


def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Return a view of windows along a dimension."""
    axis = normalize_axis(dimension, self.ndim)
    is_valid = 0 <= size <= self.shape[axis] and step > 0
    if not is_valid:
        raise RuntimeError(f"maximum size for tensor at dimension {axis} is {self.shape[axis]} but size is {size}")
    windows = (self.shape[axis] - size) // step + 1
    strides = (*self.strides_[:axis], self.strides_[axis] * step, *self.strides_[axis + 1 :], self.strides_[axis])
    return view(self, (*self.shape[:axis], windows, *self.shape[axis + 1 :], size), strides)


def clone(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy."""
    return from_encoded(self.array, self.dtype) if memory_format else copy_as(self, self.dtype)


def split(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of consecutive pieces along a dimension."""
    total = self.shape[normalize_axis(dim, self.ndim)]
    if isinstance(split_size, int):
        # `max`, because PyTorch gives one piece of a dimension without elements, too.
        split_size = [min(split_size, total - start) for start in range(0, max(total, 1), split_size)]
    if sum(split_size) != total:
        raise RuntimeError(f"the sizes {list(split_size)} do not add up to {total}")
    return tuple(narrow(self, dim, sum(split_size[:index]), length) for index, length in enumerate(split_size))


def get_item(self: Tensor, key: Any) -> Tensor:
    """Return `self[key]`: a view for numbers and slices, else a copy."""
    base, advanced = _split_key(self, key)
    if advanced is None:
        return base
    try:
        return from_encoded(base.array[advanced], self.dtype)
    except IndexError as error:
        raise IndexError(str(error).replace("axis", "dimension")) from None


def set_item(self: Tensor, key: Any, value: Any) -> None:
    """Write `self[key] = value`."""
    base, advanced = _split_key(self, key)
    if advanced is None:
        copy_(base, value)
        return
    new = value if isinstance(value, Tensor) else from_values(value, self.dtype)
    # Encoded first: numpy takes the bits of a bfloat16 for an integer, and would convert to that.
    base.array[advanced] = new.array if new.dtype is self.dtype else encode(new.values, self.dtype)


def _split_key(self: Tensor, key: Any) -> tuple[Tensor, Any]:
    """Return a view by numbers and slices, and numpy's key for the rest.

    The second is None where the key has nothing else.
    """
    # A tensor of one integer selects as a number does; any other, a list or a mask is for numpy.
    items = key if isinstance(key, tuple) else (key,)
    keys = [_scalar_as_number(item) for item in items]
    is_advanced = any(isinstance(item, Tensor | list | np.ndarray | bool) for item in keys)
    if is_advanced:
        return self, tuple(_as_array(item) for item in keys)
    used = sum(item is not None and item is not Ellipsis for item in keys)
    if used > self.ndim:
        if not self.ndim:
            raise IndexError("a tensor without dimensions has no elements to index: use tensor.item()")
        raise IndexError(f"too many indices for tensor of dimension {self.ndim}")
    if Ellipsis not in keys:
        keys.append(Ellipsis)
    # The ellipsis stands for whole dimensions, as many as are left.
    position = keys.index(Ellipsis)
    keys[position : position + 1] = [slice(None)] * (self.ndim - used)
    shape, strides, offset, axis = list[int](), list[int](), self.offset_, 0
    for item in keys:
        if item is None:
            shape.append(1)
            # The stride of `unsqueeze`.
            strides.append(self.shape[axis] * self.strides_[axis] if axis < self.ndim else 1)
            continue
        size, stride = self.shape[axis], self.strides_[axis]
        if isinstance(item, slice):
            start, stop, step = item.indices(size)
            if step <= 0:
                raise ValueError("step must be greater than zero")
            # Rounded up: a last step that leads beyond the end still has its first element.
            shape.append(max(0, -(-(stop - start) // step)))
            strides.append(stride * step)
            offset += start * stride
        else:
            number = operator.index(item)
            if not -size <= number < size:
                raise IndexError(f"index {number} is out of bounds for dimension {axis} with size {size}")
            offset += number % size * stride
        axis += 1
    return view(self, shape, strides, offset), None


def _scalar_as_number(item: Any) -> Any:
    """Return a tensor of one integer as a number; anything else as it is."""
    if not isinstance(item, Tensor):
        return item
    is_integer = not item.shape and item.dtype.rank == 1
    return int(item) if is_integer else item


def _as_array(key: Any) -> Any:
    if isinstance(key, list):
        return np.array([int(item) if isinstance(item, Tensor) else item for item in key])
    return key.array if isinstance(key, Tensor) else key


def contiguous(self: Tensor) -> Tensor:
    """Return the tensor itself if its rows follow each other, else a copy."""
    return self if layout.is_contiguous(self.shape, self.strides_) else from_encoded(self.array, self.dtype)


def copy_as(self: Tensor, kind: dtype) -> Tensor:
    """Return a copy of another dtype that keeps the order in memory."""
    strides = layout.result_strides(self.shape, [(tuple(self.shape), self.strides_)])
    return from_encoded(self.array if kind is self.dtype else encode(self.values, kind), kind, strides)


def to(
    self: Tensor, *targets: Any, dtype: Any = None, device: Any = None, non_blocking: bool = False, copy: bool = False
) -> Tensor:
    """Convert to a dtype; of the devices, only the CPU is here."""
    del non_blocking  # nothing is elsewhere
    # By position, `copy` comes after `non_blocking`.
    flags = [target for target in targets if isinstance(target, bool)]
    copy = copy or flags[1:] == [True]
    for target in targets:
        if isinstance(target, Tensor):
            dtype = target.dtype
        elif target in DTYPES.values():
            dtype = target
        elif not isinstance(target, bool):
            device = target
    require_cpu(device)
    needs_copy = copy or dtype not in (None, self.dtype)
    if not needs_copy:
        return self
    if _grad_enabled[0] and self.requires_grad:
        raise NotInThisPageError("the gradient of torch.Tensor.to")
    return copy_as(self, dtype or self.dtype)


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Copy the values of another tensor into this one."""
    del non_blocking
    source = src if isinstance(src, Tensor) else from_values(src, self.dtype)
    if layout.broadcast(self.shape, source.shape) != self.shape:
        raise RuntimeError(
            f"The expanded size of the tensor does not match: {list(source.shape)} does not fit into {list(self.shape)}"
        )
    self.array[...] = source.array if source.dtype is self.dtype else encode(source.values, self.dtype)
    return self


def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """Repeat the tensor along each dimension."""
    if len(to_shape(repeats)) < self.ndim:
        raise RuntimeError("repeat needs a number for each dimension")
    return from_encoded(np.tile(self.array, to_shape(repeats)), self.dtype)


def unbind(self: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return views of all elements along a dimension."""
    axis = normalize_axis(dim, self.ndim)
    return tuple(squeeze(narrow(self, axis, index, 1), axis) for index in range(self.shape[axis]))


ATTRIBUTES: dict[str, Any] = {
    "dim": lambda self: self.ndim,
    "size": lambda self, dim=None: self.shape if dim is None else self.shape[normalize_axis(dim, self.ndim)],
    "stride": lambda self, dim=None: self.strides_ if dim is None else self.strides_[normalize_axis(dim, self.ndim)],
    "data_ptr": lambda self: self.storage_.data_ptr() + self.offset_ * self.dtype.itemsize if self.size_ else 0,
    "untyped_storage": lambda self: self.storage_,
    "storage_offset": lambda self: self.offset_,
    "element_size": lambda self: self.dtype.itemsize,
    "is_contiguous": lambda self: layout.is_contiguous(self.shape, self.strides_),
    "item": lambda self: self.number,
    "tolist": lambda self: self.values.tolist(),
    "cpu": lambda self: self,
    "cuda": lambda self, device="cuda": require_cpu(device),
}
for _name, _kind in {"byte": "uint8", **ALIASES, "bool": "bool", "bfloat16": "bfloat16"}.items():
    ATTRIBUTES[_name] = lambda self, kind=DTYPES[_kind]: to(self, kind)
register(" ".join(ATTRIBUTES), ATTRIBUTES, method=True, gradient=True)
register("numpy as_subclass requires_grad_ to", vars(), method=True, gradient=True)
PROPERTIES = {
    "numel": lambda self: self.size_,
    "is_floating_point": lambda self: self.dtype.rank == 2,
    "is_complex": lambda self: False,
    "detach": lambda self: view(self, self.shape, self.strides_),
}
register(" ".join(PROPERTIES), PROPERTIES, function=True, method=True, gradient=True)
METHODS = {
    "view_as": lambda self, other: view_(self, other.shape),
    "expand_as": lambda self, other: expand(self, other.shape),
    "fill_": copy_,
    "zero_": lambda self: copy_(self, 0),
    "__getitem__": get_item,
    "__setitem__": set_item,
}
register(" ".join(METHODS), METHODS, method=True)
register("view expand contiguous repeat unfold copy_", vars(), method=True)
BOTH = {
    "chunk": lambda self, chunks, dim=0: split(self, max(1, -(-self.shape[dim] // chunks)), dim),
    "broadcast_to": expand,
}
register(" ".join(BOTH), BOTH, function=True, method=True)
register("reshape flatten permute transpose t squeeze unsqueeze as_strided", vars(), function=True, method=True)
register("narrow split unbind clone", vars(), function=True, method=True)
