"""The server's side of a room's GPUs.

A process of its own speaks to them. It may be slow, or die: the server never waits for it.
"""

from __future__ import annotations

import asyncio
import math
import os
import queue
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from triton_workshop.attendance.jobs import Answer, Answered, Cancel, Job, Lost, Outcome, PoolStatus, Unreachable
from triton_workshop.attendance.submissions import Submissions
from triton_workshop.errors import WorkshopError
from triton_workshop.processes.call import Call, EndedError, TimeIsUpError, start
from triton_workshop.room.messages import GpuPool
from triton_workshop.room.stream import Value

LOOK_SECONDS = 1.0
"""Seconds between two looks at the queue: attendees leave, and the presenter forgets them."""
ANSWER_SECONDS = 120.0
"""Seconds for which a job that was sent may have no answer."""
CANCEL_SECONDS = 15.0
"""Seconds in which the driver answers for a job that was cancelled; after that, it is started again."""
MIN_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 1.0, 15.0
"""Seconds before a driver is started again, at first and at last: each start costs a second of a core."""
AHEAD_SHARE = 4
"""One job for so many slots waits at the driver."""
MAX_SLOTS = 256
"""Jobs that run at a time, at most."""

UNANSWERED = Answer(
    Outcome.FAILED,
    f"The GPUs gave no answer in {ANSWER_SECONDS:.0f} s. Try again; a benchmark may have been in the way.",
)


@dataclass(frozen=True)
class DriverEnded:
    """The driver has ended, and with it everything that it had."""


class Driver:
    """Process that speaks to the GPUs; it is started again whenever it ends."""

    def __init__(self, pool: GpuPool, receive: Callable[[object], None]) -> None:
        """Start the process, and return at once.

        `receive` gets its messages and `DriverEnded`, on another thread.
        """
        self._pool, self._receive = pool, receive
        self._closing = threading.Event()
        self._call: Call | None = None
        self._connected = False
        """True once the process has told which GPUs there are."""
        self._writing = threading.Lock()
        self._outbox: queue.SimpleQueue[tuple[Call | None, object]] = queue.SimpleQueue()
        threading.Thread(target=self._run, daemon=True).start()
        threading.Thread(target=self._write, daemon=True).start()

    def send(self, message: Job | Cancel) -> None:
        """Send a message to the process that runs now, if it still does."""
        self._outbox.put((self._call, message))

    def kill(self) -> None:
        """End the process, and so have it started again."""
        if call := self._call:
            call.kill()

    def close(self) -> None:
        """End the process for good."""
        self._closing.set()
        self.kill()
        self._outbox.put((None, None))

    def _run(self) -> None:
        pause = MIN_PAUSE_SECONDS
        while not self._closing.is_set():
            self._connected = False
            with suppress(OSError, EndedError, TimeIsUpError), Path(os.devnull).open("wb") as nothing:
                self._listen(start(self._pool.driver, self._pool.address, output=nothing.fileno()))
            self._receive(DriverEnded())
            pause = MIN_PAUSE_SECONDS if self._connected else min(2 * pause, MAX_PAUSE_SECONDS)
            self._closing.wait(pause)

    def _listen(self, call: Call) -> None:
        """Pass on messages until the process ends."""
        with call:
            self._call = call
            try:
                for message in call.messages():
                    self._connected |= isinstance(message, PoolStatus)
                    self._receive(message)
            finally:
                self._call = None
                call.kill()  # so that nothing waits to write
                with self._writing:  # or it might write to another file, which gets the descriptor's number
                    pass

    def _write(self) -> None:
        """Write to the process, which may not read."""
        while not self._closing.is_set():
            call, message = self._outbox.get()
            with self._writing:
                if call is not None and call is self._call:
                    call.send(message)


class Dispatcher:
    """Gives the jobs of the queue to the driver, and stores the answers.

    Everything belongs to the thread of the event loop; the register is read and written on others.
    """

    def __init__(
        self,
        submissions: Submissions,
        pool: GpuPool,
        publish: Callable[[Value], None] = lambda value: None,
    ) -> None:
        """Create the dispatcher of a room.

        `publish` gets the GPUs whenever they have changed.
        """
        self._submissions, self._pool, self._publish = submissions, pool, publish
        self.status: PoolStatus | None = None
        """The GPUs, once they are known; no slots while they are out of reach."""
        self.problem = ""
        """Why there is no way to the GPUs, for the presenter."""
        self._sent: dict[str, float] = {}
        """Time at which each job was sent that the driver still has."""
        self._cancelled: dict[str, float] = {}
        """Time at which the driver was asked to end such a job."""
        self._waiting: tuple[str, ...] = ()
        self._inbox: deque[object] = deque()
        self._wake, self._changed = asyncio.Event(), asyncio.Event()

    @property
    def changed(self) -> asyncio.Event:
        """Event that is set with the next change of any job."""
        return self._changed

    @property
    def _ahead(self) -> int:
        """Jobs that the driver has beyond those that run.

        So no slot waits for this process.
        """
        return math.ceil(self.status.slots / AHEAD_SHARE) if self.status else 0

    @property
    def is_reachable(self) -> bool:
        """Return whether there are GPUs now."""
        return self.status is not None and self.status.slots > 0

    def place(self, id: str) -> int:
        """Return the place of a submission without an answer; 0 while it runs."""
        slots = self.status.slots if self.status else 0
        # The driver runs what was sent first, as many as it has slots; the others wait there.
        queue = [*list(self._sent)[slots:], *self._waiting]
        if id in queue:
            return queue.index(id) + 1
        return 0 if id in self._sent else len(queue) + 1

    def is_unanswered(self, id: str) -> bool:
        """Return whether a submission is known to be waiting or running."""
        is_at_driver = id in self._sent and id not in self._cancelled
        return is_at_driver or id in self._waiting

    def wake(self) -> None:
        """Look at the queue at once: it has changed."""
        self._wake.set()

    async def run(self) -> None:
        """Work until it is cancelled."""
        loop = asyncio.get_running_loop()

        def receive(message: object) -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._put, message)

        driver = Driver(self._pool, receive)
        try:
            while True:
                with suppress(WorkshopError):  # a full disk may have space again later
                    await self._step(driver)
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await self._wake.wait()
                self._wake.clear()
        finally:
            driver.close()

    def _put(self, message: object) -> None:
        self._inbox.append(message)
        self.wake()

    async def _step(self, driver: Driver) -> None:
        while self._inbox:  # one whose answer cannot be stored stays
            await self._handle(self._inbox[0])
            self._inbox.popleft()
        now = asyncio.get_running_loop().time()
        for id, sent_at in self._sent.items():
            is_late = now > sent_at + ANSWER_SECONDS and id not in self._cancelled
            if is_late:
                await asyncio.to_thread(self._submissions.answer, id, UNANSWERED)
        unanswered = [submission.id for submission in await asyncio.to_thread(self._submissions.unanswered)]
        # What was answered here (cancelled, superseded, too late) or has been deleted need not run on.
        for id in self._sent.keys() - unanswered - self._cancelled.keys():
            self._cancelled[id] = now
            driver.send(Cancel(id))
        is_stuck = any(now > cancelled_at + CANCEL_SECONDS for cancelled_at in self._cancelled.values())
        if is_stuck:
            # The news of its end takes a moment: until then, it is not to be killed again.
            self._cancelled = dict.fromkeys(self._cancelled, now)
            driver.kill()
        waiting = [id for id in unanswered if id not in self._sent]
        # There may be fewer slots by now than jobs that were sent, and the slice must not count from its end.
        free = max(self.status.slots + self._ahead - len(self._sent), 0) if self.status else 0
        for id in waiting[:free]:
            if job := await asyncio.to_thread(self._submissions.take, id):
                self._sent[id] = now
                driver.send(job)
        self._waiting = tuple(waiting[free:])
        self._notify()

    async def _handle(self, message: object) -> None:
        match message:
            case PoolStatus(gpus, slots):
                self._set_status(PoolStatus(tuple(gpus), min(slots, MAX_SLOTS) if gpus else 0))
            case Answered(id, answer) if id in self._sent:  # it may answer twice
                await asyncio.to_thread(self._submissions.answer, id, answer)
                self._forget(id)
            case Lost(id):  # it waits again, and is counted when it is sent
                self._forget(id)
            case Unreachable(reason):
                self.problem = reason
            case DriverEnded():
                for id in [*self._sent]:
                    self._forget(id)
                if self.status:
                    self._set_status(replace(self.status, slots=0))

    def _forget(self, id: str) -> None:
        self._sent.pop(id, None)
        self._cancelled.pop(id, None)

    def _set_status(self, status: PoolStatus) -> None:
        self.status = status
        if status.slots:
            self.problem = ""
        self._publish(pool_to_json(status))

    def _notify(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()


def pool_to_json(status: PoolStatus) -> dict[str, object]:
    """Return the GPUs as pages read them."""
    return {"gpus": list(status.gpus), "slots": status.slots}
