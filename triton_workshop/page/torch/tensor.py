"""Tensor: memory, a dtype, a shape, strides and an offset.

Its methods are in the tables of the other modules.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from triton_workshop.page.torch import layout
from triton_workshop.page.torch.absent import NotInThisPageError, explain_arguments, missing_error
from triton_workshop.page.torch.dtypes import CPU, Array, Size, decode, dtype, encode
from triton_workshop.page.torch.layout import Ints, TensorStorage

Namespace = Mapping[str, Any]
FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Functions of `torch`, by name."""
METHODS: dict[str, Callable[..., Any]] = {}
"""Methods of a tensor, by name."""
_grad_enabled = [True]


def register(
    names: str, source: Namespace, *, function: bool = False, method: bool = False, gradient: bool = False
) -> None:
    """Register implementations as functions of `torch`, methods, or both.

    `source` has them by their names, or with `_` after a name that is Python's own. With `gradient`, they do not lose
    the gradient of a tensor.
    """
    for name in names.split():
        implementation = source.get(f"{name}_") or source[name]
        if not gradient:
            implementation = _refuse_gradient(implementation, name)
        if function:
            FUNCTIONS[name] = explain_arguments(implementation, f"torch.{name}")
        if method:
            METHODS[name] = explain_arguments(implementation, f"torch.Tensor.{name}")


def _refuse_gradient(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Wrap a function so that a gradient that it would lose is an error."""

    @functools.wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        if _grad_enabled[0]:
            for operand in arguments:
                if isinstance(operand, Tensor) and operand.requires_grad:
                    raise NotInThisPageError(f"the gradient of torch.{name}")
        return function(*arguments, **keywords)

    return call


@contextmanager
def set_gradients(enabled: bool) -> Iterator[None]:
    """Enable or disable gradients inside."""
    previous = _grad_enabled[0]
    _grad_enabled[0] = enabled
    try:
        yield
    finally:
        _grad_enabled[0] = previous


class Tensor:
    """Tensor on the CPU."""

    storage_: TensorStorage
    dtype: dtype
    shape: Size
    strides_: Ints
    offset_: int
    requires_grad: bool
    grad: Tensor | None
    backward_: Callable[[Tensor], None] | None
    """Propagates the gradient of this tensor to its inputs."""
    device, layout, is_cuda = CPU, "torch.strided", False
    # numpy's operators leave it to the tensor then, on whichever side it stands.
    __array_priority__ = 1000

    def __new__(cls, *_: Any, **__: Any) -> Any:
        raise NotInThisPageError(f"torch.{cls.__name__}(…)")

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size_(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size_ * self.dtype.itemsize

    @property
    def array(self) -> Array:
        """Elements as they are stored, in place."""
        item = self.dtype.itemsize
        if 0 in self.shape:
            return np.empty(self.shape, self.dtype.stored)
        strides = tuple(stride * item for stride in self.strides_)
        return np.ndarray(self.shape, self.dtype.stored, self.storage_.bytes, self.offset_ * item, strides)

    @property
    def values(self) -> Array:
        """Elements; those of bfloat16 as float32."""
        return decode(self.array, self.dtype)

    @property
    def number(self) -> Any:
        """The only element. Raises RuntimeError."""
        if self.size_ != 1:
            raise RuntimeError(f"a Tensor with {self.size_} elements cannot be converted to Scalar")
        return self.values.item()

    def __getattr__(self, name: str) -> Any:
        raise missing_error("torch.Tensor", name, f"'{type(self).__name__}' object has no attribute '{name}'")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(METHODS["numpy"](self), dtype, copy=copy)

    def __hash__(self) -> int:
        return id(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Any]:
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        return (METHODS["__getitem__"](self, index) for index in range(len(self)))

    def __bool__(self) -> bool:
        if self.size_ != 1:
            problem = "more than one value" if self.size_ else "no values"
            raise RuntimeError(f"Boolean value of Tensor with {problem} is ambiguous")
        return bool(self.number)

    def __float__(self) -> float:
        return float(self.number)

    def __int__(self) -> int:
        return int(self.number)

    def __index__(self) -> int:
        if self.dtype.rank == 2 or self.size_ != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.number)

    def __contains__(self, value: Any) -> bool:
        return bool((self.values == (value.values if isinstance(value, Tensor) else value)).any())

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec) if self.shape else format(self.number, spec)

    def __deepcopy__(self, _: Any) -> Any:
        return METHODS["clone"](self)


def tensor_over(
    storage: TensorStorage, kind: dtype, shape: Sequence[int], strides: Sequence[int], offset: int = 0
) -> Tensor:
    """Return a tensor over this memory."""
    # Not by the constructor, which refuses: PyTorch's own takes what no script here needs.
    self: Tensor = object.__new__(Tensor)
    self.storage_, self.dtype, self.shape = storage, kind, Size(shape)
    self.strides_, self.offset_ = tuple(strides), offset
    self.requires_grad, self.grad, self.backward_ = False, None, None
    return self


def view(base: Tensor, shape: Sequence[int], strides: Sequence[int], offset: int | None = None) -> Tensor:
    """Return another tensor over the same memory."""
    return tensor_over(base.storage_, base.dtype, shape, strides, base.offset_ if offset is None else offset)


def empty(shape: Sequence[int], kind: dtype, strides: Ints | None = None) -> Tensor:
    """Return a new tensor, whose elements are whatever memory holds."""
    strides = layout.contiguous_strides(shape) if strides is None else strides
    return tensor_over(layout.allocate(layout.extent(shape, strides) * kind.itemsize), kind, shape, strides)


def from_values(values: Any, kind: dtype, strides: Ints | None = None) -> Tensor:
    """Return a new tensor with these values."""
    values = np.asarray(values)
    return from_encoded(encode(values, kind), kind, strides)


def from_encoded(array: Array, kind: dtype, strides: Ints | None = None) -> Tensor:
    """Return a new tensor with these elements as they are stored."""
    new = empty(array.shape, kind, strides)
    new.array[...] = array
    return new


def to_shape(sizes: Sequence[Any]) -> Ints:
    """Return a shape that is given as one sequence or as several numbers."""
    is_sequence = len(sizes) == 1 and isinstance(sizes[0], tuple | list)
    shape = sizes[0] if is_sequence else sizes
    return tuple(map(operator.index, shape))
