"""Exercises in a page, in a real browser: what a learner does by keyboard, and that nobody's text is lost."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from triton_workshop.browser import bundle, parts
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.web.page import Page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext
    from playwright.sync_api import Page as Opened

pytestmark = pytest.mark.browser
BODY = '<header></header><nav></nav><div class="tools"></div><main><p>slides</p></main>'
SOLUTION = EXERCISES["1"].solution
WRONG = {
    "reads outside": SOLUTION.replace("tl.load(x_ptr + offsets, mask=mask)", "tl.load(x_ptr + offsets)"),
    "wrong values": SOLUTION.replace("x + y", "x - y"),
    "stops with an error": SOLUTION.replace("x + y", "x + z"),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page on a disk."""
    if parts.here() is None:
        pytest.skip("the page's parts are not here: `uv run python -m triton_workshop.browser.parts` fetches them")
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(Page("a page", BODY, "").whole(bundle.gathered()), encoding="utf-8")
    return file.as_uri()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that knows nothing yet."""
    context = browser.new_context()
    context.set_default_timeout(300_000)
    yield context
    context.close()


def opened(context: BrowserContext, file: str) -> Opened:
    """Exercise 1 in its editor, checked once."""
    page = context.new_page()
    page.goto(f"{file}#exercise-1")
    page.wait_for_selector(".verdict h3", state="attached")
    return page


def write(page: Opened, text: str) -> None:
    """Replace the whole text, by keyboard."""
    page.focus(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def press(page: Opened, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def verdict(page: Opened, words: str) -> str:
    """What the checker says, as soon as its headline has these words."""
    page.locator(".verdict:not(.outdated) h3", has_text=words).wait_for()
    return page.inner_text(".verdict")


def test_from_the_first_todo_to_right_with_three_mistakes_on_the_way(context: BrowserContext, file: str) -> None:
    page = opened(context, file)
    assert "0 of 9 TODOs filled in" in verdict(page, "TODOs")
    for words, text in WRONG.items():
        write(page, text)
        said = verdict(page, words)
        assert "❱" in said, "the line is shown"
        assert page.locator(".cm-lintRange").count() > 0, "and marked in the editor"
    page.focus(".hints button")
    page.keyboard.press("Enter")
    assert "hint 1 of" in page.inner_text(".verdict")
    write(page, SOLUTION)
    assert "Compare with the solution" in verdict(page, "cases are right")
    assert "✓" in page.inner_text(".tabs a >> nth=0")
    page.reload()
    verdict(page, "cases are right")


def test_a_loop_without_an_end_is_named_and_the_next_check_works(context: BrowserContext, file: str) -> None:
    page = opened(context, file)
    write(page, SOLUTION.replace("    grid = ", "    while True:\n        pass\n    grid = "))
    verdict(page, "does not finish")
    write(page, SOLUTION)
    verdict(page, "cases are right")


def test_two_tabs_lose_neither_text(context: BrowserContext, file: str) -> None:
    one, other = opened(context, file), opened(context, file)
    write(one, "# one\n" + SOLUTION)
    other.wait_for_selector(".notice button")
    write(other, "# other\n" + SOLUTION)
    press(other, "This one")
    press(one, "The other tab's")
    assert "# other" in one.inner_text(".cm-content")
    press(one, "Put back")
    assert "# one" in one.inner_text(".cm-content")


def test_a_reset_keeps_what_was_there(context: BrowserContext, file: str) -> None:
    page = opened(context, file)
    write(page, SOLUTION)
    verdict(page, "cases are right")
    press(page, "Reset")
    verdict(page, "TODOs")
    press(page, "Put back")
    verdict(page, "cases are right")


def test_a_browser_without_storage_says_so(context: BrowserContext, file: str) -> None:
    context.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('none'); } })")
    page = opened(context, file)
    write(page, SOLUTION)
    verdict(page, "cases are right")
    assert "This browser keeps nothing" in page.inner_text(".about")
