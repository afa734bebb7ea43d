"""Parameters and arguments of a kernel.

Arguments are represented as in the language: as pointers, numbers and constants.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import triton
import triton.language as tl
from triton.runtime import interpreter as upstream
from triton.tools.tensor_descriptor import TensorDescriptor

from triton_simulator.launch.refusals import check_argument, check_constant
from triton_simulator.memory.memory import Memory
from triton_simulator.values import int32
from triton_simulator.values.conversions import constant
from triton_simulator.values.formats import item_bytes
from triton_simulator.values.value import Value


class Parameters:
    """Parameters of a kernel, as known before it is launched."""

    def __init__(self, kernel: Any, fn: Any) -> None:
        self._fn = fn
        # As written: where a kernel is rewritten, its annotations are text, and an alias of `tl.constexpr` any name.
        parameters = inspect.signature(kernel.fn).parameters
        self.names = tuple(parameters)
        # Like Triton's compiler, but unlike its interpreter, this accepts "tl.constexpr" in quotation marks.
        kernel_parameters = {
            name: triton.runtime.jit.KernelParam(0, parameter, False, False) for name, parameter in parameters.items()
        }
        self.constants = tuple(name for name, parameter in kernel_parameters.items() if parameter.is_constexpr)
        self._defaults = {
            name: parameter.default
            for name, parameter in parameters.items()
            if parameter.default is not parameter.empty
        }
        kinds = {parameter.kind for parameter in parameters.values()}
        self._only_positional = kinds <= {inspect.Parameter.POSITIONAL_OR_KEYWORD}
        self._annotated = {name: parameter.annotation_type for name, parameter in kernel_parameters.items()}
        """Types of numbers by their parameters' annotations; empty for none."""
        unspecialised = set(kernel.kwargs.get("do_not_specialize") or ())
        self._specialised = frozenset(
            name
            for position, name in enumerate(self.names)
            if not {position, name} & unspecialised and not self._annotated[name]
        )
        """The parameters whose value 1 is a constant."""

    def bind(self, arguments: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments by the names of their parameters.

        Raises TypeError if one is missing or too much.
        """
        bound = {**self._defaults, **dict(zip(self.names, arguments, strict=False)), **named}
        fits = len(bound) == len(self.names) and len(arguments) <= len(bound)
        is_unambiguous = fits and named.keys().isdisjoint(self.names[: len(arguments)])
        # The usual call is bound here; `getcallargs` takes longer, and has the words for what is wrong.
        if self._only_positional and is_unambiguous:
            return {name: bound[name] for name in self.names}
        try:
            return inspect.getcallargs(self._fn, *arguments, **named)
        except TypeError as error:
            raise error.with_traceback(None) from None  # Python's own frames say nothing of the launch

    def represent(self, name: str, value: Any, memory: Memory) -> Any:
        """Return an argument as the language represents it.

        Its tensors are added to what the programs may touch.
        """
        if name in self.constants:
            check_constant(name, value)
            return value.value if isinstance(value, tl.constexpr) else value
        annotated = self._annotated[name]
        is_annotated_number = annotated and isinstance(value, int | float)
        if is_annotated_number:
            return _represent_as_annotated(name, value, tl.str_to_ty(annotated, None))
        represented = _represent_by_type(memory, name, value, specialise=name in self._specialised)
        return (
            represented.to(_type(annotated), bitcast=True)
            if _needs_pointer_cast(represented, annotated)
            else represented
        )


def _needs_pointer_cast(represented: Any, annotated: str) -> bool:
    """Return whether the annotation is a pointer to another type.

    The type is other than that of the argument's tensor.
    """
    if not annotated.startswith("*"):
        return False
    return isinstance(represented, tl.tensor) and represented.dtype != _type(annotated)


def _represent_by_type(memory: Memory, name: str, value: Any, *, specialise: bool) -> Any:
    """Represent an argument without an annotation.

    Where the compiler may `specialise`, the number 1 is a constant.
    """
    if isinstance(value, int | float):
        type_name = triton.runtime.jit.mangle_type(value, specialise)
        # An int32 may have fewer bits here than Triton thinks: see `int32`.
        if type_name == "i32" and not int32.fits(value, value):  # type: ignore[arg-type]  # an integer, as its type says
            type_name = "i64"
        return value if type_name == "constexpr" else _number(value, _type(type_name))
    if hasattr(value, "data_ptr"):
        dtype = _type(triton.runtime.jit.mangle_type(value))
        if is_address(value):
            return upstream.interpreter_semantic.cast(_number(value.data_ptr(), tl.uint64), dtype)
        origin, first = memory.space.add(name, getattr(value, "base", value), item_bytes(dtype.element_ty))
        return tl.tensor(Value(np.array([first], np.int64), dtype, origin=origin), dtype)
    if isinstance(value, tuple):
        # The compiler specialises these whatever is said of the parameter.
        items = [
            _represent_by_type(memory, f"{name}[{position}]", item, specialise=True)
            for position, item in enumerate(value)
        ]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, TensorDescriptor):
        return _descriptor(memory, name, value)
    check_argument(name, value)
    return value


def _descriptor(memory: Memory, name: str, descriptor: Any) -> Any:
    base, *numbers = (
        _represent_by_type(memory, name, field, specialise=False)
        for field in (descriptor.base, *descriptor.shape, *descriptor.strides)
    )
    shape, strides = numbers[: len(descriptor.shape)], numbers[len(descriptor.shape) :]
    # `TensorDescriptor` has checked that this is 1, and Triton compares it as a constant.
    strides[-1] = tl.constexpr(1)
    result = upstream.interpreter_semantic.make_tensor_descriptor(
        base=base,
        shape=shape,
        strides=strides,
        block_shape=[tl.constexpr(size) for size in descriptor.block_shape],
        padding_option=descriptor.padding,
    )
    rounds = getattr(descriptor, "round_f32_to_tf32", False)
    result.handle = replace(result.handle, round_f32_to_tf32=rounds)
    return result


def _represent_as_annotated(name: str, value: float, dtype: Any) -> Any:
    """Return a number as a launch hands it to a parameter of this type.

    Raises TypeError for a float where the type is an integer's.
    """
    is_refused = dtype.is_int() and isinstance(value, float)
    if is_refused:
        raise TypeError(f"{name} is annotated as {dtype}, and a launch takes no float for it; got {value!r}")
    if dtype is tl.int1:
        return _number(int(value) & 1, dtype)
    if dtype is tl.bfloat16:  # a launch cuts the float32 number off
        return _number(float((np.float32(value).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)), dtype)
    return _number(value, dtype)


def _number(value: float, dtype: Any) -> Any:
    return tl.tensor(constant(value, dtype), dtype)


@functools.cache
def _type(name: str) -> Any:
    return tl.str_to_ty(name, None)


def is_address(argument: Any) -> bool:
    """Return whether an argument has an address, and nothing else is known."""
    return hasattr(argument, "data_ptr") and not hasattr(getattr(argument, "base", argument), "untyped_storage")


def is_on_gpu(argument: Any) -> bool:
    """Return whether a tensor, or one in a tuple, is on a GPU.

    Kernels see a copy of it on the CPU.
    """
    if isinstance(argument, tuple):
        return any(map(is_on_gpu, argument))
    tensor = getattr(argument, "base", argument)
    return hasattr(tensor, "data_ptr") and not is_address(tensor) and tensor.device.type != "cpu"
