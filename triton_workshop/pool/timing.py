"""Times of a correct script, beside the limit and other code.

The other code is the plain solution and PyTorch.

The script's calls are timed by its own process, which has to be told all it needs for that, and then may say anything.
So the judge makes up the inputs of all calls only as its own clock starts, looks afterwards at one of the results, of
which nobody knew that it would be asked for, and believes the script's clock only if the judge's own agrees.
"""

from __future__ import annotations

import math
import random
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from triton_workshop.attendance.jobs import Times
from triton_workshop.bench.limits import copy_of
from triton_workshop.bench.measuring import limit_of
from triton_workshop.bench.timing import Run, copies_needed, in_turns
from triton_workshop.checking.observing.child import load
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.workloads import WORKLOADS, load_baselines
from triton_workshop.pool.batch import Batch, Shifts, moved, random_shifts
from triton_workshop.pool.card import Card
from triton_workshop.pool.sandbox import End, SandboxEndedError

if TYPE_CHECKING:
    from triton_workshop.exercises.exercise import Launcher
    from triton_workshop.pool.judging import SandboxedScript

RESULTS = 3
"""Results of the timed calls that are compared."""
LEAST_OVERHEADS = 2.0
"""Length of a batch that proves something, in what two clocks may differ by."""
JUDGE_SHARE = 3
"""The judge's own calls fill one of so many batches: no clock has to agree with another there."""
SINGLE_CALLS = 3
"""Calls of which the fastest is believed, as other scripts use the GPU meanwhile."""
MAKING_TRIES = 3
"""Times that the judge makes the inputs of a batch, which varies with the processor, so a single one says little."""
EXTRA_BATCHES = 3
"""Longest batches whose time may be spent on repeating some, as others on the machine delay one now and then.

A repeat cannot make a claim smaller than the clocks allow.
"""
LENGTH_TRIES = 2
"""Batches that show how long one takes: of a short one, messages and inputs take most."""
LEAST_RATIO = 0.7
"""Time over the limit that no kernel gets below: the limit reads and writes as many bytes, and to read is faster."""
LAST_RATIO = 1.25
"""Time of the last batch, whose results are judged, over the median, at most."""
LEAST_CALLS = 2
"""Calls of a batch with inputs of their own: whether a result is that of its own call, no single one shows."""
LONGEST_BATCH = 4
"""Length of the longest batch, in batches as they should be: calls seem slower while others use the GPU."""
MAX_CALLS = 16
"""Calls of a batch with inputs of their own, unless the cache holds more: making them takes time, too."""
MAX_BYTES = 640 << 20
"""Bytes that a call reads and writes at most."""
MAX_OPERATIONS = 2 * 4096**3
SET_BYTES = 3 << 29
"""Bytes of the inputs and results of a batch."""
MEMORY_FACTOR = 16
"""Free memory, over the bytes of a call: a comparison with float64 takes as much."""
PREPARATION_SECONDS = 15.0


@dataclass(frozen=True)
class Pace:
    """What is usual where the scripts run."""

    rounds: tuple[int, ...]
    """Batches of each contender: how many of these, the script does not know."""
    batch: float
    """Milliseconds that a batch should take."""
    slowest: float
    """Milliseconds of a call that is still worth the wait of all others."""
    overhead: float
    """Milliseconds by which two clocks may differ around a batch."""
    share: float
    """The same, as a share of its time."""


GPU_PACE = Pace(rounds=(3, 4), batch=12, slowest=250, overhead=1.8, share=0.03)
# Where somebody tries it out on a laptop, other processes take the processor's time, too.
CPU_PACE = Pace(rounds=(2, 3), batch=60, slowest=5000, overhead=20, share=0.2)


class NotTimedError(Exception):
    """Script that gets no times; the message says why."""


class Timer:
    """Times scripts, from several threads.

    It keeps what it has compiled for the next script.
    """

    def __init__(self, card: Card) -> None:
        self.card = card
        self._pace = GPU_PACE if card.is_gpu else CPU_PACE
        self._solutions: dict[str, Launcher] = {}
        self._plans: dict[tuple[str, str], tuple[int, int]] = {}
        # Held where the judge launches kernels and is not alone: two threads would compile the same one twice, and the
        # simulator runs one launch of a process at a time.
        self._launches = threading.Lock()
        torch.backends.cudnn.allow_tf32 = False  # as accurate as ours, for a fair comparison

    def prepare(self, exercise: Exercise, released: Callable[[], AbstractContextManager[None]]) -> None:
        """Compile the solution before somebody waits for it.

        `released` leaves the GPU to others, for a thread that shares it now. Raises NotTimedError.
        """
        case, solution = self._case(exercise), self._solution(exercise)
        base = self.card.inputs(exercise, case)
        with self._launching(released):
            self._plan(exercise, case, base, solution)

    def time(self, script: SandboxedScript) -> tuple[Times | None, list[Case], list[Observation]]:
        """Time a script, and return calls whose results are to be judged.

        There are no times if its clock and the judge's do not agree. Raises NotTimedError, and SandboxEndedError if
        somebody has cancelled it.
        """
        exercise = script.source.exercise
        case = self._case(exercise)
        base = self.card.inputs(exercise, case)
        solution = self._solution(exercise)
        remote = RemoteBatch(script, base, self._pace)
        local = Batch(base, self.card.device)
        released = script.turn.released
        with self._launching(released):
            plan, repeats = self._plan(exercise, case, base, solution)
        calls = remote.prepare(plan, repeats)
        local.make(_shifts_of_calls(base, plan))
        ways = load_baselines(exercise, self.card.device)
        limit = self._limit(exercise, base)
        own = (solution, *ways, limit)
        for contender in own:
            with self._launching(released):
                local.call(contender)  # compiles, and has memory for results
        per_call = {"limit": (limit,), "plain": (solution,), "pytorch": ways}
        contenders: dict[str, tuple[Callable[[], float], ...]] = {
            name: tuple(partial(local.call, function, math.ceil(repeats / JUDGE_SHARE)) for function in functions)
            for name, functions in per_call.items()
        }
        contenders["script"] = (partial(remote.time, calls),)
        rounds = random.SystemRandom().choice(self._pace.rounds)
        with script.turn.alone():
            for contender in own:
                local.record(contender)
            # The judge moves as many bytes in the same way, to know how long that takes.
            remote.making = statistics.median(local.make(_shifts_of_calls(base, plan)) for _ in range(MAKING_TRIES))
            remote.limit = min(local.call(limit) for _ in range(2))
            remote.lengthen(calls)
            times = in_turns(contenders, lambda contender: [contender()], rounds)
        milliseconds = {name: timing.median for name, timing in times.items()}
        cases, observations = [], []
        for arguments, observation in remote.results():
            cases.append(with_arguments(case, arguments))
            observations.append(observation)
        return Times(case.name, **milliseconds) if remote.is_believed() else None, cases, observations

    @contextmanager
    def _launching(self, released: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
        """Launch kernels without keeping other timings waiting for the turn."""
        with released():
            self._launches.acquire()
        try:
            yield
        finally:
            self._launches.release()

    def _case(self, exercise: Exercise) -> Case:
        """Return the largest case that fits comfortably.

        Raises NotTimedError if there is none.
        """
        if exercise.number not in WORKLOADS:
            raise NotTimedError("nothing is timed in this exercise")
        if not self.card.is_gpu:
            return self.card.cases(exercise)[-1]
        free = torch.cuda.mem_get_info()[0]
        for case in reversed(WORKLOADS[exercise.number].timing_cases):
            arguments = case.arguments("meta")
            moves, operations = exercise.bytes_moved(*arguments), exercise.operations(*arguments)
            too_long = WORKLOADS[exercise.number].compute_bound and operations > MAX_OPERATIONS
            if too_long:
                continue
            fits = moves <= MAX_BYTES and MEMORY_FACTOR * moves <= free
            if fits:
                return case
        raise NotTimedError("the GPU has no memory left for its smallest size")

    def _solution(self, exercise: Exercise) -> Launcher:
        if exercise.number not in self._solutions:
            if not exercise.solution:
                raise NotTimedError("the solution to compare it with is missing on the machine with the GPU")
            # In a folder that is not there, as `load` has Python look for modules in it.
            file = exercise.solution_file.parent / "timed" / exercise.solution_file.name
            self._solutions[exercise.number] = load(Source(file, exercise.solution, exercise))
        return self._solutions[exercise.number]

    def _plan(
        self, exercise: Exercise, case: Case, base: tuple[torch.Tensor, ...], solution: Launcher
    ) -> tuple[int, int]:
        """Return how many inputs make a batch, and how often each is used.

        Both clocks agree on a batch that is long beside a message, also where the GPU has memory for few inputs. What
        was found once for a case holds for all scripts.
        """
        key = exercise.number, case.name
        if key not in self._plans:
            self._plans[key] = self._new_plan(exercise, base, solution)
        return self._plans[key]

    def _new_plan(self, exercise: Exercise, base: tuple[torch.Tensor, ...], solution: Launcher) -> tuple[int, int]:
        local = Batch(base, self.card.device)
        for count in (1, 2):  # the first one compiles
            local.make(_shifts_of_calls(base, count))
            milliseconds = local.call(solution)
        size = exercise.bytes_moved(*base)
        calls = min(MAX_CALLS, math.ceil(self._pace.batch / max(milliseconds, 1e-3)))
        if self.card.is_gpu:  # a call must not find its inputs in the cache
            calls = max(calls, copies_needed(size, int(torch.cuda.get_device_properties(0).L2_cache_size)))
        calls = max(LEAST_CALLS, min(calls, SET_BYTES // max(1, size)))
        return calls, max(1, math.ceil(self._pace.batch / (calls * max(milliseconds, 1e-3))))

    def _limit(self, exercise: Exercise, base: tuple[torch.Tensor, ...]) -> Callable[..., object]:
        if self.card.is_gpu:
            run: Run = limit_of(exercise, base, self.card.device)
        else:
            run = copy_of(exercise.bytes_moved(*base), self.card.device)
        return lambda *_arguments: run()


class RemoteBatch:
    """A batch in the sandbox."""

    def __init__(self, script: SandboxedScript, base: tuple[torch.Tensor, ...], pace: Pace) -> None:
        self._script = script
        self._base = base
        self._pace = pace
        self._shifts: list[Shifts] = []
        self._doubts = 0
        self._spare = EXTRA_BATCHES * LONGEST_BATCH * pace.batch
        """Milliseconds for batches that are repeated."""
        self._times: list[float] = []
        """Milliseconds of a call, by batch."""
        self._repeats = 1
        self.making = 0.0
        """Milliseconds in which the inputs of a call are made."""
        self.limit = 0.0
        """Milliseconds of the limit: a claim has to be possible, and a batch gets no longer than its calls allow."""

    def prepare(self, calls: int, repeats: int) -> int:
        """Have inputs and memory made, and return how many of them to time.

        A slow script has fewer of them in a batch, and each of them once.
        """
        deadline = self._script.sandbox.deadline(PREPARATION_SECONDS)
        placed = self._script.place(self._base)
        self._ask({"do": "prepare", "arguments": [asdict(each) for each in placed]}, deadline)
        self._run(1, deadline)  # compiles
        milliseconds = min(self._run(1, deadline)[1] for _ in range(SINGLE_CALLS))
        if milliseconds > self._pace.slowest:
            raise NotTimedError(f"a call takes longer than {self._pace.slowest:g} ms")
        most = max(LEAST_CALLS, math.ceil(LONGEST_BATCH * self._pace.batch / milliseconds))
        calls = min(calls, most)
        self._repeats = max(1, min(repeats, most // calls))
        # A graph is recorded with the inputs of the batch before it, so that has to be a full one.
        self._run(calls, deadline)
        self._ask({"do": "record"}, deadline)
        return calls

    def lengthen(self, calls: int) -> None:
        """Make the batches long enough to prove something.

        While others used the GPU, calls seemed slower than they are.
        """
        longest = LONGEST_BATCH * self._pace.batch
        # A script that answers without any work would get so many repeats that they hide it.
        most = math.ceil(longest / calls / self.limit)
        self._run_timed(calls)  # slower, as the GPU has idled
        for _ in range(LENGTH_TRIES):
            elapsed = self._run_timed(calls)[1]
            if elapsed > longest:
                return
            repeats = math.ceil(self._repeats * max(1.0, self._pace.batch / elapsed))
            self._repeats = max(self._repeats, min(repeats, most))

    def time(self, calls: int) -> float:
        """Time a batch, and return the milliseconds of a call."""
        claimed, elapsed = self._run_timed(calls)
        while not self._is_explained(claimed, elapsed, calls) and self._spare > 0:
            claimed, elapsed = self._run_timed(calls)
            self._spare -= elapsed
        is_explained = self._is_explained(claimed, elapsed, calls)
        self._doubts += not is_explained
        # The judge's clock has messages and the making of inputs in it, so to disagree makes nobody faster.
        self._times.append(claimed if is_explained else elapsed / (calls * self._repeats))
        return self._times[-1]

    def _is_explained(self, claimed: float, elapsed: float, calls: int) -> bool:
        """Return whether the script's clock explains what the judge's says."""
        running = calls * self._repeats * claimed
        unexplained = elapsed - calls * self.making - running
        is_possible = claimed >= LEAST_RATIO * self.limit and running <= elapsed
        is_long = elapsed > LEAST_OVERHEADS * self._pace.overhead
        return is_possible and is_long and unexplained <= self._pace.overhead + self._pace.share * elapsed

    @property
    def _batch_seconds(self) -> float:
        """Seconds that a batch may take, several times what it should.

        Everybody else waits meanwhile.
        """
        return 3 * max(LEAST_CALLS * self._pace.slowest, LONGEST_BATCH * self._pace.batch) / 1000

    def is_believed(self) -> bool:
        """Return whether the clocks agreed, but for one batch.

        And the batch whose results are judged, the last one, was no slower than others.
        """
        return self._doubts <= 1 and self._times[-1] <= LAST_RATIO * statistics.median(self._times)

    def _run_timed(self, calls: int) -> tuple[float, float]:
        return self._run(calls, self._script.sandbox.deadline(self._batch_seconds))

    def _run(self, calls: int, deadline: float) -> tuple[float, float]:
        """Run a batch; return the milliseconds that it claims, and the judge's."""
        self._shifts = _shifts_of_calls(self._base, calls)
        started = time.perf_counter()
        message = self._ask({"do": "time", "shifts": self._shifts, "repeats": self._repeats}, deadline)
        elapsed = 1000 * (time.perf_counter() - started)
        claimed: Any = message.get("milliseconds")
        # JSON from Python may say NaN or Infinity. NaN compares with nothing, so this refuses both.
        is_time = isinstance(claimed, float) and 0 < claimed < math.inf
        if not is_time:
            raise NotTimedError("what the script's process says of its time is none")
        return claimed, elapsed

    def results(self) -> Iterator[tuple[tuple[torch.Tensor, ...], Observation]]:
        """Yield the inputs of some calls of the last batch, and what came of them.

        That it was the last one, and which they are, the script did not know.
        """
        numbers = range(len(self._shifts))
        for number in random.SystemRandom().sample(numbers, min(RESULTS, len(numbers))):
            arguments = tuple(map(moved, self._base, self._shifts[number]))
            yield arguments, self._script.result_of(number, arguments)

    def _ask(self, request: dict[str, Any], deadline: float) -> dict[str, Any]:
        try:
            message = self._script.ask(request, deadline)
        except SandboxEndedError as error:
            if error.reason is End.CANCELLED:
                raise
            reason = "it takes too long" if error.reason is End.TIME else "its process ended meanwhile"
            raise NotTimedError(reason) from None
        if message.get("failure") is not None:
            raise NotTimedError("it stops with an error at this size")
        return message


def _shifts_of_calls(base: tuple[torch.Tensor, ...], calls: int) -> list[Shifts]:
    """Return how far to move the inputs of each of so many calls."""
    return [random_shifts(base) for _ in range(calls)]


def with_arguments(case: Case, arguments: tuple[torch.Tensor, ...]) -> Case:
    """Return a case with these arguments."""
    return replace(case, arguments=lambda _device: arguments)
