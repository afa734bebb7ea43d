"""Warm parent, which forks a child for each script.

It imports torch, Triton and the package once. It never initialises CUDA and never runs a tensor operation: a child
could not use CUDA then, and would wait forever for OpenMP's threads, which a fork does not copy. It keeps a spare
child, which on a GPU initialises CUDA meanwhile.

Each client that connects gets a message when the parent is ready. If it then sends files and a `Request`, a child does
the work; the parent answers with the child's process and, at the end, with its exit status. Meanwhile the client can
send signal numbers. When a client goes, its child is ended. Without clients the parent lingers for some seconds and
ends, but it always finishes importing. The kernel ends its children with it.
"""

from __future__ import annotations

import gc
import importlib
import os
import select
import selectors
import signal
import socket
import struct
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from triton_workshop.processes import call, reaper
from triton_workshop.processes.execution import apply_request, run_and_exit, run_script
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.preload import preload
from triton_workshop.processes.process import die_with_parent, signal_child
from triton_workshop.processes.warm import FILES, READY, Request, user_at
from triton_workshop.processes.wire import SocketConnection

PACKAGE = "triton_workshop"
WARM_UP_MODULE = "triton_workshop.setup.kernel"
"""A function that compiles and launches a kernel, which initialises CUDA."""
DEVICE_MODULE = "triton_workshop.device"
"""The module that decides where kernels run, and sets Triton's variables."""
MAX_UNUSED_SPARES = 3
"""Spare children in a row that may end unused before no more are kept."""
MESSAGE_SECONDS = 5
"""Seconds to wait for the rest of a message that has begun to arrive."""
BLOCKED_DURING_FORK = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class WaitingChild:
    """A child that waits for a job at the other end of this connection."""

    process: int
    connection: SocketConnection

    def assign(self, request: Request, files: Sequence[int]) -> None:
        """Give it a job and let go of it. Raises OSError if it has ended."""
        with closing(self.connection):
            self.connection.send_files(files)
            self.connection.send(request)


def main(mode: Mode, listener: int, linger_seconds: float) -> NoReturn:
    """Serve clients that connect to this socket.

    The process that started this one is already waiting there.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listening = socket.socket(fileno=listener)
    _preload(mode)
    Parent(mode, listening, linger_seconds).serve()


def _has_disconnected(client: SocketConnection) -> bool:
    """Return True if the other side has closed.

    `poll` reports this one event without being asked for it.
    """
    poll = select.poll()
    poll.register(client, 0)
    return bool(poll.poll(0))


def _preload(mode: Mode) -> None:
    preload(mode)
    # These objects stay: children need not scan them, nor copy their pages.
    gc.collect()
    gc.freeze()


class Parent:
    """Serves clients."""

    def __init__(self, mode: Mode, listener: socket.socket, linger_seconds: float) -> None:
        self._listener = listener
        self._linger_seconds = linger_seconds
        self._clients: dict[SocketConnection, int] = {}
        """The connected clients, each with its child, 0 for none."""
        self._spare: WaitingChild | None = None
        self._spare_attempts = MAX_UNUSED_SPARES
        self._mode = mode
        self._last_use = time.monotonic()
        self._wake, self._wakes = socket.socketpair()
        self._wakes.setblocking(False)
        signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        # It does nothing, but without a handler the signal would not be written to the descriptor.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, self._admit)
        self._selector.register(self._wake, selectors.EVENT_READ, self._collect)

    def serve(self) -> NoReturn:
        """Serve until its time is up."""
        while True:
            may_fork = self._spare is None and self._spare_attempts > 0
            if may_fork:
                with suppress(OSError):
                    self._spare = self._fork(with_cuda=self._mode is Mode.CUDA)
                    self._spare_attempts -= 1
            timeout = None if self._clients else max(self._linger_seconds - (time.monotonic() - self._last_use), 0)
            events = self._selector.select(timeout)
            is_unused = not events and not self._clients
            if is_unused:
                # Immediately: so large a process takes a while to end, and a client that comes now starts another.
                self._listener.close()
                os._exit(0)  # and the kernel ends the spare child
            for key, _ in events:
                act: Callable[[], None] = key.data
                act()

    def _admit(self) -> None:
        """Admit the next client, if it belongs to the same user."""
        client = SocketConnection(self._listener.accept()[0])
        if user_at(client.socket) != os.geteuid():
            client.close()
            return
        # Nobody waits for a client that stops in the middle of a message.
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", MESSAGE_SECONDS, 0))
        self._clients[client] = 0
        self._selector.register(client, selectors.EVENT_READ, partial(self._attend, client))
        with suppress(OSError):  # `_attend` notices a client that has gone
            client.send(READY)

    def _attend(self, client: SocketConnection) -> None:
        """Start a client's request, or pass on its signal.

        The child of a client that has gone is ended.
        """
        if client not in self._clients:  # its child ended after the message arrived
            return
        try:
            if child := self._clients[client]:
                number = client.receive()
                assert isinstance(number, int)
                signal_child(child, number)
            else:
                self._start(client)
        except (OSError, EOFError):
            self._dismiss(client)

    def _start(self, client: SocketConnection) -> None:
        """Give the job that a client has sent to a child."""
        files = client.receive_files(FILES)
        try:
            request = client.receive()
            assert isinstance(request, Request)
            if not _has_disconnected(client):
                self._clients[client] = self._assign_child(request, files)
                client.send({"process": self._clients[client]})
        finally:
            for file in files:
                os.close(file)

    def _assign_child(self, request: Request, files: list[int]) -> int:
        """Have a child do this, and return its process. Raises OSError."""
        spare, self._spare = self._spare, None
        if spare is not None:
            with suppress(OSError):  # it ended before it was used
                spare.assign(request, files)
                self._spare_attempts = MAX_UNUSED_SPARES
                return spare.process
        fresh = self._fork(files)
        fresh.assign(request, files)
        return fresh.process

    def _dismiss(self, client: SocketConnection) -> None:
        """End a conversation and its child."""
        if child := self._clients.pop(client):
            signal_child(child, signal.SIGKILL)
        self._last_use = time.monotonic()
        self._selector.unregister(client)
        client.close()

    def _collect(self) -> None:
        """Reap the children that have ended.

        The rest of their groups is killed, and their clients get the exit status.
        """
        # Before children are looked for: one that ends meanwhile wakes this again.
        self._wake.recv(4096)
        while (process := _ended_child()) is not None:
            signal_child(process, signal.SIGKILL)  # before the process id can be reused
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            if self._spare is not None and self._spare.process == process:
                self._spare.connection.close()
                self._spare = None
            clients = [client for client, child in self._clients.items() if child == process]
            for client in clients:
                self._clients[client] = 0
                with suppress(OSError):
                    client.send({"code": code})
                self._dismiss(client)

    def _fork(self, files: Sequence[int] = (), *, with_cuda: bool = False) -> WaitingChild:
        """Return a new child, which waits for a job; it closes these files."""
        parent_end, child_end = map(SocketConnection, socket.socketpair())
        # Signals for the child wait until it can handle them.
        signal.pthread_sigmask(signal.SIG_BLOCK, BLOCKED_DURING_FORK)
        parent = os.getpid()
        process = os.fork()
        if process == 0:
            os.setsid()
            die_with_parent(parent)
            parent_end.close()
            for file in files:
                os.close(file)
            self._close_inherited()
            _serve_request(child_end, with_cuda=with_cuda)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, BLOCKED_DURING_FORK)
        child_end.close()
        return WaitingChild(process, parent_end)

    def _close_inherited(self) -> None:
        """Close everything that belongs to the parent, in a child."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for client in self._clients:
            client.close()
        for end in (self._listener, self._wake, self._wakes):
            end.close()


def _serve_request(jobs: SocketConnection, *, with_cuda: bool) -> NoReturn:
    """Get ready, wait for a request, and serve it, in a child."""
    if with_cuda:
        _initialise_cuda()
    try:
        files, request = jobs.receive_files(FILES), jobs.receive()
    except (OSError, EOFError):
        os._exit(0)
    assert isinstance(request, Request)
    jobs.close()
    apply_request(request, files)
    if name := request.environment.get(reaper.OWNER):
        reaper.name_this_process(name)
    if request.arguments:
        run_script(request)
    run_and_exit(call.main)


def _initialise_cuda() -> None:
    """Create a CUDA context in a spare child.

    One kernel is compiled and launched; no other trace is left.
    """
    try:
        kernel = importlib.import_module(WARM_UP_MODULE)
        if not kernel.add_is_correct():
            os._exit(1)
        # The script's own import must decide again where kernels run, and set the variables that follow from it.
        package = sys.modules[PACKAGE]
        for name in vars(package)["__all__"]:
            vars(package).pop(name, None)
        for name in (WARM_UP_MODULE, DEVICE_MODULE):
            del sys.modules[name]
        cuda = sys.modules["torch"].cuda
        cuda.synchronize()
        cuda.empty_cache()
        cuda.reset_peak_memory_stats()
        cuda.reset_accumulated_memory_stats()
        # CUDA's threads are not the script's concern, if it forks.
        warnings.filterwarnings("ignore", "This process .*is multi-threaded", DeprecationWarning)
    except Exception:
        os._exit(1)


def _ended_child() -> int | None:
    """Return a child that has ended but has not been reaped."""
    try:
        # With WNOWAIT, its number stays its own until its group has been killed.
        status = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if status is None else status.si_pid
