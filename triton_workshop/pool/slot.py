"""A place where one script at a time runs on a GPU, or on the simulator."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress

import torch

from triton_workshop.attendance.jobs import Answer, Job, Outcome
from triton_workshop.checking.observing.child import prepare, warm_up
from triton_workshop.checking.own_errors import let_tests_see
from triton_workshop.device import visible_gpus
from triton_workshop.errors import WorkshopError
from triton_workshop.pool.card import Card
from triton_workshop.pool.judging import answer, failed
from triton_workshop.pool.sandbox import End, Sandbox, SandboxEndedError, refusal
from triton_workshop.pool.timing import Timer

ATTEMPTS = 2
"""Sandboxes that are started for a job until one gets ready."""


class Slot:
    """Sandboxes that are warm, each for one script, one after another."""

    def __init__(self, gpu: bool, *, contained: bool = True, spares: int = 1) -> None:
        """Start so many sandboxes, one after another, and get ready to judge.

        Scripts run without bubblewrap unless they are `contained`, which is for owners who know what they do. Raises
        WorkshopError if they cannot be contained here, or if there is no GPU.
        """
        if contained and (reason := refusal()):
            raise WorkshopError(reason)
        gpus = [each for each in visible_gpus() if each.runs_kernels] if gpu else [None]
        if not gpus:
            raise WorkshopError("There is no GPU for this slot: ask `uv run workshop gpus` for slots on the simulator.")
        self._gpu, self._contained = gpus[0], contained
        self.card = Card("the simulator", "cpu") if self._gpu is None else Card(self._gpu.name, "cuda")
        self._timer = Timer(self.card)
        self._lock = threading.Lock()
        self._job: str | None = None
        self._is_cancelled = False
        self._running: Sandbox | None = None
        self._starting: Sandbox | None = None
        self._is_closed = False
        # One thread for all of them, as a sandbox ends with the thread that started it.
        self._starter = ThreadPoolExecutor(1, thread_name_prefix="starter of sandboxes")
        self._spares = deque(self._starter.submit(self._start) for _ in range(spares))
        if self._gpu is None:
            prepare()
            warm_up()
        else:
            from triton_workshop.setup.kernel import add_is_correct  # which settles that Triton is for the GPU

            add_is_correct()

    def _start(self) -> Sandbox:
        """Start a sandbox, and wait until it is ready: the next one would take its cores."""
        sandbox = Sandbox(self._gpu, contained=self._contained)
        with self._lock:
            self._starting = sandbox
            if self._is_closed:
                sandbox.end(End.CANCELLED)
        with suppress(SandboxEndedError):  # whoever takes it finds out
            sandbox.wait_until_ready()
        with self._lock:
            self._starting = None
        return sandbox

    def wait_until_ready(self) -> None:
        """Wait until a sandbox waits for a script. Raises SandboxEndedError."""
        self._spares[0].result().wait_until_ready()

    def run(self, job: Job, alone: AbstractContextManager[None]) -> Answer:
        """Run a job, one at a time, and return its answer.

        `alone` is entered around the timing, when all else is done.
        """
        with self._lock:
            self._job, self._is_cancelled = job.id, False
        sandbox: Sandbox | None = None
        try:
            sandbox = self._take()
            with self._lock:
                self._running = sandbox
                if self._is_cancelled:
                    sandbox.end(End.CANCELLED)
            return answer(job, sandbox, self._timer, alone)
        except SandboxEndedError:  # anything but this is observed
            return Answer(Outcome.CANCELLED, "This run was cancelled.", self.card.name)
        except WorkshopError as error:
            return failed(str(error), self.card)
        except Exception as error:
            let_tests_see(error)
            return failed(f"The script could not be judged: {type(error).__name__}: {error}", self.card)
        finally:
            with self._lock:
                self._job = self._running = None
            if sandbox is not None:
                sandbox.close()
                # Not before: it would take the cores and the GPU from the script.
                if not self._is_closed:
                    self._spares.append(self._starter.submit(self._start))
            if self.card.is_gpu:  # other slots need its memory
                torch.cuda.empty_cache()

    def _take(self) -> Sandbox:
        """Take a sandbox that waits for a script.

        Raises WorkshopError if none gets ready.
        """
        for _ in range(ATTEMPTS):
            sandbox = (self._spares.popleft() if self._spares else self._starter.submit(self._start)).result()
            with suppress(SandboxEndedError):
                sandbox.wait_until_ready()
                return sandbox
            reason = sandbox.errors()
            sandbox.close()
        raise WorkshopError(f"No sandbox gets ready for a script here: {reason}")

    def cancel(self, id: str) -> None:
        """End a job, from any thread, if it runs or is about to."""
        with self._lock:
            if self._job != id:
                return
            self._is_cancelled = True
            if self._running is not None:
                self._running.end(End.CANCELLED)

    def close(self) -> None:
        """End all sandboxes."""
        with self._lock:
            self._is_closed = True
            for sandbox in (self._running, self._starting):
                if sandbox is not None:
                    sandbox.end(End.CANCELLED)
        for spare in self._spares:
            if not spare.cancel():
                spare.result().close()
        self._starter.shutdown()
