"""A runner answers right and wrong scripts, and is ready again whatever they do. On the simulator."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from triton_workshop.attendance.jobs import Answer, Job, Outcome
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.pool import judging
from triton_workshop.pool.runner import Runner
from triton_workshop.pool.sandbox import refusal
from triton_workshop.pool.timing import RemoteBatch
from triton_workshop.pool.usage import processes_below

pytestmark = pytest.mark.skipif(refusal() is not None, reason=refusal() or "")
MISTAKES = {
    "1": ("mask=mask", ""),
    "4": ("tl.dot(a, b, accumulator, ", "tl.dot(a, b, "),
    "5a": ("tl.exp(", "tl.exp2("),
}
"""Of each exercise, a change of the solution that makes it wrong."""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    runner = Runner(gpu=False)
    yield runner
    runner.close()


def state_of(process: int) -> str:
    """The letter of a process's state: T while it is stopped (Linux)."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    return ""


def run(runner: Runner, exercise: str, text: str, id: str = "job") -> Answer:
    return runner.run(Job(id, exercise, text))


@pytest.mark.parametrize("number", MISTAKES)
def test_right_script_is_correct(runner: Runner, number: str) -> None:
    answer = run(runner, number, EXERCISES[number].solution)
    assert answer.outcome is Outcome.CORRECT, answer.sentence
    assert answer.verdict is not None
    assert answer.verdict["passed"]
    assert (answer.times is not None) == (number in WORKLOADS), answer.sentence
    assert Answer.from_json(answer.as_json()) == answer


@pytest.mark.parametrize(("number", "mistake"), MISTAKES.items())
def test_wrong_script_is_wrong_in_the_checkers_words(runner: Runner, number: str, mistake: tuple[str, str]) -> None:
    old, new = mistake
    solution = EXERCISES[number].solution
    assert old in solution
    answer = run(runner, number, solution.replace(old, new))
    assert answer.outcome is Outcome.WRONG, answer.sentence
    assert answer.verdict is not None
    assert answer.verdict["findings"][0]["hints"]


def test_job_that_is_not_timed_gets_no_times(runner: Runner) -> None:
    answer = runner.run(Job("job", "1", EXERCISES["1"].solution, timed=False))
    assert answer.outcome is Outcome.CORRECT, answer.sentence
    assert answer.times is None


def test_cancelled_script_ends_at_once(runner: Runner) -> None:
    text = "import time\ntime.sleep(1000)\n" + EXERCISES["1"].solution
    timer = threading.Timer(1, runner.cancel, ["endless"])
    timer.start()
    answer = run(runner, "1", text, "endless")
    timer.join()
    assert answer.outcome is Outcome.CANCELLED


def test_unknown_exercise_has_a_sentence(runner: Runner) -> None:
    answer = run(runner, "99", "")
    assert answer.outcome is Outcome.FAILED
    assert "99" in answer.sentence


def test_a_timing_suspends_other_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "import time\nwhile True:\n    time.sleep(0.01)\n" + EXERCISES["1"].solution
    monkeypatch.setattr(judging, "LIMIT_SECONDS", 6.0)
    states: list[str] = []

    def look(batch: RemoteBatch, calls: int) -> float:
        states.extend(map(state_of, processes_below(os.getpid())))
        return time(batch, calls)

    time = RemoteBatch.time
    monkeypatch.setattr(RemoteBatch, "time", look)
    runner = Runner(gpu=False, slots=2, spares=2)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(run, runner, "1", endless, "endless")
        answer = run(runner, "1", EXERCISES["1"].solution, "timed")
        assert other.result().outcome is Outcome.WRONG
    runner.close()
    assert answer.outcome is Outcome.CORRECT, answer.sentence
    assert "T" in states  # stopped, the other one
    assert {"S", "R"} & set(states)  # and the script itself is not
