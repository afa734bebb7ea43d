"""Changes to objects of others that can be taken back."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

_MISSING = object()
"""Marker for a missing value."""


@dataclass(frozen=True)
class _Attribute:
    owner: Any
    name: str

    def get(self) -> Any:
        """Return the attribute as it is stored.

        A class gives no inherited value, and a method or a property as it is.
        """
        return vars(self.owner).get(self.name, _MISSING)

    def set(self, value: Any) -> None:
        """Set the attribute, or delete it if it was missing."""
        if value is _MISSING:
            delattr(self.owner, self.name)
        else:
            setattr(self.owner, self.name, value)


@dataclass(frozen=True)
class _Item:
    mapping: MutableMapping[Any, Any]
    key: Any

    def get(self) -> Any:
        """Return the item, or a marker if it is missing."""
        return self.mapping.get(self.key, _MISSING)

    def set(self, value: Any) -> None:
        """Set the item, or delete it if it was missing."""
        if value is _MISSING:
            del self.mapping[self.key]
        else:
            self.mapping[self.key] = value


class Patches:
    """Values that differ between `apply` and `revert`.

    Attributes and items have other values then; nothing changes before.
    """

    def __init__(self) -> None:
        self._planned: list[tuple[_Attribute | _Item, Any]] = []
        self._replaced: list[tuple[_Attribute | _Item, Any]] = []

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        """Plan another value for an attribute, or a new attribute.

        The owner is a module, a class or an object.
        """
        self._planned.append((_Attribute(owner, name), value))

    def item(self, mapping: MutableMapping[Any, Any], key: Any, value: Any) -> None:
        """Plan another value for a key, or a new key."""
        self._planned.append((_Item(mapping, key), value))

    @property
    def is_applied(self) -> bool:
        """Return whether the changes are in place."""
        return bool(self._replaced)

    def apply(self) -> None:
        """Make all changes in the planned order; if one fails, none."""
        try:
            for target, value in self._planned:
                self._replaced.append((target, target.get()))
                target.set(value)
        except BaseException:
            # The last change has failed, so there is nothing to take back.
            self._replaced.pop()
            self.revert()
            raise

    def revert(self) -> None:
        """Put back what was there before, the last change first."""
        while self._replaced:
            target, value = self._replaced.pop()
            target.set(value)
