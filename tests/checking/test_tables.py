"""A mistake of the checker's own tables is called wrong, and recognised as what its table calls it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from triton_workshop.checking.exercises import EXERCISES

from .judging import judge_here

EDITS = {
    f"{number}-{mistake.name}-{place}": (exercise, mistake.name, edit)
    for number, exercise in EXERCISES.items()
    for mistake in exercise.mistakes
    for place, edit in enumerate(mistake.edits)
}
OTHERWISE = {
    "1-argument-order-3": "block-not-power-of-two",  # so the launch stops; its line is the one, and both are quoted
}
"""By the name of an edit: what hints it comes to in place of its own, and why; none where the script passes."""
EVERY = int(os.environ.get("WORKSHOP_EVERY", "4"))
"""One of so many edits is tried; all of them take minutes (WORKSHOP_EVERY=1)."""


@pytest.mark.parametrize("name", sorted({*list(EDITS)[::EVERY], *OTHERWISE}))
def test_a_mistake_of_the_tables_is_recognised(name: str, tmp_path: Path) -> None:
    exercise, own, edit = EDITS[name]
    script = tmp_path / "mine.py"
    script.write_text(edit.made_in(exercise.solution), encoding="utf-8")
    verdict = judge_here(exercise, script)
    assert [finding.hint_name for finding in verdict.findings][:1] == [*filter(None, [OTHERWISE.get(name, own)])]
