"""What the checker says of mistakes: of those that people have made, and of those in its own tables."""

from __future__ import annotations

import importlib.metadata
import io
import os
import pdb
import sys
from pathlib import Path

import pytest

from triton_workshop.checking.check import check
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.judging.verdict import Verdict

from .judging import LIMIT, judge_here, needs_its_own_process, told, unhurried, verdict_on
from .mistakes import MISTAKES, Mistake


@pytest.fixture(autouse=True)
def pythons_own_breakpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the input that a check gives to a script, where pytest's would speak to the terminal."""

    def set_trace() -> None:
        pdb.Pdb(stdin=open(os.devnull), stdout=io.StringIO()).set_trace(sys._getframe(1))  # noqa: SIM115, PTH123

    monkeypatch.setattr(sys, "breakpointhook", set_trace)


def _script(folder: Path, text: str) -> Path:
    script = folder / "mine.py"
    script.write_text(text, encoding="utf-8")
    return script


def _verdict(mistake: Mistake, folder: Path) -> Verdict:
    limit = 2.0 if mistake.kind == "timeout" else LIMIT
    expected = mistake.kind, mistake.hint, mistake.leaves
    return verdict_on(mistake.exercise, _script(folder, mistake.text), *expected, limit=limit)


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=str)
def test_a_mistake_is_found_on_its_line_with_its_hint(
    mistake: Mistake, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    finding = _verdict(mistake, tmp_path).findings[0]
    assert (str(finding.kind), finding.hint_name) == (mistake.kind, mistake.hint)
    assert mistake.kind == "timeout" or finding.source == mistake.line  # time may run out on any line of a loop
    assert finding.message
    assert mistake.words in finding.hints[0]


EVERY = 30
"""Of so many mistakes one is judged both ways."""
ALIKE = [each for each in MISTAKES.values() if not needs_its_own_process(each.kind, each.hint, each.leaves)][::EVERY]


@pytest.mark.parametrize("mistake", ALIKE, ids=str)
def test_a_process_of_its_own_comes_to_the_same_verdict(
    mistake: Mistake, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    script = _script(tmp_path, mistake.text)
    with unhurried():
        verdict = check(mistake.exercise, script, limit=LIMIT)
    assert told(judge_here(mistake.exercise, script)) == told(verdict)


# The checker's own tables

EDITS = {
    f"{number}-{mistake.name}-{place}": (exercise, mistake.name, edit)
    for number, exercise in EXERCISES.items()
    for mistake in exercise.mistakes
    for place, edit in enumerate(mistake.edits)
}
OTHERWISE = {
    "1-argument-order-3": "block-not-power-of-two",  # so the launch stops; its line is the one, and both are quoted
    "2-swapped-strides-1": "",  # a pixel is made of itself alone: it may be computed in any order
    "2-mask-one-sided-2": "",  # beyond a row's end lies the next row, for which the same is stored twice
    "3-accumulator-not-float32-0": "",  # the first sum with float32 makes it float32
    "4-wrong-block-size-0": "",  # no case on the simulator has more than 96 rows: all of them are stored
}
"""By the name of an edit: what hints it comes to in place of its own, and why; none where the script passes."""


@pytest.mark.parametrize("name", sorted({*list(EDITS)[::2], *OTHERWISE}))
def test_a_mistake_of_the_tables_is_recognised(name: str, tmp_path: Path) -> None:
    exercise, own, edit = EDITS[name]
    verdict = judge_here(exercise, _script(tmp_path, edit.made_in(exercise.solution)))
    assert [finding.hint_name for finding in verdict.findings][:1] == [*filter(None, [OTHERWISE.get(name, own)])]


# A script that is right for one Triton only

TRITON = tuple(int(part) for part in importlib.metadata.version("triton").split(".")[:2])
BLOCK_POINTERS = sorted(Path(__file__).parents[1].glob("right/exercise_*/block_pointers.py"))


@pytest.mark.parametrize("script", BLOCK_POINTERS, ids=lambda script: script.parent.name)
def test_block_pointers_pass_up_to_triton_3_6_and_are_explained_later(script: Path) -> None:
    verdict = judge_here(EXERCISES[int(script.parent.name[-1])], script)
    if TRITON <= (3, 6):
        assert verdict.passed
        return
    finding = verdict.findings[0]
    assert (str(finding.kind), finding.hint_name) == ("crash", "block-pointers-gone")
    assert "make_block_ptr" in finding.source
