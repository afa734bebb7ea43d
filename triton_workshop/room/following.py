"""The pages that follow: how many there may be, and who has to make room for others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from triton_workshop.room.demand import Allowance
from triton_workshop.room.limits import NOBODY, Client, Connections
from triton_workshop.room.stream import Stream

MOST_STREAMS = 400
MOST_PAGES = 12
"""Pages that one attendee may have open."""
FOLLOWS, FOLLOWS_PER_SECOND = 3, 1 / 30
"""Times that an attendee may ask for a stream at once, and from then on, where a crowd has taken all places."""


class Following(StreamingResponse):
    """One page that follows, until it goes away, has to make room, or the server ends."""

    def __init__(self, stream: Stream, seen: int, number: int, address: str, client: Client = NOBODY) -> None:
        """The page of an attendee at this address, which has `seen` what there was up to that version."""
        # A reverse proxy would collect events.
        headers = {"X-Accel-Buffering": "no"}
        super().__init__(stream.follow(seen, lambda: self.over), media_type="text/event-stream", headers=headers)
        self.number, self.address, self.client = number, address, client
        self.over = False
        """Whether it may not follow any longer."""
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
        self.pages: dict[Following, None] = {}
        """The oldest first."""
        self._asked = Allowance(FOLLOWS, per_second=FOLLOWS_PER_SECOND)

    def has_place(self, number: int, address: str) -> bool:
        """Whether an attendee may follow now, who asks for it.

        Each who does ends another's stream, once there is no room: so in the crowd nobody does it again and again.
        """
        if self._asked.take(number) or len(self.pages) < MOST_STREAMS:
            return True
        of_address = Counter(each.address for each in self.pages)
        return of_address[address] < max(of_address.values())

    def admit(self, page: Following) -> None:
        """Take a page in, if need be in place of the oldest of those who have most.

        So whoever has entered follows, behind whatever address. A page that had to make room comes back by itself.
        """
        pages = (*self.pages, page)
        of_address = Counter(each.address for each in pages)
        of_attendee = Counter(each.number for each in pages)
        if of_attendee[page.number] > MOST_PAGES:
            self.end([next(each for each in self.pages if each.number == page.number)])
        elif len(pages) > MOST_STREAMS:
            self.end([max(self.pages, key=lambda each: (of_address[each.address], of_attendee[each.number]))])
        self._connections.follows(page.client)
        self.pages[page] = None
        page.on_end = lambda: self.pages.pop(page, None)

    def end(self, pages: Iterable[Following]) -> None:
        """Let these follow no longer."""
        for page in pages:
            page.over = True
            self._connections.heard(page.client)  # it may not read, and so never end
            self._connections.await_client(page.client)
            self.pages.pop(page, None)
        self._stream.wake()
