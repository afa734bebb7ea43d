"""What the editor says of Triton's names and of ours: parameters, and a sentence of their docstrings."""

from __future__ import annotations

import ast
import functools
import gzip
import json
from collections.abc import Mapping

import pytest

from triton_workshop.exercises import EXERCISES
from triton_workshop.page.signatures import RANGES, first_sentence, parameters, signatures

MAX_BYTES = 40_000


@functools.cache
def known() -> Mapping[str, Mapping[str, list[str]]]:
    found: Mapping[str, Mapping[str, list[str]]] = json.loads(signatures())
    return found


def test_a_function_has_its_parameters_and_its_first_sentence() -> None:
    assert known()["tl"]["program_id"] == [
        "(axis)",
        "Returns the id of the current program instance along the given axis.",
    ]
    assert known()["tl"]["sum"][0] == "(input, axis=None, keep_dims=False, dtype=None)"
    assert known()[""]["cdiv"] == ["(dividend, divisor)", "Return the ceiling of a division."]


def test_every_name_that_our_scripts_use_is_known() -> None:
    used = {
        (node.value.id, node.attr)
        for exercise in EXERCISES.values()
        for node in ast.walk(ast.parse(exercise.solution))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("tl", "triton")
    } - {("triton", "language"), ("tl", "math")}
    assert len(used) > 15
    assert [(owner, name) for owner, name in used if name not in known()[owner]] == []
    assert {*RANGES} < {*known()["tl"]}


def test_nobody_reads_markup_or_what_only_triton_passes() -> None:
    entries = [(name, *entry) for owner in known().values() for name, entry in owner.items()]
    assert len(entries) > 100
    for name, listed, sentence in entries:
        assert "_semantic" not in listed, name
        assert not {"`", ":code:", "\\"} & {*sentence}, name
        assert sentence[0].isupper(), name
        assert sentence.endswith("."), name
        assert len(sentence) < 250, name


def test_they_are_small() -> None:
    assert len(gzip.compress(signatures())) < MAX_BYTES


@pytest.mark.parametrize(
    ("docstring", "sentence"),
    [
        ("adds :code:`x`. More.", "Adds x."),
        ("This function can also be called as a member function on x.\n\n    Sums it all:\n\n    x", "Sums it all."),
        ("Takes values[d]. Then more", "Takes values[d]."),
        ("", ""),
    ],
)
def test_the_first_sentence(docstring: str, sentence: str) -> None:
    assert first_sentence(docstring) == sentence


def test_parameters_have_no_types() -> None:
    def function(one: int, *others: str, key: str = "a, b", _own: int = 1) -> None: ...

    assert parameters(function) == "(one, *others, key='a, b')"
