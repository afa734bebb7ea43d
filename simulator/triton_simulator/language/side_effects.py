"""Side effects of a kernel's source.

If a kernel reaches out of itself, its programs have to run one after the other.
"""

from __future__ import annotations

import dis
import functools
import types
from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from triton.runtime import interpreter as upstream

from triton_simulator.language.aggregates import jit_methods
from triton_simulator.language.closures import ClosureVariables
from triton_simulator.language.syntax import is_hidden

_TRUSTED_PACKAGES = frozenset({"triton", "math", "builtins", "numpy", "torch", "operator", "_operator"})
_OUTPUT_FUNCTIONS = frozenset(
    {"print", "input", "breakpoint", "device_print", "static_print", "open", "exec", "eval", "next"}
)
_ESCAPING_OPERATIONS = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL", "STORE_ATTR", "IMPORT_NAME"})
# Nearly all methods that tuples and frozen sets lack change a container; the names taken out only read.
_MUTATING_METHODS = frozenset(
    name for kind in (list, dict, set) for name in set(dir(kind)) - set(dir(tuple)) - set(dir(frozenset)) - {"get"}
) - {"items", "keys", "values"}


class Analysis:
    """Analysis of the side effects of a kernel.

    It finds whether the kernel, or a function that it calls, may print or reach out of the kernel in another way.

    Then programs have to run one after the other: what it does must happen once per program, in grid order. Reading a
    global list or dict does not count, as long as nothing here could change one.
    """

    def __init__(self, function: Any) -> None:
        self._function = function
        self._dependencies: list[tuple[Mapping[str, Any], str, Any]] = []
        """Names that the answer depends on.

        Each has the place where it is found, itself, and its value then.
        """
        self._answer: bool | None = None

    def reaches_out(self) -> bool:
        """Return whether the kernel has side effects.

        The answer is kept until a name changes that it depends on.
        """
        if self._answer is None or self._is_outdated():
            self._dependencies.clear()
            self._answer = self._reaches_out()
        return self._answer

    def _is_outdated(self) -> bool:
        # A script may bind a global name again between two launches.
        return any(space.get(name) is not thing for space, name, thing in self._dependencies)

    def _reaches_out(self) -> bool:
        pending, visited = [self._function], set[int]()
        containers = changes = False
        while pending:
            function = pending.pop()
            if id(function) in visited:
                continue
            visited.add(id(function))
            uses = _find_uses(function.__code__)
            if uses.reaches_out:
                return True
            changes |= uses.changes
            space = _visible_names(function)
            self._dependencies.extend((space, name, space.get(name)) for name in uses.names)
            for thing in uses.outside(space):
                pending.extend(method.fn for method in jit_methods(thing))
                if isinstance(thing, upstream.InterpretedFunction):
                    pending.append(thing.fn)
                elif isinstance(thing, types.FunctionType):
                    pending.extend([] if _is_trusted(thing.__module__) else [thing])
                elif _is_opaque(thing):
                    return True
                # Reading a global container is no side effect unless something here could change one.
                containers |= isinstance(thing, list | dict | set)
        return containers and changes


def _visible_names(function: Any) -> Mapping[str, Any]:
    """Return what a function finds outside of itself, by name."""
    space: dict[str, Any] = function.__globals__
    if all(map(is_hidden, function.__code__.co_freevars)):
        return space
    # Python only reads of a ChainMap's maps, and cells are no dict.
    return ChainMap(ClosureVariables(function), space)  # type: ignore[arg-type]


def _is_opaque(thing: Any) -> bool:
    """Return whether a function may do anything.

    What is bound or written in C is not looked into.
    """
    is_bound = isinstance(thing, types.BuiltinFunctionType | types.MethodType)
    return is_bound and not _is_trusted(thing.__module__)


def _is_trusted(module: str | None) -> bool:
    return (module or "").partition(".")[0] in _TRUSTED_PACKAGES


@dataclass(frozen=True)
class _Uses:
    """Names that a function's code mentions, and what it does with them."""

    names: frozenset[str]
    """Its global names, and those of functions around it."""
    attributes: frozenset[str]
    reaches_out: bool
    """True if it prints, imports or assigns to something that outlives it."""
    changes: bool
    """True if it may change a list, a dict or a set."""

    def outside(self, space: Mapping[str, Any]) -> Iterator[Any]:
        """Yield the things that its outside names refer to.

        Of an unknown module, these are the attributes that it may use.
        """
        for name in self.names & space.keys():
            thing = space[name]
            is_unknown_module = isinstance(thing, types.ModuleType) and not _is_trusted(thing.__name__)
            if is_unknown_module:
                yield from (getattr(thing, attribute, None) for attribute in self.attributes)
            else:
                yield thing


@functools.cache
def _find_uses(code: types.CodeType) -> _Uses:
    instructions = list(dis.get_instructions(code))
    operations = {step.opname for step in instructions}
    names = {str(step.argval) for step in instructions if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    names |= set(code.co_freevars)
    # What the rewriter has put in reaches nowhere by itself.
    names = {name for name in names if not is_hidden(name)}
    attributes = {str(step.argval) for step in instructions if step.opname in ("LOAD_ATTR", "LOAD_METHOD")}
    reaches_out = bool((names | attributes) & _OUTPUT_FUNCTIONS or operations & _ESCAPING_OPERATIONS)
    changes = bool(attributes & _MUTATING_METHODS or operations & {"STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"})
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            nested = _find_uses(inner)
            names |= nested.names
            attributes |= nested.attributes
            reaches_out |= nested.reaches_out
            changes |= nested.changes
    return _Uses(frozenset(names), frozenset(attributes), reaches_out, changes)
