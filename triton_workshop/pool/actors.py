"""The Ray actor of a GPU: a process on the GPU's machine, with warm slots.

Ray makes it a named actor that outlives its driver, and starts it again when it dies.
"""

from __future__ import annotations

import os
import pkgutil
import queue
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Protocol

import ray

from triton_workshop.attendance.jobs import Answer, Job, Outcome
from triton_workshop.pool.capacity import UNCONTAINED, ActorStatus, own_status
from triton_workshop.pool.gpu_lock import GpuLock

JOBS = "jobs"
"""Ray's concurrency group of the threads that run jobs; others cancel, and show signs of life."""
CANCEL_SECONDS = 0.05
"""Seconds between two requests to a slot that may not have begun its job yet."""
CHECKS_PER_LEASE = 20


class AnySlot(Protocol):
    """A `Slot` of `triton_workshop.pool.slot`, or a stand-in of a test."""

    def run(self, job: Job, alone: AbstractContextManager[None]) -> Answer:
        """Run a job; enter `alone` around its timing."""

    def cancel(self, id: str) -> None:
        """End a job, if it runs."""

    def close(self) -> None:
        """End the slot's processes."""


class GpuActor:
    """Runs jobs in its slots, each in a thread that Ray gives it."""

    def __init__(self, gpu: bool, lease_seconds: float, slot: str) -> None:
        """Start the slots, of a class that is given as `module:name`.

        After `lease_seconds` without a job or a driver that asks for its status, the actor ends itself, so that a GPU
        that nobody uses is free again.
        """
        self._status = own_status(gpu)
        make = pkgutil.resolve_name(slot)
        contained = not os.environ.get(UNCONTAINED)
        self._new_slot: Callable[[], AnySlot] = lambda: make(gpu, contained=contained, spares=self._status.spares)
        self._slots: queue.SimpleQueue[AnySlot] = queue.SimpleQueue()
        for _ in range(self._status.slots):
            self._slots.put(self._new_slot())
        self._gpu = GpuLock()
        self._lock = threading.Lock()
        self._running: dict[str, AnySlot | None] = {}
        """The slot of each job, or None while it waits for one."""
        self._cancelled: set[str] = set()
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
            self._running[job.id] = None
        try:
            slot = self._slots.get()
            try:
                with self._gpu.shared():
                    with self._lock:
                        if job.id in self._cancelled:
                            return Answer(Outcome.CANCELLED, "This run was cancelled.", self._status.gpu)
                        self._running[job.id] = slot
                    return slot.run(job, self._gpu.alone())
            except BaseException:
                broken, slot = slot, self._new_slot()
                with suppress(Exception):
                    broken.close()
                raise
            finally:
                self._slots.put(slot)
        finally:
            with self._lock:
                del self._running[job.id]
                self._cancelled.discard(job.id)
                self._last_use = time.monotonic()

    def cancel(self, id: str) -> None:
        """End a job, whether or not it has begun."""
        with self._lock:
            self._cancelled.add(id)  # its request to run may come later, as another thread serves it
        time.sleep(CANCEL_SECONDS)
        while True:
            with self._lock:
                if id not in self._running:
                    return
                slot = self._running[id]
            if slot is not None:
                slot.cancel(id)
            time.sleep(CANCEL_SECONDS)

    def _end_unused(self, seconds: float) -> None:
        while True:
            time.sleep(seconds / CHECKS_PER_LEASE)
            with self._lock:
                is_unused = not self._running and time.monotonic() > self._last_use + seconds
            if is_unused:
                break
        while not self._slots.empty():
            self._slots.get().close()
        ray.kill(ray.get_runtime_context().current_actor)
