"""A slot answers right and wrong scripts, and is ready again whatever they do. On the simulator."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from triton_workshop.attendance.jobs import Answer, Job, Outcome
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.pool.sandbox import refusal
from triton_workshop.pool.slot import Slot

pytestmark = pytest.mark.skipif(refusal() is not None, reason=refusal() or "")
MISTAKES = {
    "1": ("mask=mask", ""),
    "4": ("tl.dot(a, b, accumulator, ", "tl.dot(a, b, "),
    "5a": ("tl.exp(", "tl.exp2("),
}
"""Of each exercise, a change of the solution that makes it wrong."""


@pytest.fixture(scope="module")
def slot() -> Iterator[Slot]:
    slot = Slot(gpu=False)
    yield slot
    slot.close()


def run(slot: Slot, exercise: str, text: str, id: str = "job") -> Answer:
    return slot.run(Job(id, exercise, text), nullcontext())


@pytest.mark.parametrize("number", MISTAKES)
def test_right_script_is_correct(slot: Slot, number: str) -> None:
    answer = run(slot, number, EXERCISES[number].solution)
    assert answer.outcome is Outcome.CORRECT, answer.sentence
    assert answer.verdict is not None
    assert answer.verdict["passed"]
    assert (answer.times is not None) == (number in WORKLOADS), answer.sentence
    assert Answer.from_json(answer.as_json()) == answer


@pytest.mark.parametrize(("number", "mistake"), MISTAKES.items())
def test_wrong_script_is_wrong_in_the_checkers_words(slot: Slot, number: str, mistake: tuple[str, str]) -> None:
    old, new = mistake
    solution = EXERCISES[number].solution
    assert old in solution
    answer = run(slot, number, solution.replace(old, new))
    assert answer.outcome is Outcome.WRONG, answer.sentence
    assert answer.verdict is not None
    assert answer.verdict["findings"][0]["hints"]


def test_job_that_is_not_timed_gets_no_times(slot: Slot) -> None:
    answer = slot.run(Job("job", "1", EXERCISES["1"].solution, timed=False), nullcontext())
    assert answer.outcome is Outcome.CORRECT, answer.sentence
    assert answer.times is None


def test_cancelled_script_ends_at_once(slot: Slot) -> None:
    text = "import time\ntime.sleep(1000)\n" + EXERCISES["1"].solution
    timer = threading.Timer(1, slot.cancel, ["endless"])
    timer.start()
    answer = run(slot, "1", text, "endless")
    timer.join()
    assert answer.outcome is Outcome.CANCELLED


def test_unknown_exercise_has_a_sentence(slot: Slot) -> None:
    answer = run(slot, "99", "")
    assert answer.outcome is Outcome.FAILED
    assert "99" in answer.sentence
