"""A client of warm parents: finds the one for a mode and an environment, or starts it, and has it fork (Linux).

All that one user runs shares it. It listens at a name that is no file, so that nothing is left of one that was killed;
each side asks the kernel whether the other is the same user.
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
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from triton_workshop.processes.freshness import PACKAGE
from triton_workshop.processes.modes import INTERPRET, LOADED_EARLY, Mode
from triton_workshop.processes.process import Files, Process
from triton_workshop.processes.wire import SocketConnection

POSSIBLE = sys.platform == "linux"
"""A fork is not safe on macOS (its system libraries start threads), and there is none on Windows."""
READY = "ready"
"""What a parent says to each client."""
FILES = 3
"""Descriptors that come with a request: standard input, output and error."""
LOADED_EARLY_TOO = ("LC_", "LANG", "TZ")
ATTEMPTS = 100
"""A parent may leave, or another command may be starting one, while we look."""
PAUSE = 0.01
"""Seconds between two attempts."""


@dataclass(frozen=True)
class Request:
    """What a child is to become: a script, or where there are no arguments, the function that its input names.

    `stays` is for how many seconds the parent remains when it has nothing to do; None leaves that as it was.
    """

    arguments: tuple[str, ...]
    """The file, as its `sys.argv[0]` is to read, and its arguments."""
    folder: str
    environment: Mapping[str, str]
    memory_limit: int | None = None
    terminal: bool = False
    """Whether its standard input is a terminal that becomes its own."""
    stays: float | None = None


def connect(mode: Mode, environment: Mapping[str, str], stays: float, *, start: bool = True) -> SocketConnection:
    """A connection to the parent for this mode and environment, which says READY as soon as it is.

    Where there is none, it is started, to stay for so many seconds after its last client. Raises OSError.
    """
    address = _address(mode, environment)
    for _ in range(ATTEMPTS):
        client = socket.socket(socket.AF_UNIX)
        try:
            _open(client, address, mode, environment, stays if start else None)
            if user_at(client) != os.geteuid():
                raise PermissionError(errno.EPERM, "another user listens in the place of the warm parent")
            return SocketConnection(client)
        except (ConnectionRefusedError, BlockingIOError):  # it is just coming, or going, or has too much to do
            client.close()
            if not start:
                raise
            time.sleep(PAUSE)
        except BaseException:
            client.close()
            raise
    raise ConnectionRefusedError(errno.ECONNREFUSED, "the warm parent does not answer")


def _open(
    client: socket.socket, address: bytes, mode: Mode, environment: Mapping[str, str], stays: float | None
) -> None:
    """Connects a client to the parent at an address, which is started where there is none and one may stay."""
    try:
        client.connect(address)
    except ConnectionRefusedError:
        if stays is None:
            raise
    else:
        return
    with socket.socket(socket.AF_UNIX) as door:
        try:
            door.bind(address)
        except OSError as error:  # another command was first
            raise ConnectionRefusedError from error
        door.listen(64)
        client.connect(address)
        _start(mode, door.fileno(), environment, stays)


def _start(mode: Mode, door: int, environment: Mapping[str, str], stays: float) -> None:
    """Starts the process that `parent.main` describes."""
    import subprocess  # seldom needed, and slow to import

    from triton_workshop.processes.guard import OWNER

    program = (
        # Not -m, which would look for modules in the current folder first.
        f"import sys; sys.path[0] = {str(PACKAGE.parent)!r}; from triton_workshop.processes import parent; "
        f"parent.main(parent.Mode({mode.value!r}), {door}, {stays})"
    )
    nothing = subprocess.DEVNULL
    started = subprocess.Popen(
        [sys.executable, "-u", "-c", program],
        cwd="/",
        # It serves others too, when whoever has started it has gone.
        env={name: value for name, value in environment.items() if name not in (INTERPRET, OWNER)},
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        pass_fds=[door],
        start_new_session=True,
    )
    threading.Thread(target=started.wait, daemon=True).start()  # so that it leaves no zombie here


def _address(mode: Mode, environment: Mapping[str, str]) -> bytes:
    """Differs where a parent's interpreter, its files, or what it read of its environment at the start would differ."""
    early = (*LOADED_EARLY, *LOADED_EARLY_TOO, "XDG_RUNTIME_DIR")
    variables = sorted(item for item in environment.items() if item[0].startswith(early))
    files = str(Path("/proc/self/ns/mnt").readlink())  # a container has others
    place = (sys.executable, sys.version, str(PACKAGE), files, variables)
    return f"\0triton-workshop-{os.geteuid()}-{mode}-{zlib.crc32(repr(place).encode()):08x}".encode()


def user_at(end: socket.socket) -> int:
    """The user id of the process at the other end of a Unix socket, as the kernel knows it."""
    _, user, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return int(user)


class WarmProcess:
    """A `Process` that a warm parent forks. One that the parent does not begin with is started `otherwise`."""

    def __init__(
        self, connection: SocketConnection, request: Request, files: Files, otherwise: Callable[[Files], Process]
    ) -> None:
        self._connection = connection
        self._otherwise = otherwise
        self._instead: Process | None = None
        self._child = 0
        self._code: int | None = None
        self._lock = threading.RLock()
        with suppress(OSError):  # it has gone already: noticed by `poll`
            connection.send_files(files)
            connection.send(request)
        self._kept: Files | None = (os.dup(files[0]), os.dup(files[1]), os.dup(files[2]))
        """The files, until it has begun."""

    def poll(self) -> int | None:
        with self._lock:
            while self._code is None and self._instead is None and select.select([self._connection], [], [], 0)[0]:
                self._listen()
            return self._code if self._instead is None else self._instead.poll()

    def _listen(self) -> None:
        try:
            message = self._connection.receive()
        except (OSError, EOFError):
            self._go_on_without_parent()
            return
        if isinstance(message, dict):
            self._child = message.get("process", self._child)
            self._code = message.get("code")
            self._let_go_of_files()

    def _go_on_without_parent(self) -> None:
        if self._child:  # The kernel ends it, and nobody else what it has started.
            self._code = -signal.SIGKILL
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._child, signal.SIGKILL)
            return
        assert self._kept is not None
        self._code = 1  # for whoever asks again after an error
        self._instead = self._otherwise(self._kept)
        self._let_go_of_files()

    def _let_go_of_files(self) -> None:
        for file in self._kept or ():
            os.close(file)
        self._kept = None

    def pause(self, seconds: float) -> None:
        if self._instead is not None:
            self._instead.pause(seconds)
        elif self._code is None:
            select.select([self._connection], [], [], seconds)

    def signal_group(self, number: int) -> None:
        with self._lock:
            ended = self.poll() is not None  # or has begun by now
            if self._instead is not None:
                self._instead.signal_group(number)
            elif self._child and not ended:
                with suppress(OSError):
                    self._connection.send(number)
            elif not ended:  # Not begun, as far as we know: it need not. A parent that has begun kills it at this.
                self._code = -number
                self._connection.socket.shutdown(socket.SHUT_RDWR)
                self._let_go_of_files()

    def release(self) -> None:
        self._connection.close()
        self._let_go_of_files()
