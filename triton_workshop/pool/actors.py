"""Ray actor of a GPU: a process on its machine, with warm sandboxes.

Ray makes it a named actor that outlives its driver, and starts it again when it dies.
"""

from __future__ import annotations

import os
import pkgutil
import threading
import time
from typing import Protocol

import ray

from triton_workshop.attendance.jobs import Answer, Job
from triton_workshop.pool.capacity import UNCONTAINED, ActorStatus, own_status

JOBS = "jobs"
"""Ray's concurrency group of the threads that run jobs; others cancel, and show signs of life."""
CHECKS_PER_LEASE = 20


class AnyRunner(Protocol):
    """A `Runner` of `triton_workshop.pool.runner`, or a stand-in of a test."""

    def run(self, job: Job) -> Answer:
        """Run a job, as soon as there is a slot."""

    def cancel(self, id: str) -> None:
        """End a job, whether or not it has begun."""

    def close(self) -> None:
        """End all processes."""


class GpuActor:
    """Runs jobs, each in a thread that Ray gives it."""

    def __init__(self, gpu: bool, lease_seconds: float, runner: str) -> None:
        """Start the runner, of a class that is given as `module:name`.

        After `lease_seconds` without a job or a driver that asks for its status, the actor ends itself, so that a GPU
        that nobody uses is free again.
        """
        self._status = own_status(gpu)
        make, contained = pkgutil.resolve_name(runner), not os.environ.get(UNCONTAINED)
        self._runner: AnyRunner = make(gpu, self._status.slots, self._status.spares, contained=contained)
        self._lock = threading.Lock()
        self._running = 0
        self._last_use = time.monotonic()
        threading.Thread(target=self._end_unused, args=(lease_seconds,), daemon=True).start()

    def status(self) -> ActorStatus:
        """Return what this actor offers, which gives it a new lease."""
        self._last_use = time.monotonic()
        return self._status

    @ray.method(concurrency_group=JOBS)
    def run(self, job: Job) -> Answer:
        """Return the answer to a job."""
        with self._lock:
            self._running += 1
        try:
            return self._runner.run(job)
        finally:
            with self._lock:
                self._running -= 1
                self._last_use = time.monotonic()

    def cancel(self, id: str) -> None:
        """End a job, whether or not it has begun."""
        self._runner.cancel(id)

    def _end_unused(self, seconds: float) -> None:
        while True:
            time.sleep(seconds / CHECKS_PER_LEASE)
            with self._lock:
                is_unused = not self._running and time.monotonic() > self._last_use + seconds
            if is_unused:
                break
        self._runner.close()
        ray.kill(ray.get_runtime_context().current_actor)
