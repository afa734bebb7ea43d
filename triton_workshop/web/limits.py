"""What every request and every answer keeps to: how large, how long, and which headers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

HERE = Path(__file__).parent
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: with that, a browser would send a form without saying from which site it comes.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
LARGEST_BODY = 4096
"""Bytes: a word and a name, or how far an attendee is."""
SENDING = 10.0
"""Seconds that a client has to send its request."""
READING = 30.0
"""Seconds after which a client that does not read what it asked for is given up."""
TOO_LARGE = f"A request may have at most {LARGEST_BODY:,} bytes."
TOO_SLOW = "The request took too long."
ABORT = "workshop.abort"


class OneConnection(H11Protocol):
    """A connection that can be cut: closing it would wait for a client that may never read."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        app = self.app

        async def with_abort(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, ABORT: transport.abort}, receive, send)

        self.app = with_abort
        self.loop.call_later(SENDING, self._watch, None)

    def _watch(self, before: RequestResponseCycle | None) -> None:
        """Cuts the connection if no request was answered or has begun since the last look: one may come in drops."""
        if self.transport.is_closing():
            return
        if self.cycle is before and (before is None or before.response_complete):
            self.transport.abort()
        else:
            self.loop.call_later(SENDING, self._watch, self.cycle)


class GoneError(Exception):
    """The client does not read."""


class Limits:
    """Reads a request's body before anything else sees it, and gives up clients that do not read."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent = _in_time(_with_headers(send), scope.get(ABORT, lambda: None))
        with suppress(GoneError):
            body = await _body(scope, receive)
            if isinstance(body, bytes):
                await self._app(scope, _again(body, receive), sent)
            else:
                await body(scope, receive, sent)


async def _body(scope: Scope, receive: Receive) -> bytes | Response:
    """The whole body; or a refusal as soon as it is too large or too slow, unread from there on."""
    headers = dict(scope["headers"])
    declared = int(headers.get(b"content-length", b"0"))
    body, more = b"", declared > 0 or b"transfer-encoding" in headers
    try:
        async with asyncio.timeout(SENDING):
            while more and max(declared, len(body)) <= LARGEST_BODY:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise GoneError
                body += message.get("body", b"")
                more = message.get("more_body", False)
    except TimeoutError:
        return PlainTextResponse(TOO_SLOW, 408, {"Connection": "close"})
    if max(declared, len(body)) > LARGEST_BODY:
        return PlainTextResponse(TOO_LARGE, 413, {"Connection": "close"})
    return body


def _again(body: bytes, receive: Receive) -> Receive:
    """Receives a body that was read already, and then what comes after it."""
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


def _in_time(send: Send, abort: Callable[[], None]) -> Send:
    async def send_in_time(message: Message) -> None:
        try:
            async with asyncio.timeout(READING):
                await send(message)
        except TimeoutError:
            abort()
            raise GoneError from None

    return send_in_time
