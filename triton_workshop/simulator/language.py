"""Triton's language while a launch runs: where Python meets a value that all programs hold at once."""

from __future__ import annotations

import builtins
import dis
import functools
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import triton.language as tl
from triton.language.semantic import TritonSemantic
from triton.runtime import interpreter as upstream

from triton_workshop.simulator import reductions, rewriting
from triton_workshop.simulator.builder import Builder
from triton_workshop.simulator.faults import Kind
from triton_workshop.simulator.formats import Array, held_as
from triton_workshop.simulator.signals import Branches, Diverged, LaunchEnds, LookedAt
from triton_workshop.simulator.values import Value

_KNOWN = frozenset({"triton", "math", "builtins", "numpy", "torch", "operator", "_operator"})
_PRINTING = frozenset({"print", "input", "breakpoint", "device_print", "static_print", "open", "exec", "eval", "next"})
_OUTLIVING = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "IMPORT_NAME"})
_CHANGING = frozenset(
    name for kind in (list, dict, set) for name in set(dir(kind)) - set(dir(tuple)) - set(dir(frozenset)) - {"get"}
) - {"items", "keys", "values"}


@contextmanager
def interpreted(function: Callable[..., Any], builder: Builder) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Triton's language over `builder`, as long as a launch runs.

    Gives a function that makes the builtins `range`, `min` and `max` batched in one more module: each jit function
    has its own.
    """
    # Triton looks for the language among the kernel's globals; the functions that it calls may have it elsewhere.
    scope = upstream._patch_lang(types.SimpleNamespace(__globals__={"tl": tl, "core": tl.core}))
    modules: dict[int, tuple[dict[str, Any], Set[str]]] = {}
    for language in (tl, tl.core):
        for name, member in _members(builder).items():
            scope.set_attr(language, name, member)
    for name, method in _tensor_methods(builder).items():
        scope.set_attr(tl.tensor, name, method)
    # In Triton 3.6 it stays true for ever, so `while tl.condition(...)` would never end.
    scope.set_attr(tl.condition, "__bool__", lambda condition: bool(condition.condition))
    scope.set_attr(tl.constexpr, "__format__", lambda constant, specification: format(constant.value, specification))
    scope.set_attr(tl.constexpr, "__str__", lambda constant: str(constant.value))
    for name in ("atomic_max", "atomic_min"):
        scope.set_attr(TritonSemantic, name, _float_atomic(builder, name, getattr(TritonSemantic, name)))

    replacements = {"range": _members(builder)["range"], "min": _extremum("minimum"), "max": _extremum("maximum")}

    def enter_module(names: dict[str, Any]) -> None:
        if id(names) not in modules:
            modules[id(names)] = (names, replacements.keys() - names.keys())
            for name in replacements.keys() - names.keys():
                names[name] = replacements[name]

    enter_module(function.__globals__)
    try:
        yield enter_module
    finally:
        for names, added in modules.values():
            for name in added:
                del names[name]
        scope.restore()


def _extremum(name: str) -> Callable[..., Any]:
    """Python's `min` or `max`, which Triton's compiler takes for `tl.minimum` or `tl.maximum` of tensors."""
    plain = getattr(builtins, name[:3])

    def extremum(*values: Any, **options: Any) -> Any:
        if len(values) < 2 or not any(isinstance(value, tl.tensor) for value in values):
            return plain(*values, **options)
        return functools.reduce(getattr(tl, name), values)

    return extremum


def prints(function: Any) -> bool:
    """Whether a kernel, or a function that it calls, may print or reach out of the kernel in another way.

    Then programs have to run one after the other: what it does must happen once per program, in grid order. Reading a
    global list or dict does not count, as long as nothing here could change one.
    """
    waiting, seen = [function], set[int]()
    containers = changes = False
    while waiting:
        function = waiting.pop()
        if id(function) in seen:
            continue
        seen.add(id(function))
        uses = _uses(function.__code__)
        if uses.reaches_out or function.__closure__:
            return True
        changes |= uses.changes
        for thing in uses.globals(function.__globals__):
            if isinstance(thing, upstream.InterpretedFunction):
                waiting.append(thing.fn)
            elif isinstance(thing, types.FunctionType):
                waiting.extend([] if _is_known(thing.__module__) else [thing])
            elif isinstance(thing, types.BuiltinFunctionType | types.MethodType) and not _is_known(thing.__module__):
                return True
            containers |= isinstance(thing, list | dict | set)
    return containers and changes


def _is_known(module: str | None) -> bool:
    # Ours are those that the rewriter substitutes for `and`, `or` and `not`.
    return module == rewriting.__name__ or (module or "").partition(".")[0] in _KNOWN


@dataclass(frozen=True)
class _Uses:
    """What a function's code mentions."""

    names: frozenset[str]
    """Its global names."""
    attributes: frozenset[str]
    reaches_out: bool
    """Whether it prints, imports or assigns to something that outlives it."""
    changes: bool
    """Whether it could change a list, a dict or a set."""

    def globals(self, space: dict[str, Any]) -> Iterator[Any]:
        """What its global names refer to; for an unknown module, the parts that it may use."""
        for name in self.names & space.keys():
            thing = space[name]
            if isinstance(thing, types.ModuleType) and not _is_known(thing.__name__):
                yield from (getattr(thing, attribute, None) for attribute in self.attributes)
            else:
                yield thing


@functools.cache
def _uses(code: types.CodeType) -> _Uses:
    instructions = list(dis.get_instructions(code))
    operations = {step.opname for step in instructions}
    names = {str(step.argval) for step in instructions if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    attributes = {str(step.argval) for step in instructions if step.opname in ("LOAD_ATTR", "LOAD_METHOD")}
    reaches_out = bool((names | attributes) & _PRINTING or operations & _OUTLIVING)
    changes = bool(attributes & _CHANGING or operations & {"STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"})
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            more = _uses(inner)
            names |= more.names
            attributes |= more.attributes
            reaches_out |= more.reaches_out
            changes |= more.changes
    return _Uses(frozenset(names), frozenset(attributes), reaches_out, changes)


def _members(builder: Builder) -> dict[str, Any]:
    """What replaces names of `triton.language`."""

    def batched_range(first: Any, second: Any = None, step: Any = None, **_hints: Any) -> Iterable[Any]:
        start, stop = (0, first) if second is None else (first, second)
        return _steps(builder, start, stop, 1 if step is None else step)

    def reduce(input: Any, axis: Any, combine_fn: Any, keep_dims: Any = False, **_: Any) -> Any:
        tensors = input if isinstance(input, tuple | tl.tuple) else (input,)
        results = reductions.reduce(builder, tuple(tensors), _plain(axis), combine_fn, bool(_plain(keep_dims)))
        return results if isinstance(input, tuple | tl.tuple) else results[0]

    def associative_scan(input: Any, axis: Any, combine_fn: Any, reverse: Any = False, **_: Any) -> Any:
        tensors = input if isinstance(input, tuple | tl.tuple) else (input,)
        results = reductions.scan(builder, tuple(tensors), _plain(axis), combine_fn, bool(_plain(reverse)))
        return results if isinstance(input, tuple | tl.tuple) else results[0]

    return {
        "range": batched_range,
        "static_range": batched_range,
        "reduce": reduce,
        "associative_scan": associative_scan,
    }


def _float_atomic(builder: Builder, name: str, on_integers: Callable[..., Any]) -> Callable[..., Any]:
    """A float's maximum or minimum in one step. Triton makes two of it, on its bits, which programs would share."""

    def update(semantic: Any, pointer: Any, value: Any, mask: Any, sem: str, scope: str) -> Any:
        if not value.dtype.is_floating():
            return on_integers(semantic, pointer, value, mask, sem, scope)
        pointer, value, mask = semantic.atom_red_typechecking_impl(pointer, value, mask, name.removeprefix("atomic_"))
        order = semantic._str_to_sem(sem)
        kind = "ATOMIC_OP.MAX" if name == "atomic_max" else "ATOMIC_OP.MIN"
        old = builder.create_atomic_rmw(kind, pointer.handle, value.handle, mask.handle, order, None)
        return tl.tensor(old, value.type)

    return update


def _steps(builder: Builder, start: Any, stop: Any, step: Any) -> Iterable[Any]:
    """The numbers of a `range` whose ends may differ between programs, as long as all make as many steps."""
    if not any(isinstance(end, tl.tensor) for end in (start, stop, step)):
        return builtins.range(_plain(start), _plain(stop), _plain(step))
    first, last, stride = (_scalars(builder, end) for end in (start, stop, step))
    counts = np.maximum(0, -((first - last) // stride))
    if (counts != counts[0]).any():
        raise Diverged(np.broadcast_to(counts, builder.memory.group.shape))
    semantic = upstream.interpreter_semantic
    dtype = functools.reduce(
        semantic.integer_promote_impl, (semantic.to_tensor(end).dtype for end in (start, stop, step))
    )
    numbers = (first + i * stride for i in builtins.range(int(counts[0])))
    return (tl.tensor(Value(number.astype(held_as(dtype)), dtype), dtype) for number in numbers)


def _scalars(builder: Builder, number: Any) -> Array:
    """An integer of every program, (P,), or (1,) where all agree."""
    if not isinstance(number, tl.tensor):
        return np.array([operator.index(_plain(number))])
    value = number.handle
    if not _is_single(value) or not number.dtype.is_int():
        raise TypeError(f"`range` expects integers, but one of its arguments is {_described(number)}")
    _check_defined(builder, value)
    data = value.data.reshape(-1).astype(np.int64)
    return np.asarray(data[:1] if (data == data[0]).all() else data)


def _plain(number: Any) -> Any:
    return number.value if isinstance(number, tl.constexpr) else number


def _check_defined(builder: Builder, value: Value) -> None:
    """End the launch where Python's next step depends on an undefined value."""
    if builder.combining:
        raise Branches
    if value.poison is None:
        return
    builder.memory.need_exact_poison("a branch may depend on an undefined value")
    poison = np.asarray(value.poison).reshape(-1)
    if poison.any():
        group = builder.memory.group
        builder.memory.log.add(Kind.UNDEFINED_BRANCH, group[np.broadcast_to(poison, group.shape)])
        raise LaunchEnds


def _agreed(builder: Builder, value: Value) -> Any:
    """The single number that all programs of the group have."""
    _check_defined(builder, value)
    data = value.data.reshape(-1)
    if len(data) > 1 and (data != data[0]).any():
        raise Diverged(data)
    return data[0]


def _tensor_methods(builder: Builder) -> dict[str, Any]:
    """What replaces methods of `tl.tensor`."""
    with_more_axes = tl.tensor.__getitem__

    def item(tensor: Any, index: Any) -> Any:
        parts = index if isinstance(index, tuple) else (index,)
        if any(isinstance(part, tl.tensor | int) for part in parts):
            raise TypeError(
                "unsupported tensor index: brackets only add axes, as in `x[:, None]`; read memory with "
                "`tl.load(pointer + offsets)`, and pick elements of a block with `tl.gather`"
            )
        return with_more_axes(tensor, index)

    def as_bool(tensor: Any) -> bool:
        if sys._getframe(1).f_globals.get("__name__") == "triton.language.semantic":
            return True  # there `if mask` asks whether there is one
        value = tensor.handle
        if builder.combining or _is_single(value):
            return bool(_agreed(builder, value))
        raise ValueError(
            f"{_described(tensor)} is neither true nor false; choose element by element, with tl.where or a mask"
        )

    def as_index(tensor: Any) -> int:
        if not builder.combining and not _is_single(tensor.handle):
            raise TypeError(f"{_described(tensor)} is not an index; expected a scalar")
        return int(_agreed(builder, tensor.handle))

    def number(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def look(tensor: Any) -> Any:
            if not builder.combining and not _is_single(tensor.handle):
                raise TypeError(
                    f"{_described(tensor)} cannot become a Python number; use the functions in `tl` for blocks"
                )
            try:
                return convert(as_index(tensor) if convert is int else _agreed(builder, tensor.handle))
            except Diverged:
                raise LookedAt from None

        return look

    def shown(convert: Callable[..., str]) -> Callable[..., str]:
        def look(tensor: Any, *specification: str) -> str:
            if not builder.memory.plan.one_by_one:
                raise LookedAt
            return convert(tensor.handle.of_one_program(), *specification)

        return look

    def transposed(tensor: Any) -> Any:
        shape = tensor.handle.shape
        order = (*builtins.range(len(shape) - 2), len(shape) - 1, len(shape) - 2)
        handle = builder.create_trans(tensor.handle, order)
        return tl.tensor(handle, tl.block_type(tensor.dtype, list(handle.shape)))

    return {
        "__getitem__": item,
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


def _described(tensor: Any) -> str:
    shape = tuple(tensor.handle.shape)
    return f"a block of shape {shape}" if shape else f"a scalar of type {tensor.dtype}"


def _is_single(value: Any) -> bool:
    return isinstance(value, Value) and all(size == 1 for size in value.shape)
