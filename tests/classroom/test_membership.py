"""Joining and leaving a room."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from classroom.scripted import ENTERED, Scripted
from triton_workshop.classroom.membership import (
    Membership,
    UnansweredError,
    address_and_word,
    join,
    leave,
    membership,
    tell,
)
from triton_workshop.errors import MisuseError


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
    assert address_and_word(given) == (address, word)


@pytest.mark.parametrize(
    "given", ["", "ftp://room", "http://", "room:port", "room:0", "room:99999", "http://[room", "a\x1bb"]
)
def test_what_is_no_address_is_refused_in_one_line(given: str) -> None:
    with pytest.raises(MisuseError, match=r"^.* is not the address of a room; expected something like [^\n]*$"):
        address_and_word(given)


def test_who_joins_is_known_until_they_leave(room: Scripted, file: Path) -> None:
    room.answers = [(200, ENTERED)]
    joined = join(room.address, "KLMR", "Ada", file)
    assert joined == membership(file) == Membership(room.address, "secret", 7, "Ada")
    assert leave(file).startswith("You have left the room")
    assert membership(file) is None
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
    joined = membership(file)
    assert joined is not None
    assert joined.token == "other"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((403, b"This is not the word of this room."), "did not let you in: This is not the word of this room.$"),
        ((429, b"Too many tries.\nWait."), "did not let you in: Too many tries. Wait.$"),
        ((403, b"<html>A proxy</html>"), "did not let you in: 403 Forbidden$"),
        ((200, b"<html>Welcome to this hotel</html>"), "answers, but it is not the room of a workshop$"),
        ((200, b'["token"]'), "answers, but it is not the room of a workshop$"),
        ((302, b"http://elsewhere/"), "no room answers at .*: it says 302 Found"),
        (None, "no room answers at .*; is the address right"),
    ],
)
def test_who_cannot_join_reads_why(room: Scripted, file: Path, answer: tuple[int, bytes] | None, said: str) -> None:
    room.answers = [answer]
    with pytest.raises(MisuseError, match=said):
        join(room.address, "KLMR", None, file)
    assert membership(file) is None
    assert len(room.heard) == 1


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
    assert membership(file) is None


def test_an_address_that_is_none_is_not_answered() -> None:
    with pytest.raises(UnansweredError, match="unknown url type: 'nowhere/leave'"):
        tell(Membership("nowhere/", "secret", 7, None), "leave", {}, 1)


@pytest.mark.parametrize(
    "kept", [b"", b"{}", b"[1]", b'{"address": "x", "token": "x", "number": "x", "name": null}', b"\xff"]
)
def test_a_broken_file_is_no_membership(file: Path, kept: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(kept)
    assert membership(file) is None
