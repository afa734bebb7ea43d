"""How much each session asks for: nobody's requests may take what others need."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from starlette.requests import Request

from triton_workshop.attendance.register import TOKEN_LENGTH

COOKIE = "room"
MOST_REQUESTS = 64
"""Requests of one session that may wait for their answers: through HTTP/2, a page asks for all its pictures at once."""
REQUESTS, REQUESTS_PER_SECOND = 1000, 50.0
"""Requests of one session at once, and from then on: a page with everything that kernels need is about 100."""
MOST_REMEMBERED = 10_000
EXCESS = 20
"""Refusals of one session after which the presenter hears of it: more than a mistake."""
EXCESS_SECONDS = 60.0
"""Seconds without another refusal after which they are forgotten."""


def token_of(request: Request) -> str | None:
    """The token that comes with a request, from a program or else from a browser; None if it is none of ours."""
    kind, _, rest = request.headers.get("authorization", "").partition(" ")
    token = rest.strip() if kind.lower() == "bearer" else request.cookies.get(COOKIE, "")
    return token if len(token) == TOKEN_LENGTH else None


class Allowance:
    """How often each of many may do something: so often at once, and so often every second from then on."""

    def __init__(self, at_once: int, now: Callable[[], float] = time.monotonic, per_second: float = 1.0) -> None:
        self._credit, self._seconds, self._now = at_once / per_second, 1 / per_second, now
        self._full: dict[object, float] = {}
        """When each will have the whole allowance again, if something of it is used up."""

    def take(self, who: object) -> bool:
        """Use up one; return False if none is left."""
        now = self._now()
        full = max(self._full.get(who, now), now) + self._seconds
        if full > now + self._credit:
            return False
        if len(self._full) > MOST_REMEMBERED:
            self._full = {each: at for each, at in self._full.items() if at > now}
        self._full[who] = full
        return True


class Demand:
    """The requests of each session, by its token: it is known before anything is looked up."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._waiting: Counter[str] = Counter()
        self._allowance = Allowance(REQUESTS, now, REQUESTS_PER_SECOND)
        self._refused: dict[str, tuple[int, float]] = {}
        """How often each was refused, and when for the last time; the latest last."""

    @contextmanager
    def request(self, token: str | None) -> Iterator[bool]:
        """Count a request until it is answered; yield whether it may be answered."""
        if token is None:
            yield True
            return
        if self._waiting[token] >= MOST_REQUESTS or not self._allowance.take(token):
            self.refuse(token)
            yield False
            return
        self._waiting[token] += 1
        try:
            yield True
        finally:
            self._waiting[token] -= 1
            if not self._waiting[token]:
                del self._waiting[token]

    def refuse(self, token: str) -> None:
        """Note that something was too much."""
        times, _ = self._refused.pop(token, (0, 0.0))
        self._refused[token] = (times + 1, self._now())
        if len(self._refused) > MOST_REMEMBERED:
            del self._refused[next(iter(self._refused))]

    def excessive(self) -> list[str]:
        """Tokens of those that have asked for far too much in the last minute."""
        earliest = self._now() - EXCESS_SECONDS
        self._refused = {token: each for token, each in self._refused.items() if each[1] > earliest}
        return [token for token, (times, _) in self._refused.items() if times >= EXCESS]
