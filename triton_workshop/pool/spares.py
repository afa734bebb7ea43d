"""Sandboxes that are warm before anybody needs them.

Importing PyTorch and starting CUDA takes seconds, and each sandbox is for one script.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from triton_workshop.errors import WorkshopError
from triton_workshop.pool.sandbox import End, Sandbox, SandboxEndedError

CALM_SECONDS = 3.0
"""Seconds without a script after which all spares are started: until then scripts need the cores more."""
LOW_SHARE = 10
"""One of so many spares is started at any time, so that somebody who comes late does not find none."""
ATTEMPTS = 2
"""Sandboxes that fail while somebody waits, until they are given an error."""
RETRY_SECONDS = 10.0


class SpareSandboxes:
    """Starts sandboxes, and keeps them until they are taken."""

    def __init__(self, start: Callable[[], Sandbox], count: int, starters: int) -> None:
        """Keep `count` sandboxes warm; `starters` is how many get ready at a time."""
        self._start, self._count = start, count
        self._changed = threading.Condition()
        self._warm: deque[Sandbox] = deque()
        self._starting: set[Sandbox] = set()
        self._takers = 0
        self._last_taken = -math.inf
        self._failures, self._error = 0, ""
        self._retry_at = 0.0
        self._is_suspended = self._is_closed = False
        # These threads live as long as this object, as a sandbox ends with the thread that started it.
        self._threads = [
            threading.Thread(target=self._run, name="starter of sandboxes", daemon=True) for _ in range(starters)
        ]
        for thread in self._threads:
            thread.start()

    def take(self) -> Sandbox:
        """Take a warm sandbox; wait for one if there is none.

        Raises WorkshopError if none gets ready.
        """
        with self._changed:
            failures = self._failures + ATTEMPTS
            self._takers += 1
            self._changed.notify_all()
            try:
                while True:
                    self._changed.wait_for(lambda: self._warm or self._failures >= failures or self._is_closed)
                    if not self._warm:
                        raise WorkshopError(f"No sandbox gets ready for a script here: {self._error}")
                    sandbox = self._warm.popleft()
                    if not sandbox.has_ended():
                        return sandbox
                    sandbox.close()
            finally:
                self._takers -= 1
                self._last_taken = time.monotonic()
                self._changed.notify_all()

    def wait_until_warm(self) -> None:
        """Wait until all of them are warm."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._warm) >= self._count or self._is_closed)

    def suspend(self) -> None:
        """Stop those that are starting, and start no others."""
        with self._changed:
            self._is_suspended = True
            for sandbox in self._starting:
                sandbox.suspend()

    def resume(self) -> None:
        """Go on with what was suspended."""
        with self._changed:
            self._is_suspended = False
            for sandbox in self._starting:
                sandbox.resume()
            self._changed.notify_all()

    def close(self) -> None:
        """End all of them."""
        with self._changed:
            self._is_closed = True
            for sandbox in self._starting:
                sandbox.end(End.CANCELLED)
            self._changed.notify_all()
        for thread in self._threads:
            thread.join()
        for sandbox in self._warm:
            sandbox.close()

    def _run(self) -> None:
        while (sandbox := self._next()) is not None:
            is_ready = False
            with suppress(SandboxEndedError):
                sandbox.wait_until_ready()
                is_ready = True
            with self._changed:
                self._starting.remove(sandbox)
                if is_ready:
                    self._warm.append(sandbox)
                else:
                    self._note_failure(sandbox.errors())
                    sandbox.close()
                self._changed.notify_all()
        # Its sandboxes end with this thread.

    def _next(self) -> Sandbox | None:
        """Start a sandbox as soon as one is needed; None at the end."""
        with self._changed:
            while not self._is_closed:
                may_wait = self._is_suspended or not self._is_short()
                if may_wait:
                    self._changed.wait(CALM_SECONDS)
                    continue
                try:
                    sandbox = self._start()
                except OSError as error:
                    self._note_failure(str(error))
                    continue
                self._starting.add(sandbox)
                return sandbox
        return None

    def _is_short(self) -> bool:
        now, available = time.monotonic(), len(self._warm) + len(self._starting)
        if available < self._takers:
            return True
        is_calm = now >= self._last_taken + CALM_SECONDS
        wanted = self._count if is_calm else math.ceil(self._count / LOW_SHARE)
        return now >= self._retry_at and available - self._takers < wanted

    def _note_failure(self, error: str) -> None:
        self._failures, self._error = self._failures + 1, error
        self._retry_at = time.monotonic() + RETRY_SECONDS
        self._changed.notify_all()
