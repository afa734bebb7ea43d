"""Judges a script that runs in a sandbox, from outside.

Whatever comes out of the sandbox is data. The judge makes the inputs, different ones for each job, computes itself
what is right, and compares.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

from triton_workshop.checking.check import verdict_of
from triton_workshop.checking.judging.judge import Judge
from triton_workshop.checking.judging.statics import static_finding
from triton_workshop.checking.judging.trial import judged
from triton_workshop.checking.judging.verdict import Finding, Verdict
from triton_workshop.checking.observing.failure import Failure
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case, pluralize, to_float64
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.pool.arena import end_of
from triton_workshop.pool.jobs import MAX_SCRIPT_BYTES, Answer, Job, Outcome
from triton_workshop.pool.observations import read_observation
from triton_workshop.pool.sandbox import End, Sandbox, SandboxEndedError

LIMIT_SECONDS = 20.0
"""Seconds that a script has for all cases, compiling included."""
FOLDER = Path("/script")
"""Where a script seems to be. There is no such folder."""


@dataclass(frozen=True)
class Card:
    """What the scripts run on."""

    name: str
    device: str
    """As PyTorch names it."""

    @property
    def is_gpu(self) -> bool:
        return self.device != "cpu"

    def cases(self, exercise: Exercise) -> tuple[Case, ...]:
        """Return the cases of an exercise that are tried here.

        On the simulator they are the checker's own, some of which depend on how their tensors fit to each other.
        """
        if self.is_gpu:
            return tuple(fresh_case(case, self.device) for case in exercise.gpu_cases)
        return tuple(case for case in exercise.cases if not case.is_large)


def answer(job: Job, sandbox: Sandbox, card: Card) -> Answer:
    """Run a job's script in a sandbox, and judge it.

    Raises SandboxEndedError if somebody has cancelled it.
    """
    if job.exercise not in EXERCISES:
        return failed(f"There is no exercise {job.exercise}: the exercises are {', '.join(EXERCISES)}.", card)
    if len(job.text.encode(errors="replace")) > MAX_SCRIPT_BYTES:
        return failed(f"The script is too long: it may have {MAX_SCRIPT_BYTES >> 10} KiB at most.", card)
    started, exercise = time.perf_counter(), EXERCISES[job.exercise]
    source = Source(FOLDER / f"exercise_{exercise.number}.py", job.text, exercise)
    if finding := static_finding(source):
        verdict = verdict_of(exercise, source.file, started, findings=(finding,), text=source.text)
        return _answer_of(verdict, card)
    script = SandboxedScript(source, sandbox, card)
    cases = card.cases(exercise)
    trial = judged(Judge(source, LIMIT_SECONDS), cases, script.observations(cases), device=card.device)
    trial = replace(trial, last=None)  # its tensors stay here
    verdict = verdict_of(exercise, source.file, started, trial, text=source.text)
    return _answer_of(verdict, card)


def failed(sentence: str, card: Card) -> Answer:
    """Return the answer to a job of whose script nothing is known."""
    return Answer(Outcome.FAILED, sentence, card.name)


def _answer_of(verdict: Verdict, card: Card) -> Answer:
    device = "cuda" if card.is_gpu else "simulator"
    fields = replace(verdict, device=device, file=Path(verdict.file.name)).as_json()
    if verdict.passed:
        cases = pluralize(len(verdict.cases), "case")
        return Answer(Outcome.CORRECT, f"Right in all {cases} on {card.name}.", card.name, fields)
    return Answer(Outcome.WRONG, _sentence_on(verdict.findings[0]), card.name, fields)


def _sentence_on(finding: Finding) -> str:
    where = " ".join(
        [*([f"in line {finding.line}"] if finding.line else []), *([f"with {finding.case}"] if finding.case else [])]
    )
    message = f"{finding.message[:1].upper()}{finding.message[1:]}"
    return f"{message} ({where})." if where else f"{message.rstrip('.')}."


def fresh_case(case: Case, device: str) -> Case:
    """Return a case with other numbers, which nobody can know in advance.

    They are the same ones, moved along each dimension, so what is special about the case stays as it is.
    """
    made: list[tuple[torch.Tensor, ...]] = []

    def arguments(_device: str) -> tuple[torch.Tensor, ...]:
        if not made:
            originals = case.arguments(device)
            shifts = [random_shifts(tensor) for tensor in originals]
            made.append(tuple(map(moved, originals, shifts)))
        return made[0]

    return replace(case, arguments=arguments)


def random_shifts(tensor: torch.Tensor) -> tuple[int, ...]:
    """Return a random distance along each dimension."""
    return tuple(random.SystemRandom().randrange(max(1, size)) for size in tensor.shape)


def moved(tensor: torch.Tensor, shifts: tuple[int, ...]) -> torch.Tensor:
    """Return a tensor whose elements are so far along, with its strides."""
    if not tensor.numel() or not tensor.ndim or 0 in tensor.stride():
        return tensor
    result = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device)
    return result.copy_(torch.roll(tensor, shifts, tuple(range(tensor.ndim))))


class SandboxedScript:
    """A script in a sandbox, and what is known of its calls."""

    def __init__(self, source: Source, sandbox: Sandbox, card: Card) -> None:
        self._source = source
        self._sandbox = sandbox
        self._card = card

    def observations(self, cases: Sequence[Case]) -> Iterator[Observation]:
        """Load the script, and yield an observation of each case.

        Raises SandboxEndedError if somebody has cancelled it.
        """
        deadline = time.monotonic() + LIMIT_SECONDS
        if (observation := self._observe(lambda: self._load(deadline))) is not None:
            yield observation
            return
        for case in cases:
            # A lambda that is called at once
            observation = self._observe(lambda: self._call(case, deadline))  # noqa: B023
            assert observation is not None, "a call is observed"
            yield observation

    def _load(self, deadline: float) -> Observation | None:
        source = self._source
        request = {"file": str(source.file), "text": source.text, "exercise": source.exercise.number}
        message = self._sandbox.ask({"do": "load", **request}, deadline)
        if message.get("loaded") is True:
            return None
        observation = read_observation(message, source.file, self._sandbox.arena, 0, (), self._card.device)
        if observation.failure is None:
            raise ValueError("expected a script that is loaded, or why not")
        return observation

    def _call(self, case: Case, deadline: float) -> Observation:
        arena, arguments = self._sandbox.arena, case.arguments(self._card.device)
        placed = arena.place(arguments)
        start, shape = end_of(placed), expected_shape(self._source.exercise, arguments)
        # A result that the sandbox only claims to have put here is none.
        arena.poison(start, 2 * 8 * shape.numel() + (1 << 16))
        request = {"arguments": [asdict(each) for each in placed], "result_at": start}
        message = self._sandbox.ask({"do": "call", **request}, deadline)
        return read_observation(message, self._source.file, arena, start, shape, self._card.device)

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
    if error.code > 128:
        return Failure("Killed", f"the script's process was ended by signal {error.code - 128}", None)
    return Failure("SystemExit", f"the script ended itself, exit status {error.code}", None)


def expected_shape(exercise: Exercise, arguments: tuple[torch.Tensor, ...]) -> torch.Size:
    """Return the shape of the right result, without computing it."""
    return exercise.reference(*to_float64(tuple(tensor.to("meta") for tensor in arguments))).shape
