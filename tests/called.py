"""Functions that tests call in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from triton_workshop.processes.wire import Connection


def says_its_torch_and_crashes(connection: Connection) -> None:
    connection.send({"torch": "2.15.0"})
    os.abort()


def fails(connection: Connection) -> None:
    print("printed")
    Path("nowhere").read_text(encoding="utf-8")


def hangs(connection: Connection) -> None:
    time.sleep(600)


def says_its_variables(connection: Connection) -> None:
    connection.send({"names": [name for name in os.environ if name.startswith("TRITON_INTERPRET")]})


def echoes(connection: Connection, *words: object) -> None:
    for word in words:
        connection.send(word)


def answers(connection: Connection) -> None:
    while (message := connection.receive()) != "enough":
        connection.send(message)


def says_its_process(connection: Connection) -> None:
    connection.send(os.getpid())


def says_its_process_and_waits(connection: Connection) -> None:
    connection.send(os.getpid())
    connection.receive()


def has_a_child(connection: Connection) -> None:
    """And is busy."""
    child = subprocess.Popen(["sleep", "600"])
    connection.send((os.getpid(), child.pid))
    while True:
        pass


def prints(connection: Connection) -> None:
    print("printed")
    os.write(1, b"written\n")
    print("complained", file=sys.stderr)
    connection.send(os.read(0, 1))


def ends(connection: Connection, code: int) -> None:
    connection.send("begun")
    os._exit(code)


def loops(connection: Connection) -> None:
    connection.send(os.getpid())
    while True:
        time.sleep(0.01)


def is_interrupted(connection: Connection) -> None:
    try:
        loops(connection)
    except KeyboardInterrupt:
        connection.send("interrupted")


def leaves_somebody(connection: Connection) -> None:
    """Who holds what this process had open, and is in a session of its own."""
    left = subprocess.Popen(["sleep", "600"], start_new_session=True, pass_fds=connection._ends)
    connection.send(left.pid)
    os._exit(3)


def starts_children(connection: Connection) -> None:
    """A process inside its group, and one outside of it."""
    inside = subprocess.Popen(["sleep", "600"])
    outside = subprocess.Popen(["sleep", "600"], start_new_session=True)
    connection.send((os.getpid(), inside.pid, outside.pid))
    loops(connection)


def says_what_is_imported(connection: Connection) -> None:
    connection.send(sorted(sys.modules))


class OfThisScript:
    """Which the process that receives it does not know."""


def sends_what_nobody_knows(connection: Connection) -> None:
    unknown = OfThisScript()
    type(unknown).__module__ = "nowhere"
    sys.modules["nowhere"] = sys.modules[__name__]
    connection.send(unknown)
