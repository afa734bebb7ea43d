"""The server of a shared deck: what it shows, what it refuses, and what it does when the viewer is gone."""

from __future__ import annotations

import asyncio
import http.client
import io
import json
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import islice, product
from pathlib import Path
from unittest.mock import AsyncMock
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from PIL import Image
from rich.text import Text

from tests.room.attacks import connect, request
from tests.room.loopback import asked, served
from tests.room.test_guard import answer_to
from triton_workshop.attendance.register import ROOM_LIFETIME_SECONDS, Register, find_register, forget_attendees
from triton_workshop.deck import load_deck
from triton_workshop.errors import MisuseError
from triton_workshop.page.outputs import Output
from triton_workshop.room import followers, server
from triton_workshop.room.followers import FOLLOW_BURST, Follower, Followers
from triton_workshop.room.limits import (
    FIRST_REQUEST_SECONDS,
    MAX_CONNECTIONS,
    MAX_IDLE_CONNECTIONS,
    Connections,
    Limits,
)
from triton_workshop.room.live_page import LivePage, PictureStore
from triton_workshop.room.messages import BlockEdit, BlockOutput
from triton_workshop.room.server import Server, listen
from triton_workshop.room.stream import Stream

DECK = """# First

```python +exec
print("one")
```

<!-- end_slide -->

# Second

```python +exec_replace
print("two")
```
"""


def output(text: str, **rest: bool) -> Output:
    return Output((Text.from_ansi(text),), "0.1 s", False, **rest)


@pytest.fixture
def site(tmp_path: Path) -> LivePage:
    file = tmp_path / "deck.md"
    file.write_text(DECK, encoding="utf-8")
    site = LivePage()
    site.set_deck(load_deck(file))
    return site


def test_what_code_prints_is_escaped(site: LivePage) -> None:
    shown = str(site.set_output(BlockOutput(0, output("<script>alert(1)</script>")))["output-0"])
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "<script" not in shown


def test_code_that_still_runs_says_so(site: LivePage) -> None:
    assert "… 0.1 s" in str(site.set_output(BlockOutput(0, output("half", running=True)))["output-0"])


def test_an_output_in_place_of_its_code_hides_the_code_and_gives_it_back(site: LivePage) -> None:
    assert site.set_output(BlockOutput(1, output("two")))["code-1"] == ""
    assert "print" in str(site.set_output(BlockOutput(1, None))["code-1"])


def test_an_edit_is_shown_and_taken_back(site: LivePage) -> None:
    assert "edited" in str(site.set_code(BlockEdit(0, "edited = 1"))["code-0"])
    assert "one" in str(site.set_code(BlockEdit(0, None))["code-0"])


def test_colours_of_a_programs_own_come_as_a_style_and_go_with_the_output(site: LivePage) -> None:
    style = site.set_output(BlockOutput(0, output("\x1b[38;2;1;2;3mx\x1b[0m")))["style"]
    assert style == ".t-010203{color:#010203}"
    assert site.set_output(BlockOutput(0, output("x")))["style"] == ""


def test_pictures_are_kept_by_their_digest_and_the_oldest_of_a_flood_go(monkeypatch: pytest.MonkeyPatch) -> None:
    def picture(shade: int) -> bytes:
        made = io.BytesIO()
        Image.new("L", (8, 8), shade).save(made, "PNG")
        return made.getvalue()

    pictures = PictureStore()

    def named(address: str | None) -> str:
        return (address or "").removeprefix("picture/").removesuffix(".webp")

    of_page = named(pictures.add_deck_picture(picture(0)))
    assert pictures.add_deck_picture(b"no picture") is None
    monkeypatch.setattr("triton_workshop.room.live_page.MAX_OUTPUT_PICTURE_BYTES", 3 * len(picture(1)))
    names = [named(pictures.add_output_picture(picture(shade))) for shade in range(1, 9)]
    kept = [name for name in names if pictures.webp(name)]
    assert kept == names[-len(kept) :]
    assert len(kept) in (2, 3, 4)
    assert (pictures.webp(of_page) or b"")[8:12] == b"WEBP"


# Over the loopback network


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str, dict[str, str]]]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "deck.md").write_text(DECK, encoding="utf-8")
    room = Register(folder / "room.sqlite")
    made = Server(room, "https://talks.example.org/triton/")
    made.page.set_deck(load_deck(folder / "deck.md"))
    with closing(room), served(made.app, watched=True) as address:
        yield made, address, {"Authorization": f"Bearer {room.enter().token}"}


Serving = tuple[Server, str, dict[str, str]]


def test_who_leaves_out_the_last_slash_of_the_proxys_address_gets_to_the_page_all_the_same(serving: Serving) -> None:
    _, address, session = serving
    with urlopen(Request(f"{address}triton?word=x", headers=session)) as answer:
        assert answer.url == f"{address}triton/"


def test_the_page_is_compressed_and_all_its_addresses_are_relative(serving: Serving) -> None:
    _, address, session = serving
    for at in (address, f"{address}triton/"):  # a reverse proxy may pass its path on
        page = asked(at, headers=session | {"Accept-Encoding": "gzip"})
        assert page.headers["content-encoding"] == "gzip"
        found = re.findall(r'(?:href|src)="((?!data:)[^"#]+)"', page.text)
        assert {"page.js", "live.js"} <= set(found)
        assert not [each for each in found if each.startswith(("/", "http"))]
        for each in found:
            assert asked(at + each, headers=session).status == 200


@pytest.mark.parametrize(
    ("accepted", "compressed"),
    [
        ("gzip", True),
        ("gzip, deflate, br, zstd", True),
        ("deflate, GZip", True),
        ("br;q=1.0, gzip;q=0.8, *;q=0.1", True),
        ("gzip; q=0.001", True),
        ("*", True),
        ("", False),
        ("identity", False),
        ("br, deflate", False),
        ("gzip;q=0", False),
        ("gzip; q=0.000, *", False),
        ("*;q=0", False),
        ("gzipped", False),
    ],
)
def test_pages_are_compressed_for_those_who_ask_for_it(serving: Serving, accepted: str, compressed: bool) -> None:
    _, address, session = serving
    for path in ("", "page.js", "enter.css"):
        answer = asked(address + path, headers=session | {"Accept-Encoding": accepted})
        assert answer.headers["vary"] == "Accept-Encoding"
        assert answer.headers["content-encoding"] == ("gzip" if compressed else None)
        assert answer.text == asked(address + path, headers=session | {"Accept-Encoding": "gzip"}).text


def test_what_is_not_there_is_not_found(serving: Serving) -> None:
    _, address, session = serving
    for path in ("server.py", "../server.py", "%2e%2e/server.py", "picture/0.webp", "enter.html", "a/b"):
        assert asked(address + path, headers=session).status in (404, 405), path


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("", {"Host": "["}),
        ("triton", {"Host": "[::1"}),
        ("board/", {"Host": "x:999999"}),
        ("", {"Cookie": "room=\xff; =; room; board="}),
        ("", {"Authorization": "Bearer"}),
        ("", {"Authorization": "Bearer \xff"}),
        ("?word=%ff%00&word=", {}),
        ("?session=%ed%a0%80", {}),
        ("report", {"Content-Type": "multipart/form-data; boundary="}),
        ("board", {"Range": "bytes=9-1,-"}),
        (f"board/done/{'9' * 5000}", {}),
        ("picture/%00.webp", {"Last-Event-ID": "9" * 5000}),
    ],
)
def test_no_request_makes_the_server_fail(serving: Serving, path: str, headers: dict[str, str]) -> None:
    _, address, session = serving
    for method, inside in product(("GET", "HEAD", "POST"), (False, True)):
        sent = {"Host": "localhost", "Connection": "close"} | (session if inside else {}) | headers
        lines = [f"{method} /{path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
        answer = answer_to(address, "\r\n".join(lines).encode("latin-1"))
        assert 200 <= int(answer.split()[1]) < 500


def test_nobody_waits_for_the_pictures_of_others(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    made, address, session = serving
    encoding, encoded = threading.Event(), threading.Event()

    def picture(_: str) -> None:
        encoding.set()
        encoded.wait(30)

    monkeypatch.setattr(made.page.pictures, "webp", picture)
    with ThreadPoolExecutor(40) as pool:
        pictures = [pool.submit(asked, f"{address}picture/{number}.webp", None, session) for number in range(40)]
        assert encoding.wait(10)
        try:
            assert asked(f"{address}page.js", headers=session).status == 200
        finally:
            encoded.set()
        assert {each.result().status for each in pictures} == {404}


def test_a_client_follows_and_comes_back_for_what_it_lacks(serving: Serving) -> None:
    made, address, session = serving
    made.stream.set("place", {"slide": 1, "step": 0})
    seen = made.stream.version
    with closing(followed(address, session)) as events:
        first = [*islice(events, seen)][-1]
    made.stream.set("place", {"slide": 2, "step": 0})
    made.stream.set("output-0", "<p>")
    back = session | {"Last-Event-ID": f"{made.stream.epoch}:{seen}"}
    with closing(followed(address, back)) as events:
        assert [next(events)["key"], next(events)["key"]] == ["place", "output-0"]
    assert first == {"key": "place", "value": {"slide": 1, "step": 0}}


def followed(address: str, headers: dict[str, str]) -> Iterator[dict[str, object]]:
    with urlopen(Request(f"{address}events", headers=headers), timeout=10) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        for line in answer:
            if line.startswith(b'data: {"key"'):
                yield json.loads(line.removeprefix(b"data: "))


def test_the_newest_page_follows_in_place_of_an_older_one(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    made, address, session = serving
    monkeypatch.setattr(followers, "MAX_STREAMS", 1)
    made.stream.set("place", 1)
    bob = {"Authorization": f"Bearer {made._register.enter().token}"}
    with closing(followed(address, session)) as events, closing(followed(address, bob)) as newer:
        next(events)
        next(newer)
        for _ in events:  # until it ends
            pass
        assert len(made.followers.pages) == 1


def test_a_session_that_asks_to_follow_again_and_again_waits_where_all_places_are_taken(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or those behind one address would end each other's streams all the time."""
    made, address, _ = serving
    monkeypatch.setattr(followers, "MAX_STREAMS", 2)
    mallory, bob = ({"Authorization": f"Bearer {made._register.enter().token}"} for _ in range(2))
    with ExitStack() as open_ones:

        def status(headers: dict[str, str]) -> int:
            asking = open_ones.enter_context(connect(address, request("/events", headers)))
            return int(asking.recv(12).split()[1])

        statuses = [status(mallory) for _ in range(FOLLOW_BURST + 2)]
        assert statuses == [200] * FOLLOW_BURST + [429] * 2
        assert status(bob) == 200
        monkeypatch.setattr(followers, "MAX_STREAMS", 400)
        assert status(mallory) == 200


def test_whoever_is_behind_another_address_than_the_crowd_follows_as_often_as_they_ask() -> None:
    followers, crowd = Followers(Stream(), Connections()), CROWD
    for place in crowd:
        followers.admit(Follower(Stream(), 0, *place))
    asked = [
        [followers.may_follow(1000, address) for _ in range(FOLLOW_BURST + 1)] for address in ("10.0.0.1", "10.0.0.2")
    ]
    assert asked == [[True] * FOLLOW_BURST + [False], [True] * (FOLLOW_BURST + 1)]


def test_a_client_that_does_not_read_is_given_up(serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    made, address, session = serving
    monkeypatch.setattr("triton_workshop.room.limits.CLIENT_TIMEOUT_SECONDS", 0.05)
    monkeypatch.setattr("triton_workshop.room.stream.KEEP_ALIVE_SECONDS", 0.1)
    made.stream.set("output-0", "x" * 20_000_000)  # more than the buffers of both sides
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    with closing(http.client.HTTPConnection(host, int(port), timeout=10)) as silent:
        silent.connect()
        silent.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        silent.request("GET", "/events", headers=session)
        with suppress(ConnectionResetError):  # on a busy machine it is given up before that
            silent.getresponse()
        deadline = time.monotonic() + 20
        while made.followers.pages and time.monotonic() < deadline:
            asked(address, headers=session)
        assert not made.followers.pages


# Connections that say nothing


@contextmanager
def connected(address: str, sent: bytes = b"") -> Iterator[socket.socket]:
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(sent)
        yield connection


def is_cut(connection: socket.socket) -> bool:
    """Waits until the server ends a connection; it may answer before."""
    with suppress(ConnectionResetError):
        while connection.recv(65536):
            pass
    return True


@pytest.mark.parametrize(
    ("limit", "sent"),
    [
        ("FIRST_REQUEST_SECONDS", b""),
        ("FIRST_REQUEST_SECONDS", b"GET / HT"),
        ("FIRST_REQUEST_SECONDS", b"POST /enter HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\nword="),
        ("CLIENT_TIMEOUT_SECONDS", b"GET /enter.css HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT"),
    ],
)
def test_a_request_that_does_not_come_is_cut_off(
    serving: Serving, monkeypatch: pytest.MonkeyPatch, limit: str, sent: bytes
) -> None:
    monkeypatch.setattr(f"triton_workshop.room.limits.{limit}", 0.05)
    with connected(serving[1], sent) as silent:
        assert is_cut(silent)


def test_beside_any_number_of_silent_connections_the_page_is_there_and_who_follows_stays(
    serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, address, session = serving
    monkeypatch.setattr("triton_workshop.room.limits.MAX_IDLE_CONNECTIONS", 5)
    monkeypatch.setattr("triton_workshop.room.limits.FIRST_REQUEST_SECONDS", 60.0)
    made.stream.set("place", 1)
    with closing(followed(address, session)) as events, ExitStack() as open_ones:
        next(events)
        silent = [open_ones.enter_context(connected(address)) for _ in range(40)]
        assert asked(address, headers=session).status == 200
        assert all(map(is_cut, silent[:35]))
        assert len(made.app.connections._timers) <= 5
        made.stream.set("place", 2)
        while next(events) != {"key": "place", "value": 2}:
            pass


async def test_whoever_has_sent_a_request_may_wait_for_a_slow_answer() -> None:
    loop, client = asyncio.get_running_loop(), ("10.0.0.1", 1)
    left: list[float] = []

    async def app(*_: object) -> None:
        left.append(limits.connections._timers[client].when() - loop.time())

    limits = Limits(app)
    limits.connections.add(client, asyncio.Transport())
    left.append(limits.connections._timers[client].when() - loop.time())
    scope = {"type": "http", "client": client, "path": "/", "query_string": b"", "headers": []}
    await limits(scope, AsyncMock(), AsyncMock())
    first, answer = left
    assert first <= FIRST_REQUEST_SECONDS < answer
    limits.connections.remove(client)
    assert not limits.connections._timers


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize(
    ("limits", "wanted"),
    [((256, -1), [4096]), ((1024, 524288), [4096]), ((256, 2048), [2048]), ((20000, 20000), []), ((-1, -1), [])],
)
def test_the_server_may_open_more_files_than_it_keeps_connections(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], wanted: list[int]
) -> None:
    import resource

    asked_for: list[int] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: asked_for.append(both[0]))
    server.raise_file_limit()
    assert asked_for == wanted
    assert server.MAX_OPEN_FILES > MAX_CONNECTIONS + 4 * server.BACKLOG
    assert server.MAX_OPEN_FILES > 2 * (MAX_IDLE_CONNECTIONS + followers.MAX_STREAMS + server.BACKLOG)


# What becomes of those who are not in the room any more


async def test_who_is_removed_or_forgotten_follows_no_longer(tmp_path: Path) -> None:
    room = Register(tmp_path / "room.sqlite")
    made = Server(room, "")
    connections = made.app.connections
    pages = [Follower(made.stream, 0, room.enter().number, "10.0.0.1", ("10.0.0.1", port)) for port in range(3)]
    for page in pages:
        connections.add(page.client, asyncio.Transport())
        made.followers.admit(page)
    assert not connections._timers
    await made.refresh()
    assert [page.ended for page in pages] == [False] * 3
    room.leave(2)
    await made.refresh()
    assert [page.ended for page in pages] == [False, True, False]
    assert [*connections._timers] == [pages[1].client], "if it does not read, it is cut"
    forget_attendees(tmp_path / "room.sqlite")  # as another process does
    await made.refresh()
    assert [page.ended for page in pages] == [True] * 3
    assert not made.followers.pages


async def test_a_server_that_nobody_has_used_for_12_hours_has_another_room(tmp_path: Path) -> None:
    clock = [1e9]
    room = Register(tmp_path / "room.sqlite", lambda: clock[0])
    room.serve_at("http://127.0.0.1:8000/")
    made, word = Server(room, ""), room.word
    clock[0] += ROOM_LIFETIME_SECONDS
    forget_attendees(tmp_path / "room.sqlite", lambda: clock[0])
    await made.refresh()
    assert room.word != word
    again = find_register(tmp_path / "room.sqlite", lambda: clock[0])
    assert again is not None
    assert (again.word, again.address) == (room.word, "http://127.0.0.1:8000/")


async def test_a_page_that_may_not_follow_any_longer_ends_at_once() -> None:
    stream = Stream()
    followers, page = Followers(stream, Connections()), Follower(stream, 0, 1, "10.0.0.1")
    followers.admit(page)
    events = page.body_iterator
    assert await anext(events) == b"retry: 1000\n\n"
    next_one = asyncio.create_task(anext(events))
    await asyncio.sleep(0)
    followers.end([page])
    with pytest.raises(StopAsyncIteration):  # and no beat ten seconds later
        await next_one


Places = list[tuple[int, str]]


def admit_all(*arrivals: tuple[int, str]) -> Places:
    """Who follows once these have come, each with their number and address; the oldest first."""
    followers = Followers(Stream(), Connections())
    for arrival in arrivals:
        followers.admit(Follower(Stream(), 0, *arrival))
    return [(page.number, page.address) for page in followers.pages]


def pages_of(address: str, numbers: range, times: int = 1) -> Places:
    return [(number, address) for number in numbers for _ in range(times)]


CROWD = pages_of("10.0.0.1", range(followers.MAX_STREAMS))
"""One page of each of many sessions behind one address: all places."""


@pytest.mark.parametrize(
    "before",
    [
        CROWD,
        pages_of("10.0.0.1", range(34), 12),
        pages_of("10.0.0.2", range(20), 10) + pages_of("10.0.0.1", range(20, 40), 10),
    ],
    ids=["one page of each", "twelve of each", "two addresses"],
)
def test_whoever_has_entered_follows_behind_whatever_address(before: Places) -> None:
    for address in ("10.0.0.1", "10.0.0.3"):
        room = pages_of(address, range(1000, 1040))
        after = admit_all(*before, *room)
        assert len(after) == followers.MAX_STREAMS
        assert after[-40:] == room, "and nobody of them makes room for the next one"


def test_a_laptop_with_many_sessions_takes_no_place_from_other_addresses() -> None:
    room = pages_of("10.0.0.2", range(1000, 1040))
    assert set(admit_all(*room, *CROWD, *CROWD)) >= set(room)


def test_an_attendees_newest_pages_follow_in_place_of_the_oldest() -> None:
    ada, bob = (1001, "10.0.0.1"), (1002, "10.0.0.1")
    assert admit_all(*[ada] * 3, bob, *[ada] * 30) == [bob, *[ada] * 12]
    assert admit_all(ada, *CROWD[2:], bob, bob)[-2:] == [CROWD[-1], bob], (
        "where there is no room, of two pages the older one"
    )


def test_an_address_that_is_not_ours_is_refused_in_one_line() -> None:
    with pytest.raises(MisuseError, match=r"203\.0\.113\.7 is not an address of this machine"):
        listen("203.0.113.7", 0)


def test_a_port_in_use_is_refused_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(MisuseError, match=rf"port {port} is in use; choose another one with --port"):
            listen("127.0.0.1", port)
