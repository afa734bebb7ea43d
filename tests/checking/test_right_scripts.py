"""The checker never calls a right script wrong, in whatever style it is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.tests.tables import EVERY
from triton_workshop.exercises import EXERCISES

from ..exercises.right import RightScript, right_scripts
from .judging import judge_here

SCRIPTS = {exercise: right_scripts(exercise) for exercise in EXERCISES}
NAMED = [pytest.param(exercise, script, id=script.name) for exercise, scripts in SCRIPTS.items() for script in scripts]


@pytest.mark.parametrize(("exercise", "script"), NAMED[::EVERY])
def test_a_right_script_passes_or_hears_what_is_gone(exercise: str, script: RightScript, tmp_path: Path) -> None:
    file = tmp_path / f"{script.name}.py"
    file.write_text(script.source, encoding="utf-8")
    verdict = judge_here(EXERCISES[exercise], file)
    if not script.is_supported():
        assert [finding.hint_name for finding in verdict.findings] == ["block-pointers-gone"]
        return
    assert verdict.passed, f"{verdict.findings[0].message}\n\n{script.source}"


@pytest.mark.parametrize("exercise", EXERCISES)
def test_each_exercise_has_six_at_least_and_each_is_its_own(exercise: str) -> None:
    scripts = [script for script in SCRIPTS[exercise] if not script.required_word]
    assert len({script.source for script in scripts}) == len({script.name for script in scripts}) == len(scripts) >= 6
    assert all(script.name.startswith(f"{exercise}-") for script in scripts)
