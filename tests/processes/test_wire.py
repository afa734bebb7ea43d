"""What goes between processes."""

from __future__ import annotations

import os
import socket
import sys
import threading
from pathlib import Path

import pytest

from triton_workshop.processes.wire import Connection, SocketConnection


def pipes() -> tuple[Connection, Connection]:
    """The two ends of a conversation."""
    there, here = os.pipe(), os.pipe()
    return Connection(here[0], there[1]), Connection(there[0], here[1])


def test_messages_arrive_whole_and_in_order() -> None:
    """One that is larger than a pipe holds, too."""
    ours, theirs = pipes()
    sent = [{"code": 0}, b"x" * 3_000_000, ("a", 1.5, None)]
    thread = threading.Thread(target=lambda: [ours.send(message) for message in sent])
    thread.start()
    assert [theirs.receive() for _ in sent] == sent
    thread.join()
    ours.close()
    theirs.close()


def test_messages_of_several_threads_do_not_mix() -> None:
    ours, theirs = pipes()
    words = [bytes([number]) * 200_000 for number in range(8)]
    threads = [threading.Thread(target=ours.send, args=(word,)) for word in words]
    for thread in threads:
        thread.start()
    assert sorted(theirs.receive() for _ in words) == words  # type: ignore[type-var]
    for thread in threads:
        thread.join()
    ours.close()
    theirs.close()


def test_a_message_that_is_cut_short_is_the_end() -> None:
    reading, writing = os.pipe()
    os.write(writing, (100).to_bytes(8, "little") + b"half")
    os.close(writing)
    connection = Connection(reading, reading)
    with pytest.raises(EOFError):
        connection.receive()
    connection.close()


def test_who_reads_ahead_learns_at_once_that_the_other_side_has_gone() -> None:
    """And has what was sent before, however late it is asked for."""
    ours, theirs = pipes()
    gone = threading.Event()
    theirs.read_ahead(gone.set)
    ours.send("one")
    ours.send("two")
    assert theirs.receive() == "one"
    assert not gone.is_set()
    ours.close()
    assert gone.wait(60)
    assert theirs.receive() == "two"
    theirs.close()


@pytest.mark.skipif(sys.platform == "win32", reason="descriptors travel over Unix sockets")
def test_files_travel_beside_messages(tmp_path: Path) -> None:
    ours, theirs = map(SocketConnection, socket.socketpair())
    with (tmp_path / "file").open("wb") as file:
        ours.send_files([file.fileno()])
        ours.send("there")
        [copy] = theirs.receive_files(1)
        assert theirs.receive() == "there"
        os.write(copy, b"written")
        os.close(copy)
    assert (tmp_path / "file").read_bytes() == b"written"
    ours.close()
    with pytest.raises(EOFError):
        theirs.receive_files(1)
    theirs.close()
