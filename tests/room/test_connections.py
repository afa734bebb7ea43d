"""Connections that say nothing, and those that are dropped: neither may cost others anything."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.room.attacks import Headers, connect, drop, open_connections, request
from tests.room.loopback import asked, served
from triton_workshop.attendance.register import Register
from triton_workshop.room.limits import CHUNK_BYTES, SEND_BUFFER_BYTES, Client, ClientGoneError, Connections, Throttle
from triton_workshop.room.live_page import text_file
from triton_workshop.room.rate_limiter import EXCESS_REFUSALS
from triton_workshop.room.server import Server

Serving = tuple[Server, str, Headers]
PATIENCE_SECONDS = 10.0


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    """A server, its address, and the session of an attendee."""
    with closing(Register(tmp_path / "room.sqlite")) as room:
        made = Server(room, "")
        with served(made.app, watched=True) as address:
            yield made, address, {"Authorization": f"Bearer {room.enter().token}"}


@pytest.fixture
def five_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five connections may wait for their client, and a sixth costs one of them at once."""
    monkeypatch.setattr("triton_workshop.room.limits.MAX_IDLE_CONNECTIONS", 5)
    monkeypatch.setattr("triton_workshop.room.limits.GRACE_SECONDS", 0.0)


def reaches(holds: Callable[[], bool]) -> bool:
    """Whether this holds within ten seconds."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds() and time.monotonic() < end:
        time.sleep(0.002)
    return holds()


def test_requests_that_are_dropped_end_and_cost_others_no_time(serving: Serving) -> None:
    made, address, session = serving
    made.page.pieces["large"], made.page.pieces["small"] = b"x" * 10_000, b"y"
    made.throttle = Throttle(1000, 1)
    drop(address, 60, "/piece/large", session)  # ten minutes of them
    assert reaches(lambda: not made.app.connections._answers)


def test_who_asks_for_much_at_once_keeps_others_waiting_for_a_turn_only(serving: Serving) -> None:
    made, address, session = serving
    made.page.pieces["large"], made.page.pieces["small"] = b"x" * 100, b"y"
    made.throttle = Throttle(1000, 1)
    with open_connections(address, 30, request("/piece/large", session)):  # three seconds of them
        assert reaches(lambda: len(made.app.connections._answers) > 20)
        ada = {"Authorization": f"Bearer {made._register.enter().token}"}
        assert asked(f"{address}piece/small", headers=ada).text == "y"
        assert len(made.app.connections._answers) > 10
    assert reaches(lambda: not made.app.connections._answers)


def test_pictures_that_nobody_waits_for_are_not_encoded(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    made, address, session = serving
    encoding, over, names = threading.Event(), threading.Event(), list[str]()

    def picture(name: str) -> None:
        names.append(name)
        encoding.set()
        over.wait(PATIENCE_SECONDS)

    monkeypatch.setattr(made.page.pictures, "webp", picture)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(asked, f"{address}picture/first.webp", None, session)
        assert encoding.wait(PATIENCE_SECONDS)
        drop(address, 30, "/picture/dropped.webp", session)
        assert reaches(lambda: len(made.app.connections._answers) == 1)
        over.set()
        assert first.result().status == 404
    assert asked(f"{address}picture/last.webp", headers=session).status == 404
    assert names == ["first", "last"]


@pytest.mark.usefixtures("five_open")
def test_whoever_waits_for_an_answer_is_not_cut_for_any_number_of_new_connections(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, address, session = serving
    waiting, over = threading.Event(), threading.Event()

    def picture(_: str) -> None:
        waiting.set()
        over.wait(PATIENCE_SECONDS)

    monkeypatch.setattr(made.page.pictures, "webp", picture)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(asked, f"{address}picture/x.webp", None, session)
        assert waiting.wait(PATIENCE_SECONDS)
        with open_connections(address, 60), open_connections(address, 60, b"GET / HT"):
            assert reaches(lambda: len(made.app.connections._new) <= 5)
            over.set()
            assert answer.result().status == 404


class Transport(asyncio.Transport):
    """One end of a connection that can be cut."""

    is_cut = False
    unread = 0

    def get_write_buffer_size(self) -> int:
        return self.unread

    def abort(self) -> None:
        self.is_cut = True


CROWD = 1200
"""Connections in one wave: more than twice as many as may be open."""


def crowd(connections: Connections) -> dict[Client, Transport]:
    transports = {("10.0.0.1", port): Transport() for port in range(CROWD)}
    for client, transport in transports.items():
        connections.add(client, transport)
    return transports


@pytest.fixture
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triton_workshop.room.limits.GRACE_SECONDS", 0.0)


async def a_while() -> None:
    for _ in range(3):
        await asyncio.sleep(0)


@pytest.mark.usefixtures("no_grace")
async def test_of_a_wave_those_go_that_never_send_a_request() -> None:
    connections = Connections()
    connections.add(ada := ("10.0.0.2", 1), hers := Transport())
    transports = crowd(connections)
    with connections.answering(ada):  # her request was read after the wave had come
        await a_while()
        others = crowd(connections)
        await a_while()
        assert not hers.is_cut
    assert len([each for each in (transports | others).values() if not each.is_cut]) <= 500
    assert not [*others.values()][-1].is_cut, "the newest may still speak"
    await a_while()
    assert not hers.is_cut


@pytest.mark.usefixtures("no_grace")
async def test_beside_many_that_are_idle_a_new_connection_may_take_its_time() -> None:
    connections = Connections()
    for client in crowd(connections):
        with connections.answering(client):
            pass
    connections.add(("10.0.0.2", 1), hers := Transport())
    await a_while()
    assert not hers.is_cut


@pytest.mark.usefixtures("no_grace")
async def test_between_two_requests_a_connection_goes_only_after_those_that_never_sent_one() -> None:
    connections = Connections()
    connections.add(ada := ("10.0.0.2", 1), hers := Transport())
    with connections.answering(ada):
        pass
    crowd(connections)
    await a_while()
    assert not hers.is_cut
    for client in [*connections._new]:
        with connections.answering(client):
            pass
    connections.add(bob := ("10.0.0.2", 2), Transport())
    with connections.answering(bob):
        pass
    await a_while()
    assert not hers.is_cut, "as her address has few"


@pytest.mark.usefixtures("no_grace")
async def test_of_the_idle_ones_of_an_address_the_longest_silent_goes_and_who_still_reads_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triton_workshop.room.limits.MAX_IDLE_CONNECTIONS", 5)
    connections, transports = Connections(), [Transport() for _ in range(8)]
    transports[0].unread = transports[2].unread = 1
    for port, transport in enumerate(transports):
        connections.add(("10.0.0.1", port), transport)
        with connections.answering(("10.0.0.1", port)):
            pass
        await a_while()
    assert [port for port, transport in enumerate(transports) if transport.is_cut] == [1, 3, 4]
    for transport in transports:
        transport.unread = 1
    connections.add(("10.0.0.1", 9), Transport())
    await a_while()
    assert transports[0].is_cut, "nobody else is left"


async def answer_forever(connections: Connections, client: tuple[str, int]) -> None:
    with connections.answering(client):
        await asyncio.Event().wait()


async def test_an_answer_that_nobody_waits_for_ends() -> None:
    connections, client = Connections(), ("10.0.0.1", 1)
    connections.add(client, Transport())

    task = asyncio.create_task(answer_forever(connections, client))
    await a_while()
    connections.remove(client)
    with pytest.raises(ClientGoneError):
        await task
    assert not connections._answers


async def test_an_answer_that_the_server_ends_is_not_taken_for_one_that_nobody_waits_for() -> None:
    connections, client = Connections(), ("10.0.0.1", 1)
    connections.add(client, Transport())

    task = asyncio.create_task(answer_forever(connections, client))
    await a_while()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    connections.remove(client)


def test_a_connection_that_comes_with_a_wave_is_answered(serving: Serving) -> None:
    _, address, session = serving
    with (
        open_connections(address, 300),
        closing(connect(address, request("/piece/none", session))) as ada,
        open_connections(address, 300),
    ):
        assert ada.recv(100).startswith(b"HTTP/1.1 404")


def test_the_end_of_an_answer_does_not_wait_for_the_client_to_acknowledge_its_beginning(serving: Serving) -> None:
    made, address, session = serving
    with closing(connect(address, request("/piece/none", session))) as ada:
        assert ada.recv(100).startswith(b"HTTP/1.1 404")
        (transport,) = made.app.connections._all.values()
        assert transport.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_the_presenter_hears_which_attendee_asks_for_far_too_much(tmp_path: Path) -> None:
    room = Register(tmp_path / "room.sqlite")
    made, mallory = Server(room, ""), room.enter("Mallory")
    room.enter("Ada")
    for token in (mallory.token, "of nobody"):
        for _ in range(EXCESS_REFUSALS):
            made.guard.sessions.record_refusal(token)
    await made.refresh()
    (warning,) = room.board().warnings
    assert warning.startswith("Mallory, number 1, asks for far more than a page needs")


def test_requests_beyond_a_sessions_share_are_refused_and_all_of_them_are_counted(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, address, session = serving
    monkeypatch.setattr("triton_workshop.room.rate_limiter.MAX_PENDING_REQUESTS", 5)
    made.page.pieces["piece"], made.throttle = b"x", Throttle(1e-6, 1e-9)
    assert asked(f"{address}piece/piece", headers=session).text == "x", "and then nobody gets it today"
    with open_connections(address, 5, request("/piece/piece", session)):
        assert reaches(lambda: len(made.app.connections._answers) == 5)
        refused = [asked(address + path, headers=session) for path in ("", "piece/piece", "page.js", "events") * 5]
        assert {(answer.status, answer.headers["retry-after"]) for answer in refused} == {(429, "1")}
        assert made.guard.sessions.excessive() == [session["Authorization"].removeprefix("Bearer ")]
        ada = {"Authorization": f"Bearer {made._register.enter().token}"}
        assert asked(f"{address}page.js", headers=ada).status == 200
    assert reaches(lambda: not made.app.connections._answers)
    assert asked(f"{address}page.js", headers=session).status == 200


# Many connections of one address


def test_sessions_that_fill_the_server_leave_a_way_in_at_their_own_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_workshop.room.limits.MAX_CONNECTIONS", 30)
    with closing(Register(tmp_path / "room.sqlite")) as room:
        made, tokens = Server(room, ""), [room.enter().token for _ in range(6)]
        made.page.pieces["piece"], made.throttle = b"x", Throttle(1e-6, 1e-9)
        with served(made.app, watched=True) as address, ExitStack() as stack:

            def flood() -> None:
                for token in tokens:
                    wanted = request("/piece/piece", {"Authorization": f"Bearer {token}"})
                    stack.enter_context(open_connections(address, 12, wanted))

            flood()
            assert reaches(lambda: len(made.app.connections._waiting) > 20)
            assert reaches(lambda: len(made.app.connections._all) <= 30)
            entered = asked(f"{address}enter", f"word={room.word}".encode())
            assert entered.status == 200
            session = {"Authorization": f"Bearer {json.loads(entered.text)['token']}"}
            waiting = stack.enter_context(connect(address, request("/piece/piece", session)))
            assert reaches(lambda: waiting.getsockname() in made.app.connections._waiting)
            flood()
            assert asked(f"{address}page.js", headers=session).status == 200
            waiting.setblocking(False)
            with pytest.raises(BlockingIOError):
                waiting.recv(1)


async def test_the_address_with_most_connections_makes_room_and_there_the_session_that_waits_for_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triton_workshop.room.limits.MAX_CONNECTIONS", 10)
    connections, transports = Connections(), dict[Client, Transport]()
    sessions = {"Mallory": ("2001:db8::1", 4), "Eve": ("2001:db8::2", 2), "Ada": ("10.0.0.2", 3)}
    with ExitStack() as waiting:
        for session, (host, number) in sessions.items():
            for port in range(number):
                transports[host, port] = Transport()
                connections.add((host, port), transports[host, port])
                waiting.enter_context(connections.answering((host, port), session))
        cut = list[Client]()
        for port in range(6):
            connections.add(("10.0.0.3", port), Transport())
            cut += [client for client, each in transports.items() if each.is_cut and client not in cut]
    assert cut[:2] == [("2001:db8::1", 0), ("2001:db8::1", 1)]
    assert len(cut) == 3, "then the new address is the one with most"
    assert not any(transports["10.0.0.2", port].is_cut for port in range(3))


async def test_where_no_session_waits_the_longest_silent_of_the_crowd_goes_and_none_that_follows_or_enters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("triton_workshop.room.limits.MAX_CONNECTIONS", 5)
    connections, transports = Connections(), [Transport() for _ in range(7)]
    with ExitStack() as entering:
        for port, transport in enumerate(transports):
            connections.add(("10.0.0.1", port), transport)
            if port == 0:
                connections.stop_timeout(("10.0.0.1", port))
            elif port == 1:
                entering.enter_context(connections.answering(("10.0.0.1", port)))
    assert [port for port, transport in enumerate(transports) if transport.is_cut] == [2, 3]


# What nobody reads


def test_of_an_answer_that_nobody_reads_little_is_kept_and_who_reads_later_gets_all(serving: Serving) -> None:
    made, address, session = serving
    large = "".join(map(str, range(1_000_000)))
    made.page._files["large.js"] = text_file(large, "javascript")
    connections = made.app.connections
    with open_connections(address, 20, request("/large.js", session | {"Connection": "close"})) as unread:
        assert reaches(lambda: len(connections._idle) == 20)
        for transport in connections._all.values():
            assert transport.get_write_buffer_size() <= 2 * CHUNK_BYTES  # type: ignore[attr-defined]
            kept = transport.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
            assert kept <= 2 * SEND_BUFFER_BYTES, "Linux says twice what it was asked for"
        with unread[0].makefile("rb") as answer:
            assert answer.read().endswith(large.encode())


@pytest.mark.usefixtures("five_open")
def test_of_those_who_do_not_read_the_longest_silent_go(serving: Serving) -> None:
    made, address, session = serving
    made.page._files["large.js"] = text_file("x" * 20_000_000, "javascript")
    with open_connections(address, 20, request("/large.js", session)):
        assert reaches(lambda: len(made.app.connections._all) == 5)
        assert asked(f"{address}page.js", headers=session).status == 200


@pytest.mark.usefixtures("five_open")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not say how much is unread")
def test_who_reads_slowly_gets_all_while_others_of_the_address_come_and_say_nothing(serving: Serving) -> None:
    made, address, session = serving
    made.page._files["large.js"] = text_file(large := "".join(map(str, range(20_000))), "javascript")
    connections = made.app.connections
    with closing(socket.socket()) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect((urlsplit(address).hostname, urlsplit(address).port))
        slow.sendall(request("/large.js", session | {"Connection": "keep-alive"}))
        assert reaches(lambda: slow.getsockname() in connections._idle and not connections._answers)
        with ExitStack() as others:
            for _ in range(30):
                other = others.enter_context(closing(connect(address, request("/piece/none", session))))
                assert other.recv(9)
            assert reaches(lambda: len(connections._all) <= 6)
        answer = b""
        while not answer.endswith(large[-40:].encode()) and (data := slow.recv(65536)):
            answer += data
        assert answer.endswith(large.encode())


def test_the_system_keeps_nothing_for_a_connection_that_was_cut(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, address, session = serving
    monkeypatch.setattr("triton_workshop.room.limits.CLIENT_TIMEOUT_SECONDS", 0.2)
    made.page._files["large.js"] = text_file("x" * 20_000_000, "javascript")
    with closing(connect(address, request("/large.js", session))) as unread:
        assert reaches(lambda: len(made.app.connections._idle) == 1)
        assert reaches(lambda: not made.app.connections._all)
        with pytest.raises(ConnectionResetError), unread.makefile("rb") as answer:
            answer.read()


def test_who_follows_is_not_taken_for_one_who_does_not_read(serving: Serving) -> None:
    made, address, session = serving
    made.stream.set("output-0", "x" * 3 * CHUNK_BYTES)
    with closing(connect(address, request("/events", session))) as following:
        with following.makefile("rb") as events:
            assert any(line.startswith(b'data: {"key": "output-0"') for line in events)
        assert reaches(lambda: not made.app.connections._timers)
        assert not made.app.connections._idle


# Behind a proxy


@pytest.mark.parametrize(
    ("proxy", "forwarded", "address"),
    [
        ("", "203.0.113.7", "127.0.0.1"),
        ("10.0.0.0/8", "203.0.113.7", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.7", "203.0.113.7"),
        ("127.0.0.0/8", "203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", "198.51.100.1, 203.0.113.7", "203.0.113.7"),  # what came with the request is not the proxy's
        ("127.0.0.1", "2001:db8::7", "2001:db8::/64"),
        ("127.0.0.1", None, "127.0.0.1"),
    ],
)
def test_an_address_counts_only_if_a_proxy_says_so_that_the_presenter_has_named(
    tmp_path: Path, proxy: str, forwarded: str | None, address: str
) -> None:
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    with closing(Register(tmp_path / "room.sqlite")) as room:
        made = Server(room, "", proxy=proxy)
        with served(made.app, watched=True) as at:
            body = f"word={room.word}".encode()
            token = json.loads(asked(f"{at}enter", body, headers).text)["token"]
            assert [*made.guard._entry_limiter._full_at] == [address]
            events = request("/events", headers | {"Authorization": f"Bearer {token}"})
            with closing(connect(at, events)) as following:
                assert following.recv(100).startswith(b"HTTP/1.1 200")
                (page,) = made.followers.pages
                assert page.address == address
                assert page.client in made.app.connections._all
                assert page.client not in made.app.connections._timers
