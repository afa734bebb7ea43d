"""Limits of requests, answers and connections, and the headers of answers."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import struct
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
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
from triton_workshop.room.rate_limiter import token_of

POLICY = (
    f"default-src 'none'; script-src 'self' {script_sources(frame_script())}; style-src 'self' 'nonce-{NONCE}'; "
    "img-src 'self' data: blob:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
"""Policy of the pages.

Python runs in a frame apart, whose own policy allows no connection at all.
"""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: with that, a browser would send a form without saying from which site it comes.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
MAX_BODY_BYTES = 4096
"""Bytes of a body: a word and a name, or how far an attendee is."""
MAX_LARGE_BODIES = 64
"""Larger bodies that may come in at a time, where an address takes them."""
MAX_HEADER_BYTES = 16 * 1024
"""Bytes of an address and its headers.

uvicorn refuses only more that does not come at once.
"""
FIRST_REQUEST_SECONDS = 3.0
"""Seconds that a connection has for its first request."""
CLIENT_TIMEOUT_SECONDS = 30.0
"""Seconds for each later step of a client.

It sends the next request, or reads what it asked for.
"""
MAX_IDLE_CONNECTIONS = 500
"""Connections that wait for their client.

Beyond that, the address with most of them loses one, new or idle.
"""
MAX_CONNECTIONS = 2000
"""Connections of all kinds.

Beyond that, the address with most of them loses one. uvicorn's own limit would refuse whoever comes next, from
whatever address.
"""
CHUNK_BYTES = 32 * 1024
"""Bytes of an answer that are sent at once.

The others wait until the client has read.
"""
SEND_BUFFER_BYTES = 128 * 1024
"""Bytes that the system keeps of what a client has not read.

By itself, it would keep some megabytes for each.
"""
GRACE_SECONDS = 0.2
"""Seconds until a surplus connection is cut.

In a wave of connections, its request may be there and not yet read.
"""
HEADERS_TOO_LARGE = f"The headers of a request may have at most {MAX_HEADER_BYTES:,} bytes."
BUSY = "Too much comes in at once. Try again in a few seconds."

if sys.platform != "win32":
    import fcntl
    import termios

SO_NWRITE = 0x1024
"""Option by which a Mac says how many bytes are not sent yet."""
LINGER = "hh" if sys.platform == "win32" else "ii"
"""Format of the option that says whether, and for how long, to linger."""

Client = tuple[str, int]
"""Address and port of a client."""
NOBODY: Client = ("", 0)


class Connections:
    """Open connections.

    Those that are silent for too long are cut: closing them would wait for them.
    """

    def __init__(self) -> None:
        self._all: dict[Client, asyncio.BaseTransport] = {}
        self._timers: dict[Client, asyncio.TimerHandle] = {}
        """Timer that cuts the connection, for all that do not follow."""
        self._new: dict[Client, None] = {}
        """Connections without a whole request yet, the oldest first."""
        self._idle: dict[Client, None] = {}
        """Connections with something to read, or between two requests.

        The one that has been silent for longest comes first.
        """
        self._answers: dict[Client, asyncio.Task[Any]] = {}
        """Task that answers the request; it ends once nobody waits for it."""
        self._waiting: dict[Client, tuple[str, str]] = {}
        """Network and session of those that wait for an answer, longest first."""

    def add(self, client: Client, transport: asyncio.BaseTransport) -> None:
        """Add a connection, and cut others if there are too many."""
        self._all[client] = transport
        self._set_timeout(client, FIRST_REQUEST_SECONDS)
        # After the timer, which takes a client out of all groups.
        self._new[client] = None
        self._limit_idle()
        if len(self._all) > MAX_CONNECTIONS:
            self._cut_from_crowd()

    def restart_timeout(self, client: Client) -> None:
        """Give a client its time again, after a request or a stream."""
        if client in self._all:
            self._set_timeout(client, CLIENT_TIMEOUT_SECONDS)

    def await_client(self, client: Client) -> None:
        """Expect the client's next step: to read on, or to ask for more."""
        if client in self._timers:  # not of one that follows
            self._set_timeout(client, CLIENT_TIMEOUT_SECONDS)
            self._idle[client] = None
            self._limit_idle()

    @contextmanager
    def answering(self, client: Client, session: str | None = None) -> Iterator[None]:
        """Keep the connection of a whole request until it is answered.

        Raises ClientGoneError if its client goes before.
        """
        self.restart_timeout(client)
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
            raise ClientGoneError from None
        finally:
            self._answers.pop(client, None)
        self.restart_timeout(client)
        self.await_client(client)

    def stop_timeout(self, client: Client) -> None:
        """Let a connection be silent from now on."""
        if timer := self._timers.pop(client, None):
            timer.cancel()
        for group in (self._new, self._idle, self._waiting):
            group.pop(client, None)

    def cut(self, client: Client) -> None:
        """Cut a connection without waiting for its client."""
        self.stop_timeout(client)
        if transport := self._all.pop(client, None):
            discard_unread(transport)
            transport.abort()  # type: ignore[attr-defined]  # all that carry bytes can

    def remove(self, client: Client) -> None:
        """Remove a connection that has ended, and cancel its answer."""
        self.stop_timeout(client)
        self._all.pop(client, None)
        if answer := self._answers.pop(client, None):
            answer.cancel()

    def _set_timeout(self, client: Client, seconds: float) -> None:
        self.stop_timeout(client)
        self._timers[client] = asyncio.get_running_loop().call_later(seconds, self.cut, client)

    def _limit_idle(self) -> None:
        """Cut one waiting connection beyond the limit.

        The network that has most loses its longest silent one, and none that still reads. Of those who never read one
        goes as well, once nobody else is left.
        """
        if len(self._new) + len(self._idle) > MAX_IDLE_CONNECTIONS:
            candidates = (*self._new, *self._idle)
            ((network, _),) = Counter(network_of(host) for host, _ in candidates).most_common(1)
            new, idle = _of_network(self._new, network), _of_network(self._idle, network)
            crowd = new if len(new) > len(idle) else idle
            silent = (client for client in crowd if not unread_bytes(self._all[client]))
            # This also takes it out of both groups, so that it is not counted until it is cut.
            self._set_timeout(next(silent, crowd[0]), GRACE_SECONDS)

    def _cut_from_crowd(self) -> None:
        """Cut a connection of the network that has most.

        It is one of the session there that waits for most, or in a wave a silent one. Who brings the word has no
        session yet, and is cut last: so there is a way in from there too.
        """
        ((crowd, _),) = Counter(network_of(host) for host, _ in self._all).most_common(1)
        pending = {client: session for client, (network, session) in self._waiting.items() if network == crowd}
        silent = _of_network((*self._new, *self._idle), crowd)
        is_mostly_pending = bool(pending) and len(pending) >= len(silent)
        if is_mostly_pending:
            ((busiest, _),) = Counter(pending.values()).most_common(1)
            self.cut(next(client for client, session in pending.items() if session == busiest))
            return
        # Those that follow have no timer, and are never cut here.
        rest = silent or _of_network(self._timers, crowd)
        if rest:
            self.cut(rest[0])


def _of_network(clients: Iterable[Client], network: str) -> list[Client]:
    return [client for client in clients if network_of(client[0]) == network]


def watch_connections(config: Config) -> None:
    """Let `Limits`, the app, know of each connection.

    uvicorn's own limits do not tell them apart.
    """
    assert isinstance(config.app, Limits)
    config.load()
    http = partial(WatchedConnection, config.app.connections, config.http_protocol_class)
    config.http_protocol_class = http  # type: ignore[assignment]  # uvicorn only calls it


class WatchedConnection(asyncio.Protocol):
    """uvicorn's protocol, of which only what asyncio calls is used."""

    def __init__(self, connections: Connections, http: Callable[..., asyncio.Protocol], **options: Any) -> None:
        self._connections, self._http = connections, http(**options)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._client = client_of(transport)
        configure(transport)
        self._connections.add(self._client, transport)
        self._http.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.remove(self._client)
        self._http.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._http.data_received(data)

    def eof_received(self) -> None:
        self._http.eof_received()

    def pause_writing(self) -> None:
        self._http.pause_writing()

    def resume_writing(self) -> None:
        self._http.resume_writing()


def configure(transport: asyncio.BaseTransport) -> None:
    """Send each chunk of an answer at once, with a small send buffer."""
    transport.set_write_buffer_limits(CHUNK_BYTES)  # type: ignore[attr-defined]  # as all that carry bytes
    # asyncio waits until the client has acknowledged the part before, unless the listening socket names its protocol,
    # which `socket.create_server` leaves open.
    if connection := transport.get_extra_info("socket"):
        with suppress(OSError):  # on a Mac, of a client that has gone already
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)


def unread_bytes(transport: asyncio.BaseTransport) -> int:
    """Return how many sent bytes are still here, if the system says so.

    The client has to read on first.
    """
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


def discard_unread(transport: asyncio.BaseTransport) -> None:
    """Let the system drop unread bytes once the connection ends.

    By itself, it tries for minutes.
    """
    if connection := transport.get_extra_info("socket"):
        with suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack(LINGER, 1, 0))


@lru_cache(MAX_CONNECTIONS)
def network_of(host: str) -> str:
    """Return the address of a machine, or for IPv6 its network.

    A machine may have every address of its IPv6 network.
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    return str(address.ipv4_mapped or ipaddress.ip_network((address, 64), strict=False))


def client_of(transport: asyncio.BaseTransport) -> Client:
    """Return the other end of a transport."""
    host, port = (transport.get_extra_info("peername") or NOBODY)[:2]
    return str(host), int(port)


def client_in(scope: Scope) -> Client:
    """Return the other end of a request's connection."""
    host, port = scope["client"] or NOBODY
    return str(host), int(port)


class Throttle:
    """Spreads what a room loads at once over time.

    So the presenter's cores are left to the slides. Addresses take turns, and so do the sessions of one: as many as a
    laptop has, it is one laptop, and behind a tunnel all have the same address. Who no longer waits has used nothing.
    """

    def __init__(self, per_second: float, burst: float) -> None:
        """Create a throttle for so many bytes per second.

        `burst` bytes need not wait, after a while in which nobody asked.
        """
        self._seconds_per_byte, self._credit = 1 / per_second, burst / per_second
        self._next = 0.0
        """Time at which the next bytes may go, by the event loop's clock."""
        self._turn = asyncio.Lock()
        self._locks: WeakValueDictionary[tuple[object, ...], asyncio.Lock] = WeakValueDictionary()
        """Lock for each address and each session with somebody waiting.

        Only the first of a line waits in the next one, or for a turn.
        """

    async def acquire(self, size: int, *keys: object) -> None:
        """Wait until so many bytes may go to an address, and a session there."""
        locks = [self._locks.setdefault(keys[:end], asyncio.Lock()) for end in range(len(keys), 0, -1)]
        now = asyncio.get_running_loop().time
        async with AsyncExitStack() as turns:
            for lock in (*locks, self._turn):
                await turns.enter_async_context(lock)
            # Time in which nobody asked is credit, but for no more than a burst.
            self._next = max(self._next, now() - self._credit)
            if (wait := self._next - now()) > 0:
                await asyncio.sleep(wait)
            self._next += size * self._seconds_per_byte


class ClientGoneError(Exception):
    """The client does not read."""


class Limits:
    """Reads bodies before the app, and gives up clients that do not read."""

    def __init__(self, app: ASGIApp, body_limits: Mapping[str, int] | None = None) -> None:
        """Limit an app.

        `body_limits` has the bytes of a body where that is more than usual, by path.
        """
        self._app, self._body_limits = app, body_limits or {}
        self._large_bodies = 0
        self.connections = Connections()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        client = client_in(scope)
        scope.setdefault("state", {})["connection"] = client  # a proxy in front may say who is behind it
        send_in_time = _with_timeout(send, partial(self.connections.cut, client))
        send_limited = _with_headers(_chunked(send_in_time, partial(self.connections.await_client, client)))
        with suppress(ClientGoneError):
            body = _header_refusal(scope) or await self._read_body(scope, receive)
            session = token_of(Request(scope)) if isinstance(body, bytes) else None
            with self.connections.answering(client, session):
                if isinstance(body, bytes):
                    await self._app(scope, _replay(body, receive), send_limited)
                else:
                    await body(scope, receive, send_limited)

    async def _read_body(self, scope: Scope, receive: Receive) -> bytes | Response:
        path = scope["path"]  # behind a proxy, that of its own may come first
        limit = next((limit for end, limit in self._body_limits.items() if path.endswith(end)), MAX_BODY_BYTES)
        if limit == MAX_BODY_BYTES:
            return await _read_body(scope, receive, limit)
        if self._large_bodies >= MAX_LARGE_BODIES:
            return PlainTextResponse(BUSY, 503, {"Connection": "close", "Retry-After": "2"})
        self._large_bodies += 1
        try:
            return await _read_body(scope, receive, limit)
        finally:
            self._large_bodies -= 1


def _header_refusal(scope: Scope) -> Response | None:
    """Return a refusal of headers that are too large.

    It comes before anything reads or keeps what is in them.
    """
    size = len(scope["path"]) + len(scope["query_string"])
    size += sum(len(name) + len(value) for name, value in scope["headers"])
    if size > MAX_HEADER_BYTES:
        return PlainTextResponse(HEADERS_TOO_LARGE, 431, {"Connection": "close"})
    return None


async def _read_body(scope: Scope, receive: Receive, limit: int) -> bytes | Response:
    """Return the whole body, or a refusal.

    The refusal comes as soon as the body is too large, and leaves the rest unread.
    """
    headers = dict(scope["headers"])
    declared = int(headers.get(b"content-length", b"0"))
    body, more = b"", declared > 0 or b"transfer-encoding" in headers
    while more and max(declared, len(body)) <= limit:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        body += message.get("body", b"")
        more = message.get("more_body", False)
    if max(declared, len(body)) > limit:
        return PlainTextResponse(f"A request may have at most {limit:,} bytes.", 413, {"Connection": "close"})
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    """Receive a body that was read already, and then what comes after it."""
    waiting = [body]

    async def receive_body() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return receive_body


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def _chunked(send: Send, await_client: Callable[[], None]) -> Send:
    """Send bodies in chunks, each of which the client has time to read."""

    async def send_chunks(message: Message) -> None:
        body = message.get("body", b"")
        last = max(len(body) - 1, 0) // CHUNK_BYTES * CHUNK_BYTES
        for start in range(0, last, CHUNK_BYTES):
            await send({**message, "body": body[start : start + CHUNK_BYTES], "more_body": True})
            await_client()
        await send({**message, "body": body[last:]} if last else message)

    return send_chunks


def _with_timeout(send: Send, abort: Callable[[], None]) -> Send:
    """Abort a client that does not read in time."""

    async def send_or_abort(message: Message) -> None:
        try:
            async with asyncio.timeout(CLIENT_TIMEOUT_SECONDS):
                await send(message)
        except TimeoutError:
            abort()
            raise ClientGoneError from None

    return send_or_abort
