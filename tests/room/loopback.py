"""An app that answers over the loopback network, as it would in a room."""

from __future__ import annotations

import gzip
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from email.message import Message

import uvicorn
from starlette.types import ASGIApp

from triton_workshop.room.limits import watch_connections


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    headers: Message


@contextmanager
def served(app: ASGIApp, *, watched: bool = False) -> Iterator[str]:
    """Serves an app; yields its address, which ends with a slash."""
    config = uvicorn.Config(
        app,
        log_level="critical",
        lifespan="off",
        http="h11" if watched else "auto",
        proxy_headers=False,
    )
    if watched:
        watch_connections(config)
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join()


def asked(address: str, body: bytes | None = None, headers: Mapping[str, str] | None = None) -> Answer:
    """The answer to a GET, or with a body to a POST."""
    request = urllib.request.Request(address, body, dict(headers or {}))
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as answer:
            content = answer.read()
            if answer.headers["Content-Encoding"] == "gzip":
                content = gzip.decompress(content)
            return Answer(answer.status, content.decode(), answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return Answer(error.code, error.read().decode(), error.headers)
