"""Starts scripts in forks of a process that has imported torch and Triton already: at once, where Linux allows it."""

from __future__ import annotations

import itertools
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from triton_workshop.runner.cold import ColdProcess
from triton_workshop.runner.modes import Mode, default_mode, heavy, parent_for
from triton_workshop.runner.process import Channel, Process
from triton_workshop.runner.run import Run
from triton_workshop.runner.script import Script, environment
from triton_workshop.runner.start import start_parent
from triton_workshop.runner.strays import OWNER, Guard, end_strays
from triton_workshop.runner.wire import Connection, ParentLostError, Request

_NUMBERS = itertools.count(1)
"""A parent that takes another's place has a name of its own: the other's scripts are ended by name."""
POSSIBLE = sys.platform == "linux"
"""A fork is not safe on macOS (its system libraries start threads), and there is none on Windows."""
FAREWELL = 3
"""Seconds for a parent to end what it has started."""
MOURNING = 0.5
"""Seconds in which a parent that has closed a connection turns out to have ended."""


class WarmRunner:
    """Runs Python scripts in forks of warm parents, everything else as new processes.

    A parent is started with the first script that needs it, or by `warm_up`; while it still imports, scripts that
    import nothing heavy run cold, and so does all that a warm process cannot run as a new one would. `close` ends the
    parents and whatever was started here; so does the end of this process, of whatever kind. All of it may be called
    from any thread.
    """

    def __init__(self) -> None:
        self._parents: dict[Mode, _Parent] = {}
        self._guard: Guard | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()
        self._closed = False

    def warm_up(self) -> None:
        """Starts the parent that most scripts will need; returns at once."""
        self.put_up_guard()
        if POSSIBLE:
            with suppress(OSError):
                self._parent(default_mode(os.environ))

    def put_up_guard(self) -> None:
        """Sees to it that nothing outlives this process, from now on; `run` and `warm_up` do so by themselves."""
        with suppress(OSError):
            folder = self.folder()
            with self._lock:
                if POSSIBLE and self._guard is None and not self._closed:
                    self._guard = Guard(folder)

    def folder(self) -> Path:
        """Where temporary files go that nobody may be left to remove: it goes with this process, like the rest.

        It is there even if somebody has tidied up the system's temporary files meanwhile. Raises OSError.
        """
        with self._lock:
            self._check_open()
            if self._folder is None:
                self._folder = tempfile.TemporaryDirectory(prefix="workshop-", ignore_cleanup_errors=True)
            folder = Path(self._folder.name)
            folder.mkdir(mode=0o700, exist_ok=True)
            return folder

    def _check_open(self) -> None:
        if self._closed:
            raise OSError("this runner has been closed")

    def wait_until_warm(self, seconds: float) -> bool:
        """Waits for the parents that have been started; whether all are ready."""
        with self._lock:
            parents = list(self._parents.values())
        return all(parent.wait_until_ready(seconds) for parent in parents)

    def run(self, script: Script) -> Run:
        """Starts a script. Raises CannotRunError, and OSError where there is no room for its file."""
        self.put_up_guard()
        return Run(script, self._launch, self.folder())

    def _launch(self, script: Script, file: Path) -> Process:
        if POSSIBLE and script.plain_python:
            with suppress(OSError):  # no parent, or one that has just gone: cold then
                return self._launch_warm(script, file)
        return ColdProcess(script, file)

    def _launch_warm(self, script: Script, file: Path) -> Process:
        mode = parent_for(script.source, os.environ)
        if mode is None or not script.folder.is_dir():
            raise OSError("only a new process runs this, or says what is wrong")
        if not heavy(script.source) and not self._ready(mode):
            raise OSError("a new process is there first")
        parent = self._parent(mode)
        return WarmProcess(script, file, parent.connect(), parent.name, parent.mourn)

    def _ready(self, mode: Mode) -> bool:
        with self._lock:
            parent = self._parents.get(mode)
        return parent is not None and parent.ready

    def _parent(self, mode: Mode) -> _Parent:
        """The parent for that mode, started where there is none. Raises OSError."""
        with self._lock:
            self._check_open()
            parent = self._parents.get(mode)
            if parent is None or parent.gone:
                if parent is not None:
                    parent.close()
                parent = self._parents[mode] = _Parent(mode)
            return parent

    def close(self) -> None:
        with self._lock:
            self._closed = True
            parents, self._parents = list(self._parents.values()), {}
            guard, self._guard = self._guard, None
            folder, self._folder = self._folder, None
        for parent in parents:
            parent.close()
        if guard is not None:
            guard.close()
        if folder is not None:
            folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Parent:
    """A warm parent that belongs to this process, and ends with it."""

    def __init__(self, mode: Mode) -> None:
        ours, theirs = socket.socketpair()
        variables = environment(80)
        self.name = f"{variables[OWNER]}{mode}.{next(_NUMBERS)}"
        """Whom the scripts in it, and all that they start, have as their owner."""
        with theirs:
            try:
                self._process = start_parent(mode, theirs.fileno(), variables | {OWNER: self.name})
            except BaseException:
                ours.close()
                raise
        self._line = Connection(ours)
        self._ready = False
        self._lock = threading.Lock()

    @property
    def ready(self) -> bool:
        """Whether it has imported what most scripts need, and is not busy with the rest."""
        return self.wait_until_ready(0)

    def wait_until_ready(self, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        with self._lock:
            while select.select([self._line], [], [], 0 if self._ready else max(deadline - time.monotonic(), 0))[0]:
                try:
                    messages, _ = self._line.receive()
                except (OSError, EOFError):
                    return False
                for message in messages:
                    self._ready = message["ready"]
            return self._ready

    @property
    def gone(self) -> bool:
        return self._process.poll() is not None

    def mourn(self) -> None:
        """Ends what a parent that was killed has left: it could not do so itself."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(MOURNING)
            end_strays(lambda owner: owner == self.name)

    def connect(self) -> Connection:
        """A connection for one script; a parent that still imports will look at it when it has done. Raises OSError."""
        ours, theirs = socket.socketpair()
        try:
            with theirs, self._lock:
                self._line.send({}, [theirs.fileno()])
        except OSError:
            ours.close()
            raise
        return Connection(ours)

    def close(self) -> None:
        """Ends it and everything that it has started."""
        self._line.close()
        try:
            self._process.wait(FAREWELL)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class WarmProcess:
    """A `Process` that a warm parent forks."""

    def __init__(
        self, script: Script, file: Path, connection: Connection, owner: str, mourn: Callable[[], None]
    ) -> None:
        """`mourn` is called when the connection breaks."""
        self._connection = connection
        self._mourn = mourn
        self._process: int | None = None
        self._code: int | None = None
        self._lost = False
        self._lock = threading.Lock()
        channel = Channel(script.terminal)
        request = Request(
            (str(file), *script.arguments),
            str(script.folder.resolve()),
            script.environment | {OWNER: owner},
            script.memory_limit,
            terminal=script.terminal is not None,
        )
        try:
            with Path(os.devnull).open("rb") as nothing:
                stdin = channel.theirs if script.terminal else nothing.fileno()
                connection.send_request(request, [stdin, channel.theirs, channel.theirs])
        except BaseException:
            channel.close()
            connection.close()
            raise
        channel.close_theirs()
        self.output = channel.ours

    def poll(self) -> int | None:
        with self._lock:
            while self._code is None and not self._lost and select.select([self._connection], [], [], 0)[0]:
                self._listen()
            if self._lost:
                raise ParentLostError
            return self._code

    def _listen(self) -> None:
        try:
            messages, _ = self._connection.receive()
        except (OSError, EOFError):
            self._lost = True
            self._mourn()
            return
        for message in messages:
            self._process = message.get("process", self._process)
            self._code = message.get("code")

    def pause(self, seconds: float) -> None:
        if self._code is None and not self._lost:
            select.select([self._connection], [], [], seconds)

    def signal_group(self, number: int) -> None:
        with suppress(ParentLostError):
            self.poll()  # perhaps it has begun by now
        if self._lost:
            # Nobody else is left to end what the script itself has started; its number is not another's so soon.
            if self._process is not None:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process, signal.SIGKILL)
        elif self._code is None:  # else the parent has killed its group
            with suppress(OSError):
                self._send_signal(number)

    def _send_signal(self, number: int) -> None:
        with self._lock:
            if self._process is not None:
                self._connection.send({"signal": number})
            else:  # Not begun, as far as we know: it need not. A parent that has begun kills it at this.
                self._code = -number
                self._connection.socket.shutdown(socket.SHUT_RDWR)

    def release(self) -> None:
        self._connection.close()
        os.close(self.output)
