"""Pickling of a script's classes for the compiling process.

A class travels as what it consists of, and is created again there.

A kernel uses aggregates by their methods, and of other classes objects that are constants. `pickling` has the values.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import types
from collections.abc import Callable, Mapping
from typing import Any

ORIGINAL_CLASS = "_class_as_written"
"""The attribute of an aggregate with its original class.

The simulator's `aggregates` describe it.
"""
_IMPLICIT_MEMBERS = frozenset(
    (
        "__annotations__",
        "__dict__",
        "__doc__",
        "__firstlineno__",
        "__module__",
        "__qualname__",
        "__slots__",
        "__weakref__",
    )
)
"""Members that each class has, and no kernel needs."""


def is_aggregate(cls: type) -> bool:
    """Return whether a class is an aggregate with a known original.

    The original is the class that the script wrote, before Triton made an aggregate of it.
    """
    return ORIGINAL_CLASS in vars(cls)


def _is_named_tuple(cls: type) -> bool:
    return issubclass(cls, tuple) and hasattr(cls, "_fields")


def reduce_class(cls: Any, has_source: Callable[[Any], bool]) -> Any:
    """Return how pickle rebuilds a script's class, or None if it cannot.

    `has_source` says whether a function's text is known.
    """
    if _is_named_tuple(cls):
        return _make_named_tuple, (cls.__name__, cls._fields, tuple(cls._field_defaults.values()))
    if issubclass(cls, enum.Enum):
        # A script's own base is not in the other process; the nearest of Python's is.
        base = next(base for base in cls.__mro__ if base.__module__ == "enum")
        # `IntEnum` is an int itself, `class C(int, Enum)` says so.
        kinds = (kind for kind in (int, float, str) if issubclass(cls, kind))
        mixed = next((kind for kind in kinds if not issubclass(base, kind)), None)
        members = [(name, member.value) for name, member in cls.__members__.items()]
        return _make_enumeration, (base, cls.__name__, members, mixed)
    if is_aggregate(cls):
        written = vars(cls)[ORIGINAL_CLASS]
        fields = vars(cls).get("__annotations__") or written.__annotations__
        return _make_aggregate, (cls.__name__, written.__bases__, dict(fields), _members(written, has_source))
    # A metaclass may do anything as it makes a class, and cannot be repeated from outside.
    if type(cls) is not type:
        return None
    parameters = getattr(cls, "__dataclass_params__", None)
    options = None
    if parameters:
        options = {name: getattr(parameters, name) for name in _OPTIONS}
    # A data class needs only the names of its fields, and their types may not exist there.
    fields = dict.fromkeys(vars(cls).get("__annotations__", ()), object)
    return (
        _make_plain,
        (cls.__name__, cls.__bases__, fields, options),
        # They are set once the class exists, as a method may name its own class.
        _members(cls, has_source),
        None,
        None,
        _add_members,
    )


_OPTIONS = ("eq", "order", "unsafe_hash", "frozen")
"""Options that decide how objects of a data class compare."""


def _members(cls: type, has_source: Callable[[Any], bool]) -> dict[str, Any]:
    """Return the members that a class defines.

    Generated functions are left out, as there is no text for them.
    """
    return {
        name: member
        for name, member in vars(cls).items()
        if name not in _IMPLICIT_MEMBERS
        and not name.startswith("__dataclass_")
        and not isinstance(member, types.MemberDescriptorType)  # of __slots__
        and not _is_generated(member, has_source)
    }


def _is_generated(member: Any, has_source: Callable[[Any], bool]) -> bool:
    """Return whether a member is a function without a known text."""
    return isinstance(member, types.FunctionType) and not has_source(member)


# In the other process


def _make_named_tuple(name: str, fields: tuple[str, ...], defaults: tuple[Any, ...]) -> Any:
    return collections.namedtuple(name, fields, defaults=defaults)


def _make_enumeration(base: Any, name: str, members: list[tuple[str, Any]], mixed: type | None) -> Any:
    return base(name, members, type=mixed)


def _make_aggregate(name: str, bases: tuple[type, ...], fields: Mapping[str, Any], members: Mapping[str, Any]) -> Any:
    from triton.language import core

    return core._aggregate(type(name, bases, {"__module__": "script", "__annotations__": fields, **members}))


def _make_plain(
    name: str, bases: tuple[type, ...], fields: Mapping[str, Any], options: Mapping[str, bool] | None
) -> Any:
    cls = type(name, bases, {"__module__": "script", "__annotations__": fields})
    return cls if options is None else dataclasses.dataclass(cls, **options)


def _add_members(cls: type, members: Mapping[str, Any]) -> None:
    for name, member in members.items():
        setattr(cls, name, member)
