"""The process of the presenter's server that speaks to Ray, as its client.

It holds jobs only until an actor has a free slot, and may die at any time: the server knows what has no answer.
"""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from triton_workshop.attendance.jobs import CANCELLED, Answer, Answered, Cancel, Job, Lost, PoolStatus, Unreachable
from triton_workshop.errors import MisuseError
from triton_workshop.pool.address import Address, require_ray
from triton_workshop.pool.capacity import MAX_SLOTS, ActorStatus
from triton_workshop.processes.wire import Connection

RUNNER = "triton_workshop.pool.runner:Runner"
NAMESPACE = "triton-workshop"
IDLE_SECONDS = 600.0
"""Seconds without a job after which the actors are left alone, and end. The next job brings them back."""
LEASE_SECONDS = 60.0
"""Seconds after which an actor ends that no driver has asked for its status: longer than a driver takes to restart."""
LOOK_SECONDS = 3.0
"""Seconds between two looks at the machines of the cluster."""
RETRY_SECONDS = 30.0
"""Seconds until an actor that could not start is tried again."""
VARIABLES = {
    "RAY_AUTH_MODE": "token",
    # Under `uv run`, Ray would copy this folder to all machines, and start its processes by uv there.
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    # A broken connection ends this process: the server starts it again.
    "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "0",
    "RAY_CLIENT_INITIAL_CONNECTION_TIMEOUT_S": "3",
    "RAY_CLIENT_MAX_CONNECTION_TIMEOUT_S": "5",
}


def serve_jobs(
    connection: Connection,
    address: str,
    idle_seconds: float = IDLE_SECONDS,
    lease_seconds: float = LEASE_SECONDS,
    runner: str = RUNNER,
) -> None:
    """Run jobs on all GPUs of a cluster, until the connection ends.

    `address` is as `workshop gpus` prints it. `runner` is the class of what runs the jobs, as `module:name`.
    """
    events: queue.SimpleQueue[Event] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(connection, events), daemon=True).start()
    try:
        connect(Address.parse(address, "--gpus"))
        Driver(connection, events, idle_seconds, partial(make_actor, lease_seconds, runner)).serve()
    except MisuseError as error:
        connection.send(Unreachable(str(error)))
    except ConnectionError as error:
        connection.send(Unreachable(f"The connection to the machine with GPUs has ended: {_first_line(error)}"))
    finally:
        sys.stdout.flush()


def _read(connection: Connection, events: queue.SimpleQueue[Event]) -> None:
    with suppress(OSError, EOFError):
        while True:
            message = connection.receive()
            if isinstance(message, Job | Cancel):
                events.put(message)
    events.put(Closed())


def connect(address: Address) -> None:
    """Connect this process to a cluster. Raises MisuseError."""
    require_ray()
    address.check_reachable()
    os.environ.update(VARIABLES, RAY_AUTH_TOKEN=address.token)
    import ray

    try:
        ray.init(f"ray://{address.location}", namespace=NAMESPACE, log_to_driver=False, logging_level=logging.ERROR)
    except ConnectionError as error:
        if "timeout" not in str(error):
            raise
        raise MisuseError(
            f"--gpus: {address.location} answers, but not to this token, or it is not Ray. Type the line that "
            "`workshop gpus` shows there now"
        ) from None
    except RuntimeError as error:
        if "Version mismatch" not in str(error):
            raise
        raise MisuseError(describe_mismatch(str(error))) from None


def describe_mismatch(error: str) -> str:
    """Say what to type if Python or Ray differs from the GPUs' machine.

    `error` is Ray's, with the versions of the cluster and then of this process.
    """
    words = error.split()
    rays = [words[index + 1] for index, word in enumerate(words) if word == "Ray:"]
    pythons = [words[index + 1] for index, word in enumerate(words) if word == "Python:"]
    has_versions = len(rays) == len(pythons) == 2
    # Another version of Ray may word it differently: then its own words have to do.
    if not has_versions:
        return f"--gpus: this machine and the one with GPUs have different versions. {error}"
    there, here = (f"Python {python} and Ray {ray}" for python, ray in zip(pythons, rays, strict=True))
    sentence = f"--gpus: the machine with GPUs has {there}, this one has {here}; Ray needs the same on both. "
    if rays[0] != rays[1]:
        return f"{sentence}Update the workshop on both: git pull"
    minor = ".".join(pythons[0].split(".")[:2])
    return f"{sentence}Here, type `uv run --python {minor}` in place of `uv run`, and the rest as before"


@dataclass(frozen=True)
class Closed:
    """The server wants nothing more."""


@dataclass(frozen=True)
class Finished:
    """A job's call has ended."""

    id: str
    member: str
    future: Future[Answer]


@dataclass(frozen=True)
class StatusCame:
    """An actor has answered, or cannot."""

    member: str
    future: Future[ActorStatus]


Event = Job | Cancel | Closed | Finished | StatusCame


@dataclass
class Member:
    """An actor of the pool."""

    handle: Any
    """Ray's handle of a GpuActor."""
    status: ActorStatus | None = None
    """None until it has answered, and while Ray starts it again."""
    is_asked: bool = False
    running: set[str] = field(default_factory=set)

    @property
    def free(self) -> int:
        """Slots without a job."""
        return self.status.slots - len(self.running) if self.status else 0


@dataclass(frozen=True)
class Place:
    """A place for an actor: a GPU, or a machine if no machine has a GPU."""

    node: str
    gpu: int | None

    @property
    def name(self) -> str:
        """The name of the actor."""
        return f"{self.node}-{'simulator' if self.gpu is None else self.gpu}"


class Driver:
    """Gives jobs to actors with a free slot. All of it belongs to one thread."""

    def __init__(
        self,
        connection: Connection,
        events: queue.SimpleQueue[Event],
        idle_seconds: float,
        make_actor: Callable[[Place], Any],
    ) -> None:
        self._connection, self._events = connection, events
        self._idle_seconds, self._make_actor = idle_seconds, make_actor
        self._waiting: list[Job] = []
        self._running: dict[str, Member] = {}
        self._members: dict[str, Member] = {}
        self._known: dict[str, ActorStatus] = {}
        """What each place offers, also while its actor has ended because nobody needs it."""
        self._retry_at: dict[str, float] = {}
        self._last_job = time.monotonic()
        self._next_look = 0.0
        self._reported: PoolStatus | None = None

    def serve(self) -> None:
        """Run jobs until the server has gone.

        Raises MisuseError and ConnectionError.
        """
        while True:
            event = None
            with suppress(queue.Empty):
                # `get` refuses a negative timeout.
                event = self._events.get(timeout=max(self._next_look - time.monotonic(), 0.001))
            if isinstance(event, Closed):
                return
            if event is not None:
                self._handle(event)
            if time.monotonic() >= self._next_look:
                self._look()
            self._submit()
            self._report()

    def _handle(self, event: Event) -> None:
        match event:
            case Job():
                # Asked before the job is added, as jobs keep the pool awake: a pool that sleeps is looked at now.
                if not self._is_awake():
                    self._next_look = 0.0
                self._waiting.append(event)
                self._last_job = time.monotonic()
            case Cancel(id):
                self._cancel(id)
            case Finished(id, member, future):
                self._finish(id, member, future)
            case StatusCame(member, future):
                self._note_status(member, future)

    def _is_awake(self) -> bool:
        """Return whether there shall be actors: soon after a job or the start."""
        has_jobs = bool(self._waiting or self._running)
        return has_jobs or time.monotonic() < self._last_job + self._idle_seconds

    # The machines

    def _look(self) -> None:
        """Make the actors that are missing; forget those whose machine has gone."""
        import ray

        self._next_look = time.monotonic() + LOOK_SECONDS
        places = {place.name: place for place in find_places(ray.nodes())}
        absent = [name for name in self._known if name not in places]
        for name in absent:
            del self._known[name]
        absent_members = [name for name in self._members if name not in places]
        for name in absent_members:
            with suppress(ray.exceptions.RayError, ValueError):
                ray.kill(self._members.pop(name).handle)
        if not self._is_awake():
            self._members.clear()  # unasked, they end
            return
        for name, place in places.items():
            if name in self._members:
                continue
            if self._retry_at.get(name, 0.0) < time.monotonic():
                self._members[name] = Member(self._make_actor(place))
        for name, member in self._members.items():
            self._ask_status(name, member)

    def _ask_status(self, name: str, member: Member) -> None:
        if not member.is_asked:
            member.is_asked = True
            future = member.handle.status.remote().future()
            future.add_done_callback(lambda done: self._events.put(StatusCame(name, done)))

    def _note_status(self, name: str, future: Future[ActorStatus]) -> None:
        from ray.exceptions import ActorDiedError, RayError

        member = self._members.get(name)
        if member is None:
            return
        member.is_asked = False
        try:
            member.status = self._known[name] = future.result()
        except ActorDiedError as error:  # for good: somebody has ended it, or it could not start
            del self._members[name]
            if getattr(error, "actor_init_failed", False):
                self._known.pop(name, None)
                self._retry_at[name] = time.monotonic() + RETRY_SECONDS
                if not self._members:
                    raise MisuseError(f"The process of a GPU does not start: {_last_line(error)}") from None
        except RayError:  # Ray starts it again
            member.status = None

    def _report(self) -> None:
        """Tell the server if the pool has changed."""
        # At first nothing is known, which is not the same as no GPUs.
        is_unknown = not self._known and self._reported is None
        if is_unknown:
            return
        offers = self._known.values()
        slots = sum(offer.slots for offer in offers)
        status = PoolStatus(tuple(offer.gpu for offer in offers), slots)
        if status != self._reported:
            self._connection.send(status)
            self._reported = status

    # The jobs

    def _submit(self) -> None:
        """Submit waiting jobs, each to the actor with most free slots."""
        while self._waiting and self._members:
            name, member = max(self._members.items(), key=lambda each: each[1].free)
            if member.free <= 0:
                return
            job = self._waiting.pop(0)
            member.running.add(job.id)
            self._running[job.id] = member
            future = member.handle.run.remote(job).future()
            future.add_done_callback(partial(self._put_finished, job.id, name))

    def _put_finished(self, id: str, member: str, future: Future[Answer]) -> None:
        self._events.put(Finished(id, member, future))

    def _finish(self, id: str, name: str, future: Future[Answer]) -> None:
        from ray.exceptions import RayActorError, RayError

        member = self._running.pop(id)
        member.running.discard(id)
        self._last_job = time.monotonic()
        try:
            self._connection.send(Answered(id, future.result()))
        except RayActorError:
            member.status = None
            # The place may have another member by now.
            if self._members.get(name) is member:
                self._ask_status(name, member)
            self._connection.send(Lost(id, "The process that ran it has ended."))
        except RayError as error:
            self._connection.send(Lost(id, f"The process that ran it has failed: {_last_line(error)}"))

    def _cancel(self, id: str) -> None:
        """Cancel a job that has no answer yet."""
        for job in self._waiting:
            if job.id == id:
                self._waiting.remove(job)
                self._connection.send(Answered(id, CANCELLED))
                return
        if id in self._running:
            self._running[id].handle.cancel.remote(id)


def find_places(nodes: list[dict[str, Any]]) -> Iterator[Place]:
    """Yield a place for each GPU of a cluster, by `ray.nodes()`.

    Without any GPU, there is one on the first machine.
    """
    alive = sorted((node for node in nodes if node["Alive"]), key=lambda node: str(node["NodeID"]))
    # Ray counts GPUs in floats.
    counts = [(str(node["NodeID"]), int(node["Resources"].get("GPU", 0))) for node in alive]
    has_gpus = any(count for _, count in counts)
    if not has_gpus:
        heads = [str(node["NodeID"]) for node in alive if "node:__internal_head__" in node["Resources"]]
        yield from (Place(node, None) for node in heads)
        return
    for node, count in counts:
        yield from (Place(node, gpu) for gpu in range(count))


def make_actor(lease_seconds: float, runner: str, place: Place) -> Any:
    """Return the handle of the actor at a place; make it unless it exists."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    from triton_workshop.pool.actors import JOBS, GpuActor

    has_gpu = place.gpu is not None
    actor = ray.remote(concurrency_groups={JOBS: MAX_SLOTS})(GpuActor).options(
        name=place.name,
        namespace=NAMESPACE,
        get_if_exists=True,
        lifetime="detached",
        num_cpus=0,
        num_gpus=1 if has_gpu else 0,
        max_restarts=-1,
        max_concurrency=4,  # of all but jobs
        scheduling_strategy=NodeAffinitySchedulingStrategy(place.node, soft=False),
    )
    return actor.remote(has_gpu, lease_seconds, runner)


def _first_line(error: BaseException) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)


def _last_line(error: BaseException) -> str:
    return next((line.strip() for line in reversed(str(error).splitlines()) if line.strip()), type(error).__name__)
