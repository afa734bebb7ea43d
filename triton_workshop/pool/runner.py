"""Runner of scripts on a GPU, or on the simulator.

Several run at a time, each in a sandbox of its own.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import torch

from triton_workshop.attendance.jobs import CANCELLED, Answer, Job
from triton_workshop.checking.observing.child import prepare, warm_up
from triton_workshop.checking.own_errors import reraise_in_tests
from triton_workshop.device import Gpu, visible_gpus
from triton_workshop.errors import WorkshopError
from triton_workshop.exercises import EXERCISES
from triton_workshop.pool.card import Card
from triton_workshop.pool.gpu_lock import GpuLock
from triton_workshop.pool.judging import GpuTurn, answer, failed
from triton_workshop.pool.sandbox import End, Sandbox, SandboxEndedError, refusal
from triton_workshop.pool.spares import SpareSandboxes
from triton_workshop.pool.timing import NotTimedError, Timer

BUSY_SECONDS = 30.0
"""Seconds that a timing waits for a GPU on which somebody's kernel runs: longer than any script may take."""
BUSY_LOOK_SECONDS = 1.0
"""Seconds between two tries: meanwhile the time of a script whose kernel hangs goes on, so that it is ended."""
KEPT_CANCELLATIONS = 1000
"""Jobs that were cancelled, and may come later than that."""


@dataclass(eq=False)
class Run:
    """A job that runs, and its sandbox once it has one."""

    job: Job
    sandbox: Sandbox | None = None


class Runner:
    """Judges and times scripts, as many at a time as it has slots."""

    def __init__(self, gpu: bool, slots: int = 1, spares: int = 1, *, contained: bool = True) -> None:
        """Start so many spare sandboxes, and get ready to judge.

        Scripts run without bubblewrap unless they are `contained`, which is for owners who know what they do. Raises
        WorkshopError if they cannot be contained here, or if there is no GPU.
        """
        reason = refusal() if contained else None
        if reason:
            raise WorkshopError(reason)
        gpus: list[Gpu | None] = [None]
        if gpu:
            gpus = [each for each in visible_gpus() if each.runs_kernels]
        if not gpus:
            raise WorkshopError("There is no GPU to run scripts on: ask `uv run workshop gpus` for the simulator.")
        chosen = gpus[0]
        self.card = Card("the simulator", "cpu") if chosen is None else Card(chosen.name, "cuda")
        self._timer = Timer(self.card)
        self._gpu = GpuLock()
        self._slots = threading.BoundedSemaphore(slots)
        self._lock = threading.Lock()
        self._runs: list[Run] = []
        self._cancelled: deque[str] = deque(maxlen=KEPT_CANCELLATIONS)
        # The simulator keeps a core busy: where processes have just died, one sandbox is ready sooner than two.
        starters = slots if gpu else max(1, slots // 2)
        self._spares = SpareSandboxes(lambda: Sandbox(chosen, contained=contained), spares, starters=starters)
        if chosen is None:
            prepare()
            warm_up()
        else:
            from triton_workshop.setup.kernel import add_is_correct  # which settles that Triton is for the GPU

            add_is_correct()
            # Ray allows an actor without cores of its own one thread, and the judge copies and fills large tensors.
            torch.set_num_threads(len(os.sched_getaffinity(0)))
            threading.Thread(target=self._prepare_exercises, name="preparation", daemon=True).start()

    def _prepare_exercises(self) -> None:
        """Make inputs, and compile what scripts will be compared with.

        The first exercises come last: if there is not enough memory for all, these stay.
        """
        for exercise in reversed(EXERCISES.values()):
            with self._gpu.shared():
                for case in exercise.gpu_cases:
                    self.card.inputs(exercise, case)
                with suppress(NotTimedError):
                    self._timer.prepare(exercise, self._gpu.released)

    def wait_until_ready(self) -> None:
        """Wait until all spare sandboxes wait for a script."""
        self._spares.wait_until_warm()

    def run(self, job: Job) -> Answer:
        """Run a job as soon as there is a slot, and return its answer."""
        run = Run(job)
        with self._slots:
            try:
                sandbox = self._admit(run)
                with self._gpu.shared():
                    return self._answer(run, sandbox)
            except SandboxEndedError:  # anything but this is observed
                return CANCELLED
            except WorkshopError as error:
                return failed(str(error), self.card)
            except Exception as error:
                reraise_in_tests(error)
                return failed(f"The script could not be judged: {type(error).__name__}: {error}", self.card)
            finally:
                with self._lock:
                    self._runs = [each for each in self._runs if each is not run]
                if run.sandbox is not None:
                    run.sandbox.close()

    def _admit(self, run: Run) -> Sandbox:
        """Give a job a sandbox, unless it has been cancelled."""
        with self._lock:
            self._runs.append(run)
            if run.job.id in self._cancelled:
                raise SandboxEndedError(End.CANCELLED)
        sandbox = self._spares.take()
        with self._lock:
            run.sandbox = sandbox
            if run.job.id in self._cancelled:
                sandbox.end(End.CANCELLED)
        return sandbox

    def _answer(self, run: Run, sandbox: Sandbox) -> Answer:
        turn = GpuTurn(self._gpu.released, self._gpu.giving_way, lambda: self._alone(run))
        try:
            return answer(run.job, sandbox, self._timer, turn)
        finally:
            self.card.release_memory()

    @contextmanager
    def _alone(self, run: Run) -> Iterator[None]:
        """Have the GPU and the cores alone, while all other sandboxes stand still.

        Raises NotTimedError if another script's kernel does not end.
        """
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            with self._gpu.alone(), self._suspended(run):
                if self.card.is_idle():
                    yield
                    return
            if time.monotonic() > deadline:
                raise NotTimedError("another script keeps the GPU busy")
            with self._gpu.released():
                time.sleep(BUSY_LOOK_SECONDS)

    @contextmanager
    def _suspended(self, run: Run) -> Iterator[None]:
        """Suspend all sandboxes but one."""
        with self._lock:
            others = [each.sandbox for each in self._runs if each is not run]
        sandboxes = [sandbox for sandbox in others if sandbox is not None]
        self._spares.suspend()
        try:
            for sandbox in sandboxes:
                sandbox.suspend()
            yield
        finally:
            for sandbox in sandboxes:
                sandbox.resume()
            self._spares.resume()

    def cancel(self, id: str) -> None:
        """End a job, from any thread, whether or not it has begun."""
        with self._lock:
            self._cancelled.append(id)
            for run in self._runs:
                if run.job.id != id:
                    continue
                if run.sandbox is not None:
                    run.sandbox.end(End.CANCELLED)

    def close(self) -> None:
        """End all sandboxes."""
        with self._lock:
            for run in self._runs:
                if run.sandbox is not None:
                    run.sandbox.end(End.CANCELLED)
        self._spares.close()
