"""Wire format between processes.

Messages are pickled, and each is preceded by its length.
"""

from __future__ import annotations

import _thread
import os
import pickle
import queue
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

HEADER_BYTES = 8
"""Bytes that hold a message's length."""


class Connection:
    """Connection that reads from one descriptor and writes to another.

    Both may be the same.
    """

    def __init__(self, reading: int, writing: int) -> None:
        self._ends = (reading, writing)
        self._sending = threading.RLock()  # a signal handler may send while another does
        self._ahead: queue.SimpleQueue[bytes] | None = None

    def fileno(self) -> int:
        """Return the descriptor that messages come from."""
        return self._ends[0]

    def send(self, message: object) -> None:
        """Send a message, from any thread.

        Raises OSError if the other side has gone.
        """
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        rest = memoryview(len(data).to_bytes(HEADER_BYTES, "little") + data)
        with self._sending:
            while rest:
                rest = rest[os.write(self._ends[1], rest) :]

    def receive(self) -> object:
        """Wait for the next message.

        Raises EOFError or OSError if the other side has gone.
        """
        return pickle.loads(self._message() if self._ahead is None else self._ahead.get())

    def read_ahead(self, has_gone: Callable[[], None]) -> None:
        """Have a thread read from now on, and call `has_gone` at the end.

        The thread notices at once when the other side goes.
        """
        ahead = self._ahead = queue.SimpleQueue[bytes]()

        def read() -> None:
            """Read messages until the other side goes."""
            with suppress(OSError, EOFError):
                while True:
                    ahead.put(self._message())
            has_gone()

        _thread.start_new_thread(read, ())  # not by `threading`, where a script would count it

    def _message(self) -> bytes:
        return self._read(int.from_bytes(self._read(HEADER_BYTES), "little"))

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            chunk = os.read(self._ends[0], size - len(data))
            if not chunk:
                raise EOFError("the other side has closed the connection")
            data += chunk
        return bytes(data)

    def close(self) -> None:
        """Close both ends."""
        for end in set(self._ends):
            with suppress(OSError):
                os.close(end)


class SocketConnection(Connection):
    """The same over a Unix socket, which carries open files too (Linux)."""

    def __init__(self, end: socket.socket) -> None:
        self.socket = end
        super().__init__(end.fileno(), end.fileno())

    def send_files(self, files: Sequence[int]) -> None:
        """Send open files."""
        socket.send_fds(self.socket, [b"\0"], files)

    def receive_files(self, count: int) -> list[int]:
        """Receive that many open files. Raises EOFError."""
        text, files, _, _ = socket.recv_fds(self.socket, 1, count)
        if not text:
            raise EOFError("the other side has closed the connection")
        return list(files)

    def close(self) -> None:
        """Close the socket."""
        self.socket.close()
