"""The goals of exercise 7: other good repairs reach them, and repairs that do not help are told which one they miss."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.tests.tables import SLOW_EVERY
from triton_simulator.compiler.compilation import Start
from triton_workshop.checking.compiling import with_compiled_costs
from triton_workshop.checking.judging.verdict import FindingKind, Verdict
from triton_workshop.exercises import EXERCISES
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.runner import Runner

from ..exercises.right import RightScript, right_scripts
from ..exercises.slow import SlowScript, slow_scripts
from .judging import judge_here

WITH_GOALS = [number for number, exercise in EXERCISES.items() if exercise.goals]
GOOD = [pytest.param(number, script, id=script.name) for number in WITH_GOALS for script in right_scripts(number)]
SLOW = [pytest.param(number, script, id=script.name) for number in WITH_GOALS for script in slow_scripts(number)]


@pytest.fixture(scope="module")
def compiler() -> Iterator[Start]:
    """A process that has imported Triton's compiler, of which all of these tests take forks."""
    with Runner() as runner:
        yield warm(runner)


def judged(number: str, text: str, folder: Path, compiler: Start) -> Verdict:
    """Return the verdict on a script, by the simulator and then by the compiler for the GPU of the goals."""
    file = folder / "mine.py"
    file.write_text(text, encoding="utf-8")
    verdict = judge_here(EXERCISES[number], file)
    return with_compiled_costs(verdict, compiler) if verdict.passed else verdict


@pytest.mark.parametrize("number", WITH_GOALS)
def test_the_exercise_as_shipped_is_correct_but_slow(number: str, tmp_path: Path, compiler: Start) -> None:
    [finding] = judged(number, EXERCISES[number].shipped_text, tmp_path, compiler).findings
    assert (finding.kind, finding.hint_name) == (FindingKind.CORRECT_BUT_SLOW, SHIPPED[number][0])
    assert SHIPPED[number][1] in finding.source


SHIPPED = {
    "7a": ("whole-sectors", "tl.load(image_ptr"),
    "7b": ("whole-sectors", "tl.load(x_ptr + mirrored_offsets"),
    "7c": ("few-waits", "tl.max(magnitudes, axis=0)"),
    "7d": ("no-spills", "rms_norm_kernel[(M,)]("),
    "7e": ("fast-product", "tl.dot(a, b, sums)"),
}
"""Goal that each misses as shipped, and a part of the line that is shown."""


@pytest.mark.parametrize(("number", "script"), GOOD[::SLOW_EVERY])
def test_another_good_repair_passes(number: str, script: RightScript, tmp_path: Path, compiler: Start) -> None:
    verdict = judged(number, script.source, tmp_path, compiler)
    assert verdict.passed, verdict.findings[0].message
    assert all(goal.holds for goal in verdict.goals)


@pytest.mark.parametrize(("number", "script"), SLOW[::SLOW_EVERY])
def test_a_repair_that_does_not_help_is_told_why(
    number: str, script: SlowScript, tmp_path: Path, compiler: Start
) -> None:
    [finding] = judged(number, script.source, tmp_path, compiler).findings
    assert (finding.kind, finding.hint_name) == (FindingKind.CORRECT_BUT_SLOW, script.goal)
    assert finding.line is not None


@pytest.mark.parametrize("number", WITH_GOALS)
def test_each_exercise_has_ten_repairs_that_do_not_help(number: str) -> None:
    scripts = slow_scripts(number)
    assert len({script.source for script in scripts}) == len(scripts) >= 10
