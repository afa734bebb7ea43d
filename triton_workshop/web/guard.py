"""The door of the room: anyone without a session is asked for the word, and wrong words cost time."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from triton_workshop.classroom.room import KEPT_OPEN, Attendee, Room
from triton_workshop.errors import WorkshopError
from triton_workshop.web.limits import HERE
from triton_workshop.web.markup import element, escaped

COOKIE = "room"
AT_ONCE = 30
"""Tries of the word from one address, and messages from one attendee."""
MOST_REMEMBERED = 10_000
WRONG_WORD = "That is not this room's word. Look at the presenter's screen, and try again."
TOO_MANY_TRIES = "Too many wrong words came from this address. Wait a few seconds, and try again."
TOO_MANY_MESSAGES = "You tell the room too much at once. Try again in a few seconds."
NO_SESSION = "This room needs its word. Open its address in a browser, or use: workshop join ADDRESS"
OTHER_SITE = "This request comes from another site, and is refused. Behind a proxy, the presenter has to give --url."


class Allowance:
    """How often each of many may do something: so often at once, and once more every second."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._full: dict[object, float] = {}
        """When each will have the whole allowance again, if something of it is used up."""

    def take(self, who: object) -> bool:
        """Uses up one; returns False if none is left."""
        now = self._now()
        full = max(self._full.get(who, now), now) + 1
        if full > now + AT_ONCE:
            return False
        if len(self._full) > MOST_REMEMBERED:
            self._full = {each: at for each, at in self._full.items() if at > now}
        self._full[who] = full
        return True

    def give_back(self, who: object) -> None:
        self._full[who] -= 1


class Guard:
    """Lets requests with a session through, and asks all others for the word."""

    def __init__(self, app: ASGIApp, room: Room, url: str = "") -> None:
        """`url` is the address by which the room is known outside, if that is another than the server's own."""
        self._app, self._room, self._url = app, room, url
        self._path = urlsplit(url).path.rstrip("/")
        self._tries, self._messages = Allowance(), Allowance()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"].removeprefix(self._path)  # a reverse proxy may pass on where it shows the pages
        scope = {**scope, "path": path}
        request = Request(scope, receive)
        try:
            answer = await self._answer(request)
        except WorkshopError as error:  # the store of the room
            answer = PlainTextResponse(str(error), 503)
        await (answer or self._app)(scope, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        """What to say at the door; None lets the request in."""
        path = request.scope["path"]  # as routes have it; in Starlette 1.0, a Host header can forge that of `url`
        if request.method == "POST" and not own_site(request.headers, self._url):
            return PlainTextResponse(OTHER_SITE, 403)
        if not path:  # the address behind a proxy as people type it; the page's own links need the slash
            return RedirectResponse(f"{self._path}/?{request.url.query}".removesuffix("?"))
        if path == "/favicon.ico":  # browsers ask for it by themselves
            return Response(status_code=204)
        if path == "/enter.css" or path.startswith("/board"):  # the board has a key of its own
            return None
        if path == "/enter":
            if request.method != "POST":  # after a wrong word it is a browser's address, loaded again or kept
                return RedirectResponse("./", 303)
            form = parse_qs((await request.body()).decode("utf-8", "replace"))
            return await self._entered(request, *(form.get(key, [""])[0] for key in ("word", "name")))
        return await self._with_session(request, path)

    async def _with_session(self, request: Request, path: str) -> Response | None:
        given = request.query_params.get("session") if path == "/" else None  # in the link that `join` prints
        token = given or token_of(request)
        attendee = await asyncio.to_thread(self._room.attendee, token) if token else None
        if given and attendee is not None:
            return welcome(attendee)
        if path == "/" and "word" in request.query_params:
            if attendee is not None:
                return RedirectResponse("./", 303)
            return await self._entered(request, request.query_params["word"])
        if attendee is not None:
            if request.method == "POST" and path != "/leave" and not self._messages.take(attendee.number):
                return PlainTextResponse(TOO_MANY_MESSAGES, 429)
            request.state.attendee = attendee
            return None
        return question(401) if path == "/" else PlainTextResponse(NO_SESSION, 401)

    async def _entered(self, request: Request, word: str, name: str = "") -> Response:
        """Lets somebody in who knows the word, or says why not."""
        program = request.method == "POST" and "text/html" not in request.headers.get("accept", "")
        if refusal := self._refusal(address_of(request), word):
            status, said = refusal
            return PlainTextResponse(said, status) if program else question(status, said)
        attendee = await asyncio.to_thread(self._room.enter, name)
        return JSONResponse(asdict(attendee)) if program else welcome(attendee)

    def _refusal(self, address: str, word: str) -> tuple[int, str] | None:
        """The status and the sentence with which a try is refused."""
        if hmac.compare_digest(word.encode(), self._room.ticket.encode()):
            return None
        if not self._tries.take(address):  # a right word gives its own back: who knows it uses up nothing
            return 429, TOO_MANY_TRIES
        if not hmac.compare_digest("".join(word.split()).upper().encode(), self._room.word.encode()):
            return 403, WRONG_WORD
        self._tries.give_back(address)
        return None


def question(status: int, said: str = "") -> Response:
    """The page that asks for the word, and says what was wrong with the one before."""
    message = element("p", escaped(said), role="alert") if said else ""
    page = (HERE / "enter.html").read_text(encoding="utf-8").replace("<!-- said -->", message)
    return HTMLResponse(page, status)


def welcome(attendee: Attendee) -> Response:
    """Sends a browser to the slides, with its session."""
    answer = RedirectResponse("./", 303)
    # Without a path, the cookie is for the folder of the page, wherever a reverse proxy shows it.
    answer.set_cookie(COOKIE, attendee.token, int(KEPT_OPEN), path=None, httponly=True, samesite="lax")
    return answer


def token_of(request: Request) -> str | None:
    """The token that comes with a request, from a program or else from a browser."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else request.cookies.get(COOKIE)


def own_site(headers: Mapping[str, str], url: str) -> bool:
    """Whether a request comes from our own pages, or from a program that is no browser."""
    site, origin = headers.get("sec-fetch-site"), headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    return origin is None or urlsplit(origin).netloc in filter(None, (headers.get("host"), urlsplit(url).netloc))


def address_of(request: Request) -> str:
    """Where a request comes from; for IPv6 the network, of which one machine may have every address."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    return host if address.version == 4 else str(ipaddress.ip_network((address, 64), strict=False))
