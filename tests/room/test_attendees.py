"""What attendees tell, and the presenter's board, over HTTP."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.room.loopback import Answer, asked, served
from triton_workshop.attendance.board import Board, CallForHelp, Progress
from triton_workshop.attendance.board_key import VALID_SECONDS, BoardKey, board_link
from triton_workshop.attendance.membership import Membership, RefusedError, join, leave, send
from triton_workshop.attendance.register import Attendee, Register
from triton_workshop.attendance.reporter import Reporter
from triton_workshop.room.guard import STORE_FAILURE
from triton_workshop.room.server import Server

REPORT = {"exercise": "1", "filled": 1, "todos": 3, "right": False, "hints": 1}
NOW = 1e9


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Register:
    return Register(tmp_path_factory.mktemp("room") / "room.sqlite", lambda: NOW)


@pytest.fixture(scope="module")
def address(room: Register) -> Iterator[str]:
    with served(Server(room, "").app) as address:
        yield address


@pytest.fixture
def ada(room: Register) -> Iterator[Attendee]:
    ada = room.enter("Ada")
    yield ada
    room.leave(ada.number)


@pytest.fixture
def joined(address: str, ada: Attendee, tmp_path: Path) -> Path:
    file = tmp_path / "room.json"
    file.write_text(json.dumps({"address": address, "token": ada.token, "number": ada.number, "name": ada.name}))
    return file


def posted(address: str, path: str, body: bytes, ada: Attendee) -> Answer:
    return asked(address + path, body, {"Authorization": f"Bearer {ada.token}"})


def on_board(address: str, room: Register, path: str = "board.json", body: bytes | None = None) -> Answer:
    cookie = BoardKey().cookie(room.key, code_of(board_link(address, room.key)))
    return asked(address + path, body, {"Cookie": f"board={cookie}"})


def code_of(link: str) -> str:
    return link.partition("?code=")[2]


def test_what_an_attendee_tells_stands_on_the_board(room: Register, address: str, ada: Attendee, joined: Path) -> None:
    reporter = Reporter(joined)
    reporter.report(Progress("1", 3, 3, right=True, hints=2))
    reporter.report(Progress("2b", 1, 4, right=False, hints=0, mistake="floor-grid"))
    assert reporter.call_for_help()
    assert reporter.flush(10)
    board = json.loads(on_board(address, room).text)
    here = {"exercise": "2b", "filled": 1, "todos": 4, "right": False, "hints": 0}
    assert board["present"] == [{"number": ada.number, "called": "Ada", "here": here, "right": ["1"]}]
    assert board["calls"] == [{"number": ada.number, "called": "Ada", "minutes": 0}]
    counts = {each["exercise"]: (each["working"], each["right"]) for each in board["exercises"]}
    assert counts == {"1": (0, 1), "2": (0, 0), "2b": (1, 0), "3": (0, 0), "4": (0, 0)}
    assert {each["exercise"]: each["mistakes"] for each in board["exercises"] if each["mistakes"]} == {
        "2b": [["floor grid", 1]]
    }


def test_the_board_shows_no_words_of_a_sender(room: Register, address: str, ada: Attendee) -> None:
    report = {"exercise": "1", "filled": 9, "todos": 9, "right": False, "hints": 0}
    for mistake in ("look-at-me", "hidden-keys-score-zero", ["floor-grid"], 3):  # the second is of another exercise
        assert posted(address, "report", json.dumps(report | {"mistake": mistake}).encode(), ada).status == 204
    assert room.board().mistakes == ()


def test_a_call_is_done_once_the_presenter_says_so(room: Register, address: str, ada: Attendee) -> None:
    answer = posted(address, "help", b"", ada)  # as the page's key does
    assert (answer.status, json.loads(answer.text)) == (200, {"number": ada.number, "name": "Ada"})
    assert room.board().calls == (CallForHelp(ada.number, "Ada", 0),)
    assert on_board(address, room, f"board/done/{ada.number}", b"").status == 204
    assert room.board().calls == ()


def test_beyond_the_calls_that_may_wait_an_attendee_hears_so(
    room: Register, address: str, ada: Attendee, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_workshop.attendance.register.MAX_CALLS", 1)
    bob = room.enter("Bob")
    assert [posted(address, "help", b"", each).status for each in (ada, ada, bob)] == [200, 200, 429]
    assert posted(address, "help", b"", bob).text.endswith("Raise your hand, or try again later.")
    room.leave(bob.number)


def test_whoever_fills_the_places_from_another_address_makes_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_workshop.attendance.register.MAX_CALLS", 2)
    room = Register(tmp_path / "room.sqlite")
    with served(Server(room, "", proxy="127.0.0.1").app) as address:
        asking = [(room.enter().token, f"10.0.0.{host}") for host in (66, 66, 66, 2)]
        statuses = [
            asked(f"{address}help", b"", {"Authorization": f"Bearer {token}", "X-Forwarded-For": host}).status
            for token, host in asking
        ]
    assert statuses == [200, 200, 429, 200]


def test_who_joins_is_on_the_board_until_they_leave(room: Register, address: str, tmp_path: Path) -> None:
    joined = join(address, room.word.lower(), "Bob", tmp_path / "room.json")
    assert [present.name for present in room.board().attendees] == ["Bob"]
    send(joined, "report", REPORT, 10)
    assert leave(tmp_path / "room.json").startswith("You have left the room")
    assert room.board() == Board()
    with pytest.raises(RefusedError, match="This room needs its word"):
        send(joined, "report", REPORT, 10)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "expected JSON"),
        (b"[" * 3000, "expected JSON"),
        (b"[1]", "expected a JSON object"),
        (b"{}", "`exercise` has to be one of 1, "),
        (json.dumps(REPORT | {"exercise": "<b>"}).encode(), "`exercise` has to be one of 1, "),
        (json.dumps(REPORT | {"exercise": ["1"]}).encode(), "`exercise` has to be one of 1, "),
        (json.dumps(REPORT | {"right": 1}).encode(), "`right` has to be true or false"),
        (json.dumps(REPORT | {"filled": -1}).encode(), "`filled` has to be a whole number from 0 to 99"),
        (json.dumps(REPORT | {"filled": 99, "todos": 1}).encode(), "`filled` has to be at most `todos`, which is 1"),
        (json.dumps(REPORT | {"filled": 1, "todos": 0}).encode(), "`filled` has to be at most `todos`, which is 0"),
        (json.dumps(REPORT | {"todos": 100}).encode(), "`todos` has to be a whole number from 0 to 99"),
        (json.dumps(REPORT | {"todos": True}).encode(), "`todos` has to be a whole number from 0 to 99"),
        (json.dumps(REPORT | {"hints": 100}).encode(), "`hints` has to be a whole number from 0 to 99"),
        (json.dumps(REPORT | {"hints": 1e300}).encode(), "`hints` has to be a whole number from 0 to 99"),
        (json.dumps(REPORT | {"told": 2**80}).encode(), "`told` has to be a whole number"),
    ],
)
def test_what_is_no_report_is_refused(room: Register, address: str, ada: Attendee, body: bytes, said: str) -> None:
    answer = posted(address, "report", body, ada)
    assert answer.status == 400
    assert said in answer.text
    assert all(not present.progress for present in room.board().attendees)


def test_nobody_can_tell_so_much_that_others_wait(room: Register, address: str, ada: Attendee) -> None:
    body = json.dumps(REPORT).encode()
    answers = [posted(address, "report", body, ada).status for _ in range(50)]
    assert answers[:30] == [204] * 30
    assert 429 in answers
    assert posted(address, "report", body, room.enter()).status == 204
    room.leave(ada.number + 1)


def test_a_refusal_reaches_who_told(room: Register, address: str, ada: Attendee) -> None:
    with pytest.raises(RefusedError, match=r"This is not a report: `exercise` has to be one of"):
        send(Membership(address, ada.token, ada.number, ada.name), "report", {}, 10)


def test_a_links_code_becomes_a_cookie_that_scripts_and_other_sites_cannot_use(room: Register, address: str) -> None:
    link = board_link(address, room.key)
    answer = asked(link)
    assert answer.status == 200
    assert "<h1>The room</h1>" in answer.text
    cookie, *rest = answer.headers["set-cookie"].split("; ")
    assert rest == ["HttpOnly", "SameSite=strict"]
    assert room.key not in link + cookie
    assert asked(f"{address}board", headers={"Cookie": cookie}).status == 200
    code = code_of(link)
    assert asked(f"{address}board", headers={"Cookie": f"board={code}"}).status == 403, "the link is not the cookie"


def test_who_reads_the_link_in_the_list_of_processes_gets_no_board_for_it(room: Register, address: str) -> None:
    """Whether they are slower than the presenter's browser or faster."""
    link = board_link(address, room.key)
    first = {"Cookie": asked(link).headers["set-cookie"].split(";")[0]}
    assert asked(f"{address}board.json", headers=first).status == 200
    assert asked(link).status == 403
    assert asked(f"{address}board.json", headers=first).status == 403
    assert asked(board_link(address, room.key)).status == 200


def test_a_code_is_valid_for_seconds_and_its_cookie_across_restarts(room: Register) -> None:
    clock = [NOW]
    code = code_of(board_link("", room.key, lambda: clock[0]))
    clock[0] += VALID_SECONDS - 1
    cookie = BoardKey(lambda: clock[0]).cookie(room.key, code)
    assert cookie is not None
    clock[0] += 1
    assert BoardKey(lambda: clock[0]).cookie(room.key, code) is None
    assert BoardKey(lambda: clock[0]).opens(room.key, cookie)
    assert not BoardKey(lambda: clock[0]).opens("the key of another day", cookie)


@pytest.mark.parametrize("code", ["", ".", "..", "x.y.z", f"{int(NOW)}.aa.bb", "\xe9", f"{'9' * 5000}.a.b"])
def test_what_nobody_has_signed_is_no_code(room: Register, code: str) -> None:
    key = BoardKey(lambda: NOW)
    assert key.cookie(room.key, code) is None
    assert not key.opens(room.key, code)


def test_the_presenter_can_remove_somebody_from_the_board(room: Register, address: str, ada: Attendee) -> None:
    posted(address, "report", json.dumps(REPORT).encode(), ada)
    assert on_board(address, room, f"board/remove/{ada.number}", b"").status == 204
    assert room.board() == Board()
    assert posted(address, "report", json.dumps(REPORT).encode(), ada).status == 401


@pytest.mark.parametrize("number", [str(10**30), "9" * 5000, "-1", "1e3", "\u0663"])
@pytest.mark.parametrize("what", ["done", "remove"])
def test_a_number_that_nobody_has_is_not_found(room: Register, address: str, what: str, number: str) -> None:
    assert on_board(address, room, f"board/{what}/{quote(number)}", b"").status == 404


def fill(store: sqlite3.Connection) -> None:
    """As on a full disk: not a page more."""
    store.execute("PRAGMA max_page_count = 1")  # is as many as there are
    for table in ("progress", "calls"):
        with suppress(sqlite3.OperationalError):
            while True:
                store.execute(f"INSERT INTO {table} (room, number) VALUES (0, abs(random()))")


def spoil(store: sqlite3.Connection) -> None:
    store.executescript("DROP TABLE progress; DROP TABLE calls")


def protect(store: sqlite3.Connection) -> None:
    store.execute("PRAGMA query_only = ON")


@pytest.mark.parametrize("trouble", [fill, spoil, protect])
@pytest.mark.parametrize(("path", "body"), [("report", json.dumps(REPORT).encode()), ("help", b"")])
def test_what_the_store_cannot_keep_is_refused_in_a_sentence_that_names_no_file(
    tmp_path: Path, trouble: Callable[[sqlite3.Connection], None], path: str, body: bytes
) -> None:
    room = Register(tmp_path / "room.sqlite")
    ada = room.enter("Ada")
    room._touched_at = 0.0  # so that who comes back is noted too
    with served(Server(room, "").app) as address:
        trouble(room._store)
        for _ in range(2):  # it does not get worse
            answer = posted(address, path, body, ada)
            assert (answer.status, answer.text) == (503, STORE_FAILURE)
        assert asked(f"{address}page.js", headers={"Authorization": f"Bearer {ada.token}"}).status == 200


@pytest.mark.parametrize(
    "path", ["board", "board?code=", "board?code=other", "board.json", "board/done/1", "board/remove/1"]
)
def test_only_the_presenter_sees_the_board(address: str, ada: Attendee, path: str) -> None:
    body = b"" if path.endswith("/1") else None
    answer = asked(address + path, body, {"Authorization": f"Bearer {ada.token}", "Cookie": "board=\xe9"})
    assert answer.status == 403
    assert answer.text.startswith("This board is the presenter's. Press w and then b on the slides, or type: uv run")


def test_the_boards_page_has_no_style_or_script_of_its_own(room: Register, address: str) -> None:
    """So that it works under a strict content security policy; its addresses are relative, for a reverse proxy."""
    page = on_board(address, room, "board").text
    assert "<style" not in page
    assert " style=" not in page
    assert page.count("<script") == page.count('<script src="board.js" defer></script>') == 1
    style = asked(f"{address}board.css")
    assert style.headers["content-type"].startswith("text/css")
    assert "--background:#0d141d" in style.text
    assert asked(f"{address}board.js").headers["content-type"].startswith("text/javascript")
