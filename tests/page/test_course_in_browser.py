"""The course in a real browser: one begins, reads, goes on where one was, and comes from an exercise to its debrief."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from triton_workshop.exercises import EXERCISES
from triton_workshop.page import bundle, parts
from triton_workshop.page.course import load_course
from triton_workshop.page.handout import handout
from triton_workshop.page.outputs import read_recordings
from triton_workshop.repository import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.browser
RESULTS = ROOT / "benchmarks" / "results"
OUTPUTS = [RESULTS / f"{name}-outputs.json" for name in ("start", "deck", "second-half")]
MAX_BYTES = 18 * 2**20


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole page, as `handout --live` writes it."""
    if parts.cached_parts() is None:
        pytest.skip("the page's parts are not here: `uv run python -m triton_workshop.page.parts` fetches them")
    file = tmp_path_factory.mktemp("course") / "workshop.html"
    course = load_course(ROOT / "slides")
    recordings = {block: run for path in OUTPUTS for block, run in read_recordings(path, course.deck).items()}
    page = handout(course.deck, recordings, live=True, course=course).standalone(bundle.build_bundle())
    file.write_text(page, encoding="utf-8")
    return file


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that knows nothing yet."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(300_000)
    yield context
    context.close()


def opened(context: BrowserContext, file: Path) -> Page:
    page = context.new_page()
    page.goto(file.as_uri())
    return page


def test_both_decks_are_one_file_of_18_mb(file: Path) -> None:
    assert file.stat().st_size <= MAX_BYTES


def test_the_first_screen_starts_the_course_and_later_goes_on(context: BrowserContext, file: Path) -> None:
    page = opened(context, file)
    assert page.locator(".code").first.get_by_role("button", name="Run").is_visible()
    go_on = page.locator(".go-on")
    assert go_on.inner_text() == "Start"
    go_on.click()
    page.wait_for_url("**#slide-2")
    page.evaluate("document.querySelector('#slide-2 .end').scrollIntoView()")
    page.locator(".steps li .t-accent", has_text="◐").first.wait_for(state="attached")
    page.evaluate("document.querySelector('#slide-9').scrollIntoView()")
    page.locator(".go-on", has_text="Go on: Anatomy").wait_for(state="attached")
    again = opened(context, file)
    assert again.locator(".go-on").inner_text().startswith("Go on: Anatomy")
    again.locator(".go-on").click()
    again.wait_for_url("**#slide-9")
    assert again.locator(".steps progress").evaluate("(bar) => bar.value") > 0


def test_a_right_exercise_leads_to_the_slides_after_it(context: BrowserContext, file: Path) -> None:
    page = opened(context, file)
    page.evaluate("location.hash = '#exercise-2'")
    page.wait_for_selector(".verdict h3", state="attached")
    page.focus(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(EXERCISES["2"].solution)
    page.get_by_role("link", name="Go on: Debrief: exercise 2").click()
    assert page.locator(".workspace").is_hidden()
    assert "Debrief: exercise 2" in page.locator(page.evaluate("location.hash")).locator("h2").inner_text()
    page.evaluate("document.querySelector('#slide-1').scrollIntoView()")
    assert page.locator(".steps li").nth(1).locator("[aria-label=begun]").count() == 1


def test_the_start_is_on_a_phones_first_screen(context: BrowserContext, file: Path) -> None:
    page = opened(context, file)
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    page.locator(".code").first.wait_for()
    assert page.locator(".code").first.bounding_box()["y"] < 700  # type: ignore[index]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
