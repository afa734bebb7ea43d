"""The door of the room: anyone without a session is asked for the word."""

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
from triton_workshop.room.demand import COOKIE, Allowance, Demand, token_of
from triton_workshop.room.limits import Pace, network_of

HOST = re.compile(r"(?P<name>\[[\da-f:.]+\]|[\w.-]+)(:\d*)?", re.ASCII | re.IGNORECASE)
"""A host as requests name it, with or without a port."""
ENTRIES = 100
"""Attendees whom one address lets in at once: behind it may be a whole room."""
ENTRIES_PER_SECOND = 5
"""Attendees of addresses that have let in so many: they enter one after another, and addresses take turns."""
ENTRY_SECONDS = 5.0
"""Seconds after which the right word lets in, however many others enter from the same address."""
MOST_IN_LINE = 500
"""Of more who wait to enter, the first need not wait any longer: a server has room for so many connections only."""
LONGEST_ADDRESS = 64
"""Characters that are kept of what a proxy says."""
MESSAGES = 30
"""Messages of one attendee at once."""
WRONG_WORD = "That is not this room's word. Look at the presenter's screen, and try again."
GUESSED = (
    "That is not this room's word. Somebody has been guessing it, so it is longer now: "
    "type the one on the presenter's screen, or scan the code there."
)
TOO_MANY_REQUESTS = "You ask the room for too much at once. Try again in a few seconds."
TOO_MANY_MESSAGES = "You tell the room too much at once. Try again in a few seconds."
NO_SESSION = "This room needs its word. Open its address in a browser, or use: workshop join ADDRESS"
OTHER_SITE = "This request comes from another site, and is refused. Behind a proxy, the presenter has to give --url."
OTHER_HOST = (
    "This room is not at the address that you asked for. Open the one on the presenter's screen. "
    "If it has this name in a network or behind a proxy, the presenter has to give --url."
)
NO_STORE = "The room cannot note this: the disk of the presenter's machine may be full. Try again in a minute."


class Guard:
    """Lets requests with a session through, and asks all others for the word."""

    def __init__(self, app: ASGIApp, register: Register, url: str = "") -> None:
        """`url` is the address by which the room is known outside, if that is another than the server's own."""
        parts = urlsplit(url)
        self._app, self._register, self._host = app, register, parts.netloc
        self._names = own_names() | {parts.hostname or "localhost"}
        self._path, self._secure = parts.path.rstrip("/"), parts.scheme == "https"
        self._entries, self._messages = Allowance(ENTRIES), Allowance(MESSAGES)
        self._line = Pace(ENTRIES_PER_SECOND, 1)
        self._waiting: dict[asyncio.Timeout, None] = {}
        self.demand = Demand()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(self._path)  # a reverse proxy may pass on where it shows the pages
        scope = {**scope, "path": path}
        request = Request(scope, receive)
        with self.demand.request(token_of(request)) as granted:
            try:
                answer = await self._answer(request) if granted else too_much(TOO_MANY_REQUESTS)
            except WorkshopError:
                answer = no_store()
            await (answer or self._app)(scope, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        """What to say at the door; None lets the request in."""
        path = request.scope["path"]  # as routes have it; in Starlette 1.0, a Host header can forge that of `url`
        if not own_host(request.headers.get("host"), self._names):
            return PlainTextResponse(OTHER_HOST, 421)
        if request.method == "POST" and not own_site(request.headers, self._host):
            return PlainTextResponse(OTHER_SITE, 403)
        if not path:  # the address behind a proxy as people type it; the page's own links need the slash
            query = request.scope["query_string"].decode("latin-1")
            return RedirectResponse(f"{self._path}/?{query}".removesuffix("?"))
        if path == "/favicon.ico":  # browsers ask for it by themselves
            return Response(status_code=204)
        if path == "/enter.css" or path.startswith("/board"):  # the board has a key of its own
            return None
        if path == "/enter":
            if request.method != "POST":  # after a wrong word it is a browser's address, loaded again or kept
                return RedirectResponse("./", 303)
            form = parse_qs((await request.body()).decode("utf-8", "replace"))
            word, name, session = (form.get(key, [""])[0] for key in ("word", "name", "session"))
            return await self._returned(session) if session else await self._entered(request, word, name)
        return await self._with_session(request, path)

    async def _with_session(self, request: Request, path: str) -> Response | None:
        attendee = await self._attendee(token_of(request))
        if path == "/" and "session" in request.query_params:  # the link that `join` prints
            return await self._asked_to_return(request.query_params["session"], attendee)
        if path == "/" and "word" in request.query_params and opens_page(request.headers):
            if attendee is not None:
                return RedirectResponse("./", 303)
            return await self._entered(request, request.query_params["word"])
        if attendee is not None:
            if request.method == "POST" and path != "/leave" and not self._messages.take(attendee.number):
                self.demand.refuse(attendee.token)
                return too_much(TOO_MANY_MESSAGES)
            request.state.attendee = attendee
            return None
        return question(401) if path == "/" else PlainTextResponse(NO_SESSION, 401)

    async def _attendee(self, token: str | None) -> Attendee | None:
        return await asyncio.to_thread(self._register.attendee, token) if token else None

    async def _entered(self, request: Request, word: str, name: str = "") -> Response:
        """Let somebody in who knows the word, or say why not."""
        if not await asyncio.to_thread(self._register.accepts_word, word):
            return refusal(request, 403, GUESSED if self._register.guessing else WRONG_WORD)
        if not self._entries.take(address := address_of(request)):
            await self._wait_in_line(address)
        attendee = await asyncio.to_thread(self._register.enter, name)
        return JSONResponse(asdict(attendee)) if is_program(request) else self._welcome(attendee)

    async def _wait_in_line(self, address: str) -> None:
        if len(self._waiting) >= MOST_IN_LINE:
            first = next(iter(self._waiting))
            del self._waiting[first]
            if not first.expired():  # it ends by itself
                first.reschedule(asyncio.get_running_loop().time())
        with suppress(TimeoutError):
            async with asyncio.timeout(ENTRY_SECONDS) as wait:
                self._waiting[wait] = None
                try:
                    await self._line.turn(1, address)
                finally:
                    self._waiting.pop(wait, None)

    async def _asked_to_return(self, token: str, here: Attendee | None) -> Response:
        """Ask before a browser becomes an attendee that it was not: anybody may have sent the link."""
        attendee = await self._attendee(token)
        if attendee is None or attendee == here:
            return question(401) if here is None else RedirectResponse("./", 303)
        name = attendee.name or f"number {attendee.number}"
        return HTMLResponse(page("return.html", name=escaped(name), token=escaped(token)))

    async def _returned(self, token: str) -> Response:
        attendee = await self._attendee(token)
        return question(401) if attendee is None else self._welcome(attendee)

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
    """A page of the door, with each of the values, which are HTML, where a comment names it."""
    text = room_asset(file)
    for name, value in values.items():
        text = text.replace(f"<!-- {name} -->", value)
    return text


def question(status: int, said: str = "") -> Response:
    """The page that asks for the word, and says what was wrong with the one before."""
    return HTMLResponse(page("enter.html", said=element("p", escaped(said), role="alert") if said else ""), status)


def refusal(request: Request, status: int, said: str) -> Response:
    return PlainTextResponse(said, status) if is_program(request) else question(status, said)


def no_store() -> Response:
    """The store of the room has failed; how, and where it is, is for the presenter alone."""
    return PlainTextResponse(NO_STORE, 503, {"Retry-After": "60"})


def too_much(said: str) -> Response:
    return PlainTextResponse(said, 429, {"Retry-After": "1"})


def is_program(request: Request) -> bool:
    return request.method == "POST" and "text/html" not in request.headers.get("accept", "")


def own_names() -> set[str]:
    """What this machine is called in its network."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return {"localhost", name, short, f"{short}.local"}


def own_host(host: str | None, names: Collection[str]) -> bool:
    """Whether a request asks for us: for an address, for one of these names, or, as some programs do, for nobody.

    Any site can give its name our address. A browser then takes us for a part of that site, whose scripts read all.
    """
    if host is None:
        return True
    if (found := HOST.fullmatch(host)) is None:
        return False
    name = found["name"].strip("[]").lower().removesuffix(".")
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return name in names


def own_site(headers: Mapping[str, str], host: str) -> bool:
    """Whether a request comes from our own pages, perhaps at this host, or from a program that is no browser."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    return origin is None or origin.partition("://")[2] in filter(None, (headers.get("host"), host))


def opens_page(headers: Mapping[str, str]) -> bool:
    """Whether a reader opens a page. What other sites' pages load unasked, such as a picture, is nobody's guess."""
    destination = headers.get("sec-fetch-dest")
    if destination is not None:
        return destination == "document"
    # Over plain HTTP, browsers say less: which type they would like best, and for a script's request whose it is.
    return "origin" not in headers and "text/html" in headers.get("accept", "text/html")


def address_of(request: Request) -> str:
    """Where a request comes from, as a proxy in front may say."""
    return network_of(request.client.host[:LONGEST_ADDRESS] if request.client else "")
