"""The handout in a real browser: what people do with it, and axe's findings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.chromium import MARK_LOOKS, axe_findings
from triton_workshop.deck import load_deck
from triton_workshop.page.handout import handout as handout_of
from triton_workshop.page.outputs import read_recordings
from triton_workshop.repository import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

pytestmark = pytest.mark.browser
MOST_BYTES = 6 * 2**20
SLIDES = len(load_deck(ROOT / "slides" / "triton-workshop.md").slides)
LAPTOP: ViewportSize = {"width": 1280, "height": 800}
SIZES = {"phone": (390, 844), "laptop": (1280, 800)}


@pytest.fixture(scope="module")
def handout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The handout of the workshop's own deck, with the outputs in the repository."""
    deck = load_deck(ROOT / "slides" / "triton-workshop.md")
    file = tmp_path_factory.mktemp("handout") / "handout.html"
    recordings = read_recordings(ROOT / "benchmarks" / "results" / "deck-outputs.json", deck)
    file.write_text(handout_of(deck, recordings).standalone(), encoding="utf-8")
    return file


@contextmanager
def open_page(browser: Browser, handout: Path) -> Iterator[Page]:
    """The page as opened from a disk. It may ask nobody for anything, and its console stays empty."""
    context = browser.new_context(viewport=LAPTOP)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page, said, asked = context.new_page(), list[str](), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(handout.as_uri())
    yield page
    context.close()
    assert said == []
    assert [url for url in asked if not url.startswith(("data:", handout.as_uri()))] == []


@pytest.fixture
def opened(browser: Browser, handout: Path) -> Iterator[Page]:
    with open_page(browser, handout) as page:
        yield page


@pytest.fixture(scope="module")
def shared(browser: Browser, handout: Path) -> Iterator[Page]:
    with open_page(browser, handout) as page:
        yield page


@pytest.fixture
def looked_at(shared: Page) -> Page:
    """One page for all who only look at it: it takes a second to lay out."""
    shared.set_viewport_size(LAPTOP)
    shared.emulate_media(media="screen", color_scheme="light")
    return shared


def test_it_is_small_enough_for_a_mail(handout: Path) -> None:
    assert handout.stat().st_size <= MOST_BYTES


def test_every_slide_and_every_picture_is_shown(looked_at: Page) -> None:
    deck = load_deck(ROOT / "slides" / "triton-workshop.md")
    assert looked_at.locator(".slide").count() == len(deck.slides)
    broken = "[...document.images].filter((image) => !image.naturalWidth).map((image) => image.alt)"
    assert looked_at.evaluate(broken) == []
    assert looked_at.locator(".output .failed").count() == 1  # the block that is meant to fail


def test_hidden_lines_unfold(opened: Page) -> None:
    figure = opened.locator(".code", has=opened.locator(".hidden")).first
    assert not figure.locator(".hidden").first.is_visible()
    button = figure.locator("button[aria-expanded]")
    button.click()
    assert figure.locator(".hidden").first.is_visible()
    assert button.inner_text().startswith("Hide")


def test_code_is_copied_with_its_hidden_lines(looked_at: Page) -> None:
    figure = looked_at.locator(".code", has=looked_at.locator(".hidden")).first
    figure.get_by_role("button", name="Copy").click()
    copied = looked_at.evaluate("navigator.clipboard.readText()")
    assert copied == "".join(figure.locator(".line").all_text_contents())
    assert "import" in copied


def test_search_shows_the_slides_that_have_every_word(opened: Page) -> None:
    opened.keyboard.press("/")
    opened.keyboard.type("sobel edges")
    entries = opened.locator("nav ol li:not(.none) a")
    assert 0 < entries.count() < 10
    assert f"of {SLIDES}" in opened.locator("header").get_by_role("status").inner_text()
    assert {mark.lower() for mark in opened.locator("nav mark").all_inner_texts()} == {"sobel"}
    first = str(entries.first.get_attribute("href"))
    assert first == f"#slide-{entries.first.evaluate('(link) => link.parentElement.value')}", "it keeps its number"
    opened.keyboard.press("Enter")
    opened.wait_for_url(f"**{first}")
    assert opened.locator("nav ol li.none").count() == 0, "the contents are whole again"
    opened.keyboard.press("/")
    opened.keyboard.type("sobel")
    opened.keyboard.press("Escape")
    assert opened.locator("nav ol li.none").count() == 0


LIKE_SAFARI = "document.documentElement.style.overflowAnchor = 'none'"
"""Safari moves what is read when something above it grows."""


def top_of(page: Page, slide: int) -> float:
    return float(page.locator(f"#slide-{slide}").evaluate("(slide) => slide.getBoundingClientRect().top"))


def test_search_leads_to_the_slide_on_a_phone(opened: Page) -> None:
    opened.set_viewport_size({"width": 390, "height": 844})
    opened.evaluate(LIKE_SAFARI)
    opened.keyboard.press("/")
    opened.keyboard.type("mask load")
    opened.keyboard.press("Enter")
    opened.wait_for_url("**#slide-*")
    assert 0 <= top_of(opened, int(opened.url.rpartition("-")[2])) < 130, "below the header"


def test_what_is_read_stays_where_it_is_when_all_notes_open(opened: Page) -> None:
    opened.evaluate(LIKE_SAFARI)
    opened.get_by_role("button", name="Answers").click()
    opened.locator("#slide-20").evaluate("(slide) => slide.scrollIntoView()")
    before = top_of(opened, 20)
    opened.get_by_role("button", name="Notes").click()
    assert opened.locator("#slide-20 .notes p").first.is_visible()
    assert abs(top_of(opened, 20) - before) < 2


def test_keys_go_from_slide_to_slide(opened: Page) -> None:
    for key, expected in (("n", 2), ("n", 3), ("p", 2), ("n", 3), ("n", 4)):
        opened.keyboard.press(key)
        top = opened.locator(f"#slide-{expected}").evaluate("(slide) => slide.getBoundingClientRect().top")
        assert 0 <= top < 100


def test_as_many_presses_as_one_likes_lead_as_far(opened: Page) -> None:
    for _ in range(SLIDES - 1):
        opened.keyboard.press("n")
    assert f"{SLIDES} " in str(
        opened.evaluate("[...document.querySelectorAll('.slide h2')].at(globalThis.page.currentSlide()).innerText")
    )


def test_a_name_of_a_script_leads_to_it(opened: Page) -> None:
    opened.locator(".slide").get_by_role("link", name="exercises/exercise_1.py", exact=True).click()
    opened.wait_for_function("document.querySelector('#exercises-exercise_1').open")
    assert "TODO 1" in opened.locator("#exercises-exercise_1").inner_text()


def test_notes_open_all_at_once(opened: Page) -> None:
    assert not opened.locator(".notes p").first.is_visible()
    opened.get_by_role("button", name="Notes").click()
    assert opened.locator(".notes p").first.is_visible()


def test_notes_of_a_slide_wait_for_what_it_asks_to_predict(opened: Page) -> None:
    notes = opened.locator("#slide-5 .notes p").first
    opened.get_by_role("button", name="Notes").click()
    assert not notes.is_visible()
    assert opened.locator("#slide-5 .notes summary").is_visible()
    opened.emulate_media(media="print")
    assert notes.is_visible()
    opened.emulate_media(media="screen")
    opened.locator("#slide-5 summary", has_text="What comes next").click()
    assert notes.is_visible()
    opened.get_by_role("button", name="Answers").click()
    assert opened.locator(".notes").count() == opened.locator(".notes > p:first-of-type:visible").count()


def test_the_contents_mark_the_slide_that_is_read_and_show_its_entry(opened: Page) -> None:
    for slide in (1, SLIDES - 20, 3):
        opened.locator(f"#slide-{slide}").evaluate("(slide) => slide.scrollIntoView()")
        opened.wait_for_selector(f"nav [aria-current][href='#slide-{slide}']")
        top, bottom = opened.locator("nav [aria-current]").evaluate(
            "(link) => [link.getBoundingClientRect().top, link.getBoundingClientRect().bottom]"
        )
        assert 0 < top < bottom <= 800
        assert 0 <= top_of(opened, slide) < 100, "the slides stay where they are"


def test_answers_open_one_by_one_and_all_at_once(opened: Page) -> None:
    answers = opened.locator("#slide-5 .fold img, #slide-6 .fold img")
    assert answers.count() == 2
    assert not answers.first.is_visible()
    opened.locator("#slide-5 summary", has_text="What comes next").focus()
    opened.keyboard.press("Enter")
    assert answers.first.is_visible()
    assert not answers.last.is_visible()
    opened.get_by_role("button", name="Answers").click()
    assert answers.last.is_visible()


def test_a_page_without_scripts_opens_its_answers_too(browser: Browser, handout: Path) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(handout.as_uri())
    page.locator("#slide-5 summary", has_text="What comes next").click()
    assert page.locator("#slide-5 .fold img").is_visible()
    page.context.close()


def test_contents_are_folded_on_a_phone_until_a_search_finds_something_there(opened: Page) -> None:
    assert opened.locator("nav a:visible").count() > SLIDES
    opened.set_viewport_size({"width": 390, "height": 844})
    opened.reload()
    assert opened.locator("nav a:visible").count() == 0
    assert top_of(opened, 1) < 844, "the first slide is on the first screen"
    opened.keyboard.press("/")
    opened.keyboard.type("sobel")
    assert 0 < opened.locator("nav a:visible").count() == opened.locator("nav ol li:not(.none)").count()
    opened.keyboard.press("Escape")
    assert opened.locator("nav a:visible").count() == 0


def test_code_and_errors_wrap_on_a_phone(opened: Page) -> None:
    opened.set_viewport_size({"width": 390, "height": 844})
    opened.get_by_role("button", name="Answers").click()
    wider = (
        "[...document.querySelectorAll('.code pre, .output pre')].filter((pre) => pre.scrollWidth > pre.clientWidth)"
    )
    assert opened.locator(".output pre:visible").count() >= 20
    assert opened.evaluate(f"{wider}.map((pre) => pre.innerText)") == []


def test_the_theme_is_the_systems_until_one_is_chosen(opened: Page) -> None:
    def ground() -> str:
        return str(opened.evaluate("getComputedStyle(document.body).backgroundColor"))

    opened.emulate_media(color_scheme="dark")
    dark = ground()
    opened.emulate_media(color_scheme="light")
    assert ground() != dark
    opened.get_by_role("button", name="Dark").click()
    assert ground() == dark


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wider_than_the_screen(looked_at: Page, size: str) -> None:
    width, height = SIZES[size]
    looked_at.set_viewport_size({"width": width, "height": height})
    assert looked_at.evaluate("document.documentElement.scrollWidth") <= width


def test_on_paper_there_are_slides_only(looked_at: Page) -> None:
    looked_at.emulate_media(media="print")
    assert not looked_at.locator(".tools").is_visible()
    assert not looked_at.locator(".code button").first.is_visible()
    assert looked_at.locator(".output pre").first.is_visible(), "which is folded on a screen"
    assert looked_at.locator(".fold p").first.is_visible()
    assert not looked_at.locator(".fold > summary").first.is_visible()
    assert looked_at.locator("nav a").first.is_visible()
    assert looked_at.locator(f"#slide-{SLIDES} h2").is_visible()


def test_axe_finds_nothing_to_object_to(looked_at: Page) -> None:
    looked_at.set_viewport_size({"width": 390, "height": 844})
    assert axe_findings(looked_at, "document", "{ rules: { 'color-contrast': { enabled: false } } }") == []


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_text_has_contrast(looked_at: Page, scheme: Any) -> None:
    """Axe's rule for one element of each look: it takes minutes for all."""
    looked_at.emulate_media(color_scheme=scheme)
    assert looked_at.evaluate(MARK_LOOKS) > 50
    assert axe_findings(looked_at, "{ include: [['[data-look]']] }", "{ runOnly: ['color-contrast'] }") == []


def test_it_is_painted_within_a_second(opened: Page) -> None:
    """From a disk. The one time in these tests: what people notice, with a wide margin here (about 0.3 s)."""
    paint = opened.evaluate(
        "new Promise((told) => new PerformanceObserver((list) => told(list.getEntries()[0].startTime))"
        ".observe({ type: 'paint', buffered: true }))"
    )
    assert paint < 1000
