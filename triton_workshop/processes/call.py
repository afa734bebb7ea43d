"""A function in a separate process, which sends messages to its caller.

Its process has the same shape however it is started: messages come in through its input and go out through its
output, and what it prints goes to its standard error.
"""

from __future__ import annotations

import os
import pkgutil
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Literal

from triton_workshop.processes.process import (
    CAN_FORK,
    DRAIN_SECONDS,
    POLL_SECONDS,
    Files,
    NewProcess,
    Process,
    RunningProcess,
    call_later,
    die_with_parent,
    end_process_group,
    program,
    signal_child,
    signal_group,
)
from triton_workshop.processes.script import describe_exit
from triton_workshop.processes.stopwatch import INTERVAL_SECONDS, Stopwatch, processor_seconds_of
from triton_workshop.processes.wire import Connection

COMMAND = (sys.executable, "-c", program("from triton_workshop.processes.call import main; main()"))
IMPORT_SECONDS = 60.0
"""Seconds that a new process may take to import torch from a slow disk."""
GRACE_SECONDS = 3.0
"""Seconds that a process has, beyond its limit, to end itself.

One that holds Python's lock cannot end itself.
"""

Function = Callable[..., None] | str
"""Function that gets its end of the connection, and then its arguments.

A new process needs it and them to be picklable. If it is given by name, as `module:function`, only the process that
calls it imports the module.
"""


@dataclass(frozen=True)
class TimeLimit:
    """Time that a function has, as a `Stopwatch` counts it.

    When it is up, the line that the function has reached in `file` is reported.
    """

    seconds: float
    file: Path


class TimeIsUpError(Exception):
    """Function that has taken too long.

    `line` is its place in the limit's file, if known.
    """

    def __init__(self, line: int | None) -> None:
        super().__init__(f"time ran out on line {line}" if line else "time ran out")
        self.line = line


class EndedError(Exception):
    """Process that ended before its function did.

    `code` is as in `subprocess`.
    """

    def __init__(self, code: int) -> None:
        super().__init__(describe_exit(code))
        self.code = code


@dataclass(frozen=True)
class Task:
    """Function to call, as the first message to a new process."""

    function: Function
    arguments: tuple[object, ...]
    limit: TimeLimit | None = None


@dataclass(frozen=True)
class _End:
    """The last message: why no more will come. `line` is as in TimeIsUpError."""

    reason: Literal["returned", "time is up", "gone"]
    line: int | None = None


_RETURNED = _End("returned")


class Call(RunningProcess):
    """A function that is running."""

    def __init__(
        self,
        launch: Callable[[Files], Process],
        output: int,
        timeout: float | None = None,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        """Start a process and listen to it.

        `output` is the descriptor for what it prints; `on_end` is called at the end. After `timeout` seconds its time
        is up, whatever its own limit is: see `Stopwatch`. Raises OSError.
        """
        requests, sender = os.pipe()
        receiver, messages = os.pipe()
        self._connection = Connection(receiver, sender)
        try:
            process = launch((requests, messages, output))
        except BaseException:
            self._connection.close()
            raise
        finally:
            # The process has copies. While these stay open here, nobody would notice that it has ended.
            os.close(requests)
            os.close(messages)
        self._timeout = timeout
        self._busy = False
        """True until the submitted function has returned."""
        self._received: queue.SimpleQueue[object] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        undo = ExitStack()
        undo.callback(on_end)
        undo.callback(self._close_connection)
        super().__init__(process, undo)

    def _read(self) -> None:
        with suppress(Exception):  # it has ended, or sent something that is no message
            while True:
                self._received.put(self._connection.receive())
        self._received.put(_End("gone"))

    def _close_connection(self) -> None:
        self._reader.join(DRAIN_SECONDS)
        # While the thread reads, the number of the descriptor must not go to another file.
        if not self._reader.is_alive():
            self._connection.close()

    def send(self, message: object) -> None:
        """Send a message to the function.

        A function that has ended does not get it.
        """
        with suppress(OSError):
            self._connection.send(message)

    def submit(self, function: Function, *arguments: object, limit: TimeLimit) -> None:
        """Have a process that runs `take_tasks` call a function.

        It does so as soon as it has returned from the one before. The next messages are those of this function. Raises
        TimeIsUpError and EndedError, as `messages` does.
        """
        if self._busy:
            for _ in self.messages():
                pass
        self._busy, self._timeout = True, limit.seconds + GRACE_SECONDS + IMPORT_SECONDS
        self.send(Task(function, arguments, limit))

    def messages(self) -> Iterator[object]:
        """Yield the function's messages until it returns.

        Raises TimeIsUpError and EndedError.
        """
        stopwatch, timeout = Stopwatch(self._process.processor_seconds), self._timeout

        def is_up() -> bool:
            return timeout is not None and stopwatch.read() > timeout

        while (message := self._checked(self._next(is_up))) != _RETURNED:
            yield message

    def next_message(self, seconds: float) -> object:
        """Return the function's next message, within so many seconds.

        Raises TimeIsUpError and EndedError.
        """
        deadline = time.monotonic() + seconds
        message = self._checked(self._next(lambda: time.monotonic() > deadline))
        if message == _RETURNED:
            raise EndedError(0)
        return message

    def waiting_messages(self) -> Iterator[object]:
        """Yield the messages that have arrived, without waiting for more.

        If the last of them says that the function has ended, it stays in the queue.
        """
        with suppress(queue.Empty):
            while not isinstance(message := self._received.get_nowait(), _End):
                yield message
            self._received.put(message)

    def _checked(self, message: object) -> object:
        match message:
            case _End("returned"):
                self._busy = False
            case _End("time is up", line):
                raise TimeIsUpError(line)
            case _End("gone"):
                call_later(DRAIN_SECONDS, self.kill)  # one that has only closed its end
                self._end()
                raise EndedError(self._code)
        return message

    def _next(self, is_time_up: Callable[[], bool]) -> object:
        """Return the next message.

        If the process has ended without a last message, return one that says so.
        """
        while True:
            with suppress(queue.Empty):
                return self._received.get(timeout=POLL_SECONDS)
            now, ended = time.monotonic(), self._reap()
            if ended is not None:
                if now > ended + DRAIN_SECONDS:
                    return _End("gone")
            elif is_time_up():
                raise TimeIsUpError(None)


def start(
    function: Function,
    *arguments: object,
    output: int,
    limit: TimeLimit | None = None,
    timeout: float | None = None,
    variables: Mapping[str, str] = os.environ,
) -> Call:
    """Call a function in a new process.

    `timeout` is as in `Call`; by default the limit decides. Raises OSError.
    """
    if limit is not None:
        timeout = limit.seconds + GRACE_SECONDS + IMPORT_SECONDS
    call = Call(partial(NewProcess, COMMAND, variables=variables), output, timeout)
    call.send(Task(function, arguments, limit))
    return call


def fork(function: Function, *arguments: object, output: int, limit: TimeLimit | None = None) -> Call:
    """Call a function in a copy of this process (Linux).

    This process must have one thread and have computed nothing.
    """
    timeout = None if limit is None else limit.seconds + GRACE_SECONDS
    task = Task(function, arguments, limit)
    return Call(partial(_ForkedProcess, lambda: _run(_connect_stdio(), task)), output, timeout)


class _ForkedProcess:
    """A `Process` that does some work and ends."""

    def __init__(self, work: Callable[[], None], files: Files) -> None:
        import multiprocessing

        parent = os.getpid()

        def begin() -> None:
            """Become the process that does the work, after the fork."""
            os.setsid()
            die_with_parent(parent)
            copies = [os.dup(file) for file in files]  # as output may be 1
            for number, file in enumerate(copies):
                os.dup2(file, number)
            work()

        self._process = multiprocessing.get_context("fork").Process(target=begin)
        self._process.start()

    def poll(self) -> int | None:
        """Return the exit status, or None while it runs."""
        return self._process.exitcode

    def pause(self, seconds: float | None) -> None:
        """Wait until it ends, or at most that long."""
        self._process.join(seconds)

    def processor_seconds(self) -> float | None:
        """Return the processor time that it has used; None if unknown."""
        return None if self._process.pid is None else processor_seconds_of(self._process.pid)

    def signal_group(self, number: int) -> None:
        """Send a signal to the process and its group."""
        assert self._process.pid is not None
        send = signal_child if self._process.exitcode is None else signal_group
        send(self._process.pid, number)

    def release(self) -> None:
        """Release the handle of the process."""
        self._process.close()


def main() -> None:
    """Call the function that the first message names.

    The entry point of a new process and of a warm parent's fork.
    """
    connection = _connect_stdio()
    if not CAN_FORK:
        connection.read_ahead(end_process_group)  # as neither the kernel nor a reaper ends what has lost its caller
    task = connection.receive()
    assert isinstance(task, Task)
    _run(connection, task)


def take_tasks(connection: Connection) -> None:
    """Call one function after the other, as `Call.submit` says.

    Return when the caller has closed its end.
    """
    with suppress(EOFError):
        while True:
            task = connection.receive()
            if isinstance(task, Task):  # and not what came too late for the last function
                _run(connection, task)


class _FlushingConnection(Connection):
    """Connection that flushes prints before it sends.

    A receiver that has all it wants ends this process.
    """

    def send(self, message: object) -> None:
        """Flush what was printed, then send a message."""
        _flush()
        super().send(message)


def _connect_stdio() -> Connection:
    """Return a connection over standard input and output.

    From now on, prints go to standard error and input is empty. Interrupts work, whatever was inherited.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    connection = _FlushingConnection(os.dup(0), os.dup(1))
    devnull = os.open(os.devnull, os.O_RDONLY)
    os.dup2(devnull, 0)
    os.close(devnull)
    os.dup2(2, 1)
    return connection


def _run(connection: Connection, task: Task) -> None:
    try:
        with limited(task.limit, lambda line: connection.send(_End("time is up", line))):
            function = pkgutil.resolve_name(task.function) if isinstance(task.function, str) else task.function
            function(connection, *task.arguments)
        connection.send(_RETURNED)
    except (KeyboardInterrupt, BrokenPipeError):
        # Whoever asked has ended it. A traceback of ours would stand among what a learner's script has printed.
        sys.stdout.flush()
        os._exit(1)
    finally:
        _flush()


def _flush() -> None:
    """Flush standard output, unless a function has closed or replaced it."""
    with suppress(AttributeError, ValueError, OSError):
        sys.stdout.flush()


@contextmanager
def limited(limit: TimeLimit | None, on_expiry: Callable[[int | None], None]) -> Iterator[None]:
    """End this process when the time is up, unless the block ends first.

    `on_expiry` gets the line of the limit's file that the block has reached. A thread, not a signal, needs no main
    thread that listens, and a bare `except:` cannot swallow it.
    """
    if limit is None:
        yield
        return
    watched = threading.get_ident()

    def expire() -> None:
        """Report the line, and end the process."""
        try:
            on_expiry(_line(sys._current_frames().get(watched), limit.file))
            sys.stdout.flush()
        finally:
            os._exit(1)

    timer = _Expiry(limit.seconds, expire)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _Expiry(threading.Timer):
    """Timer that counts the time that this process has had."""

    daemon = True

    def run(self) -> None:
        """Call the function when the time is up, unless it is cancelled before."""
        interval = min(INTERVAL_SECONDS, self.interval / 4)
        stopwatch = Stopwatch(time.process_time, interval)
        while not self.finished.wait(interval):
            if stopwatch.read() >= self.interval:
                self.finished.set()
                self.function(*self.args, **self.kwargs)


def _line(frame: FrameType | None, file: Path) -> int | None:
    """Return a thread's line in a file, in its innermost frame there."""
    while frame is not None:
        if Path(frame.f_code.co_filename) == file:
            return frame.f_lineno
        frame = frame.f_back
    return None
