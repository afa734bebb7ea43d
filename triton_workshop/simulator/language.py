"""Triton's language in the simulator: where Python meets a value that all programs hold at once.

It is installed once, and for good: Triton's own functions are changed in place, so each alias of one, whenever it was
bound, works in a kernel, as it does for the compiler. Outside of a launch, with another semantic (that of Triton's
code generator), and for values of another builder, everything behaves as Triton's own.
"""

from __future__ import annotations

import builtins
import functools
import gc
import operator
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import triton.language as tl
from triton.runtime import interpreter as upstream

from triton_workshop.simulator import reductions
from triton_workshop.simulator.asking import agreed, described, is_single
from triton_workshop.simulator.builder import Builder
from triton_workshop.simulator.formats import Array
from triton_workshop.simulator.loops import plain, steps
from triton_workshop.simulator.semantic import Semantic
from triton_workshop.simulator.shapes import install_shapes
from triton_workshop.simulator.signals import Diverged, LookedAt
from triton_workshop.simulator.values import Value

_language: dict[str, Any] = vars(tl.core)
_SEMANTIC = "_semantic_of_the_running_launch"
"""A global of `triton.language.core`."""


@contextmanager
def launched(semantic: Any) -> Iterator[None]:
    """While this lasts, the language's functions use `semantic` unless they are given another."""
    before = _language[_SEMANTIC]
    _language[_SEMANTIC] = semantic
    try:
        yield
    finally:
        _language[_SEMANTIC] = before


def install_language(builder: Builder) -> None:
    """Let kernels on the CPU use the language over `builder` from now on."""
    upstream.interpreter_semantic = Semantic(builder)
    install_shapes()
    for function, ours in _functions(builder).items():
        _substitute(function, ours)
    for name, method in _tensor_methods(builder).items():
        _add_method(tl.tensor, name, method, ours=_is_ours)
    _install_classes()
    for kind in (tl.dtype, tl.pointer_type, tl.block_type):
        _install_type(kind)


def _install_type(kind: Any) -> None:
    of_triton = kind.to_ir
    kind.to_ir = lambda dtype, other: dtype if isinstance(other, Builder) else of_triton(dtype, other)


def _builtin(fn: Any) -> Any:
    """What `triton.language.core.builtin` makes of a function, here. Its code runs among the globals of that module."""

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("_semantic") is None:
            if _semantic_of_the_running_launch is None:
                _without_semantic()
            kwargs["_semantic"] = _semantic_of_the_running_launch
        return fn(*args, **kwargs)

    return wrapper


_semantic_of_the_running_launch: Any = None


def _without_semantic() -> None:
    """Raise Triton's own error."""
    types.FunctionType(_BUILTIN, vars(tl.core), closure=(types.CellType(None),))()


_BUILTIN = tl.arange.__code__


def _install_builtins() -> None:
    """Change what `@builtin` of Triton makes of a function: those that it made, and those that it will make."""
    _language[_SEMANTIC] = None
    _language[_without_semantic.__name__] = _without_semantic
    ours = _builtin(None).__code__
    for function in gc.get_referrers(_BUILTIN):
        if isinstance(function, types.FunctionType):
            function.__code__ = ours
    decorator = tl.core.builtin.__code__
    parts = tuple(ours if part is _BUILTIN else part for part in decorator.co_consts)
    tl.core.builtin.__code__ = decorator.replace(co_consts=parts)


def _substitute(function: Any, ours: Callable[..., Any]) -> None:
    """Call `ours` for a builtin of Triton, if it is called for a launch."""
    (cell,) = function.__closure__
    of_triton = cell.cell_contents

    @functools.wraps(of_triton)
    def chosen(*arguments: Any, _semantic: Any, **named: Any) -> Any:
        if isinstance(_semantic.builder, Builder):
            return ours(*arguments, **named)
        return of_triton(*arguments, _semantic=_semantic, **named)

    cell.cell_contents = chosen


def _add_method(kind: type, name: str, method: Any, ours: Callable[[Any], bool]) -> None:
    """Give a class of Triton's a method for objects that are `ours`; for others it is as before."""
    before = getattr(kind, name, None)
    if isinstance(method, property):
        getter = before.fget if isinstance(before, property) else None
        setattr(kind, name, property(lambda thing: (method.fget if ours(thing) else getter)(thing)))  # type: ignore[misc]
        return
    otherwise = before if before is not None else _MISSING[name]

    def chosen(thing: Any, *arguments: Any) -> Any:
        return method(thing, *arguments) if ours(thing) else otherwise(thing, *arguments)

    setattr(kind, name, chosen)


def _not_a_number(thing: Any) -> Any:
    raise TypeError(f"{type(thing).__name__!r} object cannot be interpreted as a number")


_MISSING: dict[str, Callable[..., Any]] = {
    "__bool__": lambda _thing: True,
    "__index__": _not_a_number,
    "__int__": operator.index,
    "__float__": lambda thing: float(operator.index(thing)),
}
"""What objects without such a method do."""


def _is_ours(thing: Any) -> bool:
    return isinstance(thing.handle, Value)


def _launch_runs(_thing: Any = None) -> bool:
    return _language[_SEMANTIC] is not None


def _install_classes() -> None:
    def constants(numbers: Any, *ends: Any, **hints: Any) -> None:
        if _launch_runs():
            ends = tuple(end if end is None or isinstance(end, tl.tensor) else tl.constexpr(end) for end in ends)
            hints = {name: end if end is None else tl.constexpr(end) for name, end in hints.items()}
        start(numbers, *ends, **hints)

    start = tl.static_range.__init__
    tl.static_range.__init__ = constants
    for kind in (tl.range, tl.static_range):
        _add_method(kind, "__iter__", lambda ends: iter(steps(ends.start, ends.end, ends.step)), _launch_runs)
    # In Triton 3.6 it stays true for ever, so `while tl.condition(...)` would never end.
    _add_method(tl.condition, "__bool__", lambda condition: bool(condition.condition), _launch_runs)
    _add_method(tl.constexpr, "__format__", lambda constant, form: format(constant.value, form), _launch_runs)
    _add_method(tl.constexpr, "__str__", lambda constant: str(constant.value), _launch_runs)
    for name, method in list(vars(tl.tensor).items()):
        # In Triton 3.6, `x.exp()` is not the builtin `tl.exp`.
        signature = getattr(method, "__signature__", None)
        if signature is not None and "_semantic" in signature.parameters and not tl.core.is_builtin(method):
            setattr(tl.tensor, name, tl.core.builtin(method))
    for name, method in list(vars(tl.constexpr).items()):
        if name.startswith("__") and "other" in getattr(getattr(method, "__code__", None), "co_varnames", ())[:2]:
            setattr(tl.constexpr, name, _of_constants(method))


def _of_constants(method: Any) -> Any:
    """An operator of two constants. With a tensor, the tensor's is meant, as for the compiler."""

    def chosen(constant: Any, other: Any) -> Any:
        return NotImplemented if isinstance(other, tl.tensor) else method(constant, other)

    return functools.wraps(method)(chosen)


def _functions(builder: Builder) -> dict[Any, Callable[..., Any]]:
    """Builtins of Triton that need more than another builder, and what they do in a launch."""

    def reduce(input: Any, axis: Any, combine_fn: Any, keep_dims: Any = False, **_: Any) -> Any:
        tensors = input if isinstance(input, tuple | tl.tuple) else (input,)
        results = reductions.reduce(builder, tuple(tensors), plain(axis), combine_fn, bool(plain(keep_dims)))
        return results if isinstance(input, tuple | tl.tuple) else results[0]

    def associative_scan(input: Any, axis: Any, combine_fn: Any, reverse: Any = False, **_: Any) -> Any:
        tensors = input if isinstance(input, tuple | tl.tuple) else (input,)
        results = reductions.scan(builder, tuple(tensors), plain(axis), combine_fn, bool(plain(reverse)))
        return results if isinstance(input, tuple | tl.tuple) else results[0]

    def static_assert(condition: Any, message: Any = "") -> None:
        assert condition, plain(message)

    def hinted(input: Any, values: Any) -> Any:
        """A promise to the compiler."""
        many = plain(values)
        if isinstance(input, tl.tensor) and len(many if isinstance(many, list | tuple) else [many]) != max(
            1, len(input.shape)
        ):
            raise ValueError("expected a value for each axis of the block")
        return input

    def item(tensor: Any, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        if any(isinstance(part, tl.tensor | int) for part in parts):
            raise TypeError(
                "unsupported tensor index: brackets only add axes, as in `x[:, None]`; read memory with "
                "`tl.load(pointer + offsets)`, and pick elements of a block with `tl.gather`"
            )
        return with_more_axes(tensor, index, _semantic=upstream.interpreter_semantic)

    with_more_axes = tl.tensor.__getitem__.__closure__[0].cell_contents
    return {
        tl.reduce: reduce,
        tl.associative_scan: associative_scan,
        tl.static_assert: static_assert,
        tl.static_print: print,
        tl.multiple_of: hinted,
        tl.max_contiguous: hinted,
        tl.max_constancy: hinted,
        tl.tensor.__getitem__: item,
    }


def _tensor_methods(builder: Builder) -> dict[str, Any]:
    """What replaces methods of `tl.tensor`."""

    def as_bool(tensor: Any) -> bool:
        if sys._getframe(2).f_globals.get("__name__") == "triton.language.semantic":
            return True  # there `if mask` asks whether there is one
        if builder.combining or is_single(tensor.handle):
            # Whether a number or an address is not zero: programs that agree on that stay together.
            return bool(agreed(builder, upstream.interpreter_semantic.cast(tensor, tl.int1).handle))
        raise ValueError(
            f"{described(tensor)} is neither true nor false; choose element by element, with tl.where or a mask"
        )

    def as_index(tensor: Any) -> int:
        if not builder.combining and not is_single(tensor.handle):
            raise TypeError(f"{described(tensor)} is not an index; expected a scalar")
        return int(agreed(builder, tensor.handle))

    def number(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def look(tensor: Any) -> Any:
            if not builder.combining and not is_single(tensor.handle):
                raise TypeError(
                    f"{described(tensor)} cannot become a Python number; use the functions in `tl` for blocks"
                )
            try:
                return convert(as_index(tensor) if convert is int else agreed(builder, tensor.handle))
            except Diverged:
                raise LookedAt from None

        return look

    def shown(convert: Callable[..., str]) -> Callable[..., str]:
        def look(tensor: Any, *specification: str) -> str:
            if not builder.memory.plan.one_by_one:
                raise LookedAt
            return convert(builder.as_numbers(tensor.handle).of_one_program(), *specification)

        return look

    def transposed(tensor: Any) -> Any:
        shape = tensor.handle.shape
        order = (*builtins.range(len(shape) - 2), len(shape) - 1, len(shape) - 2)
        handle = builder.create_trans(tensor.handle, order)
        return tl.tensor(handle, tl.block_type(tensor.dtype, list(handle.shape)))

    return {
        "__bool__": as_bool,
        "__index__": as_index,
        "__int__": number(int),
        "__float__": number(float),
        "__format__": shown(_formatted),
        "__repr__": shown(lambda data: repr(data) if data.shape else str(data)),
        "__str__": shown(str),
        "T": property(transposed),
    }


def _formatted(data: Array, specification: str) -> str:
    if data.shape and specification:
        raise TypeError(
            f"`:{specification}` formats a number, but this is a block of shape {data.shape}; print it without a format"
        )
    return format(data, specification)


# Now, as finding them takes 10 ms, which a warm process spends before a script waits for it. Until a launch runs, they
# do what they did.
_install_builtins()
