"""Changes to objects of others that can be taken back."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

_NOTHING = object()
"""Where there is no value."""


@dataclass(frozen=True)
class _Attribute:
    owner: Any
    name: str

    def get(self) -> Any:
        """What stands there itself: of a class, no inherited value, and a method or a property as it is."""
        return vars(self.owner).get(self.name, _NOTHING)

    def set(self, value: Any) -> None:
        if value is _NOTHING:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, value)


@dataclass(frozen=True)
class _Item:
    mapping: MutableMapping[Any, Any]
    key: Any

    def get(self) -> Any:
        return self.mapping.get(self.key, _NOTHING)

    def set(self, value: Any) -> None:
        if value is _NOTHING:
            del self.mapping[self.key]
        else:
            self.mapping[self.key] = value


class Patches:
    """Attributes and items that have other values between `apply` and `revert`; nothing changes before."""

    def __init__(self) -> None:
        self._wanted: list[tuple[_Attribute | _Item, Any]] = []
        self._before: list[tuple[_Attribute | _Item, Any]] = []

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        """Plan another value for an attribute of a module, a class or an object, or a new attribute."""
        self._wanted.append((_Attribute(owner, name), value))

    def item(self, mapping: MutableMapping[Any, Any], key: Any, value: Any) -> None:
        """Plan another value for a key, or a new key."""
        self._wanted.append((_Item(mapping, key), value))

    @property
    def applied(self) -> bool:
        return bool(self._before)

    def apply(self) -> None:
        """Make all changes, in the order in which they were planned; if one fails, none."""
        try:
            for place, value in self._wanted:
                self._before.append((place, place.get()))
                place.set(value)
        except BaseException:
            self._before.pop()
            self.revert()
            raise

    def revert(self) -> None:
        """Put back what was there before, the last change first."""
        while self._before:
            place, value = self._before.pop()
            place.set(value)
