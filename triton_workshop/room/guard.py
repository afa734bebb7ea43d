"""Door of the room: whoever has no session is asked for the word."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import asdict
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from triton_workshop.attendance.register import ROOM_LIFETIME_SECONDS, Attendee, Register
from triton_workshop.errors import WorkshopError
from triton_workshop.page.markup import element, escaped
from triton_workshop.room.assets import room_asset
from triton_workshop.room.limits import Throttle, network_of
from triton_workshop.room.rate_limiter import COOKIE, RateLimiter, SessionLimiter, token_of

HOST = re.compile(r"(?P<name>\[[\da-f:.]+\]|[\w.-]+)(:\d*)?", re.ASCII | re.IGNORECASE)
"""Host as requests name it, with or without a port."""
ENTRY_BURST = 100
"""Attendees whom one address lets in at once.

Behind it may be a whole room.
"""
ENTRIES_PER_SECOND = 5
"""Attendees per second of addresses that have let in so many.

They enter one after another, and addresses take turns.
"""
ENTRY_SECONDS = 5.0
"""Seconds after which the right word lets in, whoever else enters."""
MAX_QUEUE_LENGTH = 500
"""Attendees who may wait to enter; of more, the first enters at once.

A server keeps only so many connections.
"""
MAX_ADDRESS_CHARACTERS = 64
"""Characters of a proxy's statement that are kept."""
MESSAGE_BURST = 30
"""Messages of one attendee at once."""
WRONG_WORD = "That is not this room's word. Look at the presenter's screen, and try again."
GUESSED = (
    "That is not this room's word. Somebody has been guessing it, so it is longer now: "
    "type the one on the presenter's screen, or scan the code there."
)
TOO_MANY_REQUESTS = "You ask the room for too much at once. Try again in a few seconds."
TOO_MANY_MESSAGES = "You tell the room too much at once. Try again in a few seconds."
NO_SESSION = "This room needs its word. Open its address in a browser, or use: workshop join ADDRESS"
CROSS_SITE = "This request comes from another site, and is refused. Behind a proxy, the presenter has to give --url."
WRONG_HOST = (
    "This room is not at the address that you asked for. Open the one on the presenter's screen. "
    "If it has this name in a network or behind a proxy, the presenter has to give --url."
)
STORE_FAILURE = "The room cannot note this: the disk of the presenter's machine may be full. Try again in a minute."


class Guard:
    """Passes on requests with a session, and asks all others for the word."""

    def __init__(self, app: ASGIApp, register: Register, url: str = "") -> None:
        """Guard an app.

        `url` is the address by which the room is known outside, if that is not the server's own.
        """
        outside = urlsplit(url)
        self._app, self._register, self._host = app, register, outside.netloc
        self._names = host_names() | {outside.hostname or "localhost"}
        self._path, self._secure = outside.path.rstrip("/"), outside.scheme == "https"
        self._entry_limiter, self._message_limiter = RateLimiter(ENTRY_BURST), RateLimiter(MESSAGE_BURST)
        self._queue = Throttle(ENTRIES_PER_SECOND, 1)
        self._queued: dict[asyncio.Timeout, None] = {}
        self.sessions = SessionLimiter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(self._path)  # a reverse proxy may pass on where it shows the pages
        scope = {**scope, "path": path}
        request = Request(scope, receive)
        with self.sessions.request(token_of(request)) as granted:
            try:
                answer = await self._answer(request) if granted else too_many_requests(TOO_MANY_REQUESTS)
            except WorkshopError:
                answer = store_failure()
            await (answer or self._app)(scope, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        """Return the answer at the door; None lets the request in."""
        path = request.scope["path"]  # as routes have it; in Starlette 1.0, a Host header can forge that of `url`
        if not is_known_host(request.headers.get("host"), self._names):
            return PlainTextResponse(WRONG_HOST, 421)
        is_cross_site = request.method == "POST" and not is_same_site(request.headers, self._host)
        if is_cross_site:
            return PlainTextResponse(CROSS_SITE, 403)
        if not path:  # the address behind a proxy as people type it; the page's own links need the slash
            query = request.scope["query_string"].decode("latin-1")
            return RedirectResponse(f"{self._path}/?{query}".removesuffix("?"))
        if path == "/favicon.ico":  # browsers ask for it by themselves
            return Response(status_code=204)
        is_open = path == "/enter.css" or path.startswith("/board")  # the board has a key of its own
        if is_open:
            return None
        if path == "/enter":
            if request.method != "POST":  # after a wrong word it is a browser's address, loaded again or kept
                return RedirectResponse("./", 303)
            form = parse_qs((await request.body()).decode("utf-8", "replace"))
            word, name, session = (form.get(key, [""])[0] for key in ("word", "name", "session"))
            return await self._resume_session(session) if session else await self._admit(request, word, name)
        return await self._check_session(request, path)

    async def _check_session(self, request: Request, path: str) -> Response | None:
        attendee = await self._attendee(token_of(request))
        query: Mapping[str, str] = request.query_params if path == "/" else {}
        if "session" in query:  # the link that `join` prints
            return await self._confirm_session(query["session"], attendee)
        brings_word = "word" in query and is_navigation(request.headers)
        if brings_word:
            if attendee is not None:
                return RedirectResponse("./", 303)
            return await self._admit(request, query["word"])
        if attendee is not None:
            is_message = request.method == "POST" and path != "/leave"
            is_refused = is_message and not self._message_limiter.acquire(attendee.number)
            if is_refused:
                self.sessions.record_refusal(attendee.token)
                return too_many_requests(TOO_MANY_MESSAGES)
            request.state.attendee = attendee
            return None
        return word_page(401) if path == "/" else PlainTextResponse(NO_SESSION, 401)

    async def _attendee(self, token: str | None) -> Attendee | None:
        return await asyncio.to_thread(self._register.attendee, token) if token else None

    async def _admit(self, request: Request, word: str, name: str = "") -> Response:
        """Admit an attendee who knows the word, or say why not."""
        if not await asyncio.to_thread(self._register.accepts_word, word):
            return refusal(request, 403, GUESSED if self._register.guessing else WRONG_WORD)
        if not self._entry_limiter.acquire(address := client_address(request)):
            await self._wait_in_queue(address)
        attendee = await asyncio.to_thread(self._register.enter, name)
        return JSONResponse(asdict(attendee)) if is_program(request) else self._welcome(attendee)

    async def _wait_in_queue(self, address: str) -> None:
        if len(self._queued) >= MAX_QUEUE_LENGTH:
            first = next(iter(self._queued))
            del self._queued[first]
            if not first.expired():  # it ends by itself
                first.reschedule(asyncio.get_running_loop().time())
        with suppress(TimeoutError):
            async with asyncio.timeout(ENTRY_SECONDS) as wait:
                self._queued[wait] = None
                try:
                    await self._queue.acquire(1, address)
                finally:
                    self._queued.pop(wait, None)

    async def _confirm_session(self, token: str, current: Attendee | None) -> Response:
        """Ask before a browser becomes another attendee.

        Anybody may have sent the link.
        """
        attendee = await self._attendee(token)
        if attendee is None or attendee == current:
            return word_page(401) if current is None else RedirectResponse("./", 303)
        name = attendee.name or f"number {attendee.number}"
        return HTMLResponse(page("return.html", name=escaped(name), token=escaped(token)))

    async def _resume_session(self, token: str) -> Response:
        attendee = await self._attendee(token)
        return word_page(401) if attendee is None else self._welcome(attendee)

    def _welcome(self, attendee: Attendee) -> Response:
        """Send a browser to the slides, with its session."""
        answer = RedirectResponse("./", 303)
        # Without a path, the cookie is for the folder of the page, wherever a reverse proxy shows it.
        answer.set_cookie(
            COOKIE,
            attendee.token,
            int(ROOM_LIFETIME_SECONDS),
            path=None,
            secure=self._secure,
            httponly=True,
            samesite="lax",
        )
        return answer


def page(file: str, **values: str) -> str:
    """Return a page of the door, with values where comments name them.

    The values are HTML.
    """
    text = room_asset(file)
    for name, value in values.items():
        text = text.replace(f"<!-- {name} -->", value)
    return text


def word_page(status: int, sentence: str = "") -> Response:
    """Return the page that asks for the word, and says what was wrong."""
    error = element("p", escaped(sentence), role="alert") if sentence else ""
    return HTMLResponse(page("enter.html", error=error), status)


def refusal(request: Request, status: int, sentence: str) -> Response:
    """Return a refusal: text for a program, a page for a browser."""
    return PlainTextResponse(sentence, status) if is_program(request) else word_page(status, sentence)


def store_failure() -> Response:
    """Return the answer to a request that the register could not handle.

    How it failed, and where it is, is for the presenter alone.
    """
    return PlainTextResponse(STORE_FAILURE, 503, {"Retry-After": "60"})


def too_many_requests(sentence: str) -> Response:
    """Return the refusal of an attendee who asks for too much."""
    return PlainTextResponse(sentence, 429, {"Retry-After": "1"})


def is_program(request: Request) -> bool:
    """Return whether a request comes from a program that is no browser."""
    return request.method == "POST" and "text/html" not in request.headers.get("accept", "")


def host_names() -> set[str]:
    """Return the names of this machine in its network."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return {"localhost", name, short, f"{short}.local"}


def is_known_host(host: str | None, names: Collection[str]) -> bool:
    """Return whether a request is for an address, a known name, or no host.

    Any site can give its name our address. A browser then takes us for a part of that site, whose scripts read all.
    Some programs name no host.
    """
    if host is None:
        return True
    if (match := HOST.fullmatch(host)) is None:
        return False
    name = match["name"].strip("[]").lower().removesuffix(".")
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return name in names


def is_same_site(headers: Mapping[str, str], host: str) -> bool:
    """Return whether a request comes from our own pages, or from a program.

    `host` is the one by which the room is known outside.
    """
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    return origin is None or origin.partition("://")[2] in filter(None, (headers.get("host"), host))


def is_navigation(headers: Mapping[str, str]) -> bool:
    """Return whether a reader opens a page.

    What other sites' pages load without being asked, such as a picture, does not count as a guess.
    """
    destination = headers.get("sec-fetch-dest")
    if destination is not None:
        return destination == "document"
    # Over plain HTTP, browsers say less: which type they would like best, and for a script's request whose it is.
    return "origin" not in headers and "text/html" in headers.get("accept", "text/html")


def client_address(request: Request) -> str:
    """Return the address of a request, as a proxy in front may say."""
    return network_of(request.client.host[:MAX_ADDRESS_CHARACTERS] if request.client else "")
