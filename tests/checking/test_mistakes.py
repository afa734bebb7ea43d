"""What the checker says of the mistakes in `mistakes/`: the finding, the line and the hint."""

from __future__ import annotations

import importlib
import io
import os
import pdb
import re
import sys
from pathlib import Path

import pytest

from triton_workshop.checking.check import check
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.exercise import Exercise

from .judging import LIMIT, judge_here, needs_its_own_process, told, unhurried, verdict_on
from .mistakes import Mistake

TABLES = {number: importlib.import_module(f".mistakes.exercise_{number}", __package__).MISTAKES for number in EXERCISES}
ROWS = [
    pytest.param(EXERCISES[number], mistake, id=f"{number}-{mistake.name}")
    for number, mistakes in TABLES.items()
    for mistake in mistakes
]
EVERY = 20
"""Of so many mistakes one is judged both ways."""
SAMPLE = [
    pytest.param(EXERCISES[number], mistake, id=f"{number}-{mistake.name}")
    for number, mistakes in TABLES.items()
    for mistake in [each for each in mistakes if not needs_its_own_process(each.finding, each.hint)][::EVERY]
]


@pytest.fixture(autouse=True)
def pythons_own_breakpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the input that a check gives to a script, where pytest's would speak to the terminal."""

    def set_trace() -> None:
        pdb.Pdb(stdin=open(os.devnull), stdout=io.StringIO()).set_trace(sys._getframe(1))  # noqa: SIM115, PTH123

    monkeypatch.setattr(sys, "breakpointhook", set_trace)


@pytest.mark.parametrize(("exercise", "mistake"), ROWS)
def test_a_mistake_is_found_on_its_line_with_its_hint(
    exercise: Exercise, mistake: Mistake, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = _script(exercise, mistake, tmp_path)
    finding = verdict_on(exercise, script, mistake.finding, mistake.hint).findings[0]
    assert (str(finding.kind), finding.hint_name, finding.source) == (mistake.finding, mistake.hint, mistake.blamed)
    assert finding.hints


def _script(exercise: Exercise, mistake: Mistake, folder: Path) -> Path:
    solution = exercise.solution_file.read_text(encoding="utf-8")
    assert solution.count(mistake.old) == 1
    script = folder / "mine.py"
    script.write_text(solution.replace(mistake.old, mistake.new), encoding="utf-8")
    return script


@pytest.mark.parametrize(("exercise", "mistake"), SAMPLE)
def test_a_process_of_its_own_comes_to_the_same_verdict(
    exercise: Exercise, mistake: Mistake, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = _script(exercise, mistake, tmp_path)
    with unhurried():
        verdict = check(exercise, script, limit=LIMIT)
    assert told(judge_here(exercise, script)) == told(verdict)


@pytest.mark.parametrize("number", EXERCISES)
def test_there_are_forty_mistakes_of_each_exercise(number: int) -> None:
    assert len({mistake.name for mistake in TABLES[number]}) >= 40


SAID = (
    (1, "launched-with-names-of-the-kernel", r"x_ptr is a name in add_kernel. Here, in add, .* are called x, y"),
    (1, "blocks-twice-apart", r"in `… \* 2`"),
    (1, "curly-quotes", r"a character that Python does not know: “, left double quotation mark"),
    (2, "mask-without-parentheses", r"In which order does Python work out `<` and `&`"),
    (2, "mask-double-ampersand", r"Python has no && "),
    (2, "three-from-one-load", r"How many blocks does one tl.load give"),
    (3, "offsets-from-rows", r"in `rows\[:, None\]`"),
    (3, "breakpoint-left-in-the-kernel", r"waits here for somebody at the keyboard"),
    (4, "offsets-misspelt", r"off_n is made nowhere. Is offs_n meant\?"),
    (4, "step-after-the-loop", r"right, but not in this place: look at its indentation"),
)


@pytest.mark.parametrize(("number", "name", "words"), SAID)
def test_a_hint_says_what_is_wrong_with_this_very_line(
    number: int, name: str, words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    exercise = EXERCISES[number]
    mistake = next(mistake for mistake in TABLES[number] if mistake.name == name)
    script = _script(exercise, mistake, tmp_path)
    verdict = verdict_on(exercise, script, mistake.finding, mistake.hint)
    assert re.search(words, verdict.findings[0].hints[0])
