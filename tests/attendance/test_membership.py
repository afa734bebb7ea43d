"""Joining and leaving a room."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import chain, repeat
from pathlib import Path

import pytest

from tests.attendance.scripted import ENTERED, Scripted
from triton_workshop.attendance.membership import (
    Membership,
    UnansweredError,
    join,
    leave,
    parse_link,
    read_membership,
    send,
)
from triton_workshop.errors import MisuseError

NO_ROOM = "answers, but it is not the room of a workshop$"


@pytest.mark.parametrize(
    ("given", "address", "word"),
    [
        ("192.168.1.5:8000", "http://192.168.1.5:8000/", None),
        ("localhost:8000", "http://localhost:8000/", None),
        ("https://room.example/day/2", "https://room.example/day/2/", None),
        ("http://192.168.1.5:8000/?word=KLMR", "http://192.168.1.5:8000/", "KLMR"),
        ("http://[::1]:8000/?word=", "http://[::1]:8000/", None),
    ],
)
def test_an_address_may_be_a_link(given: str, address: str, word: str | None) -> None:
    assert parse_link(given) == (address, word)


@pytest.mark.parametrize(
    "given", ["", "ftp://room", "http://", "room:port", "room:0", "room:99999", "http://[room", "a\x1bb"]
)
def test_what_is_no_address_is_refused_in_one_line(given: str) -> None:
    with pytest.raises(MisuseError, match=r"^.* is not the address of a room; expected something like [^\n]*$"):
        parse_link(given)


def test_who_joins_is_known_until_they_leave(room: Scripted, file: Path) -> None:
    room.answers = [(200, ENTERED)]
    joined = join(room.address, "KLMR", "Ada", file)
    assert joined == read_membership(file) == Membership(room.address, "secret", 7, "Ada")
    assert leave(file).startswith("You have left the room")
    assert read_membership(file) is None
    assert room.heard == [("/enter", None, "word=KLMR&name=Ada"), ("/leave", "Bearer secret", {})]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_nobody_else_can_read_the_token(room: Scripted, file: Path) -> None:
    room.answers = [(200, ENTERED)]
    join(room.address, "KLMR", None, file)
    assert file.stat().st_mode & 0o077 == 0


def test_who_joins_again_leaves_first(room: Scripted, file: Path) -> None:
    room.answers = [(200, ENTERED), (200, ENTERED.replace(b"secret", b"other"))]
    join(room.address, "KLMR", "Ada", file)
    join(room.address, "KLMR", "Ada", file)
    assert room.heard[-1] == ("/leave", "Bearer secret", {})
    joined = read_membership(file)
    assert joined is not None
    assert joined.token == "other"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((403, b"This is not the word of this room."), "did not let you in: This is not the word of this room.$"),
        ((421, b"This room is elsewhere."), "did not let you in: This room is elsewhere.$"),
        ((429, b"Too many tries.\nWait."), "did not let you in: Too many tries. Wait.$"),
        ((403, b"<html>A proxy</html>"), "did not let you in: 403 Forbidden$"),
        ((200, b"<html>Welcome to this hotel</html>"), NO_ROOM),
        ((200, b'["token"]'), NO_ROOM),
        ((302, b"http://elsewhere/"), "no room answers at .*: it says 302 Found"),
        (None, "no room answers at .*; is the address right"),
        ((200, b'{"token": "\\u001b]0;x\\u0007", "number": 7, "name": "Ada"}'), NO_ROOM),
        ((200, b'{"token": "", "number": 7, "name": "Ada"}'), NO_ROOM),
        ((200, b'{"token": ["secret"], "number": 7, "name": "Ada"}'), NO_ROOM),
        ((200, b'{"token": "secret", "number": Infinity, "name": "Ada"}'), NO_ROOM),
        ((200, b'{"token": "secret", "number": NaN, "name": "Ada"}'), NO_ROOM),
        ((200, b'{"token": "secret", "number": 1e999, "name": "Ada"}'), NO_ROOM),
        ((200, b'{"token": "secret", "number": true, "name": "Ada"}'), NO_ROOM),
        ((200, b'{"token": "secret", "number": %s, "name": "Ada"}' % (b"9" * 5000)), NO_ROOM),
        ((200, b'{"token": "secret", "number": 7, "name": {"Ada": 1}}'), NO_ROOM),
        ((200, b"[" * 60_000), NO_ROOM),
        ((200, b'{"token":' * 10_000), NO_ROOM),
        ((200, b"\xff\xfe"), NO_ROOM),
    ],
)
def test_who_cannot_join_reads_why(room: Scripted, file: Path, answer: tuple[int, bytes] | None, said: str) -> None:
    room.answers = [answer]
    with pytest.raises(MisuseError, match=said):
        join(room.address, "KLMR", None, file)
    assert read_membership(file) is None
    assert len(room.heard) == 1


def test_a_name_from_the_room_reaches_the_terminal_without_its_escapes(room: Scripted, file: Path) -> None:
    room.answers = [(200, b'{"token": "secret", "number": 7, "name": "\\u001b[2JAda\\u202e\\n!"}')]
    assert join(room.address, "KLMRT", None, file).name == "[2JAda !"


@contextmanager
def answering(*parts: bytes) -> Iterator[str]:
    """A room that says this to whoever comes; if it is several parts, the last one again and again."""

    def answer() -> None:
        with suppress(OSError), listening.accept()[0] as connection:
            connection.recv(4096)
            for part in parts if len(parts) == 1 else chain(parts[:-1], repeat(parts[-1])):
                connection.sendall(part)
                if over.wait(0.01):
                    return

    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        over.set()
        thread.join()


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.0 500 \x1b[2JOops\r\n\r\n",
        b"HTTP/1.0 403 \x1b[2JOops\r\n\r\n",
        b"HTTP/1.0 403 No\r\n\r\n\x1b[2JOops",
        b"\x1b[2JOops\r\n\r\n",
        b"HTTP/1.0 302 \x9b2J\r\nLocation: \x1b[2J\r\n\r\n",
        b"HTTP/1.0 500 " + b"Oops" * 9999 + b"\r\n\r\n",
    ],
)
def test_nothing_that_a_room_says_moves_the_cursor_or_fills_the_screen(file: Path, answer: bytes) -> None:
    with answering(answer) as address, pytest.raises(MisuseError) as refused:
        join(address, "KLMRT", None, file)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 200 OK\r\nX-Slow: ", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_room_that_answers_byte_by_byte_keeps_nobody(
    file: Path, monkeypatch: pytest.MonkeyPatch, start: bytes
) -> None:
    monkeypatch.setattr("triton_workshop.attendance.membership.JOIN_TIMEOUT_SECONDS", 0.2)
    with answering(start, b"x") as address, pytest.raises(MisuseError, match="it does not answer in time"):
        join(address, "KLMRT", None, file)


def test_a_port_where_nothing_listens_is_named(file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
    with pytest.raises(MisuseError, match=f"no room answers at {address}: .*; is the address right, and is it shared"):
        join(address, "KLMR", None, file)


def test_who_cannot_keep_the_token_has_not_joined(room: Scripted, tmp_path: Path) -> None:
    (tmp_path / "state").touch()
    room.answers = [(200, ENTERED)]
    with pytest.raises(MisuseError, match=r"you have not joined: .*room\.json cannot be written"):
        join(room.address, "KLMR", None, tmp_path / "state" / "room.json")
    assert room.heard[-1] == ("/leave", "Bearer secret", {})


def test_leaving_works_without_the_room(room: Scripted, file: Path) -> None:
    assert leave(file) == "You have not joined a room, so nothing is sent."
    room.answers = [(200, ENTERED), (502, b"")]
    join(room.address, "KLMR", None, file)
    assert leave(file).startswith("Nothing is sent any more. The room could not be told")
    assert read_membership(file) is None


def test_an_address_that_is_none_is_not_answered() -> None:
    with pytest.raises(UnansweredError, match="unknown url type: 'nowhere/leave'"):
        send(Membership("nowhere/", "secret", 7, None), "leave", {}, 1)


@pytest.mark.parametrize(
    "kept",
    [
        b"",
        b"{}",
        b"[1]",
        b'{"address": "x", "token": "x", "number": "x", "name": null}',
        b'{"address": "x", "token": "x", "number": Infinity, "name": null}',
        b"\xff",
        b"[" * 60_000,
    ],
)
def test_a_broken_file_is_no_membership(file: Path, kept: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(kept)
    assert read_membership(file) is None
