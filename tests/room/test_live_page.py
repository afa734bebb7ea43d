"""A page that follows while the presenter saves the deck: nothing is lost, and readers stay where they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.text import Text

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.chromium import axe_findings
from tests.room.loopback import served
from triton_workshop.attendance.register import Register
from triton_workshop.deck import load_deck
from triton_workshop.page.outputs import Output
from triton_workshop.room.messages import BlockOutput
from triton_workshop.room.server import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.browser
SLIDES = "\n<!-- end_slide -->\n".join(f"# Slide {number}\n\n{'word ' * 900}\n" for number in range(1, 7))
TOP = "document.querySelector('#slide-5').getBoundingClientRect().top"


class Shared:
    """A deck that is served, and a reader's page."""

    def __init__(self, page: Page, server: Server, room: Register, deck: Path) -> None:
        self.page, self.server, self.room, self.deck = page, server, room, deck

    def save(self, text: str) -> None:
        self.deck.write_text(text, encoding="utf-8")
        for key, value in self.server.page.set_deck(load_deck(self.deck)).items():
            self.server.stream.set(key, value)

    def print(self, *lines: str) -> None:
        output = Output(tuple(map(Text, lines)), "0.1 s", failed=False)
        for key, value in self.server.page.set_output(BlockOutput(0, output)).items():
            self.server.stream.set(key, value)


@pytest.fixture
def shared(browser: Browser, tmp_path: Path) -> Iterator[Shared]:
    with closing(Register(tmp_path / "room.sqlite")) as room:
        server = Server(room, "")
        page = browser.new_page()
        shared = Shared(page, server, room, tmp_path / "deck.md")
        shared.save(SLIDES)
        with served(server.app) as address:
            page.goto(f"{address}?word={room.word}")
            page.locator(".slide.current").wait_for()
            yield shared
            page.close()


def test_who_reads_on_alone_stays_there_when_the_deck_is_saved(shared: Shared) -> None:
    page = shared.page
    page.keyboard.press("n")
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    page.evaluate("document.querySelector('#slide-5').scrollIntoView()")
    before = page.evaluate(TOP)
    shared.save(SLIDES.replace("Slide 1", "Begin"))
    page.get_by_role("heading", name="Begin", level=1).wait_for()
    assert abs(page.evaluate(TOP) - before) < 20, "not 5000, as at the top of the page"


def test_who_reads_on_alone_stays_there_when_code_above_prints(shared: Shared) -> None:
    page = shared.page
    shared.save(SLIDES.replace("# Slide 1\n", "# Slide 1\n\n```python +exec\nprint()\n```\n"))
    page.locator("#output-0").wait_for(state="attached")
    page.keyboard.press("n")
    page.evaluate("document.documentElement.style.overflowAnchor = 'none'")  # as in Safari
    page.evaluate("document.querySelector('#slide-5').scrollIntoView()")
    before = page.evaluate(TOP)
    shared.print(*["a line"] * 50)
    page.get_by_text("a line").first.wait_for()
    assert abs(page.evaluate(TOP) - before) < 2


def test_a_page_that_could_not_be_fetched_is_fetched_again(shared: Shared) -> None:
    page, asked = shared.page, list[str]()

    def once(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) == 1:
            route.abort()
        else:
            route.continue_()

    page.evaluate("Math.random = () => -0.6")  # tries again in 0.2 s
    page.route("**/", once)
    shared.save(SLIDES.replace("Slide 1", "Begin"))
    page.get_by_role("heading", name="Begin", level=1).wait_for(timeout=5000)
    assert len(asked) == 2


def test_a_page_whose_session_is_over_says_what_to_do(shared: Shared) -> None:
    shared.room.leave(1)
    shared.server.stream.close()
    with shared.page.expect_response("**/", timeout=10_000) as asking:  # once it may not follow any more
        pass
    assert (asking.value.request.method, asking.value.status) == ("HEAD", 401)
    shared.page.get_by_text("You are not in the room any more.").wait_for()


def test_the_link_of_join_asks_who_one_is_and_opens_the_slides(shared: Shared) -> None:
    ada = shared.room.enter("Ada")
    shared.page.goto(f"{shared.page.url}?session={ada.token}")
    assert axe_findings(shared.page, "document", "{}") == []
    shared.page.get_by_role("button", name="Continue as Ada").click()
    shared.page.locator(".slide.current").wait_for()
    shared.page.keyboard.press("h")
    shared.page.get_by_text("The presenter sees Ada.").wait_for()
    assert [call.name for call in shared.room.board().calls] == ["Ada"]


def test_the_page_that_asks_for_the_word_can_be_read_by_everybody(shared: Shared) -> None:
    shared.page.context.clear_cookies()
    shared.page.goto(shared.page.url)
    shared.page.locator("#word").fill("aaaaa")
    shared.page.keyboard.press("Enter")
    shared.page.get_by_role("alert").wait_for()
    assert axe_findings(shared.page, "document", "{}") == []
