"""A script's classes as the compiling process rebuilds them."""

from __future__ import annotations

import enum
from typing import Any

import pytest

from triton_simulator.compiler.classes import reduce_class


class Plain(enum.Enum):
    ONE = 1
    FIRST = 1


class Number(int, enum.Enum):  # how scripts write it
    ONE = 1
    FIRST = 1
    TWO = 2


class Half(float, enum.Enum):
    HALF = 0.5


class Word(str, enum.Enum):  # noqa: UP042
    X = "x"


class Counted(enum.IntEnum):
    THREE = 3


class Flags(enum.IntFlag):
    A = 1
    B = 2
    BOTH = 3


ENUMERATIONS: dict[Any, tuple[list[type], dict[str, object]]] = {
    Plain: ([], {"ONE": 1, "FIRST": 1}),
    Number: ([int], {"ONE": 1, "FIRST": 1, "TWO": 2}),
    Half: ([float], {"HALF": 0.5}),
    Word: ([str], {"X": "x"}),
    Counted: ([int], {"THREE": 3}),
    Flags: ([int], {"A": 1, "B": 2, "BOTH": 3}),
}


@pytest.mark.parametrize("cls", ENUMERATIONS)
def test_an_enumeration_keeps_its_type_its_values_and_its_other_names(cls: Any) -> None:
    function, arguments = reduce_class(cls, lambda _: True)
    rebuilt = function(*arguments)
    kinds, values = ENUMERATIONS[cls]
    assert [kind for kind in (int, float, str) if issubclass(rebuilt, kind)] == kinds
    assert {name: member.value for name, member in rebuilt.__members__.items()} == values
