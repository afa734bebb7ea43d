"""Pages that follow the slides, and their number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from triton_workshop.room.limits import NOBODY, Client, Connections
from triton_workshop.room.rate_limiter import RateLimiter
from triton_workshop.room.stream import Stream

MAX_STREAMS = 400
MAX_PAGES_PER_ATTENDEE = 12
"""Pages that one attendee may have open."""
FOLLOW_BURST, FOLLOWS_PER_SECOND = 3, 1 / 30
"""Streams that an attendee may open at once, and per second from then on.

It matters only where a crowd has taken all streams.
"""


class Follower(StreamingResponse):
    """Event stream of one page.

    It ends when the page goes away, when another one takes its stream, or with the server.
    """

    def __init__(self, stream: Stream, version: int, number: int, address: str, client: Client = NOBODY) -> None:
        """Create the stream of an attendee's page at this address.

        The page has every value up to `version`.
        """
        # A reverse proxy would collect events.
        headers = {"X-Accel-Buffering": "no"}
        super().__init__(stream.follow(version, lambda: self.ended), media_type="text/event-stream", headers=headers)
        self.number, self.address, self.client = number, address, client
        self.ended = False
        """True once the page may not follow any longer."""
        self.on_end: Callable[[], None] = lambda: None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.on_end()


class Followers:
    """All pages that follow."""

    def __init__(self, stream: Stream, connections: Connections) -> None:
        self._stream, self._connections = stream, connections
        self.pages: dict[Follower, None] = {}
        """The oldest first."""
        self._limiter = RateLimiter(FOLLOW_BURST, per_second=FOLLOWS_PER_SECOND)

    def may_follow(self, number: int, address: str) -> bool:
        """Return whether an attendee may open a stream now.

        A new stream ends another one when all are taken: so in the crowd nobody opens one again and again.
        """
        is_admitted = self._limiter.acquire(number) or len(self.pages) < MAX_STREAMS
        if is_admitted:
            return True
        of_address = Counter(page.address for page in self.pages)
        return of_address[address] < max(of_address.values())

    def admit(self, page: Follower) -> None:
        """Add a page, if need be in place of the oldest of those with most.

        So whoever has entered follows, behind whatever address. A page that loses its stream comes back by itself.
        """
        pages = (*self.pages, page)
        of_address = Counter(other.address for other in pages)
        of_attendee = Counter(other.number for other in pages)
        if of_attendee[page.number] > MAX_PAGES_PER_ATTENDEE:
            self.end([next(other for other in self.pages if other.number == page.number)])
        elif len(pages) > MAX_STREAMS:
            # Of equals, `max` returns the first, which is the oldest.
            self.end([max(self.pages, key=lambda other: (of_address[other.address], of_attendee[other.number]))])
        self._connections.stop_timeout(page.client)
        self.pages[page] = None
        page.on_end = lambda: self.pages.pop(page, None)

    def end(self, pages: Iterable[Follower]) -> None:
        """End the streams of these pages."""
        for page in pages:
            page.ended = True
            self._connections.restart_timeout(page.client)  # it may not read, and so never end
            self._connections.await_client(page.client)
            self.pages.pop(page, None)
        self._stream.notify()
