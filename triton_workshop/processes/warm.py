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
import sysconfig
import threading
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from triton_workshop.processes.guard import OWNER
from triton_workshop.processes.modes import INTERPRET, LOADED_EARLY, Mode
from triton_workshop.processes.process import PACKAGE, Files, program, signal_group
from triton_workshop.processes.wire import SocketConnection

READY = "ready"
"""What a parent says to each client."""
FILES = 3
"""Descriptors that come with a request: standard input, output and error."""
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


@dataclass(frozen=True)
class WarmParent:
    """The parent for a mode and an environment, which may not run yet."""

    mode: Mode
    address: bytes
    """The name at which it listens."""
    environment: Mapping[str, str] = field(compare=False)

    @classmethod
    def of(cls, mode: Mode, environment: Mapping[str, str]) -> Self:
        """The address differs where its interpreter, its code or what it read at its start would. Raises OSError."""
        early = (*LOADED_EARLY, "LC_", "LANG", "TZ", "XDG_RUNTIME_DIR")
        variables = sorted(item for item in environment.items() if item[0].startswith(early))
        files = str(Path("/proc/self/ns/mnt").readlink())  # a container has others
        place = zlib.crc32(repr((sys.executable, sys.version, code_on_disk(), files, variables)).encode())
        return cls(mode, f"\0triton-workshop-{os.geteuid()}-{mode}-{place:08x}".encode(), environment)

    def connect(self, stays: float, *, start: bool = True) -> SocketConnection:
        """A connection to it, over which it says READY as soon as it is.

        Where there is none, it is started, to stay for so many seconds after its last client. Raises OSError.
        """
        for _ in range(ATTEMPTS):
            client = socket.socket(socket.AF_UNIX)
            try:
                client.connect(self.address)
                if user_at(client) != os.geteuid():
                    raise PermissionError(errno.EPERM, "another user listens in the place of the warm parent")
                return SocketConnection(client)
            except OSError as error:
                client.close()
                if not start or not isinstance(error, ConnectionRefusedError):
                    raise
            self._start(stays)
        raise ConnectionRefusedError(errno.ECONNREFUSED, "the warm parent does not answer")

    def _start(self, stays: float) -> None:
        """Starts the process that `parent.main` describes, which finds those in its queue who connect meanwhile."""
        import subprocess  # seldom needed, and slow to import

        with socket.socket(socket.AF_UNIX) as door:
            try:
                door.bind(self.address)
            except OSError:  # another command was first
                time.sleep(PAUSE)
                return
            door.listen(64)
            serve = f"parent.main(parent.Mode({self.mode.value!r}), {door.fileno()}, {stays})"
            started = subprocess.Popen(
                [sys.executable, "-u", "-c", program(f"from triton_workshop.processes import parent; {serve}")],
                cwd="/",
                # It serves others too, when whoever has started it has gone.
                env={name: value for name, value in self.environment.items() if name not in (INTERPRET, OWNER)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[door.fileno()],
                start_new_session=True,
            )
        threading.Thread(target=started.wait, daemon=True).start()  # so that it leaves no zombie here


def code_on_disk() -> tuple[int, list[str]]:
    """When our package was last edited, in nanoseconds, and which versions of others are installed."""
    edited = max(file.stat().st_mtime_ns for file in PACKAGE.rglob("*.py"))
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return edited, sorted(file.name for folder in folders for file in Path(folder).glob("*.dist-info"))


def user_at(end: socket.socket) -> int:
    """The user id of the process at the other end of a Unix socket, as the kernel knows it."""
    _, user, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
    return int(user)


class WarmProcess:
    """A conversation with a warm parent, which stays meanwhile; once it has been asked, a `Process` that it forks."""

    def __init__(self, parent: WarmParent, stays: float = 0, *, start: bool = True) -> None:
        """As in `WarmParent.connect`. Raises OSError."""
        self.parent = parent
        self._connection = parent.connect(stays, start=start)
        self._ready = False
        """Whether the parent has said so, and attends to what it is asked."""
        self._child = 0
        self._code: int | None = None
        self._lock = threading.RLock()

    def is_ready(self, seconds: float | None = 0) -> bool:
        """Whether the parent is here and has imported what most scripts need; waits for so long."""
        if not self._ready:
            self.pause(seconds)
        return self.poll() is None and self._ready

    def begin(self, request: Request, files: Files) -> Self:
        """Has the parent fork a child that does this. Raises OSError where it has gone."""
        try:
            self._connection.send_files(files)
            self._connection.send(request)
        except OSError:
            self.release()
            raise
        return self

    def poll(self) -> int | None:
        with self._lock:
            while self._code is None and select.select([self._connection], [], [], 0)[0]:
                self._listen()
            return self._code

    def _listen(self) -> None:
        try:
            message = self._connection.receive()
        except (OSError, EOFError):
            self._code = -signal.SIGKILL
            if self._child:  # which the kernel has ended, but not what it has started
                signal_group(self._child, signal.SIGKILL)
            return
        if isinstance(message, dict):
            self._child = message.get("process", self._child)
            self._code = message.get("code")
        self._ready = True

    def pause(self, seconds: float | None) -> None:
        if self._code is None:
            select.select([self._connection], [], [], seconds)

    def signal_group(self, number: int) -> None:
        with self._lock:
            if self.poll() is not None:  # then its parent has killed the group
                return
            if self._ready:
                self.forward(number)
            else:  # A parent that imports does not hear this for long. It begins with nobody who has gone.
                self._code = -number
                self._connection.socket.shutdown(socket.SHUT_RDWR)

    def forward(self, number: int) -> None:
        """Sends a signal, once it has begun. The handler of a signal may do it while another method runs."""
        with suppress(OSError):  # it has ended
            self._connection.send(number)

    def release(self) -> None:
        """Ends the conversation: the parent ends what is left of it, and nothing is read here any more."""
        with self._lock:
            if self._code is None:
                self._code = -signal.SIGKILL
            self._connection.close()
