"""Server of a deck that is presented.

It is a process of its own, which can neither slow nor stop the slides.
"""

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
from triton_workshop.attendance.submissions import Submissions
from triton_workshop.errors import MisuseError, WorkshopError
from triton_workshop.page import bundle
from triton_workshop.page.bundle import PageBundle
from triton_workshop.processes.wire import Connection
from triton_workshop.room import attendees, gpu_routes
from triton_workshop.room.addresses import Endpoint
from triton_workshop.room.followers import Follower, Followers
from triton_workshop.room.gpus import Dispatcher
from triton_workshop.room.guard import TOO_MANY_REQUESTS, Guard, client_address, store_failure, too_many_requests
from triton_workshop.room.limits import MAX_HEADER_BYTES, Limits, Throttle, watch_connections
from triton_workshop.room.live_page import LivePage, Values
from triton_workshop.room.mailbox import Mailbox
from triton_workshop.room.messages import (
    BlockEdit,
    BlockOutput,
    Close,
    DeckUpdate,
    GpuPool,
    ServerReady,
    ServerRefused,
    SlidePosition,
    ViewerMessage,
    message_key,
)
from triton_workshop.room.stream import Stream

MAX_OPEN_FILES = 4096
"""Files that the server may open.

These are the connections that it keeps, and four waves of new ones on their way in or out.
"""
BACKLOG = 512
"""Connections that wait to be accepted, and may be accepted at once."""
SHUTDOWN_SECONDS = 1.0
"""Seconds in which streams can say that the presenter has gone."""
POLL_SECONDS = 1.0
"""Seconds between two looks at the register.

Others change it too: the notes, `workshop board`, another day.
"""
PIECE_BYTES_PER_SECOND, PIECE_BURST_BYTES = 20e6, 20e6
"""Bytes of the bundle per second, for all pages together, and at once.

The rate is about a Wi-Fi's. Two pages need not wait.
"""
IMMUTABLE = {"Cache-Control": "private, max-age=86400, immutable"}
"""Headers for files that are named by their digest."""
NOT_FOUND = "There is nothing at this address."


class Server:
    """State that pages follow, and the app that serves it."""

    def __init__(
        self,
        register: Register,
        url: str,
        bundle: PageBundle | None = None,
        proxy: str = "",
        pool: GpuPool | None = None,
    ) -> None:
        """Create the app for a room, which a `pool` of GPUs may serve.

        A `proxy` at this address is believed when it forwards its clients' addresses; `url` is the address outside.
        """
        self._register = register
        self.page = LivePage(bundle, gpus=pool is not None)
        self.stream = Stream()
        self.has_page = asyncio.Event()
        self.encoding = ThreadPoolExecutor(1)
        """One thread, as the few that the event loop has look up sessions too."""
        self.throttle = Throttle(PIECE_BYTES_PER_SECOND, PIECE_BURST_BYTES)
        submissions = Submissions(register)
        self.dispatcher = Dispatcher(submissions, pool, partial(self.stream.set, "gpus")) if pool else None
        """Gives scripts to the room's GPUs, once it runs."""
        routes = [
            Route("/", self.file),
            Route("/events", self.events),
            Route("/picture/{name}.webp", self.picture),
            Route("/piece/{name}", self.piece),
            *attendees.routes(register, submissions if pool else None, self._pool_problem),
            *gpu_routes.routes(self.dispatcher, submissions),
            # Last, as it matches every name.
            Route("/{name}", self.file),
        ]
        app = Starlette(routes=routes, exception_handlers={WorkshopError: lambda *_: store_failure()})
        self.guard = Guard(app, register, url)
        self.app = Limits(
            trust_proxy(proxy, self.guard) if proxy else self.guard,
            {gpu_routes.SUBMIT: gpu_routes.MAX_SUBMISSION_BYTES} if pool else {},
        )
        self.followers = Followers(self.stream, self.app.connections)

    def _pool_problem(self) -> str:
        return self.dispatcher.problem if self.dispatcher else ""

    async def file(self, request: Request) -> Response:
        """Return the page, a style or a script."""
        file = self.page.file(request.path_params.get("name", ""))
        if file is None:
            return PlainTextResponse(NOT_FOUND, 404)
        return file.response(request.headers.get("accept-encoding"))

    async def picture(self, request: Request) -> Response:
        """Return a picture as WebP."""
        encoded = asyncio.get_running_loop().run_in_executor
        data = await encoded(self.encoding, self.page.pictures.webp, request.path_params["name"])
        if data is None:
            return PlainTextResponse(NOT_FOUND, 404)
        return Response(data, media_type="image/webp", headers=IMMUTABLE)

    async def piece(self, request: Request) -> Response:
        """Return a piece of the bundle, when the throttle allows it."""
        data = self.page.pieces.get(request.path_params["name"])
        if data is None:
            return PlainTextResponse(NOT_FOUND, 404)
        await self.throttle.acquire(len(data), client_address(request), request.state.attendee.number)
        return Response(data, media_type="application/octet-stream", headers=IMMUTABLE)

    async def events(self, request: Request) -> Response:
        """Return the stream of events for a page that follows."""
        last_version = self.stream.parse_version(request.headers.get("last-event-id"))
        number, address = request.state.attendee.number, client_address(request)
        if not self.followers.may_follow(number, address):
            return too_many_requests(TOO_MANY_REQUESTS)
        follower = Follower(self.stream, last_version, number, address, request.state.connection)
        self.followers.admit(follower)
        return follower

    async def poll_register(self, invite: Callable[[], None]) -> None:
        """Poll the register, and call `invite` whenever it has another word."""
        word = self._register.word
        while True:
            with suppress(WorkshopError):
                await self.refresh()
            if self._register.word != word:
                word = self._register.word
                await asyncio.to_thread(invite)
            await asyncio.sleep(POLL_SECONDS)

    async def refresh(self) -> None:
        """Publish the open calls for help, and end streams of removed attendees.

        After 12 hours without anybody, the room is another one.
        """
        # Taken before the numbers are read, as whoever enters in between is not among these.
        followers = [*self.followers.pages]
        await asyncio.to_thread(self._register.renew)
        board = await asyncio.to_thread(self._register.board)
        numbers = await asyncio.to_thread(self._register.numbers)
        self.stream.set("calls", sorted(call.number for call in board.calls))
        gone = [follower for follower in followers if follower.number not in numbers]
        if gone:
            self.followers.end(gone)
        if tokens := self.guard.sessions.excessive():
            await asyncio.to_thread(self._note_excess, tokens)

    def _note_excess(self, tokens: Sequence[str]) -> None:
        """Record which attendees ask for far too much."""
        for token in tokens:
            if attendee := self._register.attendee(token):
                self._register.record_excess(attendee.number)

    def publish(self, values: Values) -> None:
        """Set the values that pages follow, on the thread of the event loop."""
        if "deck" in values:  # what was said of the one before is void
            self.stream.remove(lambda key: key.startswith(("code-", "output-")))
        for key, value in values.items():
            self.stream.set(key, value)


def trust_proxy(proxy: str, app: Guard) -> ASGIApp:
    """Return the app behind a proxy that sends X-Forwarded-For."""

    async def call_app(scope: Scope, receive: Receive, send: Send) -> None:
        await proxied(scope, receive, send)  # type: ignore[arg-type]  # uvicorn has types of its own

    proxied = ProxyHeadersMiddleware(app, trusted_hosts=proxy)  # type: ignore[arg-type]
    return call_app


# The process


def serve(
    connection: Connection,
    endpoint: Endpoint,
    file: Path,
    bundle_file: Path | None = None,
    pool: GpuPool | None = None,
) -> None:
    """Serve until the connection ends: the function of the process.

    It answers `ServerReady` or `ServerRefused` first. A `bundle_file` by `bundle.build_bundle_file` lets the pages run
    kernels, and a `pool` runs them on GPUs.
    """
    try:
        listener = listen(endpoint.host, endpoint.port)
        endpoint = replace(endpoint, port=listener.getsockname()[1])
        register = Register(file)
        register.serve_at(endpoint.local_address)
    except WorkshopError as error:
        return connection.send(ServerRefused(str(error)))
    page_bundle = bundle.read_bundle(bundle_file) if bundle_file else None
    server = Server(register, endpoint.url, page_bundle, endpoint.proxy, pool)
    raise_file_limit()

    def invite() -> None:
        with suppress(OSError):  # the viewer has gone
            kernels = bundle_file is not None
            connection.send(
                ServerReady(
                    endpoint, endpoint.invitation(register.word, register.ticket, register.key, kernels=kernels)
                )
            )

    invite()
    asyncio.run(_serve(server, connection, listener, invite))


async def _serve(server: Server, connection: Connection, listener: socket.socket, invite: Callable[[], None]) -> None:
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
        backlog=BACKLOG,
        timeout_graceful_shutdown=int(SHUTDOWN_SECONDS),
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
    )
    watch_connections(config)
    server_loop = uvicorn.Server(config)
    ViewerChannel(server, connection, server_loop, asyncio.get_running_loop()).start()
    tasks = [asyncio.create_task(server.poll_register(invite))]
    if server.dispatcher:
        tasks.append(asyncio.create_task(server.dispatcher.run()))
    await server.has_page.wait()  # who comes before waits in the socket's queue
    await server_loop.serve(sockets=[listener])
    for task in tasks:
        task.cancel()


class ViewerChannel:
    """Receives the viewer's messages.

    HTML is written in a thread of its own: neither streams nor positions wait for it.
    """

    def __init__(
        self, server: Server, connection: Connection, server_loop: uvicorn.Server, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._server, self._connection, self._server_loop, self._loop = server, connection, server_loop, loop
        self._mailbox: Mailbox[ViewerMessage] = Mailbox()

    def start(self) -> None:
        """Start both threads."""
        threading.Thread(target=self._receive, daemon=True).start()
        threading.Thread(target=self._render, daemon=True).start()

    def _receive(self) -> None:
        self._publish({"presenter": True})
        with suppress(EOFError, OSError):
            while not isinstance(message := self._connection.receive(), Close):
                self._dispatch(message)
        self._on_loop(self._end)

    def _dispatch(self, message: object) -> None:
        if isinstance(message, SlidePosition):
            self._publish({"place": asdict(message)})
        elif isinstance(message, DeckUpdate | BlockOutput | BlockEdit):
            if isinstance(message, DeckUpdate):
                self._mailbox.clear()  # it was said of the deck before
            self._mailbox.put({message_key(message): message})

    def _render(self) -> None:
        while (messages := self._mailbox.take()) is not None:
            for message in messages.values():
                try:
                    self._publish(self._values(message))
                except Exception as error:  # the others are shown all the same
                    print(f"cannot be shown: {message_key(message)}: {error!r}", file=sys.stderr)
            self._on_loop(self._server.has_page.set)

    def _values(self, message: ViewerMessage) -> Values:
        page = self._server.page
        match message:
            case DeckUpdate(deck):
                values = page.set_deck(deck)
                threading.Thread(target=page.pictures.encode_deck_pictures, daemon=True).start()
                return values
            case BlockOutput():
                return page.set_output(message)
            case BlockEdit():
                return page.set_code(message)
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
        self._server_loop.should_exit = True


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens. Raises MisuseError."""
    family, both = (socket.AF_INET6, socket.has_dualstack_ipv6()) if ":" in host else (socket.AF_INET, False)
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG, dualstack_ipv6=both)
    except OSError as error:
        raise MisuseError(listen_failure(error, host, port)) from None


def listen_failure(error: OSError, host: str, port: int) -> str:
    """Return why a socket cannot listen, and what to do."""
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} is in use; choose another one with --port"
        case errno.EADDRNOTAVAIL:
            return f"{host} is not an address of this machine; use --share lan to listen in its network"
        case errno.EACCES:
            return f"you may not use port {port}; choose one above 1023 with --port"
    return f"cannot listen on {host}, port {port}: {error.strerror or error}"


def raise_file_limit() -> None:
    """Raise this process's limit of open files, if the system allows it.

    A Mac begins with 256.
    """
    if sys.platform != "win32":
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        target = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
        if target > soft != resource.RLIM_INFINITY:
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
