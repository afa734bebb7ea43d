"""The room's GPUs in real browsers, which follow a real server: nothing is lost, and nothing happens twice."""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import zipfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("playwright")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("segno")

from playwright.sync_api import expect

from tests.chromium import axe_findings
from tests.page.conftest import editor_bundle
from tests.room import stand_in
from tests.room.stand_in import GPU, jobs_of
from triton_workshop.attendance.board_key import board_link
from triton_workshop.attendance.register import Register
from triton_workshop.deck import load_deck
from triton_workshop.page.bundle import LICENCES
from triton_workshop.repository import ROOT
from triton_workshop.room.addresses import Endpoint
from triton_workshop.room.messages import GpuPool
from triton_workshop.room.share import Share
from triton_workshop.viewer.presentation import Presentation

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = [pytest.mark.browser, pytest.mark.skipif(sys.platform == "win32", reason="kills a process as on Unix")]
SOLUTION = (ROOT / "solutions" / "exercise_4.py").read_text(encoding="utf-8")
PATIENCE_MS = 60_000


@dataclass
class Talk:
    """Slides that are shared, in a room with GPUs."""

    share: Share
    room: Path
    pool: GpuPool

    def enter(self, browser: Browser, name: str, width: int = 1280, **options: Any) -> BrowserContext:
        """A browser of an attendee with this name."""
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        context.set_default_timeout(PATIENCE_MS)
        address = self.share.invitation().local_address
        with closing(Register(self.room)) as register:
            token = register.enter(name).token
        context.add_cookies([{"name": "room", "value": token, "url": address}])
        return context

    def open(self, context: BrowserContext, text: str | None = None) -> Page:
        """Exercise 4 in a tab, with this script in its editor."""
        page = context.new_page()
        page.goto(f"{self.share.invitation().local_address}#exercise-4")
        expect(gpu_button(page)).to_be_visible(timeout=PATIENCE_MS)
        if text is not None:
            write(page, text)
        return page

    def hold(self) -> None:
        Path(self.pool.address, "hold").touch()

    def release(self) -> None:
        Path(self.pool.address, "hold").unlink()

    def kill_server(self) -> None:
        os.kill(self.share._call._process._process.pid, signal.SIGKILL)  # type: ignore[union-attr]

    def submissions(self) -> list[str]:
        with closing(sqlite3.connect(self.room)) as store:
            return [id for (id,) in store.execute("SELECT id FROM submissions ORDER BY sequence")]


@pytest.fixture
def talk(tmp_path: Path) -> Iterator[Talk]:
    bundle, file, deck = editor_bundle(), tmp_path / "bundle.zip", tmp_path / "deck.md"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(LICENCES, "")
        for blob in bundle.blobs:
            archive.writestr(blob.name, blob.data)
    deck.write_text("# A talk\n", encoding="utf-8")
    room, pool = tmp_path / "room.sqlite", stand_in.pool_at(tmp_path / "pool")
    with closing(Share(Endpoint(port=0), room, file, pool)) as share, closing(Presentation(load_deck(deck)).live) as _:
        share.ready()
        share.tell(Presentation(load_deck(deck)))
        yield Talk(share, room, pool)


def gpu_button(page: Page) -> Any:
    return page.get_by_role("button", name="On a GPU")


def panel(page: Page) -> Any:
    return page.get_by_role("region", name="On a GPU")


def write(page: Page, text: str) -> None:
    """Type another script, as from the clipboard."""
    page.locator(".workspace .cm-content").first.focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def press(page: Page, name: str) -> None:
    """Go to a button with the Tab key alone, and press it."""
    for _ in range(60):
        if page.evaluate("document.activeElement.matches('.cm-content')"):
            page.keyboard.press("Escape")  # of the editor, Tab leads out only after that
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == name:
            return page.keyboard.press("Enter")
    raise AssertionError(f"no Tab leads to {name}")


def test_exercise_4_goes_from_wrong_to_right_to_the_board_by_keyboard(browser: Browser, talk: Talk) -> None:
    context = talk.enter(browser, "Ada")
    page = talk.open(context, SOLUTION.replace("BLOCK_SIZE_K * stride_bk", "BLOCK_SIZE_K * stride_bn"))
    press(page, "On a GPU")
    expect(panel(page)).to_contain_text("this one script leaves your browser")
    assert talk.submissions() == []
    expect(page.get_by_role("button", name="Agree and send")).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel(page).locator("h3")).to_have_text(f"✗ Wrong on {GPU}", timeout=PATIENCE_MS)
    write(page, SOLUTION)
    expect(panel(page).locator(".outdated")).to_have_count(1)
    press(page, "On a GPU")
    expect(panel(page).locator("h3")).to_have_text(f"✓ Correct on {GPU}", timeout=PATIENCE_MS)
    rows = panel(page).locator("tbody tr")
    expect(rows).to_have_count(4)
    expect(rows.nth(1)).to_contain_text("1.00 ×")
    press(page, "Times")
    expect(page.get_by_role("dialog")).to_contain_text("Ada (you)")
    assert axe_findings(page, "{ include: [['.gpu'], ['.board-of-times']] }", "{}") == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert len(talk.submissions()) == len(jobs_of(talk.pool)) == 2
    context.close()


def test_a_reload_and_a_second_tab_show_the_same_script(browser: Browser, talk: Talk) -> None:
    talk.hold()
    others = [talk.enter(browser, name) for name in ("Bob", "Eve", "Ada")]
    pages = [talk.open(context, SOLUTION) for context in others]
    for page, words in zip(pages, ("Running", "Running", "You are next"), strict=True):
        gpu_button(page).click()
        page.get_by_role("button", name="Agree and send").click()
        expect(panel(page)).to_contain_text(words)
    ada = pages[-1]
    second = talk.open(others[-1])
    expect(panel(second)).to_contain_text("You are next")
    ada.reload()
    expect(panel(ada)).to_contain_text("You are next")
    talk.release()
    for page in (ada, second):
        expect(panel(page).locator("h3")).to_have_text(f"✓ Correct on {GPU}", timeout=PATIENCE_MS)
    write(ada, "wrong = 1")
    gpu_button(ada).click()
    expect(panel(second).locator("h3")).to_have_text(f"✗ Wrong on {GPU}", timeout=PATIENCE_MS)
    assert len(talk.submissions()) == len({*jobs_of(talk.pool)}) == len(jobs_of(talk.pool)) == 4
    for context in others:
        context.close()


def test_nothing_is_lost_and_nothing_happens_twice_when_the_server_is_killed(browser: Browser, talk: Talk) -> None:
    talk.hold()
    ada, bob = talk.enter(browser, "Ada"), talk.enter(browser, "Bob")
    running, late = talk.open(ada, SOLUTION), talk.open(bob, SOLUTION)
    gpu_button(running).click()
    running.get_by_role("button", name="Agree and send").click()
    expect(panel(running)).to_contain_text("Running")
    gpu_button(late).click()
    talk.kill_server()
    late.get_by_role("button", name="Agree and send").click()  # while there is no server
    expect(panel(late)).to_contain_text("Running", timeout=PATIENCE_MS)
    expect(panel(running)).to_contain_text("Running", timeout=PATIENCE_MS)
    talk.release()
    for page in (running, late):
        expect(panel(page).locator("h3")).to_have_text(f"✓ Correct on {GPU}", timeout=PATIENCE_MS)
    first, second = talk.submissions()
    assert jobs_of(talk.pool) in ([first, first, second], [first, second, first])
    late.get_by_role("button", name="Times").click()
    expect(late.get_by_role("dialog").locator("tbody tr")).to_have_count(2)
    ada.close()
    bob.close()


def test_a_script_that_runs_is_cancelled(browser: Browser, talk: Talk) -> None:
    talk.hold()
    context = talk.enter(browser, "Ada")
    page = talk.open(context, SOLUTION)
    gpu_button(page).click()
    page.get_by_role("button", name="Agree and send").click()
    expect(panel(page)).to_contain_text("Running")
    page.get_by_role("button", name="Cancel").click()
    expect(panel(page)).to_contain_text("You have cancelled it")
    context.close()


def test_the_presenter_strikes_a_time_and_hides_the_board(browser: Browser, talk: Talk) -> None:
    context = talk.enter(browser, "Ada")
    page = talk.open(context, SOLUTION)
    gpu_button(page).click()
    page.get_by_role("button", name="Agree and send").click()
    expect(panel(page).locator("tbody tr")).to_have_count(4, timeout=PATIENCE_MS)
    invitation = talk.share.invitation()
    presenter = browser.new_page()
    presenter.on("dialog", lambda dialog: dialog.accept())
    presenter.goto(board_link(invitation.local_address, invitation.key))
    expect(presenter.locator("#times-lists")).to_contain_text("Ada")
    assert axe_findings(presenter, "document", "{}") == []
    presenter.get_by_role("button", name="Attendees see these times").click()
    expect(presenter.get_by_role("button", name="Attendees do not see these times")).to_be_visible()
    page.get_by_role("button", name="Times").click()
    expect(page.get_by_role("dialog")).to_contain_text("turned the board of times off")
    presenter.get_by_role("button", name="Strike: Ada").click()
    expect(presenter.locator("#times-lists")).to_contain_text("Nobody has a time yet.")
    presenter.close()
    context.close()
