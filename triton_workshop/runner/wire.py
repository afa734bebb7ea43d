"""How a client and a warm parent talk: lines of JSON over a Unix socket, file descriptors beside the first byte.

For each script there is a connection. The parent says that it is ready; the client sends a request, then signals; the
parent answers with the script's process, and at the end with its exit status. Where either side closes the
connection, or dies, the script ends with it.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

LONGEST = 1 << 24
"""Bytes of one message: an environment of Linux has 6 MB at most (execve(2), "Limits on size of arguments")."""
MOST_FILES = 4

Message = Mapping[str, Any]


class ParentLostError(Exception):
    """The warm parent that a script was given to has gone, and the script with it, or before it had begun."""


@dataclass(frozen=True)
class Request:
    """A script to run. Its standard input, output and error are file descriptors that come with it."""

    arguments: tuple[str, ...]
    """The file, as its `sys.argv[0]` is to read, and its arguments."""
    folder: str
    environment: Mapping[str, str]
    memory_limit: int | None = None
    terminal: bool = False
    """Whether its standard input is a terminal that becomes its own."""


class Connection:
    """One end of a conversation."""

    def __init__(self, end: socket.socket) -> None:
        self.socket = end
        self._text = b""

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, message: Message, files: Sequence[int] = ()) -> None:
        """Raises OSError where the other side has gone."""
        line = json.dumps(message).encode() + b"\n"
        sent = socket.send_fds(self.socket, [line], files) if files else 0
        if sent < len(line):  # to send nothing fails where the other side has read all and left
            self.socket.sendall(line[sent:])

    def send_request(self, request: Request, files: Sequence[int]) -> None:
        self.send(asdict(request), files)

    def receive_request(self) -> tuple[Request, list[int]]:
        """Raises OSError, or ValueError for what is no request."""
        messages, files = self.receive()
        while not messages:
            more, others = self.receive()
            messages, files = more, files + others
        fields = dict(messages[0])
        return Request(tuple(fields.pop("arguments")), **fields), files

    def receive(self) -> tuple[list[Message], list[int]]:
        """The messages that are complete, and the files that came. Raises EOFError when the other side has gone."""
        text, files, _, _ = socket.recv_fds(self.socket, 1 << 16, MOST_FILES)
        if not text:
            raise EOFError
        *lines, self._text = (self._text + text).split(b"\n")
        if len(self._text) > LONGEST:
            raise ValueError("a message without end")
        return [json.loads(line) for line in lines], list(files)

    def close(self) -> None:
        self.socket.close()


def user_at(end: socket.socket) -> int:
    """The user id of the process at the other end of a Unix socket, as the kernel knows it."""
    _, user, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return int(user)
