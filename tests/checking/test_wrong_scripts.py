"""The checker calls no script right whose kernel is wrong in sizes, types or places that its task allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.tests.tables import EVERY
from triton_workshop.exercises import EXERCISES

from ..exercises.wrong import wrong_scripts
from .judging import judge_here

NAMED = [
    pytest.param(exercise, text, id=name) for exercise in EXERCISES for name, text in wrong_scripts(exercise).items()
]


@pytest.mark.parametrize(("exercise", "text"), NAMED[::EVERY])
def test_a_case_shows_what_is_wrong_in_some_sizes_only(exercise: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(text, encoding="utf-8")
    verdict = judge_here(EXERCISES[exercise], file, search=0.0)
    assert [case.passed for case in verdict.cases[-1:]] == [False]
