"""Rate limits of sessions: no session may take what others need."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.requests import Request

from triton_workshop.attendance.register import TOKEN_LENGTH

COOKIE = "room"
MAX_PENDING_REQUESTS = 64
"""Requests of one session that may wait for their answers.

Through HTTP/2, a page asks for all its pictures at once.
"""
REQUEST_BURST, REQUESTS_PER_SECOND = 1000, 50.0
"""Requests of one session at once, and per second from then on.

A page with everything that kernels need is about 100.
"""
MAX_SESSIONS = 10_000
EXCESS_REFUSALS = 20
"""Refusals of one session after which the presenter hears of it.

That is more than a mistake causes.
"""
EXCESS_SECONDS = 60.0
"""Seconds without another refusal after which all are forgotten."""


def token_of(request: Request) -> str | None:
    """Return the token of a request, from a program or else from a browser.

    None if there is none, or none of ours.
    """
    kind, _, rest = request.headers.get("authorization", "").partition(" ")
    token = rest.strip() if kind.lower() == "bearer" else request.cookies.get(COOKIE, "")
    return token if len(token) == TOKEN_LENGTH else None


class RateLimiter:
    """Token bucket for each key: a burst, and then so many per second."""

    def __init__(self, burst: int, now: Callable[[], float] = time.monotonic, per_second: float = 1.0) -> None:
        self._credit, self._seconds, self._now = burst / per_second, 1 / per_second, now
        self._full_at: dict[object, float] = {}
        """Time at which the bucket of a key is full again, unless it is full."""

    def acquire(self, key: object) -> bool:
        """Take one token; return False if none is left."""
        now = self._now()
        full_at = max(self._full_at.get(key, now), now) + self._seconds
        if full_at > now + self._credit:
            return False
        if len(self._full_at) > MAX_SESSIONS:
            self._full_at = {other: at for other, at in self._full_at.items() if at > now}
        self._full_at[key] = full_at
        return True


class SessionLimiter:
    """Limits the requests of each session.

    Sessions are told apart by their token, which is known before anything is looked up.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._waiting: Counter[str] = Counter()
        self._limiter = RateLimiter(REQUEST_BURST, now, REQUESTS_PER_SECOND)
        self._refusals: dict[str, tuple[int, float]] = {}
        """Number of refusals by token, and the time of the last one.

        The token that was refused last is the last one.
        """

    @contextmanager
    def request(self, token: str | None) -> Iterator[bool]:
        """Count a request until it is answered; yield False to refuse it."""
        if token is None:
            yield True
            return
        is_refused = self._waiting[token] >= MAX_PENDING_REQUESTS or not self._limiter.acquire(token)
        if is_refused:
            self.record_refusal(token)
            yield False
            return
        self._waiting[token] += 1
        try:
            yield True
        finally:
            self._waiting[token] -= 1
            # A Counter keeps a key at 0, and anybody can make up tokens.
            if not self._waiting[token]:
                del self._waiting[token]

    def record_refusal(self, token: str) -> None:
        """Count a request that was refused."""
        times, _ = self._refusals.pop(token, (0, 0.0))
        self._refusals[token] = (times + 1, self._now())
        if len(self._refusals) > MAX_SESSIONS:
            del self._refusals[next(iter(self._refusals))]

    def excessive(self) -> list[str]:
        """Return tokens with far too many refusals in the last minute."""
        earliest = self._now() - EXCESS_SECONDS
        self._refusals = {token: refusals for token, refusals in self._refusals.items() if refusals[1] > earliest}
        return [token for token, (times, _) in self._refusals.items() if times >= EXCESS_REFUSALS]
