"""The server of a deck that is presented: a process of its own, which can neither slow nor stop the slides."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from triton_workshop.attendance.register import Register
from triton_workshop.errors import MisuseError, WorkshopError
from triton_workshop.page import bundle
from triton_workshop.page.bundle import Inside
from triton_workshop.processes.wire import Connection
from triton_workshop.room import attendees
from triton_workshop.room.addresses import Where
from triton_workshop.room.following import Followers, Following
from triton_workshop.room.guard import TOO_MANY_REQUESTS, Guard, address_of, no_store, too_much
from triton_workshop.room.limits import LARGEST_HEADER_BYTES, Limits, Pace, watch_connections
from triton_workshop.room.mailbox import Mailbox
from triton_workshop.room.messages import (
    Close,
    Edited,
    FromViewer,
    Listening,
    Printed,
    Refused,
    ShowDeck,
    ShownStep,
    key_of,
)
from triton_workshop.room.site import Site, Values
from triton_workshop.room.stream import Stream

MOST_FILES = 4096
"""Files that the server may open: the connections that it keeps, and four waves of new ones on their way in or out."""
MOST_WAITING = 512
"""Connections that wait to be accepted, and may then be accepted at once."""
FAREWELL_SECONDS = 1.0
"""Seconds in which streams can say that the presenter has gone."""
LOOK_SECONDS = 1.0
"""Seconds between two looks at the room, which others change too: the notes, `workshop board`, another day."""
PIECES_PER_SECOND, PIECES_AT_ONCE = 20e6, 20e6
"""Bytes per second of what kernels need, for all pages together: about a Wi-Fi's. Two pages need not wait."""
UNCHANGING = {"Cache-Control": "private, max-age=86400, immutable"}
"""For what is named by its digest."""
NOTHING_HERE = "There is nothing at this address."


class Server:
    """The state that pages follow, and the app that tells them."""

    def __init__(self, register: Register, url: str, inside: Inside | None = None, proxy: str = "") -> None:
        """What a `proxy` at this address says of who asks is believed; `url` is the address outside."""
        self._register = register
        self.site = Site(inside)
        self.stream = Stream()
        self.has_page = asyncio.Event()
        self.encoding = ThreadPoolExecutor(1)
        """One thread, as the few that the event loop has look up sessions too."""
        self.pace = Pace(PIECES_PER_SECOND, PIECES_AT_ONCE)
        routes = [
            Route("/", self.file),
            Route("/events", self.events),
            Route("/picture/{name}.webp", self.picture),
            Route("/piece/{name}", self.piece),
            *attendees.routes(register),
            Route("/{name}", self.file),
        ]
        app = Starlette(routes=routes, exception_handlers={WorkshopError: lambda *_: no_store()})
        self.guard = Guard(app, register, url)
        self.app = Limits(behind(proxy, self.guard) if proxy else self.guard)
        self.followers = Followers(self.stream, self.app.connections)

    async def file(self, request: Request) -> Response:
        file = self.site.file(request.path_params.get("name", ""))
        if file is None:
            return PlainTextResponse(NOTHING_HERE, 404)
        return file.answer(request.headers.get("accept-encoding"))

    async def picture(self, request: Request) -> Response:
        encoded = asyncio.get_running_loop().run_in_executor
        data = await encoded(self.encoding, self.site.pictures.webp, request.path_params["name"])
        if data is None:
            return PlainTextResponse(NOTHING_HERE, 404)
        return Response(data, media_type="image/webp", headers=UNCHANGING)

    async def piece(self, request: Request) -> Response:
        data = self.site.pieces.get(request.path_params["name"])
        if data is None:
            return PlainTextResponse(NOTHING_HERE, 404)
        await self.pace.turn(len(data), address_of(request), request.state.attendee.number)
        return Response(data, media_type="application/octet-stream", headers=UNCHANGING)

    async def events(self, request: Request) -> Response:
        seen = self.stream.seen(request.headers.get("last-event-id"))
        number, address = request.state.attendee.number, address_of(request)
        if not self.followers.has_place(number, address):
            return too_much(TOO_MANY_REQUESTS)
        page = Following(self.stream, seen, number, address, request.state.connection)
        self.followers.admit(page)
        return page

    async def watch_room(self, invite: Callable[[], None]) -> None:
        """Look at the room now and then, and call `invite` whenever it has another word."""
        word = self._register.word
        while True:
            with suppress(WorkshopError):
                await self.look()
            if self._register.word != word:
                word = self._register.word
                await asyncio.to_thread(invite)
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Tell the pages whose call for help still stands, and end those of people who are not in the room any more.

        After 12 hours without anybody, the room is another one.
        """
        pages = [*self.followers.pages]
        await asyncio.to_thread(self._register.renew)
        board = await asyncio.to_thread(self._register.board)
        numbers = await asyncio.to_thread(self._register.numbers)
        self.stream.set("calls", sorted(call.number for call in board.calls))
        if gone := [page for page in pages if page.number not in numbers]:
            self.followers.end(gone)
        if tokens := self.guard.demand.excessive():
            await asyncio.to_thread(self._note_excess, tokens)

    def _note_excess(self, tokens: Sequence[str]) -> None:
        """Let the presenter know who asks for far too much."""
        for token in tokens:
            if attendee := self._register.attendee(token):
                self._register.record_excess(attendee.number)

    def publish(self, values: Values) -> None:
        """Tell the pages, on the thread of the event loop."""
        if "deck" in values:  # what was said of the one before is void
            self.stream.forget(lambda key: key.startswith(("code-", "output-")))
        for key, value in values.items():
            self.stream.set(key, value)


def behind(proxy: str, app: Guard) -> ASGIApp:
    """The app behind a proxy that tells whose requests it passes on, in X-Forwarded-For."""

    async def asked_by_others(scope: Scope, receive: Receive, send: Send) -> None:
        await told(scope, receive, send)  # type: ignore[arg-type]  # uvicorn has types of its own

    told = ProxyHeadersMiddleware(app, trusted_hosts=proxy)  # type: ignore[arg-type]
    return asked_by_others


# The process


def serve(connection: Connection, where: Where, file: Path, inside: Path | None = None) -> None:
    """Serve until the connection ends: the function of the process. It answers `Listening` or `Refused` first.

    What `bundle.gathered_file` has made, in the file `inside`, lets the pages run kernels.
    """
    try:
        listening = listen(where.host, where.port)
        where = replace(where, port=listening.getsockname()[1])
        register = Register(file)
        register.serve_at(where.own)
    except WorkshopError as error:
        return connection.send(Refused(str(error)))
    server = Server(register, where.url, bundle.read(inside) if inside else None, where.proxy)
    allow_many_files()

    def invite() -> None:
        with suppress(OSError):  # the viewer has gone
            kernels = inside is not None
            connection.send(
                Listening(where, where.invitation(register.word, register.ticket, register.key, kernels=kernels))
            )

    invite()
    asyncio.run(_serve(server, connection, listening, invite))


async def _serve(server: Server, connection: Connection, listening: socket.socket, invite: Callable[[], None]) -> None:
    config = uvicorn.Config(
        server.app,
        loop="none",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,  # whoever comes through a tunnel could claim any address: see `behind`
        server_header=False,
        backlog=MOST_WAITING,
        timeout_graceful_shutdown=int(FAREWELL_SECONDS),
        h11_max_incomplete_event_size=LARGEST_HEADER_BYTES,
    )
    watch_connections(config)
    running = uvicorn.Server(config)
    Hearing(server, connection, running, asyncio.get_running_loop()).start()
    looking = asyncio.create_task(server.watch_room(invite))
    await server.has_page.wait()  # who comes before waits in the socket's queue
    await running.serve(sockets=[listening])
    looking.cancel()


class Hearing:
    """Takes what the viewer sends. HTML is made in a thread of its own: neither streams nor places wait for it."""

    def __init__(
        self, server: Server, connection: Connection, running: uvicorn.Server, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._server, self._connection, self._running, self._loop = server, connection, running, loop
        self._newest: Mailbox[FromViewer] = Mailbox()

    def start(self) -> None:
        threading.Thread(target=self._hear, daemon=True).start()
        threading.Thread(target=self._render, daemon=True).start()

    def _hear(self) -> None:
        self._publish({"presenter": True})
        with suppress(EOFError, OSError):
            while not isinstance(message := self._connection.receive(), Close):
                self._take(message)
        self._on_loop(self._end)

    def _take(self, message: object) -> None:
        if isinstance(message, ShownStep):
            self._publish({"place": asdict(message)})
        elif isinstance(message, ShowDeck | Printed | Edited):
            if isinstance(message, ShowDeck):
                self._newest.clear()  # it was said of the deck before
            self._newest.put({key_of(message): message})

    def _render(self) -> None:
        while (messages := self._newest.take()) is not None:
            for message in messages.values():
                try:
                    self._publish(self._values(message))
                except Exception as error:  # the others are shown all the same
                    print(f"cannot be shown: {key_of(message)}: {error!r}", file=sys.stderr)
            self._on_loop(self._server.has_page.set)

    def _values(self, message: FromViewer) -> Values:
        site = self._server.site
        match message:
            case ShowDeck(deck):
                values = site.show(deck)
                threading.Thread(target=site.pictures.encode_page, daemon=True).start()
                return values
            case Printed():
                return site.print(message)
            case Edited():
                return site.edit(message)
            case _:
                return {}

    def _publish(self, values: Values) -> None:
        self._on_loop(partial(self._server.publish, values))

    def _on_loop(self, act: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(act)

    def _end(self) -> None:
        self._server.publish({"presenter": False})
        self._server.stream.close()
        self._server.has_page.set()
        self._running.should_exit = True


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises MisuseError."""
    family, both = (socket.AF_INET6, socket.has_dualstack_ipv6()) if ":" in host else (socket.AF_INET, False)
    try:
        return socket.create_server((host, port), family=family, backlog=MOST_WAITING, dualstack_ipv6=both)
    except OSError as error:
        raise MisuseError(why_not(error, host, port)) from None


def why_not(error: OSError, host: str, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} is in use; choose another one with --port"
        case errno.EADDRNOTAVAIL:
            return f"{host} is not an address of this machine; use --share lan to listen in its network"
        case errno.EACCES:
            return f"you may not use port {port}; choose one above 1023 with --port"
    return f"cannot listen on {host}, port {port}: {error.strerror or error}"


def allow_many_files() -> None:
    """Let this process open so many files, if the system allows it; a Mac begins with 256."""
    if sys.platform != "win32":
        import resource

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_FILES if most == resource.RLIM_INFINITY else min(most, MOST_FILES)
        if wanted > now != resource.RLIM_INFINITY:
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
