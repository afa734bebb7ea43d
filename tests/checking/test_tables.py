"""A mistake of the checker's own tables is called wrong, and recognised as what its table calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.tests.tables import EVERY
from triton_workshop.exercises import EXERCISES

from ..exercises.mistakes import MISTAKES
from ..exercises.right import right_scripts
from .judging import judge_here

EDITS = {
    f"{number}-{mistake.name}-{place}": (exercise, mistake.name, edit)
    for number, exercise in EXERCISES.items()
    for mistake in exercise.mistakes
    for place, edit in enumerate(mistake.edits)
}
OTHERWISE = {
    "1-argument-order-3": "block-not-power-of-two",  # so the launch stops; its line is the one, and both are quoted
    "3-mask-transposed-0": "shapes-do-not-broadcast",  # tiles are not square, so the shapes do not meet
    "3-mask-transposed-1": "shapes-do-not-broadcast",
    "4-accumulator-not-float32-2": "slip-type",  # this tl.dot stops, as its two dtypes do not go together
}
"""By the name of an edit: what hints it comes to in place of its own, and why; none where the script passes."""


TOLD = {(each.exercise.number, each.text, each.hint) for each in MISTAKES.values()}
"""Scripts of `mistakes.toml` with their hints, which `test_mistakes` judges: what it asserts of them says more."""
HERE = [
    name
    for name, (exercise, own, edit) in EDITS.items()
    if (exercise.number, edit.apply(exercise.solution), OTHERWISE.get(name, own)) not in TOLD
]


@pytest.mark.parametrize("name", sorted({*HERE[::EVERY], *OTHERWISE}))
def test_a_mistake_of_the_tables_is_recognised(name: str, tmp_path: Path) -> None:
    exercise, own, edit = EDITS[name]
    script = tmp_path / "mine.py"
    script.write_text(edit.apply(exercise.solution), encoding="utf-8")
    verdict = judge_here(exercise, script)
    assert [finding.hint_name for finding in verdict.findings][:1] == [*filter(None, [OTHERWISE.get(name, own)])]


def test_a_mistake_that_only_a_long_case_shows_is_recognised_in_another_style(tmp_path: Path) -> None:
    """In that case, a table's edit with another order of arguments goes through a thousand million columns."""
    style = next(script for script in right_scripts("5") if script.name == "5-a-pair-for-each-lane")
    script = tmp_path / "mine.py"
    script.write_text(style.source.replace(".to(tl.int64)", ""), encoding="utf-8")
    (first, *_) = judge_here(EXERCISES["5"], script).findings
    assert (first.hint_name, first.source.strip()) == ("row-in-int32", "pid = tl.program_id(axis=0)")
