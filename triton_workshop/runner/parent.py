"""A warm parent: imports torch, Triton and the package once, and forks a child for each script.

It never initialises CUDA nor runs a tensor operation: a child could not use CUDA then, and OpenMP's threads, which a
fork does not copy, would be waited for without end. It is started with one file descriptor (`main`), which is either
its owner's connection, over which the connections of clients come, or a socket to listen on. It ends with its owner,
or after some idle time, and everything that it has started ends with it.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import importlib
import os
import select
import selectors
import signal
import socket
import sys
import time
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from triton_workshop.runner.child import become_script, die_with_parent
from triton_workshop.runner.freshness import Freshness
from triton_workshop.runner.idle import idle_seconds
from triton_workshop.runner.modes import INTERPRET, Mode
from triton_workshop.runner.wire import Connection, Request, user_at

# By name, so that nothing else in this room can import them.
PRELOADED = (
    "torch",
    "triton",
    "triton.language",
    # Triton's and the simulator's first launch would import these.
    "triton.experimental.gluon",
    "triton.compiler.code_generator",
    "triton.language.extra.libdevice",
    "numpy.ctypeslib",
    "numpy.random",
    "PIL.Image",
    "multiprocessing",
    "triton_workshop.tensors",
    "triton_workshop.images",
)
SIMULATOR = ("triton_workshop.simulator.executor", "triton_workshop.simulator.rewriting")
WARM_UP = "triton_workshop.setup_kernel"
"""Has a function that compiles and launches a kernel, and brings up CUDA so."""
SPARES_IN_VAIN = 3
"""So many spare children in a row that end before they are used: then no more are kept."""
REQUEST_SECONDS = 10
"""How long a client may take for its request."""
LAST_SECONDS = 2
"""How long a parent that leaves waits for the children that it has killed."""
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
HELD_OVER_FORK = (signal.SIGINT, signal.SIGTERM)

Job = tuple[Request, list[int]]


@dataclass(frozen=True)
class Child:
    """A child, and the other end of its connection: who asked for its script, or the spare child itself."""

    process: int
    connection: Connection


def main(mode: Mode, door: int, *, idle_seconds: float | None) -> NoReturn:
    """Serves until the owner has gone, or, given `idle_seconds`, those who connect, until none has for so long."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    entrance = socket.socket(fileno=door)
    freshness = Freshness.now()
    if idle_seconds is None:
        _leave_with_owner(entrance)
    _preload(mode)
    _look_no_more(entrance)
    request, files = Parent(mode, entrance, freshness, idle_seconds).serve()
    become_script(request, files)


def _leave_with_owner(door: socket.socket) -> None:
    """While imports keep the parent from looking: the kernel tells it of anything that happens at the door."""

    def look(*_: object) -> None:
        if _closed(door):
            os._exit(0)

    signal.signal(signal.SIGIO, look)
    fcntl.fcntl(door, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(door, fcntl.F_SETFL, fcntl.fcntl(door, fcntl.F_GETFL) | os.O_ASYNC)
    look()


def _look_no_more(door: socket.socket) -> None:
    fcntl.fcntl(door, fcntl.F_SETFL, fcntl.fcntl(door, fcntl.F_GETFL) & ~os.O_ASYNC)
    signal.signal(signal.SIGIO, signal.SIG_DFL)


def _closed(end: socket.socket) -> bool:
    """Whether the other side has gone: the one event that is reported without being asked for."""
    poll = select.poll()
    poll.register(end, 0)
    return bool(poll.poll(0))


def _preload(mode: Mode) -> None:
    if mode is Mode.SIMULATOR:
        os.environ[INTERPRET] = "1"  # before torchvision, which imports Triton
    else:
        os.environ.pop(INTERPRET, None)
        # A library that asks torch for a GPU at its import: torch answers by NVML then, and not by cuInit
        # (PyTorch's documentation, "CUDA semantics", section on environment variables).
        os.environ["PYTORCH_NVML_BASED_CUDA_CHECK"] = "1"
    for name in PRELOADED + (SIMULATOR if mode is Mode.SIMULATOR else ()):
        _import(name)
    _freeze()


def _import(name: str) -> None:
    # One that is not installed, or does not load, is the script's to find out.
    with suppress(Exception):
        importlib.import_module(name)


def _freeze() -> None:
    """What is here stays: children need not look through it, nor copy its pages."""
    gc.collect()
    gc.freeze()


class Parent:
    """Serves requests. In a child, `serve` returns what the child is to run."""

    def __init__(self, mode: Mode, door: socket.socket, freshness: Freshness, idle_seconds: float | None) -> None:
        self._door = Connection(door)
        self._owned = idle_seconds is None
        self._idle_seconds = idle_seconds
        self._freshness = freshness
        self._children: dict[int, Child] = {}
        """Those that run a script, by process."""
        self._spare: Child | None = None
        """One that has its CUDA context, and waits for a script."""
        self._spares_to_try = SPARES_IN_VAIN if mode is Mode.CUDA else 0
        self._closing = False
        self._last_use = time.monotonic()
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # orphans of scripts become children of ours
        self._wake, self._wakes = socket.socketpair()
        self._wakes.setblocking(False)
        signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.signal(signal.SIGTERM, lambda *_: self._leave())
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._door, selectors.EVENT_READ)
        self._selector.register(self._wake, selectors.EVENT_READ)
        self._tell_owner(ready=True)

    def serve(self) -> Job:
        """Serves until its time is over, then ends the process; returns in each child, with that child's job."""
        while True:
            if self._spare is None and self._spares_to_try and not self._closing:
                job = self._fork_spare()
                if job is not None:
                    return job
            for key, _ in self._selector.select(self._patience()):
                job = self._attend(key.fileobj)
                if job is not None:
                    return job
            self._look_after_the_house()

    def _patience(self) -> float | None:
        """Seconds until the parent has been idle for so long that it leaves."""
        if self._idle_seconds is None or self._children:
            return None
        return max(self._idle_seconds - self._idle(), 0)

    def _idle(self) -> float:
        """Seconds since there was something to do."""
        return 0 if self._children else time.monotonic() - self._last_use

    def _tell_owner(self, *, ready: bool) -> None:
        if self._owned:
            with suppress(OSError):
                self._door.send({"ready": ready})

    def _look_after_the_house(self) -> None:
        if self._children:
            return
        for orphan in _children_now() - self._known():
            _kill(orphan)
        if self._closing or (self._idle_seconds is not None and self._idle() >= self._idle_seconds):
            self._leave()

    def _known(self) -> set[int]:
        return set(self._children) | ({self._spare.process} if self._spare else set())

    def _attend(self, source: object) -> Job | None:
        if source is self._wake:
            self._wake.recv(4096)
            self._collect()
        elif source is self._door:
            client = self._admit()
            return None if client is None else self._start(client)
        else:
            # None where it has ended, and been taken leave of, since its client's message arrived.
            child = next((child for child in self._children.values() if child.connection is source), None)
            if child is not None:
                self._obey(child)
        return None

    # Clients

    def _admit(self) -> Connection | None:
        """The next client: one that the owner hands over, or one that connects and is the same user."""
        try:
            if self._owned:
                _, files = self._door.receive()
                return Connection(socket.socket(fileno=files[0])) if files else None
            client, _ = self._door.socket.accept()
        except (EOFError, OSError):
            if self._owned:
                self._leave()
            return None
        if user_at(client) == os.geteuid():
            return Connection(client)
        client.close()
        return None

    def _start(self, client: Connection) -> Job | None:
        """Gives a client's script to a child. Returns in the child. A client that is turned away runs it cold."""
        self._last_use = time.monotonic()
        if not self._freshness.still():
            client.close()
            self._close_door()
            return None
        try:
            client.socket.settimeout(REQUEST_SECONDS)
            client.send({"ready": True})
            request, files = client.receive_request()
            client.socket.settimeout(None)
            if not self._owned:  # the last client says for how long it stays
                self._idle_seconds = idle_seconds(request.environment)
            if _closed(client.socket):
                raise EOFError
        except (OSError, EOFError, ValueError, TypeError):  # it has gone, or is none of ours
            client.close()
            return None
        process = self._hand_to_spare(request, files) or self._fork()
        if process == 0:
            client.close()
            return request, files
        for file in files:
            os.close(file)
        self._children[process] = Child(process, client)
        self._selector.register(client, selectors.EVENT_READ)
        with suppress(OSError):  # a client that has gone is noticed in `_obey`
            client.send({"process": process})
        return None

    def _obey(self, child: Child) -> None:
        """Sends the signals that a client asks for; a client that has gone ends its script."""
        try:
            messages, _ = child.connection.receive()
            for message in messages:
                _signal_group(child.process, int(message["signal"]))
        except (OSError, EOFError, ValueError, KeyError, TypeError):
            self._selector.unregister(child.connection)
            _signal_group(child.process, signal.SIGKILL)

    # Children

    def _fork(self) -> int:
        # A signal for the child waits until the child can heed it.
        signal.pthread_sigmask(signal.SIG_BLOCK, HELD_OVER_FORK)
        parent = os.getpid()
        process = os.fork()
        if process == 0:
            os.setsid()
            die_with_parent(parent)
            self._be_no_parent()
        else:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_OVER_FORK)
        return process

    def _be_no_parent(self) -> None:
        """In a child: lets go of everything that is the parent's."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for child in (*self._children.values(), *([self._spare] if self._spare else [])):
            child.connection.close()
        for end in (self._door, self._wake, self._wakes):
            end.close()

    def _fork_spare(self) -> Job | None:
        """Keeps a child that has brought up CUDA. Returns in that child, when it gets its script."""
        ours, theirs = socket.socketpair()
        process = self._fork()
        if process:
            theirs.close()
            self._spares_to_try -= 1
            self._spare = Child(process, Connection(ours))
            return None
        ours.close()
        _bring_up_cuda()
        parent = Connection(theirs)
        try:
            return parent.receive_request()
        except (OSError, EOFError):
            os._exit(0)
        finally:
            parent.close()

    def _hand_to_spare(self, request: Request, files: Sequence[int]) -> int | None:
        """Gives a script to the spare child; its process, None where there is none to take it."""
        spare, self._spare = self._spare, None
        if spare is None:
            return None
        try:
            spare.connection.send_request(request, files)
        except OSError:
            return None
        finally:
            spare.connection.close()
        self._spares_to_try = SPARES_IN_VAIN
        return spare.process

    def _collect(self) -> None:
        """Takes leave of the children that have ended: what is left of their groups is killed, their clients told."""
        while (process := _ended_child()) is not None:
            child = self._children.pop(process, None)
            if child is not None:
                _signal_group(process, signal.SIGKILL)  # before the number can belong to another
            if self._spare is not None and self._spare.process == process:
                self._spare.connection.close()
                self._spare = None
            _, status = os.waitpid(process, 0)
            if child is not None:
                self._last_use = time.monotonic()
                self._dismiss(child, os.waitstatus_to_exitcode(status))

    def _dismiss(self, child: Child, code: int) -> None:
        with suppress(KeyError):
            self._selector.unregister(child.connection)
        with suppress(OSError):
            child.connection.send({"code": code})
        child.connection.close()

    # The end

    def _close_door(self) -> None:
        """Takes no more clients: they start another parent."""
        if self._closing:
            return
        self._closing = True
        self._selector.unregister(self._door)
        if not self._owned:
            with suppress(OSError):  # while it is still ours: whoever finds nobody listening puts up another
                Path(self._door.socket.getsockname()).unlink()
        self._door.close()

    def _leave(self) -> NoReturn:
        """Ends everything that was started here, then this process."""
        with suppress(Exception):
            self._close_door()
        deadline = time.monotonic() + LAST_SECONDS
        while (children := _children_now() | self._known()) and time.monotonic() < deadline:
            for process in children:
                _kill(process)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            self._children, self._spare = {}, None
            time.sleep(0.002)
        os._exit(0)


def _bring_up_cuda() -> None:
    """In a spare child: a CUDA context, and one kernel compiled and launched, with no trace of it left."""
    try:
        kernel = importlib.import_module(WARM_UP)
        if not kernel.add_is_correct():
            os._exit(1)
        del sys.modules[WARM_UP]
        cuda = sys.modules["torch"].cuda
        cuda.synchronize()
        cuda.empty_cache()
        cuda.reset_peak_memory_stats()
        cuda.reset_accumulated_memory_stats()
        # CUDA's threads are none of the script's, should it fork.
        warnings.filterwarnings("ignore", "This process .*is multi-threaded", DeprecationWarning)
    except Exception:
        os._exit(1)


def _ended_child() -> int | None:
    """A child that has ended and has not been waited for."""
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if found is None else found.si_pid


def _children_now() -> set[int]:
    """All children, orphans of children included (where the kernel was built to tell)."""
    found: set[int] = set()
    for listing in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found.update(map(int, listing.read_text().split()))
    return found


def _kill(process: int) -> None:
    _signal_group(process, signal.SIGKILL)
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _signal_group(leader: int, number: int) -> None:
    try:
        os.killpg(leader, number)
    except ProcessLookupError:  # it is about to lead its group, or leads none
        with suppress(ProcessLookupError):
            os.kill(leader, number)
