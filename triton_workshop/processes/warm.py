"""Client of warm parents (Linux).

It finds or starts the parent for a mode and an environment, and has it fork. Everything that one user runs shares it.
It listens at a name that is not a file, so a killed parent leaves nothing behind. Each side asks the kernel whether the
other belongs to the same user.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import socket
import struct
import sys
import threading
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from triton_workshop.code_version import code_version
from triton_workshop.processes.modes import INTERPRET, READ_AT_IMPORT, Mode
from triton_workshop.processes.process import Files, program, signal_group
from triton_workshop.processes.reaper import OWNER
from triton_workshop.processes.stopwatch import processor_seconds_of
from triton_workshop.processes.wire import SocketConnection

READY = "ready"
"""The first message of a parent to each client."""
FILES = 3
"""Descriptors that come with a request: standard input, output and error."""
ATTEMPTS = 100
"""Attempts to connect.

A parent may leave, or another command may be starting one, while we look.
"""
PAUSE_SECONDS = 0.01
"""Seconds between two attempts."""


@dataclass(frozen=True)
class Request:
    """Task of a child.

    It is a script or, if there are no arguments, the function that its input names.
    """

    arguments: tuple[str, ...]
    """The file, as `sys.argv[0]` should read, and its arguments."""
    folder: str
    environment: Mapping[str, str]
    memory_limit: int | None = None


@dataclass(frozen=True)
class WarmParent:
    """The parent for a mode and an environment, which may not be running yet."""

    mode: Mode
    address: bytes
    """The name at which it listens."""
    environment: Mapping[str, str] = field(compare=False)

    @classmethod
    def of(cls, mode: Mode, environment: Mapping[str, str]) -> Self:
        """Return the parent for a mode and an environment.

        Its address differs if its interpreter, its code or what it read when it started would. Raises OSError.
        """
        early = (*READ_AT_IMPORT, "LC_", "LANG", "TZ", "XDG_RUNTIME_DIR")
        variables = sorted(item for item in environment.items() if item[0].startswith(early))
        files = str(Path("/proc/self/ns/mnt").readlink())  # a container has its own
        digest = zlib.crc32(repr((sys.executable, sys.version, code_version(), files, variables)).encode())
        return cls(mode, f"\0triton-workshop-{os.geteuid()}-{mode}-{digest:08x}".encode(), environment)

    def connect(self, linger_seconds: float) -> SocketConnection:
        """Return a connection to it, over which it says READY.

        If there is no parent, one is started, to stay for so many seconds after its last client. Raises OSError.
        """
        for _ in range(ATTEMPTS):
            client = socket.socket(socket.AF_UNIX)
            try:
                client.connect(self.address)
                if user_at(client) != os.geteuid():
                    raise PermissionError(errno.EPERM, "another user is listening at the warm parent's address")
                return SocketConnection(client)
            except OSError as error:
                client.close()
                if not isinstance(error, ConnectionRefusedError):
                    raise
            self._start(linger_seconds)
        raise ConnectionRefusedError(errno.ECONNREFUSED, "the warm parent does not answer")

    def _start(self, linger_seconds: float) -> None:
        """Start the process of `parent.main`.

        Clients that connect meanwhile wait in its queue.
        """
        import subprocess  # seldom needed, and slow to import

        with socket.socket(socket.AF_UNIX) as listener:
            try:
                listener.bind(self.address)
            except OSError:  # another command was first
                time.sleep(PAUSE_SECONDS)
                return
            listener.listen(64)
            serve = f"parent.main(parent.Mode({self.mode.value!r}), {listener.fileno()}, {linger_seconds})"
            started = subprocess.Popen(
                [sys.executable, "-u", "-c", program(f"from triton_workshop.processes import parent; {serve}")],
                cwd="/",
                # It also serves others, after the process that started it has gone.
                env={name: value for name, value in self.environment.items() if name not in (INTERPRET, OWNER)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[listener.fileno()],
                start_new_session=True,
            )
        threading.Thread(target=started.wait, daemon=True).start()  # so that it leaves no zombie here


def user_at(end: socket.socket) -> int:
    """Return the user id of the process at the other end of a Unix socket.

    The kernel knows it.
    """
    _, user, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return int(user)


class WarmProcess:
    """Conversation with a warm parent, which stays meanwhile.

    After a request, it is also the `Process` that the parent forks.
    """

    def __init__(self, parent: WarmParent, linger_seconds: float = 0) -> None:
        """Connect as in `WarmParent.connect`. Raises OSError."""
        self.parent = parent
        self._connection = parent.connect(linger_seconds)
        self._ready = False
        """True once the parent has said that it attends to requests."""
        self._child = 0
        self._code: int | None = None
        self._lock = threading.RLock()

    def is_ready(self, seconds: float | None = 0) -> bool:
        """Wait at most so long for the parent's imports.

        Return True if the parent is there and has imported what most scripts need.
        """
        if not self._ready:
            self.pause(seconds)
        return self.poll() is None and self._ready

    def begin(self, request: Request, files: Files) -> Self:
        """Have the parent fork a child that does this.

        Raises OSError if the parent has gone.
        """
        try:
            self._connection.send_files(files)
            self._connection.send(request)
        except OSError:
            self.release()
            raise
        return self

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        with self._lock:
            while self._code is None:
                has_message = select.select([self._connection], [], [], 0)[0]
                if not has_message:
                    break
                self._listen()
            return self._code

    def _listen(self) -> None:
        try:
            message = self._connection.receive()
        except (OSError, EOFError):
            self._code = -signal.SIGKILL
            if self._child:  # the kernel has ended it, but not what it has started
                signal_group(self._child, signal.SIGKILL)
            return
        if isinstance(message, dict):
            self._child = message.get("process", self._child)
            self._code = message.get("code")
        self._ready = True

    def processor_seconds(self) -> float | None:
        """Return the processor time that the child has used; None if unknown."""
        return processor_seconds_of(self._child) if self._child else None

    def pause(self, seconds: float | None) -> None:
        """Wait for a message, or at most that long."""
        if self._code is None:
            select.select([self._connection], [], [], seconds)

    def signal_group(self, number: int) -> None:
        """Send a signal to the child's group, or cancel the request."""
        with self._lock:
            if self.poll() is not None:  # then its parent has killed the group
                return
            if self._ready:
                self.forward(number)
            else:  # A parent that is importing hears this late, and starts nothing for a client that has gone.
                self._code = -number
                self._connection.socket.shutdown(socket.SHUT_RDWR)

    def forward(self, number: int) -> None:
        """Send a signal, once the child has begun.

        A signal handler may do so while another method runs.
        """
        with suppress(OSError):  # it has ended
            self._connection.send(number)

    def release(self) -> None:
        """End the conversation.

        The parent ends what is left of it, and nothing more is read here.
        """
        with self._lock:
            if self._code is None:
                self._code = -signal.SIGKILL
            self._connection.close()
