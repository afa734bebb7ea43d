"""The presenter's board in a real browser, under the policy that the server sends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from tests.chromium import axe_findings
from triton_workshop.attendance.board import Progress
from triton_workshop.attendance.board_key import board_link
from triton_workshop.attendance.register import Register
from triton_workshop.room.server import Server

from .loopback import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

pytestmark = pytest.mark.browser
SIZES = {"phone": (390, 844), "laptop": (1280, 800)}
MARKUP = "<b>Bob</b>"


class Tunnel:
    """The way to the server, which a test can close."""

    def __init__(self, app: ASGIApp) -> None:
        self.app, self.open = app, threading.Event()
        self.open.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await (self.app if self.open.is_set() else PlainTextResponse("", 502))(scope, receive, send)


@pytest.fixture
def room(tmp_path: Path) -> Register:
    """Ada is right with one exercise, Bob asks for help, and somebody without a name has asked before him."""
    clock = [1e9]
    room = Register(tmp_path / "room.sqlite", lambda: clock[0])
    for name in ("Ada", MARKUP, None):
        room.report(room.enter(name).number, Progress("1", 3, 9, right=False, hints=1, mistake="floor-grid"))
    room.report(1, Progress("1", 9, 9, right=True, hints=1))
    room.call_for_help(3)
    clock[0] += 130
    room.call_for_help(2)
    return room


@pytest.fixture
def tunnel(room: Register) -> Tunnel:
    return Tunnel(Server(room, "").app)


@pytest.fixture(params=[(theme, size) for theme in ("dark", "light") for size in SIZES], ids="-".join)
def board(request: pytest.FixtureRequest, browser: Browser, room: Register, tunnel: Tunnel) -> Iterator[Page]:
    """The board as opened by the link that the presenter has; its console stays empty."""
    theme, size = request.param
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    page, said = context.new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    with served(tunnel) as address:
        page.goto(board_link(address, room.key))
        page.locator(".call").first.wait_for()
        assert page.url == f"{address}board"
        yield page
        context.close()
    assert [line for line in said if "502" not in line] == []


def test_the_board_shows_who_asks_and_who_is_where_and_d_marks_the_oldest_call_as_done(
    board: Page, room: Register, tunnel: Tunnel
) -> None:
    from playwright.sync_api import expect

    assert board.locator(".call strong").all_text_contents() == ["number 3", MARKUP]
    assert board.locator(".call .since").all_text_contents() == ["2 min ago", "just now"]
    assert board.locator("#exercises dd").all_text_contents()[:2] == ["2", "1"]
    assert board.locator("#exercises .mistakes").all_text_contents() == ["3 × floor grid"]
    assert board.locator(".attendee").all_text_contents() == [
        "Ada✓ 1Remove",
        f"{MARKUP}at 1: 3 of 9, 1 hintRemove",
        "number 3at 1: 3 of 9, 1 hintRemove",
    ]
    assert board.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe_findings(board, "document", "{}") == []
    board.keyboard.press("d")
    expect(board.locator(".call strong")).to_have_text([MARKUP])
    assert [call.number for call in room.board().calls] == [2]
    board.get_by_role("button", name=f"Done: {MARKUP}").click()
    expect(board.locator("#calls")).to_have_text("Nobody asks for help.")
    tunnel.open.clear()
    expect(board.locator("#state")).to_contain_text("The room is out of reach; trying again.")
    assert axe_findings(board, "document", "{}") == []
    tunnel.open.set()
    expect(board.locator("#state")).to_have_text("3 attendees")


def test_the_board_removes_who_the_presenter_says_and_tells_that_somebody_guesses(
    board: Page, room: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    from playwright.sync_api import expect

    asked = list[str]()
    answers = iter([False, True])

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        (dialog.accept if next(answers) else dialog.dismiss)()

    board.on("dialog", answer)
    for left in (3, 2):
        board.get_by_role("button", name=f"Remove: {MARKUP}").click()
        expect(board.locator("#state")).to_contain_text(f"{left} attendees")
    assert [present.number for present in room.board().attendees] == [1, 3]
    assert asked[0].startswith(f"Remove {MARKUP} from the room")
    assert not board.locator("#guessed").is_visible()
    monkeypatch.setattr("triton_workshop.attendance.register.MAX_WRONG_WORDS", 1)
    room.accepts_word("AAAAA")
    expect(board.locator("#guessed")).to_contain_text("Somebody is guessing the room's word")
    assert axe_findings(board, "document", "{}") == []
