"""The door of the room: the word, sessions, wrong tries, and what is refused before anything reads it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from triton_workshop.classroom.room import KEPT_OPEN, Room
from triton_workshop.web.guard import AT_ONCE, Allowance, Guard
from triton_workshop.web.limits import LARGEST_BODY, POLICY, Limits
from web.loopback import Answer, asked, served

FORM = "application/x-www-form-urlencoded"
BROWSER = {"Accept": "text/html,*/*", "Content-Type": FORM}


async def who(request: Request) -> Response:
    return PlainTextResponse(f"number {request.state.attendee.number}")


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Room:
    return Room(tmp_path_factory.mktemp("room") / "room.sqlite")


@pytest.fixture(scope="module")
def address(room: Room) -> Iterator[str]:
    app = Starlette(routes=[Route("/", who), Route("/report", who, methods=["POST"])])
    with served(Limits(Guard(app, room, "https://talks.example.org/triton/"))) as address:
        yield address


@pytest.fixture(scope="module")
def session(room: Room) -> dict[str, str]:
    return {"Authorization": f"Bearer {room.enter().token}"}


def token_in(answer: Answer) -> str:
    return answer.headers["set-cookie"].split(";")[0].removeprefix("room=")


def raw(address: str, request: str) -> str:
    """The answer to a request as it is written here, up to the end of the connection."""
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
        connection.sendall(request.replace("\n", "\r\n").encode())
        data = b""
        while chunk := connection.recv(65536):
            data += chunk
    return data.decode()


def test_without_a_session_a_browser_is_asked_for_the_word_and_a_program_refused(address: str) -> None:
    page = asked(address)
    assert (page.status, 'action="enter"' in page.text) == (401, True)
    assert asked(f"{address}report", b"").status == 401
    assert asked(f"{address}nothing").status == 401


@pytest.mark.parametrize("host", ["x/board?", "x/board#", "x/enter.css?"])
def test_a_host_that_names_an_open_path_opens_no_other(address: str, host: str) -> None:
    assert asked(address, headers={"Host": host}).status == 401


def test_the_word_gives_a_browser_a_session_without_regard_to_case(address: str, room: Room) -> None:
    answer = raw(address, f"GET /?word={room.word.lower()} HTTP/1.1\nHost: x\nConnection: close\n\n")
    head = answer.lower()
    assert " 303 " in head
    assert "location: ./\r\n" in head
    assert "httponly" in head
    assert "samesite=lax" in head
    assert "path=" not in head.split("set-cookie")[1].split("\r\n")[0]
    token = answer.split("room=")[1].split(";")[0]
    assert asked(address, headers={"Cookie": f"theme=dark; room={token}"}).text.startswith("number ")


def test_where_a_wrong_word_was_entered_a_browser_that_comes_back_finds_the_door(address: str) -> None:
    wrong = asked(f"{address}enter", b"word=QQQQ", BROWSER)
    assert (wrong.status, 'role="alert"' in wrong.text) == (403, True)
    again = asked(f"{address}enter")
    assert (again.status, 'action="enter"' in again.text) == (401, True)
    assert "location: ./\r\n" in raw(address, "GET /enter HTTP/1.1\nHost: x\nConnection: close\n\n").lower()


def test_who_has_joined_opens_the_slides_as_the_same_attendee(address: str, room: Room) -> None:
    ada = room.enter("Ada")
    answer = raw(address, f"GET /?session={ada.token} HTTP/1.1\nHost: x\nConnection: close\n\n")
    assert " 303 " in answer.splitlines()[0]
    assert f"room={ada.token};" in answer
    assert asked(f"{address}?session=other").status == 401
    assert asked(f"{address}report?session={ada.token}", b"").status == 401


def test_a_program_gets_its_session_as_json(address: str, room: Room) -> None:
    answer = asked(f"{address}enter", f"word=+{room.word}&name=Ada".encode())
    assert answer.status == 200
    assert '"name":"Ada"' in answer.text


def test_a_wrong_word_is_told_on_the_page_that_asks_for_it(address: str) -> None:
    answer = asked(f"{address}enter", b"word=AAAA", BROWSER)
    assert answer.status == 403
    assert 'role="alert"' in answer.text
    assert asked(f"{address}?word=%3Cscript%3E").status == 403


def test_the_token_of_another_day_is_refused(address: str, tmp_path: Path, room: Room) -> None:
    file = tmp_path / "room.sqlite"
    yesterday = Room(file, lambda: 1e9).enter().token
    today = Room(file, lambda: 1e9 + KEPT_OPEN + 1)
    assert today.attendee(yesterday) is None
    for token in (yesterday, "", "x" * 300, "ü"):
        assert asked(address, headers={"Cookie": f"room={token}".encode().decode("latin-1")}).status == 401


def test_every_answer_has_the_policy(address: str, session: dict[str, str]) -> None:
    for answer in (asked(address), asked(address, headers=session), asked(f"{address}report", b"x" * 9999)):
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://talks.example.org"}, 200),
    ],
)
def test_a_post_from_another_site_is_refused(
    address: str, session: dict[str, str], headers: dict[str, str], status: int
) -> None:
    assert asked(f"{address}report", b"", session | headers).status == status


def test_a_body_that_is_too_large_is_not_read(address: str) -> None:
    declared = raw(address, f"POST /report HTTP/1.1\nHost: x\nContent-Length: {10**9}\n\nbegin")
    assert " 413 " in declared.splitlines()[0]
    chunk = "x" * LARGEST_BODY
    undeclared = f"POST /report HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n{LARGEST_BODY:x}\n{chunk}\n1\nx\n"
    assert " 413 " in raw(address, undeclared).splitlines()[0]


class Clock:
    time = 0.0

    def now(self) -> float:
        return self.time


def test_wrong_tries_are_refused_once_an_address_has_used_up_its_own() -> None:
    clock = Clock()
    tries = Allowance(clock.now)
    assert [tries.take("10.0.0.1") for _ in range(AT_ONCE + 2)] == [True] * AT_ONCE + [False] * 2
    assert tries.take("10.0.0.2"), "another address has tries of its own"
    clock.time += 3
    assert [tries.take("10.0.0.1") for _ in range(4)] == [True] * 3 + [False]


def test_right_words_use_up_no_tries() -> None:
    tries = Allowance(Clock().now)
    for _ in range(1000):
        assert tries.take("10.0.0.1")
        tries.give_back("10.0.0.1")


def test_who_has_a_link_never_waits_for_those_who_guess(room: Room) -> None:
    app = Starlette(routes=[Route("/", who)])
    with served(Limits(Guard(app, room))) as address:
        for _ in range(AT_ONCE):
            asked(f"{address}enter", b"word=AAAA")
        assert asked(f"{address}enter", f"word={room.word}".encode()).status == 429
        assert asked(f"{address}enter", f"word={room.ticket}".encode()).status == 200
        assert " 303 " in raw(address, f"GET /?word={room.ticket} HTTP/1.1\nHost: x\nConnection: close\n\n")


def test_the_memory_of_tries_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triton_workshop.web.guard.MOST_REMEMBERED", 10)
    clock = Clock()
    tries = Allowance(clock.now)
    for number in range(100):
        tries.take(f"10.0.0.{number}")
        clock.time += 1
    assert len(tries._full) <= 12
