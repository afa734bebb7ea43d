"""Every sentence for learners has a name that code uses, and code uses no name that is not there."""

from __future__ import annotations

import ast
import functools
import re
import string
from collections.abc import Iterator

import pytest

from triton_workshop.checking.diagnosing.repair import Difference
from triton_workshop.checking.diagnosing.slips import KINDS
from triton_workshop.checking.judging.explanations import SUBJECTS, explanations
from triton_workshop.checking.judging.verdict import FindingKind
from triton_workshop.checking.reporting.progress import Status
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.goals import Quantity
from triton_workshop.hints import table
from triton_workshop.repository import ROOT

PACKAGE = ROOT / "triton_workshop"
SENTENCES = (
    "headlines",
    "goals",
    "launch",
    "learnt",
    "lines",
    "messages",
    "names",
    "remarks",
    "reports",
    "solution",
    "todos",
    "values",
)
"""Subjects with single sentences."""
ENUMERATED = {
    *(f"solution.{difference}" for difference in Difference),
    *(f"headlines.{kind}" for kind in FindingKind),
    *(f"reports.{status}" for status in Status),
    *(f"learnt.{number}" for number in EXERCISES),
    *(f"goals.{quantity}" for quantity in Quantity),
    "goals.product-missing",
}
"""Names that code puts together."""


@functools.cache
def nodes() -> list[ast.AST]:
    files = (PACKAGE / "checking").rglob("*.py")
    return [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]


def names_in_code() -> set[str]:
    return {node.value for node in nodes() if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def entries() -> dict[str, object]:
    return {f"{subject}.{key}": entry for subject in SENTENCES for key, entry in table(subject).items()}


def calls() -> Iterator[tuple[str, str, set[str | None]]]:
    """Each call with a name that stands there: the function, the name, and the values that it passes."""
    for node in nodes():
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id in ("sentence", "sentences") and isinstance(node.args[0], ast.Constant):
            yield node.func.id, str(node.args[0].value), {keyword.arg for keyword in node.keywords}


def fields(text: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}


def test_every_file_is_a_subject() -> None:
    files = {file.stem for file in (PACKAGE / "hints").glob("*.toml")}
    assert files == {*SENTENCES, *SUBJECTS, "habits", "syntax"}


def test_every_sentence_is_used() -> None:
    assert entries().keys() - names_in_code() - ENUMERATED == set()


def test_every_exercise_has_taught_something() -> None:
    assert table("learnt").keys() == EXERCISES.keys()


def test_every_name_in_code_has_a_sentence() -> None:
    names = {name for name in names_in_code() if re.fullmatch(rf"({'|'.join(SENTENCES)})\.[\w-]+", name)}
    assert names - entries().keys() == set()
    assert ENUMERATED - entries().keys() == set()


@pytest.mark.parametrize("call", list(calls()), ids=lambda call: call[1])
def test_a_sentence_gets_the_values_of_its_fields(call: tuple[str, str, set[str]]) -> None:
    function, name, values = call
    entry = entries()[name]
    assert isinstance(entry, str if function == "sentence" else list)
    texts = [entry] if isinstance(entry, str) else entry
    assert set[str]().union(*map(fields, texts)) == values  # type: ignore[arg-type, call-overload]


def test_no_two_subjects_explain_under_one_name() -> None:
    assert len(explanations()) == sum(len(table(subject)) for subject in SUBJECTS)


def test_every_explanation_has_a_pattern_or_is_named_in_code() -> None:
    slips = {f"slip-{kind}" for kind in KINDS}
    unmatched = {name for name, explanation in explanations().items() if not explanation.pattern}
    assert unmatched - names_in_code() - slips == set()


def test_the_last_syntax_hint_fits_any_line() -> None:
    assert list(table("syntax"))[-1] == ""
