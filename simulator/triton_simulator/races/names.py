"""Names of accesses: who has come to an element, in one number each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from triton_simulator.races.ordering import UNKNOWN
from triton_simulator.values.formats import Array

NOBODY, ATOMIC = 0, 1
"""The name of no program, and the bit of a name for an atomic access."""


@dataclass(frozen=True)
class Names:
    """Names that are numbers of one type.

    A name is NOBODY, or twice (a moment of a program + 1), with the bit ATOMIC if the access was an atomic. Where that
    takes more memory than a launch may have, it is the program's number modulo what fits instead, which can take two
    programs for one, never one for two: then they are not `exact`, and whose a name is, is unknown.
    """

    dtype: np.dtype[np.unsignedinteger]
    exact: bool

    @cached_property
    def several(self) -> int:
        """Name for several readers, or atomics of several programs."""
        return (1 << 8 * self.dtype.itemsize) - 1  # numpy's own `iinfo` takes longer than a store's other checks

    def encode(self, owners: Array, moments: Array, *, atomic: bool) -> Array:
        """Return the names of accesses by these programs at these moments."""
        numbers = moments if self.exact else owners % (self.several // 2 - 1)
        names: Array = numbers.astype(self.dtype)
        names += 1
        names <<= 1
        if atomic:
            names |= ATOMIC
        return names

    def moments(self, names: Array) -> Array:
        """Return the moments that names mean.

        UNKNOWN where they do not say.
        """
        if not self.exact:
            return np.full(len(names), UNKNOWN)
        return np.where(names == self.several, UNKNOWN, (names >> 1).astype(np.int64) - 1)


def is_atomic(names: Array) -> Array:
    """Return which names are those of atomics."""
    return np.asarray(names & ATOMIC == ATOMIC)


def is_untouched(names: Array) -> bool:
    """Return whether nobody has come to any of the elements."""
    # That is so for most stores, and the maximum takes a fraction of the time of what can be skipped then.
    return int(np.maximum.reduce(names, initial=NOBODY)) == NOBODY


def is_other_program(first: Array, second: Array) -> Array:
    """Return where two names differ in more than the kind of access.

    The name `several` differs from all others.
    """
    return np.asarray(first ^ second > ATOMIC)
