"""A warm parent: imports torch, Triton and the package once, and forks a child for each script.

It never initialises CUDA and never runs a tensor operation: a child could not use CUDA then, and would wait forever for
OpenMP's threads, which a fork does not copy. It keeps a spare child, which on a GPU initialises CUDA meanwhile. Each
client that connects is told when the parent is ready. If it then sends files and a `Request`, a child does the work;
the parent answers with the child's process and, at the end, with its exit status. Meanwhile the client can send signal
numbers. When a client goes, its child is ended. Without clients the parent leaves, after the seconds that it was told
to stay, but it always finishes importing. The kernel ends its children with it.
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
from triton_workshop.processes.execution import run_script, run_to_the_end, take_on
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.preload import preload
from triton_workshop.processes.process import die_with_parent, signal_child
from triton_workshop.processes.warm import FILES, READY, Request, user_at
from triton_workshop.processes.wire import SocketConnection

PACKAGE = "triton_workshop"
WARM_UP = "triton_workshop.setup.kernel"
"""A function that compiles and launches a kernel, which initialises CUDA."""
DECIDES = "triton_workshop.device"
"""Decides once whether kernels run on the GPU, and sets variables for Triton accordingly."""
TRIES = 3
"""How many spare children in a row may end unused before no more are kept."""
MESSAGE_SECONDS = 5
"""Seconds to wait for the rest of a message that has begun to arrive."""
HELD_OVER_FORK = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True)
class WaitingChild:
    """A child that waits for a job at the other end of this connection."""

    process: int
    connection: SocketConnection

    def take(self, request: Request, files: Sequence[int]) -> None:
        """Give it a job and let go of it. Raises OSError if it has ended."""
        with closing(self.connection):
            self.connection.send_files(files)
            self.connection.send(request)


def main(mode: Mode, listener: int, stays: float) -> NoReturn:
    """Serve clients that connect to this socket. The process that started this one is already waiting there."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    listening = socket.socket(fileno=listener)
    _preload(mode)
    Parent(mode, listening, stays).serve()


def _has_gone(client: SocketConnection) -> bool:
    """Whether the other side has closed, the one event that is reported without being asked for."""
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

    def __init__(self, mode: Mode, listener: socket.socket, stays: float) -> None:
        self._listener = listener
        self._stays = stays
        self._clients: dict[SocketConnection, int] = {}
        """The connected clients, each with its child, 0 for none."""
        self._spare: WaitingChild | None = None
        self._tries = TRIES
        self._mode = mode
        self._last_use = time.monotonic()
        self._wake, self._wakes = socket.socketpair()
        self._wakes.setblocking(False)
        signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ, self._admit)
        self._selector.register(self._wake, selectors.EVENT_READ, self._collect)

    def serve(self) -> NoReturn:
        """Serve until its time is up."""
        while True:
            if self._spare is None and self._tries:
                with suppress(OSError):
                    self._spare = self._fork(brings_up_cuda=self._mode is Mode.CUDA)
                    self._tries -= 1
            patience = None if self._clients else max(self._stays - (time.monotonic() - self._last_use), 0)
            events = self._selector.select(patience)
            if not events and not self._clients:
                # Immediately: so large a process takes a while to end, and a client that comes now starts another.
                self._listener.close()
                os._exit(0)  # and the kernel ends the spare child
            for key, _ in events:
                act: Callable[[], None] = key.data
                act()

    def _admit(self) -> None:
        """The next client, if it belongs to the same user."""
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
        """Start what a client asks for, or send the signal; the child of a client that has gone is ended."""
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
            if not _has_gone(client):
                self._clients[client] = self._hand_over(request, files)
                client.send({"process": self._clients[client]})
        finally:
            for file in files:
                os.close(file)

    def _hand_over(self, request: Request, files: list[int]) -> int:
        """Have a child do this, and return its process. Raises OSError."""
        spare, self._spare = self._spare, None
        if spare is not None:
            with suppress(OSError):  # it ended before it was used
                spare.take(request, files)
                self._tries = TRIES
                return spare.process
        fresh = self._fork(files)
        fresh.take(request, files)
        return fresh.process

    def _dismiss(self, client: SocketConnection) -> None:
        """End a conversation and its child."""
        if child := self._clients.pop(client):
            signal_child(child, signal.SIGKILL)
        self._last_use = time.monotonic()
        self._selector.unregister(client)
        client.close()

    def _collect(self) -> None:
        """Reap the children that have ended, kill the rest of their groups, and tell their clients."""
        self._wake.recv(4096)
        while (process := _ended_child()) is not None:
            signal_child(process, signal.SIGKILL)  # before the process id can be reused
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            if self._spare is not None and self._spare.process == process:
                self._spare.connection.close()
                self._spare = None
            for client in [client for client, child in self._clients.items() if child == process]:
                self._clients[client] = 0
                with suppress(OSError):
                    client.send({"code": code})
                self._dismiss(client)

    def _fork(self, files: Sequence[int] = (), *, brings_up_cuda: bool = False) -> WaitingChild:
        """A new child, which waits for a job; it closes these files."""
        ours, theirs = map(SocketConnection, socket.socketpair())
        # Signals for the child wait until it can handle them.
        signal.pthread_sigmask(signal.SIG_BLOCK, HELD_OVER_FORK)
        parent = os.getpid()
        process = os.fork()
        if process == 0:
            os.setsid()
            die_with_parent(parent)
            ours.close()
            for file in files:
                os.close(file)
            self._let_go()
            _do_what_comes(theirs, brings_up_cuda=brings_up_cuda)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD_OVER_FORK)
        theirs.close()
        return WaitingChild(process, ours)

    def _let_go(self) -> None:
        """In a child, closes everything that belongs to the parent."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for client in self._clients:
            client.close()
        for end in (self._listener, self._wake, self._wakes):
            end.close()


def _do_what_comes(jobs: SocketConnection, *, brings_up_cuda: bool) -> NoReturn:
    """A child's life."""
    if brings_up_cuda:
        _bring_up_cuda()
    try:
        files, request = jobs.receive_files(FILES), jobs.receive()
    except (OSError, EOFError):
        os._exit(0)
    assert isinstance(request, Request)
    jobs.close()
    take_on(request, files)
    if name := request.environment.get(reaper.OWNER):
        reaper.name_this_process(name)
    if request.arguments:
        run_script(request)
    run_to_the_end(call.main)


def _bring_up_cuda() -> None:
    """In a spare child, creates a CUDA context by compiling and launching one kernel, and leaves no other trace."""
    try:
        kernel = importlib.import_module(WARM_UP)
        if not kernel.add_is_correct():
            os._exit(1)
        # The script's own import must decide again where kernels run, and set the variables that follow from it.
        package = sys.modules[PACKAGE]
        for name in vars(package)["__all__"]:
            vars(package).pop(name, None)
        for name in (WARM_UP, DECIDES):
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
    """A child that has ended but has not been reaped."""
    try:
        found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return None
    return None if found is None else found.si_pid
