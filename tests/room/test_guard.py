"""The door of the room: the word, sessions, wrong tries, and what is refused before anything reads it."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.room.loopback import Answer, asked, served
from triton_workshop.attendance.register import ROOM_LIFETIME_SECONDS, Register
from triton_workshop.room.guard import ENTRY_BURST, GUESSED, MAX_ADDRESS_CHARACTERS, Guard, client_address
from triton_workshop.room.limits import MAX_BODY_BYTES, POLICY, Limits, Throttle
from triton_workshop.room.rate_limiter import (
    EXCESS_REFUSALS,
    EXCESS_SECONDS,
    MAX_PENDING_REQUESTS,
    REQUEST_BURST,
    RateLimiter,
    SessionLimiter,
)

FORM = "application/x-www-form-urlencoded"
BROWSER = {"Accept": "text/html,*/*", "Content-Type": FORM}


async def who(request: Request) -> Response:
    return PlainTextResponse(f"number {request.state.attendee.number}")


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Register:
    return Register(tmp_path_factory.mktemp("room") / "room.sqlite")


@pytest.fixture(scope="module")
def address(room: Register) -> Iterator[str]:
    app = Starlette(routes=[Route("/", who), Route("/report", who, methods=["POST"])])
    with served(Limits(Guard(app, room, "https://talks.example.org/triton/"))) as address:
        yield address


@pytest.fixture(scope="module")
def session(room: Register) -> dict[str, str]:
    return {"Authorization": f"Bearer {room.enter().token}"}


def token_in(answer: Answer) -> str:
    return answer.headers["set-cookie"].split(";")[0].removeprefix("room=")


def raw(address: str, request: str) -> str:
    """The answer to a request as it is written here, up to the end of the connection."""
    return answer_to(address, request.replace("\n", "\r\n").encode()).decode()


def answer_to(address: str, request: bytes) -> bytes:
    parts = urlsplit(address)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as connection:
        connection.sendall(request)
        data = b""
        while chunk := connection.recv(65536):
            data += chunk
    return data


def test_without_a_session_a_browser_is_asked_for_the_word_and_a_program_refused(address: str) -> None:
    page = asked(address)
    assert (page.status, 'action="enter"' in page.text) == (401, True)
    assert asked(f"{address}report", b"").status == 401
    assert asked(f"{address}nothing").status == 401


@pytest.mark.parametrize("host", ["x/board?", "localhost/board#", "localhost/enter.css?", "[", "[::1", ""])
def test_a_host_that_names_an_open_path_opens_no_other(address: str, host: str) -> None:
    assert asked(address, headers={"Host": host}).status == 421


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("127.0.0.1:8000", True),
        ("192.168.1.5", True),
        ("[::1]:8000", True),
        ("LOCALHOST:8000", True),
        ("localhost.", True),
        (socket.gethostname(), True),
        ("talks.example.org", True),
        ("talks.example.org:443", True),
        ("evil.com", False),
        ("evil.com:8000", False),
        ("localhost.evil.com", False),
        ("talks.example.org.evil.com", False),
        ("example.org", False),
        ("localhost@evil.com", False),
        ("evil.com@localhost", False),
        ("127.0.0.1.evil.com", False),
        ("1", False),
    ],
)
def test_a_name_that_another_site_has_given_our_address_is_not_ours(
    address: str, session: dict[str, str], host: str, ours: bool
) -> None:
    for path, body in (("", None), ("report", b""), ("enter.css", None), ("enter", b"word=AAAAA"), ("board", None)):
        headers = session | {"Host": host, "Origin": f"http://{host}"}
        assert (asked(address + path, body, headers).status == 421) is not ours


def test_a_program_may_ask_without_a_host(address: str) -> None:
    assert " 401 " in raw(address, "GET / HTTP/1.0\n\n").splitlines()[0]


def test_the_word_gives_a_browser_a_session_without_regard_to_case(address: str, room: Register) -> None:
    answer = raw(address, f"GET /?word={room.word.lower()} HTTP/1.1\nHost: localhost\nConnection: close\n\n")
    head = answer.lower()
    assert " 303 " in head
    assert "location: ./\r\n" in head
    assert "httponly" in head
    assert "samesite=lax" in head
    assert "path=" not in head.split("set-cookie")[1].split("\r\n")[0]
    token = answer.split("room=")[1].split(";")[0]
    assert asked(address, headers={"Cookie": f"theme=dark; room={token}"}).text.startswith("number ")


def test_where_a_wrong_word_was_entered_a_browser_that_comes_back_finds_the_door(address: str) -> None:
    wrong = asked(f"{address}enter", b"word=QQQQQ", BROWSER)
    assert (wrong.status, 'role="alert"' in wrong.text) == (403, True)
    again = asked(f"{address}enter")
    assert (again.status, 'action="enter"' in again.text) == (401, True)
    assert "location: ./\r\n" in raw(address, "GET /enter HTTP/1.1\nHost: localhost\nConnection: close\n\n").lower()


def test_a_link_with_a_session_asks_before_a_browser_becomes_that_attendee(address: str, room: Register) -> None:
    """Anybody may have sent it, so that they get what the reader tells."""
    mallory, ada = room.enter("<b>Mallory"), room.enter("Ada")
    link = f"{address}?session={mallory.token}"
    for headers in ({}, {"Cookie": f"room={ada.token}"}):
        answer = asked(link, headers=headers)
        assert (answer.status, answer.headers["set-cookie"]) == (200, None)
        assert "&lt;b&gt;Mallory</strong>" in answer.text
    assert asked(link, headers={"Cookie": f"room={mallory.token}"}).text == f"number {mallory.number}"
    assert asked(f"{address}?session=other").status == 401
    assert asked(f"{address}?session=other", headers={"Cookie": f"room={ada.token}"}).text == f"number {ada.number}"
    assert asked(f"{address}report?session={ada.token}", b"").status == 401


def test_who_has_joined_opens_the_slides_as_the_same_attendee(address: str, room: Register) -> None:
    ada = room.enter("Ada")
    body = f"session={ada.token}"
    head = f"POST /enter HTTP/1.1\nHost: localhost\nConnection: close\nContent-Length: {len(body)}\n"
    assert f"room={ada.token};" in raw(address, f"{head}\n{body}")
    elsewhere = raw(address, f"{head}Origin: https://evil.example\n\n{body}")
    assert (" 403 " in elsewhere.splitlines()[0], "set-cookie" in elsewhere) == (True, False)
    assert asked(f"{address}enter", b"session=other").status == 401


@pytest.mark.parametrize(("url", "secure"), [("", False), ("http://a.example", False), ("https://a.example/x", True)])
def test_a_session_that_came_over_https_stays_there(tmp_path: Path, url: str, secure: bool) -> None:
    room = Register(tmp_path / "room.sqlite")
    with served(Limits(guarded(room, url))) as address:
        answer = raw(address, f"GET /?word={room.word} HTTP/1.1\nHost: localhost\nConnection: close\n\n")
    assert ("; secure" in answer.lower()) == secure


def test_a_program_gets_its_session_as_json(address: str, room: Register) -> None:
    answer = asked(f"{address}enter", f"word=+{room.word}&name=Grace".encode())
    assert answer.status == 200
    assert '"name":"Grace"' in answer.text


def test_a_wrong_word_is_told_on_the_page_that_asks_for_it(address: str) -> None:
    answer = asked(f"{address}enter", b"word=AAAAA", BROWSER)
    assert answer.status == 403
    assert 'role="alert"' in answer.text
    assert asked(f"{address}?word=%3Cscript%3E").status == 403


def test_the_token_of_another_day_is_refused(address: str, tmp_path: Path, room: Register) -> None:
    file = tmp_path / "room.sqlite"
    yesterday = Register(file, lambda: 1e9).enter().token
    today = Register(file, lambda: 1e9 + ROOM_LIFETIME_SECONDS + 1)
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
        ({"Origin": "http://["}, 403),
        ({"Origin": "http://localhost:1", "Host": "localhost:1"}, 200),  # the same site, wherever a tunnel begins
        ({"Origin": "http://[", "Host": "["}, 421),
        ({"Origin": "https://"}, 403),
        ({"Origin": ""}, 403),
    ],
)
def test_a_post_from_another_site_is_refused(
    address: str, session: dict[str, str], headers: dict[str, str], status: int
) -> None:
    assert asked(f"{address}report", b"", session | headers).status == status


CROSS_SITE = {"Sec-Fetch-Site": "cross-site"}
PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.mark.parametrize(
    ("headers", "opens"),
    [
        ({}, True),
        (PAGE, True),
        (PAGE | {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, True),
        (PAGE | CROSS_SITE | {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, True),  # a link in a mail
        (PAGE | CROSS_SITE | {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, False),
        (CROSS_SITE | {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, False),
        (PAGE | CROSS_SITE | {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "empty"}, False),
        ({"Accept": "image/avif,image/webp,*/*;q=0.8"}, False),
        ({"Accept": "*/*"}, False),
        (PAGE | {"Origin": "http://evil.example"}, False),
    ],
)
def test_only_who_opens_the_page_guesses(tmp_path: Path, headers: dict[str, str], opens: bool) -> None:
    room = Register(tmp_path / "room.sqlite")
    with served(Limits(guarded(room))) as address:
        assert asked(f"{address}?word=AAAAA", headers=headers).status == (403 if opens else 401)
        assert room._wrong_words == opens
        lines = ("GET /?word=", room.word, " HTTP/1.1\nHost: localhost\nConnection: close\n")
        sent = "".join((*lines, *(f"{name}: {value}\n" for name, value in headers.items()), "\n"))
        assert (" 303 " in raw(address, sent).splitlines()[0]) == opens


def test_a_body_that_is_too_large_is_not_read(address: str) -> None:
    declared = raw(address, f"POST /report HTTP/1.1\nHost: localhost\nContent-Length: {10**9}\n\nbegin")
    assert " 413 " in declared.splitlines()[0]
    chunk = "x" * MAX_BODY_BYTES
    undeclared = (
        f"POST /report HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n{MAX_BODY_BYTES:x}\n{chunk}\n1\nx\n"
    )
    assert " 413 " in raw(address, undeclared).splitlines()[0]


@pytest.mark.parametrize(
    ("path", "header"),
    [("/", "X: " + "x" * 60_000), ("/", "Cookie: room=" + "x" * 20_000), ("/?" + "x" * 20_000, "A: b")],
)
def test_headers_that_are_too_large_are_refused_even_if_they_come_at_once(address: str, path: str, header: str) -> None:
    assert raw(address, f"GET {path} HTTP/1.1\nHost: localhost\n{header}\n\n").startswith("HTTP/1.1 431 ")


@pytest.mark.parametrize("header", ["Authorization: Bearer {}", "Cookie: room={}"])
def test_of_a_token_that_is_none_of_ours_nothing_is_kept(tmp_path: Path, header: str) -> None:
    room = Register(tmp_path / "room.sqlite")
    guard = guarded(room)
    ours = room.enter().token
    with served(Limits(guard)) as address:
        for token in (ours + "x", ours[:-1], "x" * 10_000, ours):
            raw(address, f"GET / HTTP/1.1\nHost: localhost\nConnection: close\n{header.format(token)}\n\n")
    assert [*guard.sessions._limiter._full_at] == [ours]


# Who guesses, and who floods


def guarded(room: Register, url: str = "") -> Guard:
    return Guard(Starlette(routes=[Route("/", who)]), room, url)


def test_one_who_guesses_keeps_nobody_out_at_the_same_address(tmp_path: Path) -> None:
    room = Register(tmp_path / "room.sqlite")
    with served(Limits(guarded(room))) as address:
        for _ in range(60):
            assert asked(f"{address}enter", b"word=AAAAA").status == 403
        assert asked(f"{address}enter", f"word={room.word}".encode()).status == 200


def test_after_too_many_wrong_words_the_page_offers_the_longer_word_and_the_code_on_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_workshop.attendance.register.MAX_WRONG_WORDS", 5)
    room = Register(tmp_path / "room.sqlite")
    before = room.word
    with served(Limits(guarded(room))) as address:
        said = [asked(f"{address}enter", b"word=AAAAA", BROWSER).text for _ in range(5)]
        assert ["scan the code" in text for text in said] == [False] * 4 + [True]
        short = asked(f"{address}enter", f"word={before}".encode())
        assert (short.status, short.text) == (403, GUESSED), "which says nothing about the first part"
        for _ in range(20):  # as often as they like
            asked(f"{address}enter", b"word=AAAAA")
        for right in (room.word, room.word.lower().replace(" ", ""), room.ticket):
            assert asked(f"{address}enter", f"word={right}".encode()).status == 200
        assert " 303 " in raw(address, f"GET /?word={room.ticket} HTTP/1.1\nHost: localhost\nConnection: close\n\n")


@pytest.mark.parametrize("right", ["word", "ticket"])
def test_a_whole_room_gets_in_from_one_address_and_so_does_who_comes_after_a_flood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: str
) -> None:
    monkeypatch.setattr("triton_workshop.room.guard.ENTRY_SECONDS", 0.01)
    room = Register(tmp_path / "room.sqlite")
    guard = guarded(room)
    guard._entry_limiter = RateLimiter(40, lambda: 0.0)
    guard._queue = Throttle(1e-9, 1e-9)  # one in 30 years
    body = f"word={getattr(room, right)}&name=Ada".encode()
    with served(Limits(guard)) as address:
        assert [asked(f"{address}enter", body).status for _ in range(43)] == [200] * 43
        with ThreadPoolExecutor(8) as pool:
            assert {*pool.map(lambda _: asked(f"{address}enter", body).status, range(8))} == {200}
        assert asked(f"{address}enter", b"word=AAAAA").status == 403
    assert ENTRY_BURST >= 2 * 40
    assert len(room.board().attendees) == 51


def test_few_wait_at_the_door_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or those who wait would take all connections that the server has."""
    monkeypatch.setattr("triton_workshop.room.guard.ENTRY_SECONDS", 8.0)
    monkeypatch.setattr("triton_workshop.room.guard.MAX_QUEUE_LENGTH", 4)
    room = Register(tmp_path / "room.sqlite")
    guard = guarded(room)
    guard._entry_limiter = RateLimiter(1, lambda: 0.0)
    guard._queue = Throttle(1e-9, 1e-9)  # one in 30 years
    body = f"word={room.word}&name=Ada".encode()
    end = time.monotonic() + 7
    with served(Limits(guard)) as address, ThreadPoolExecutor(12) as pool:
        for _ in range(12):
            pool.submit(asked, f"{address}enter", body)
        while len(room.board().attendees) < 12 - 4 and time.monotonic() < end:
            time.sleep(0.02)
        assert len(guard._queued) == 4
    assert len(room.board().attendees) == 12


class Clock:
    time = 0.0

    def now(self) -> float:
        return self.time


def test_who_has_used_up_an_allowance_gets_one_more_every_second() -> None:
    clock = Clock()
    entries = RateLimiter(30, clock.now)
    assert [entries.acquire("10.0.0.1") for _ in range(32)] == [True] * 30 + [False] * 2
    assert entries.acquire("10.0.0.2"), "another address has an allowance of its own"
    clock.time += 3
    assert [entries.acquire("10.0.0.1") for _ in range(4)] == [True] * 3 + [False]


def test_the_memory_of_entries_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triton_workshop.room.rate_limiter.MAX_SESSIONS", 10)
    clock = Clock()
    entries = RateLimiter(30, clock.now)
    for number in range(100):
        entries.acquire(f"10.0.0.{number}")
        clock.time += 1
    assert len(entries._full_at) <= 12


async def test_whose_wait_is_just_over_is_not_told_so_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triton_workshop.room.guard.MAX_QUEUE_LENGTH", 1)
    guard = guarded(Register(tmp_path / "room.sqlite"))
    guard._queue = Throttle(1e-9, 1e-9)  # one in 30 years
    await guard._queue.acquire(1)
    first = asyncio.create_task(guard._wait_in_queue("10.0.0.1"))
    await asyncio.sleep(0)
    (wait,) = guard._queued
    wait.reschedule(asyncio.get_running_loop().time())
    while not wait.expired():
        await asyncio.sleep(0)
    assert wait in guard._queued, "it has not heard of it yet"
    monkeypatch.setattr("triton_workshop.room.guard.ENTRY_SECONDS", 0.0)
    await guard._wait_in_queue("10.0.0.2")
    await first


# Who asks for too much


def test_a_session_that_waits_for_very_much_is_refused_more_and_nobody_else_is() -> None:
    demand = SessionLimiter(Clock().now)
    with ExitStack() as waiting:
        taken = [waiting.enter_context(demand.request("Mallory")) for _ in range(MAX_PENDING_REQUESTS + 3)]
        assert taken == [True] * MAX_PENDING_REQUESTS + [False] * 3
        for other in ("Ada", None):
            with demand.request(other) as granted:
                assert granted
    with demand.request("Mallory") as granted:
        assert granted, "once the others were answered"
    assert not demand._waiting


def test_a_session_that_asks_again_and_again_is_refused_for_a_while() -> None:
    clock = Clock()
    demand = SessionLimiter(clock.now)

    def ask(times: int) -> int:
        granted = 0
        for _ in range(times):
            with demand.request("Mallory") as each:
                granted += each
        return granted

    assert REQUEST_BURST - 1 <= ask(2 * REQUEST_BURST) <= REQUEST_BURST
    clock.time += 1
    assert 1 < ask(REQUEST_BURST) < 100
    with demand.request("Ada") as granted:
        assert granted


def test_the_presenter_hears_of_who_asks_for_too_much_and_no_more_after_a_minute() -> None:
    clock = Clock()
    demand = SessionLimiter(clock.now)
    for _ in range(EXCESS_REFUSALS - 1):
        demand.record_refusal("Mallory")
        demand.record_refusal("Bob")
    assert demand.excessive() == []
    demand.record_refusal("Mallory")
    assert demand.excessive() == ["Mallory"]
    clock.time += EXCESS_SECONDS
    assert demand.excessive() == []
    assert not demand._refusals


@pytest.mark.parametrize(
    ("client", "address"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),  # where one socket serves both kinds
        ("2001:db8::1:2:3:4", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("x" * 9999, "x" * MAX_ADDRESS_CHARACTERS),
    ],
)
def test_an_address_is_that_of_one_machine_or_its_network(client: str, address: str) -> None:
    assert client_address(Request({"type": "http", "client": (client, 1)})) == address
