"""Triton's builtins, over the semantic of the launch that runs.

They are `tl.load`, `x.exp()` and others.

Ours stand wherever Triton's modules and classes hold one of Triton's. A kernel's own alias of one, bound before the
simulator was installed, means ours too: see `current_builtin`.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import triton.language as tl

from triton_simulator.patches import Patches

_active_semantic: Any = None
"""The semantic of the launch that runs."""
_CODE = tl.arange.__code__
"""Code of every function that `triton.language.core.builtin` makes."""
_make_original = tl.core.builtin
_replacements: dict[Any, Any] = {}
"""Replacements of Triton's functions by ours.

Each is made once, so that an alias of ours stays good.
"""


@contextmanager
def use_semantic(semantic: Any) -> Iterator[None]:
    """Let builtins use `semantic` while this lasts.

    One that is given another semantic uses that.
    """
    global _active_semantic
    previous, _active_semantic = _active_semantic, semantic
    try:
        yield
    finally:
        _active_semantic = previous


def is_launching() -> bool:
    """Return whether a launch runs."""
    return _active_semantic is not None


def current_builtin(function: Any) -> Any:
    """Return the function that a kernel means by one of Triton's.

    The kernel may have bound it to a name before the simulator was installed.
    """
    return _replacements.get(function, function)


def is_replaced(thing: Any) -> bool:
    """Return whether a thing is a builtin that ours replace."""
    return isinstance(thing, types.FunctionType) and thing in _replacements


def builtin_patches(patches: Patches, special: Callable[[Any, Any], Any]) -> None:
    """Plan our replacements for Triton's builtins.

    The methods that forward to one are replaced as well, and so are builtins that are yet to be defined.

    `special` gets a builtin and what it calls, and says what ours calls.
    """
    members = list(_members(list(_spaces())))
    functions = (thing for _, _, thing in members if type(thing) is types.FunctionType)
    # First all replacements, as a method may forward to a builtin that is listed later.
    for function in functions:
        if function.__code__ is _CODE and function not in _replacements:
            _replacements[function] = _wrap_builtin(function, special(function, vars(function)["__wrapped__"]))
    for space, name, thing in members:
        if is_replaced(thing):
            patches.attribute(space, name, _replacements[thing])
        elif space is tl.tensor and _forwards_to_builtin(thing):
            builtin = thing.__closure__[0].cell_contents
            patches.attribute(space, name, _replacements.get(builtin) or _make_builtin(thing))
        elif type(thing) is dict and isinstance(space, type):  # what Triton's code generator does itself
            for key in filter(is_replaced, thing):
                patches.item(thing, _replacements[key], thing[key])
    patches.attribute(tl.core, "builtin", _make_builtin)


_KINDS = (types.FunctionType, dict)


def _members(spaces: list[Any]) -> Iterator[tuple[Any, str, Any]]:
    """Yield the functions and dicts of modules and classes.

    Each comes with its module or class, and its name there.
    """
    for space in spaces:
        for name, thing in vars(space).items():
            if type(thing) in _KINDS:
                yield space, name, thing


def _spaces() -> Iterator[Any]:
    """Yield the loaded modules of Triton, and the classes in them."""
    visited = set[int]()
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == "triton"]
    for module in modules:
        if not isinstance(module, types.ModuleType):
            continue
        yield module
        classes = [thing for thing in list(vars(module).values()) if isinstance(thing, type)]
        for cls in classes:
            if id(cls) in visited:
                continue
            if cls.__module__.startswith("triton."):
                visited.add(id(cls))
                yield cls


def _forwards_to_builtin(method: Any) -> bool:
    """Return whether a method forwards everything to a builtin.

    Such a method is `x.exp()`; the function that it calls needs a semantic.
    """
    is_wrapper = isinstance(method, types.FunctionType) and method.__code__.co_freevars == ("fn",)
    return is_wrapper and "_semantic" in inspect.signature(method).parameters


def _make_builtin(fn: Any) -> Any:
    """Return a builtin, in place of `triton.language.core.builtin`."""
    return _wrap_builtin(_make_original(fn), fn)


def _wrap_builtin(original: Any, fn: Any) -> Any:
    """Return our replacement for a builtin of Triton's.

    It calls `fn` with the semantic of the launch that runs.
    """

    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        """Call the function, with the launch's semantic unless one is given."""
        if kwargs.get("_semantic") is None:
            if _active_semantic is None:
                original()  # raises Triton's own error
            kwargs["_semantic"] = _active_semantic
        return fn(*args, **kwargs)

    return wrapper
