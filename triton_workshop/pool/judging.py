"""Judges a script that runs in a sandbox, from outside.

Whatever comes out of the sandbox is data. The judge makes the inputs, different ones for each job, computes itself
what is right, and compares.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from triton_workshop.attendance.jobs import MAX_SCRIPT_BYTES, Answer, Job, Outcome, Times
from triton_workshop.checking.check import verdict_of
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.statics import static_finding
from triton_workshop.checking.judging.trial import judge_cases
from triton_workshop.checking.judging.verdict import Finding, Verdict
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case, pluralize, to_float64
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.pool.arena import ALIGNMENT, Placed, end_of
from triton_workshop.pool.card import Card
from triton_workshop.pool.observations import read_observation
from triton_workshop.pool.sandbox import End, Sandbox, SandboxEndedError
from triton_workshop.pool.timing import NotTimedError, Timer

LIMIT_SECONDS = 20.0
"""Seconds that a script has for all cases, compiling included."""
RESULT_BYTES = 4
"""Bytes of an element: no right result has wider ones."""
FOLDER = Path("/script")
"""Where a script seems to be. There is no such folder."""


@dataclass(frozen=True)
class GpuTurn:
    """A job's use of a GPU, which it shares with others."""

    released: Callable[[], AbstractContextManager[None]]
    """Leaves it to others while the judge waits for the script."""
    giving_way: Callable[[], AbstractContextManager[object]]
    """Lets the timings of others go first, between the judge's operations. No lock may be held meanwhile."""
    alone: Callable[[], AbstractContextManager[None]]
    """Takes it from others during a timing. Raises NotTimedError."""


def answer(job: Job, sandbox: Sandbox, timer: Timer, turn: GpuTurn) -> Answer:
    """Run a job's script in a sandbox, and judge it.

    Raises SandboxEndedError if somebody has cancelled it.
    """
    card = timer.card
    if job.exercise not in EXERCISES:
        return failed(f"There is no exercise {job.exercise}: the exercises are {', '.join(EXERCISES)}.", card)
    # A lone surrogate has no encoding, and only the size matters here.
    if len(job.text.encode(errors="replace")) > MAX_SCRIPT_BYTES:
        return failed(f"The script is too long: it may have {MAX_SCRIPT_BYTES >> 10} KiB at most.", card)
    started, exercise = time.perf_counter(), EXERCISES[job.exercise]
    source = Source(FOLDER / f"exercise_{exercise.number}.py", job.text, exercise)
    if finding := static_finding(source):
        verdict = verdict_of(exercise, source.file, started, findings=(finding,), text=source.text)
        return _answer_of(verdict, card)
    script = SandboxedScript(source, sandbox, card, turn)
    judge, cases = Judge(source, LIMIT_SECONDS), card.cases(exercise)
    trial = judge_cases(judge, cases, script.observations(cases), device=card.device)
    times, note = None, ""
    if job.timed and not trial.findings:
        try:
            times, timed_cases, observations = timer.time(script)
            with turn.giving_way():
                timed = judge_cases(judge, timed_cases, observations, device=card.device)
            # Nobody knew these inputs before the clock started, so a wrong result there counts.
            trial = replace(trial, findings=timed.findings)
            note = "" if times else "the script's clock and the judge's do not agree"
        except NotTimedError as error:
            note = str(error)
    verdict = verdict_of(exercise, source.file, started, replace(trial, last_call=None), text=source.text)
    return _answer_of(verdict, card, times, note)


def failed(sentence: str, card: Card) -> Answer:
    """Return the answer to a job of whose script nothing is known."""
    return Answer(Outcome.FAILED, sentence, card.name)


def _answer_of(verdict: Verdict, card: Card, times: Times | None = None, note: str = "") -> Answer:
    device = "cuda" if card.is_gpu else "simulator"
    fields = replace(verdict, device=device, file=Path(verdict.file.name)).as_json()
    if not verdict.passed:
        return Answer(Outcome.WRONG, _sentence_on(verdict.findings[0]), card.name, fields)
    sentence = f"Correct in all {pluralize(len(verdict.cases), 'case')} on {card.name}."
    if times is not None:
        sentence += f" With {times.size}, it takes {times.ratio:.2f} times as long as the limit."
    if note:
        sentence += f" There are no times: {note}."
    return Answer(Outcome.CORRECT, sentence, card.name, fields, times)


def _sentence_on(finding: Finding) -> str:
    places = []
    if finding.line:
        places.append(f"in line {finding.line}")
    if finding.case:
        places.append(f"with {finding.case}")
    where = " ".join(places)
    message = f"{finding.message[:1].upper()}{finding.message[1:]}"
    return f"{message} ({where})." if where else f"{message.rstrip('.')}."


class SandboxedScript:
    """A script in a sandbox, and what is known of its calls."""

    def __init__(self, source: Source, sandbox: Sandbox, card: Card, turn: GpuTurn) -> None:
        self.source = source
        self.sandbox = sandbox
        self.turn = turn
        self._card = card

    def ask(self, request: dict[str, Any], deadline: float) -> dict[str, Any]:
        """Return the sandbox's answer, while others have the GPU.

        Raises SandboxEndedError.
        """
        with self.turn.released():
            return self.sandbox.ask(request, deadline)

    def observations(self, cases: Sequence[Case]) -> Iterator[Observation]:
        """Load the script, and yield an observation of each case.

        Raises SandboxEndedError if somebody has cancelled it.
        """
        deadline = self.sandbox.deadline(LIMIT_SECONDS)
        if (observation := self._observe(lambda: self._load(deadline))) is not None:
            yield observation
            return
        for case in cases:
            # A lambda that is called at once
            observation = self._observe(lambda: self._call(case, deadline))  # noqa: B023
            assert observation is not None, "a call is observed"
            with self.turn.giving_way():  # what comes before the next call compares numbers
                yield observation

    def _load(self, deadline: float) -> Observation | None:
        source = self.source
        request = {"file": str(source.file), "text": source.text, "exercise": source.exercise.number}
        message = self.ask({"do": "load", **request}, deadline)
        if message.get("loaded") is True:
            return None
        observation = read_observation(message, source.file, self.sandbox.arena, 0, (), self._card.device)
        if observation.failure is None:
            raise ValueError("expected a script that is loaded, or why not")
        return observation

    def place(self, tensors: Sequence[torch.Tensor]) -> tuple[Placed, ...]:
        """Copy tensors into the arena."""
        arena = self.sandbox.arena
        # The system provides memory as it is touched first, which takes longer than to copy, and needs no GPU.
        with self.turn.released():
            arena.poison(0, arena.size_of(tensors))
        return arena.place(tensors)

    def _call(self, case: Case, deadline: float) -> Observation:
        arguments = case.arguments(self._card.device)
        placed = self.place(arguments)
        request = {"do": "call", "arguments": [asdict(each) for each in placed]}
        return self._answered(request, end_of(placed), arguments, deadline)

    def result_of(self, number: int, arguments: tuple[torch.Tensor, ...]) -> Observation:
        """Return what came of a timed call, which had these arguments.

        Raises SandboxEndedError if somebody has cancelled it.
        """
        request, deadline = {"do": "result", "number": number}, self.sandbox.deadline(LIMIT_SECONDS)
        observation = self._observe(lambda: self._answered(request, 0, arguments, deadline))
        assert observation is not None, "a call is observed"
        return observation

    def _answered(
        self, request: dict[str, Any], start: int, arguments: tuple[torch.Tensor, ...], deadline: float
    ) -> Observation:
        """Return the observation that is requested.

        Its result is put into the arena from `start`.
        """
        arena, shape = self.sandbox.arena, expected_shape(self.source.exercise, arguments)
        # A result that the sandbox only claims to have put here is none. With it comes a mask.
        with self.turn.released():
            arena.poison(start, (RESULT_BYTES + 1) * shape.numel() + ALIGNMENT)
        message = self.ask(request | {"result_at": start}, deadline)
        return read_observation(message, self.source.file, arena, start, shape, self._card.device)

    def _observe(self, act: Callable[[], Observation | None]) -> Observation | None:
        """Return what an act observes, or an observation of its failure."""
        try:
            return act()
        except SandboxEndedError as error:
            if error.reason is End.CANCELLED:
                raise
            return Observation(timed_out=error.reason is End.TIME, failure=_failure_of(error))
        except (ValueError, KeyError, TypeError, AttributeError, RuntimeError, OverflowError):
            return Observation(failure=GARBLED)


GARBLED = Failure("Garbled", "what the script's process sent is no observation of it", None)


def _failure_of(error: SandboxEndedError) -> Failure:
    match error.reason:
        case End.TIME:
            return Failure("Timeout", "", None)
        case End.MEMORY:
            return Failure("Killed", "the script took too much memory, so it was ended", None)
        case End.PROCESSES:
            return Failure("Killed", "the script started too many processes, so it was ended", None)
        case End.GARBLED:
            return GARBLED
    if error.code is None:
        return Failure("Closed", "the script closed the connection to the checker", None)
    # bubblewrap ends with 128 plus the signal that has ended its child, as a shell does; Python has minus the signal.
    signal = -error.code if error.code < 0 else error.code - 128
    if signal > 0:
        return Failure("Killed", f"the script's process was ended by signal {signal}", None)
    return Failure("SystemExit", f"the script ended itself, exit status {error.code}", None)


def expected_shape(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> torch.Size:
    """Return the shape of the right result, without computing it."""
    return exercise.reference(*to_float64(tuple(tensor.to("meta") for tensor in arguments))).shape
