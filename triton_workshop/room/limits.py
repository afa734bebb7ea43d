"""What every request and every answer keeps to: how large, how long, and which headers."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import lru_cache, partial
from typing import Any
from weakref import WeakValueDictionary

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn import Config

from triton_workshop.page.bundle import frame_script, script_sources
from triton_workshop.page.page import NONCE
from triton_workshop.room.demand import token_of

POLICY = (
    f"default-src 'none'; script-src 'self' {script_sources(frame_script())}; style-src 'self' 'nonce-{NONCE}'; "
    "img-src 'self' data: blob:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""Python runs in a frame apart, whose own policy allows no connection at all."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: with that, a browser would send a form without saying from which site it comes.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
LARGEST_BODY_BYTES = 4096
"""Bytes: a word and a name, or how far an attendee is."""
LARGEST_HEADER_BYTES = 16 * 1024
"""Bytes of an address and its headers. uvicorn refuses only more that does not come at once."""
FIRST_SECONDS = 3.0
"""Seconds that a connection has for its first request."""
READING_SECONDS = 30.0
"""Seconds for everything later: the next request, and a client that does not read what it asked for."""
MOST_OPEN = 500
"""Connections that wait for their client. Beyond that, the address with most of them loses one, new or idle."""
MOST_CONNECTIONS = 2000
"""Connections of all kinds. Beyond that, the address with most of them loses one, as there are more.

uvicorn's own limit would refuse whoever comes next, from whatever address.
"""
PART_BYTES = 32 * 1024
"""Bytes of an answer that are handed on at once: the others wait until the client has read."""
UNREAD_BYTES = 128 * 1024
"""Bytes that the system keeps of what a client has not read: by itself, it would keep some megabytes for each."""
GRACE_SECONDS = 0.2
"""Seconds that it has until then: in a wave of connections, its request may be there and not yet read."""
HEADERS_TOO_LARGE = f"The headers of a request may have at most {LARGEST_HEADER_BYTES:,} bytes."
TOO_LARGE = f"A request may have at most {LARGEST_BODY_BYTES:,} bytes."

if sys.platform != "win32":
    import fcntl
    import termios

SO_NWRITE = 0x1024
"""The option by which a Mac says how many bytes are not sent yet."""
LINGER = "hh" if sys.platform == "win32" else "ii"
"""How the system wants to hear whether to go on, and for how many seconds."""

Client = tuple[str, int]
"""An address and a port."""
NOBODY: Client = ("", 0)


class Connections:
    """The connections that are open. Those that are silent for too long are cut: closing them would wait for them."""

    def __init__(self) -> None:
        self._all: dict[Client, asyncio.BaseTransport] = {}
        self._timers: dict[Client, asyncio.TimerHandle] = {}
        """For all that do not follow: when they are cut."""
        self._new: dict[Client, None] = {}
        """Those that have not sent a whole request yet, the oldest first."""
        self._idle: dict[Client, None] = {}
        """Those with something to read, or between two requests, the one that has been silent for longest first."""
        self._answers: dict[Client, asyncio.Task[Any]] = {}
        """For all with a request: what ends once nobody waits for it."""
        self._waiting: dict[Client, tuple[str, str]] = {}
        """Network and session of those that wait for an answer, the one that has waited for longest first."""

    def opened(self, client: Client, transport: asyncio.BaseTransport) -> None:
        self._all[client] = transport
        self._allow(client, FIRST_SECONDS)
        self._new[client] = None
        self._make_room()
        if len(self._all) > MOST_CONNECTIONS:
            self._cut_in_crowd()

    def heard(self, client: Client) -> None:
        """It has sent a whole request, or follows no longer."""
        if client in self._all:
            self._allow(client, READING_SECONDS)

    def await_client(self, client: Client) -> None:
        """The next step is the client's: to read on, or to ask for something else."""
        if client in self._timers:  # not of one that follows
            self._allow(client, READING_SECONDS)
            self._idle[client] = None
            self._make_room()

    @contextmanager
    def answering(self, client: Client, session: str | None = None) -> Iterator[None]:
        """Keep the connection of a whole request until it is answered. Raises GoneError if its client goes before."""
        self.heard(client)
        task = asyncio.current_task()
        assert task is not None
        self._answers[client] = task
        if session:
            self._waiting[client] = network_of(client[0]), session
        try:
            yield
        except asyncio.CancelledError:
            if client in self._all:  # it is the server that ends
                raise
            raise GoneError from None
        finally:
            self._answers.pop(client, None)
        self.heard(client)
        self.await_client(client)

    def follows(self, client: Client) -> None:
        """From now on, it may be silent."""
        if timer := self._timers.pop(client, None):
            timer.cancel()
        for group in (self._new, self._idle, self._waiting):
            group.pop(client, None)

    def cut(self, client: Client) -> None:
        self.follows(client)
        if transport := self._all.pop(client, None):
            forget_unread(transport)
            transport.abort()  # type: ignore[attr-defined]  # all that carry bytes can

    def closed(self, client: Client) -> None:
        self.follows(client)
        self._all.pop(client, None)
        if answer := self._answers.pop(client, None):
            answer.cancel()

    def _allow(self, client: Client, seconds: float) -> None:
        self.follows(client)
        self._timers[client] = asyncio.get_running_loop().call_later(seconds, self.cut, client)

    def _make_room(self) -> None:
        """Beyond the limit, let the network that has most lose its longest silent one, and none that still reads.

        Of those who never read one goes as well, once nobody else is left.
        """
        if len(self._new) + len(self._idle) > MOST_OPEN:
            open_ones = (*self._new, *self._idle)
            ((network, _),) = Counter(network_of(host) for host, _ in open_ones).most_common(1)
            new, idle = (
                [each for each in group if network_of(each[0]) == network] for group in (self._new, self._idle)
            )
            crowd = new if len(new) > len(idle) else idle
            silent = (client for client in crowd if not unread_bytes(self._all[client]))
            self._allow(next(silent, crowd[0]), GRACE_SECONDS)

    def _cut_in_crowd(self) -> None:
        """Cut one of the network that has most: of the session there that waits for most, or in a wave a silent one.

        Who brings the word has no session yet, and is cut last: so there is a way in from there too.
        """
        ((crowd, _),) = Counter(network_of(host) for host, _ in self._all).most_common(1)
        waiting = {client: session for client, (network, session) in self._waiting.items() if network == crowd}
        silent = [each for each in (*self._new, *self._idle) if network_of(each[0]) == crowd]
        if waiting and len(waiting) >= len(silent):
            ((most, _),) = Counter(waiting.values()).most_common(1)
            self.cut(next(client for client, session in waiting.items() if session == most))
        elif rest := silent or [each for each in self._timers if network_of(each[0]) == crowd]:
            self.cut(rest[0])


def watch_connections(config: Config) -> None:
    """Let `Limits`, the app, know of each connection, which uvicorn's own limits do not tell apart."""
    assert isinstance(config.app, Limits)
    config.load()
    http = partial(WatchedConnection, config.app.connections, config.http_protocol_class)
    config.http_protocol_class = http  # type: ignore[assignment]  # uvicorn only calls it


class WatchedConnection(asyncio.Protocol):
    """uvicorn's protocol, of which only what asyncio calls is used."""

    def __init__(self, connections: Connections, http: Callable[..., asyncio.Protocol], **others: Any) -> None:
        self._connections, self._http = connections, http(**others)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._client = client_of(transport)
        prepare(transport)
        self._connections.opened(self._client, transport)
        self._http.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.closed(self._client)
        self._http.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._http.data_received(data)

    def eof_received(self) -> None:
        self._http.eof_received()

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._http.resume_writing()


def prepare(transport: asyncio.BaseTransport) -> None:
    """Send each part of an answer at once, and keep little of what nobody reads."""
    transport.set_write_buffer_limits(PART_BYTES)  # type: ignore[attr-defined]  # as all that carry bytes
    # asyncio waits until the client has acknowledged the part before, unless the listening socket names its protocol,
    # which `socket.create_server` leaves open.
    if connection := transport.get_extra_info("socket"):
        with suppress(OSError):  # on a Mac, of a client that has gone already
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, UNREAD_BYTES)


def unread_bytes(transport: asyncio.BaseTransport) -> int:
    """Bytes of what was sent that are still here, as far as the system says so: the client has to read on first."""
    waiting: int = transport.get_write_buffer_size()  # type: ignore[attr-defined]  # as all that carry bytes
    connection = transport.get_extra_info("socket")
    if connection is None or waiting:
        return waiting
    with suppress(OSError):  # it has ended
        if sys.platform == "linux":
            return int.from_bytes(fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, bytes(4)), sys.byteorder)
        if sys.platform == "darwin":
            return int(connection.getsockopt(socket.SOL_SOCKET, SO_NWRITE))
    return 0


def forget_unread(transport: asyncio.BaseTransport) -> None:
    """Let the system forget what a client has not read, once the connection ends: by itself, it tries for minutes."""
    if connection := transport.get_extra_info("socket"):
        with suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack(LINGER, 1, 0))


@lru_cache(MOST_CONNECTIONS)
def network_of(host: str) -> str:
    """The address of one machine; for IPv6 its network, of which it may have every address."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))


def client_of(transport: asyncio.BaseTransport) -> Client:
    """Who is at the other end."""
    host, port = (transport.get_extra_info("peername") or NOBODY)[:2]
    return str(host), int(port)


def client_in(scope: Scope) -> Client:
    """Who is at the other end of a request's connection."""
    host, port = scope["client"] or NOBODY
    return str(host), int(port)


class Pace:
    """Spreads what a room loads at once over time, so that the presenter's cores are left to the slides.

    Addresses take turns, and so do the sessions of one: as many as a laptop has, it is one laptop, and behind a tunnel
    all have the same address. Who no longer waits has used nothing.
    """

    def __init__(self, per_second: float, at_once: float) -> None:
        """`at_once`: bytes that need not wait, after a while in which nobody asked."""
        self._seconds_per_byte, self._credit = 1 / per_second, at_once / per_second
        self._next = 0.0
        """When the next bytes may go, by the event loop's clock."""
        self._first = asyncio.Lock()
        self._lines: WeakValueDictionary[tuple[object, ...], asyncio.Lock] = WeakValueDictionary()
        """For each who waits: only the first of a line waits in the next one, or for a turn."""

    async def turn(self, size: int, *who: object) -> None:
        """Wait until so many bytes may go to somebody: to an address, and to a session there."""
        lines = [self._lines.setdefault(who[:end], asyncio.Lock()) for end in range(len(who), 0, -1)]
        now = asyncio.get_running_loop().time
        async with AsyncExitStack() as turns:
            for line in (*lines, self._first):
                await turns.enter_async_context(line)
            self._next = max(self._next, now() - self._credit)
            if (wait := self._next - now()) > 0:
                await asyncio.sleep(wait)
            self._next += size * self._seconds_per_byte


class GoneError(Exception):
    """The client does not read."""


class Limits:
    """Reads a request's body before anything else sees it, and gives up clients that do not read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.connections = Connections()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = client_in(scope)
        scope.setdefault("state", {})["connection"] = client  # a proxy in front may say who is behind it
        in_time = _in_time(send, partial(self.connections.cut, client))
        sent = _with_headers(_in_parts(in_time, partial(self.connections.await_client, client)))
        with suppress(GoneError):
            body = _refused(scope) or await _body(scope, receive)
            session = token_of(Request(scope)) if isinstance(body, bytes) else None
            with self.connections.answering(client, session):
                if isinstance(body, bytes):
                    await self._app(scope, _again(body, receive), sent)
                else:
                    await body(scope, receive, sent)


def _refused(scope: Scope) -> Response | None:
    """A refusal of headers that are too large: before anything reads or keeps what is in them."""
    size = len(scope["path"]) + len(scope["query_string"])
    size += sum(len(name) + len(value) for name, value in scope["headers"])
    if size > LARGEST_HEADER_BYTES:
        return PlainTextResponse(HEADERS_TOO_LARGE, 431, {"Connection": "close"})
    return None


async def _body(scope: Scope, receive: Receive) -> bytes | Response:
    """The whole body; or a refusal as soon as it is too large, unread from there on."""
    headers = dict(scope["headers"])
    declared = int(headers.get(b"content-length", b"0"))
    body, more = b"", declared > 0 or b"transfer-encoding" in headers
    while more and max(declared, len(body)) <= LARGEST_BODY_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise GoneError
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if max(declared, len(body)) > LARGEST_BODY_BYTES:
        return PlainTextResponse(TOO_LARGE, 413, {"Connection": "close"})
    return body


def _again(body: bytes, receive: Receive) -> Receive:
    """Receive a body that was read already, and then what comes after it."""
    waiting = [body]

    async def receive_again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return receive_again


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def _in_parts(send: Send, await_client: Callable[[], None]) -> Send:
    async def send_in_parts(message: Message) -> None:
        body = message.get("body", b"")
        last = max(len(body) - 1, 0) // PART_BYTES * PART_BYTES
        for start in range(0, last, PART_BYTES):
            await send({**message, "body": body[start : start + PART_BYTES], "more_body": True})
            await_client()
        await send({**message, "body": body[last:]} if last else message)

    return send_in_parts


def _in_time(send: Send, abort: Callable[[], None]) -> Send:
    async def send_in_time(message: Message) -> None:
        try:
            async with asyncio.timeout(READING_SECONDS):
                await send(message)
        except TimeoutError:
            abort()
            raise GoneError from None

    return send_in_time
