"""Raw requests over the loopback network, as those send them who want to keep others from the room."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

Headers = dict[str, str]


def request(path: str, headers: Headers) -> bytes:
    """A GET in one piece."""
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join((*lines, "", "")).encode()


def connect(address: str, sent: bytes = b"") -> socket.socket:
    parts = urlsplit(address)
    connection = socket.create_connection((parts.hostname, parts.port), timeout=10)
    connection.sendall(sent)
    return connection


def drop(address: str, times: int, path: str, headers: Headers) -> None:
    """Send a request and go away at once, again and again."""
    for _ in range(times):
        connect(address, request(path, headers)).close()


@contextmanager
def open_connections(address: str, number: int, sent: bytes = b"") -> Iterator[list[socket.socket]]:
    """So many connections at once, which have all sent this."""
    with ExitStack() as stack:
        yield [stack.enter_context(connect(address, sent)) for _ in range(number)]
