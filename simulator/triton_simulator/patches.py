"""Changes to objects of others that can be taken back."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

_MISSING = object()
"""Where there is no value."""


@dataclass(frozen=True)
class _Attribute:
    owner: Any
    name: str

    def get(self) -> Any:
        """What stands there itself: of a class, no inherited value, and a method or a property as it is."""
        return vars(self.owner).get(self.name, _MISSING)

    def set(self, value: Any) -> None:
        if value is _MISSING:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, value)


@dataclass(frozen=True)
class _Item:
    mapping: MutableMapping[Any, Any]
    key: Any

    def get(self) -> Any:
        return self.mapping.get(self.key, _MISSING)

    def set(self, value: Any) -> None:
        if value is _MISSING:
            del self.mapping[self.key]
        else:
            self.mapping[self.key] = value


class Patches:
    """Attributes and items that have other values between `apply` and `revert`; nothing changes before."""

    def __init__(self) -> None:
        self._planned: list[tuple[_Attribute | _Item, Any]] = []
        self._replaced: list[tuple[_Attribute | _Item, Any]] = []

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        """Plan another value for an attribute of a module, a class or an object, or a new attribute."""
        self._planned.append((_Attribute(owner, name), value))

    def item(self, mapping: MutableMapping[Any, Any], key: Any, value: Any) -> None:
        """Plan another value for a key, or a new key."""
        self._planned.append((_Item(mapping, key), value))

    @property
    def is_applied(self) -> bool:
        return bool(self._replaced)

    def apply(self) -> None:
        """Make all changes, in the order in which they were planned; if one fails, none."""
        try:
            for target, value in self._planned:
                self._replaced.append((target, target.get()))
                target.set(value)
        except BaseException:
            self._replaced.pop()
            self.revert()
            raise

    def revert(self) -> None:
        """Put back what was there before, the last change first."""
        while self._replaced:
            target, value = self._replaced.pop()
            target.set(value)
