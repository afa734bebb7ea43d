"""Scratch pads and links with a script in them, in a real browser."""

from __future__ import annotations

import base64
import random
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.chromium import axe_findings
from tests.page.conftest import editor_bundle
from triton_workshop.deck import load_deck
from triton_workshop.page import bundle, parts
from triton_workshop.page.assets import asset
from triton_workshop.page.page import make_page
from triton_workshop.page.slides import Writer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.browser
TEMPLATE = asset("scratch.txt")
OTHERS = "import sys\nprint('somebody', 'else’s')\n"


def page_file(folder: Path, content: bundle.PageBundle) -> str:
    (folder / "deck.md").write_text("Only one\n===\n\nA slide.\n", encoding="utf-8")
    page = make_page(Writer(load_deck(folder / "deck.md"), {}), {}).standalone(content)
    (folder / "page.html").write_text(page, encoding="utf-8")
    return (folder / "page.html").as_uri()


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page with the editor, in which no Python starts."""
    return page_file(tmp_path_factory.mktemp("pads"), editor_bundle())


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that knows nothing yet."""
    context, wrong = browser.new_context(viewport={"width": 1280, "height": 800}), list[str]()
    context.set_default_timeout(10_000)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.on("weberror", lambda error: wrong.append(str(error.error)))
    yield context
    context.close()
    assert wrong == []


def opened(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    page.locator(".scratch .cm-content").wait_for()
    return page


def text(page: Page) -> str:
    """What the editor has, also where it is out of sight."""
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    return page.locator(".scratch .paper").text_content() or ""


def write(page: Page, script: str) -> None:
    page.locator(".scratch .cm-content").focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(script)


def tabs(page: Page) -> list[str]:
    return page.locator(".scratch .tabs a").all_inner_texts()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def link_of(script: str) -> str:
    """A link's part behind the address, as another program would make it."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(script.encode()) + packer.flush()
    return f"#code={base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def test_pads_are_made_named_kept_deleted_and_brought_back(context: BrowserContext, address: str) -> None:
    page = opened(context, f"{address}#scratch")
    assert text(page) == TEMPLATE
    write(page, "first = 1")
    page.get_by_role("link", name="New").click()
    page.locator(".scratch .cm-line", has_text="@triton.jit").wait_for()
    page.get_by_label("Name").fill("Sums")
    page.get_by_label("Name").press("Enter")
    write(page, "second = 2")
    assert tabs(page) == ["Scratch 1", "Sums", "New"]
    page.reload()
    page.locator(".scratch .cm-line", has_text="second = 2").wait_for()
    press(page, "Delete")
    page.locator(".scratch .cm-line", has_text="first = 1").wait_for()
    assert tabs(page) == ["Scratch 1", "New"]
    press(page, "Undo")
    page.locator(".scratch .cm-line", has_text="second = 2").wait_for()
    assert tabs(page) == ["Scratch 1", "Sums", "New"]
    for _ in range(2):
        press(page, "Delete")
    assert tabs(page) == ["Scratch 1", "New"]
    assert text(page) == TEMPLATE, "there is always one"
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.includes('exercise-scratch')).length") == 0


@pytest.mark.parametrize(
    ("where", "is_lost"),
    [
        ("#nonsense", True),
        ("#exercise-99", True),
        ("#%", True),
        ("#slide-1", False),
        ("#exercises", False),
        ("", False),
    ],
)
def test_an_address_that_leads_nowhere_says_so(
    context: BrowserContext, address: str, where: str, is_lost: bool
) -> None:
    page = context.new_page()
    page.goto(f"{address}{where}")
    lost = page.get_by_text(f"{where} is no place in this page. The link may be of another edition.")
    assert lost.is_visible() == is_lost


def test_one_comes_from_the_exercises_bar_and_goes_back(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}#exercise-2")
    assert page.evaluate("document.querySelector('.bar').offsetHeight") < 75, "the bar is one row"
    page.get_by_role("navigation", name="All exercises").get_by_role("link", name="Scratch").click()
    press(page, "Back to exercise 2")
    page.wait_for_url("**#exercise-2")
    assert page.locator(".scratch").is_hidden()
    press(page, "Back to the slides")
    page.get_by_role("link", name="scratch pad", exact=True).click()
    page.keyboard.type("# ")
    press(page, "Back to the slides")
    assert page.locator("main").evaluate("(main) => !main.inert")
    page.go_back()
    page.locator(".scratch .cm-line", has_text="# ").first.wait_for()


def test_two_tabs_lose_neither_text(context: BrowserContext, address: str) -> None:
    one = opened(context, f"{address}#scratch")
    other = opened(context, one.url)
    write(one, "one = 1")
    other.locator(".scratch .cm-line", has_text="one = 1").wait_for()
    # On a busy machine, its pause before it saves could be over before the other one has saved.
    other.evaluate("globalThis.setTimeout = ((soon, call, ms) => soon(call, 5 * ms)).bind(null, setTimeout)")
    write(other, "other = 2")
    one.evaluate("Store.update(location.hash.slice(1), { text: 'one = 11', revision: 99 })")
    other.get_by_text("“Scratch 1” was changed in another tab.").wait_for()
    assert text(other) == "other = 2"
    assert tabs(other) == ["Scratch 1", "Scratch 1 1", "New"]
    other.get_by_role("link", name="Scratch 1", exact=True).click()
    other.locator(".scratch .cm-line", has_text="one = 11").wait_for()


@pytest.mark.parametrize("place", ["#scratch", "#exercise-1"])
def test_a_text_that_another_tab_saves_while_the_editor_comes_is_shown(
    context: BrowserContext, address: str, place: str
) -> None:
    page = context.new_page()
    page.goto(address)
    page.evaluate(
        """(place) => {
          const load = Parts.editor;
          Parts.editor = async (onProgress) => {
            const modules = await load(onProgress), record = location.hash.replace(/^#(exercise-)?/, "");
            Store.update(record, { text: "late = 1", revision: 1 });
            return modules;
          };
          location.hash = place;
        }""",
        place,
    )
    page.locator(".workspace:not([hidden]) .cm-line", has_text="late = 1").wait_for()


def test_a_link_brings_the_script_to_somebody_else_and_nothing_runs(context: BrowserContext, address: str) -> None:
    asked = list[str]()
    context.on("request", lambda request: asked.append(request.url))
    page = opened(context, f"{address}#scratch")
    write(page, OTHERS)
    press(page, "Copy link")
    page.get_by_text("The link is copied.").wait_for()
    link = page.get_by_label("The link").input_value()
    assert page.evaluate("navigator.clipboard.readText()") == link
    assert link.startswith(f"{address}#code=")
    theirs = context.browser.new_context()  # type: ignore[union-attr]
    theirs.on("request", lambda request: asked.append(request.url))
    other = opened(theirs, f"{link}.")  # as chat may end it
    assert text(other) == OTHERS
    assert other.get_by_role("heading", name="Somebody else's script").is_visible()
    assert other.get_by_text("it came in a link. Nothing of it runs until you press Run.").is_visible()
    assert other.locator("iframe").count() == 0, "Python has not started"
    assert tabs(other) == ["New"], "it is not among one's own"
    press(other, "Keep it")
    assert tabs(other) == ["From a link 1", "New"]
    other.reload()
    other.locator(".scratch .cm-line", has_text="somebody").wait_for()
    assert other.get_by_role("heading", name="Somebody else's script").is_visible()
    theirs.close()
    assert [url for url in asked if not url.startswith(("file:", "blob:"))] == []


def test_the_script_of_a_link_is_kept_once_it_is_changed(context: BrowserContext, address: str) -> None:
    page = opened(context, f"{address}{link_of(OTHERS)}")
    page.keyboard.type("# mine\n")
    page.wait_for_url("**#scratch-*")
    page.reload()
    page.locator(".scratch .cm-line", has_text="# mine").wait_for()
    assert text(page) == f"# mine\n{OTHERS}"


def test_a_change_right_before_one_leaves_is_kept_too(context: BrowserContext, address: str) -> None:
    page = opened(context, f"{address}{link_of(OTHERS)}")
    page.keyboard.type("# mine\n")
    page.get_by_role("link", name="New").click()
    page.locator(".scratch .cm-line", has_text="@triton.jit").wait_for()
    assert tabs(page) == ["From a link 1", "Scratch 1", "New"]
    page.get_by_role("link", name="From a link 1").click()
    page.locator(".scratch .cm-line", has_text="# mine").wait_for()


DAMAGED = {
    "nothing": "",
    "no base64": "=",
    "cut off": link_of(TEMPLATE)[6:200],
    "no text": base64.urlsafe_b64encode(b"\x03\x00\xff\xfe").decode(),
    "not compressed": base64.urlsafe_b64encode(OTHERS.encode()).decode(),
}


@pytest.mark.parametrize("name", [*DAMAGED, "too large"])
def test_a_damaged_link_says_so_and_leaves_ones_own_pad(context: BrowserContext, address: str, name: str) -> None:
    coded = f"#code={DAMAGED[name]}" if name in DAMAGED else link_of("x" * 10_000_000)
    page = opened(context, f"{address}{coded}")
    page.get_by_text("too long for this page" if name == "too large" else "This link is damaged").wait_for()
    assert text(page) == TEMPLATE
    assert page.get_by_role("heading", name="Scratch pad").is_visible()


def test_a_script_that_is_too_long_for_a_link_says_so(context: BrowserContext, address: str) -> None:
    page = opened(context, f"{address}#scratch")
    noise = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=20_000))
    for script, words in (
        (noise, r"the link would have [\d,]+ characters"),
        ("a" * 100_001, "100,001 bytes of 100,000"),
    ):
        write(page, script)
        press(page, "Copy link")
        page.get_by_text(re.compile(f"too long for a link: .*{words}.*Download it")).wait_for()


def test_an_exercise_has_a_link_too(context: BrowserContext, address: str) -> None:
    page = context.new_page()
    page.goto(f"{address}#exercise-1")
    page.locator(".cm-content").wait_for()
    press(page, "Copy link")
    link = page.get_by_label("The link").input_value()
    page.goto("about:blank")
    assert "def add_kernel(" in text(opened(context, link))


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_axe_finds_nothing_serious_on_a_phone(context: BrowserContext, address: str, scheme: str) -> None:
    page = opened(context, f"{address}{link_of(OTHERS)}")
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    press(page, "Copy link")
    page.get_by_label("The link").wait_for()
    page.wait_for_timeout(200)  # colours change
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert [each for each in axe_findings(page, "document", "{}") if each[0] in ("serious", "critical")] == []


def test_a_pad_runs_shows_values_and_faults_and_nothing_of_another_script(
    context: BrowserContext, tmp_path: Path
) -> None:
    if parts.cached_parts() is None:
        pytest.skip("the page's parts are not here: `uv run python -m triton_workshop.page.parts` fetches them")
    context.set_default_timeout(90_000)
    page = opened(context, f"{page_file(tmp_path, bundle.build_bundle())}#scratch")
    page.keyboard.press("Control+Enter")
    page.locator(".scratch .output .right").wait_for()
    said = page.inner_text(".scratch .output pre")
    assert "program 0 has [0." in said
    assert "18." in said
    page.locator(".cm-line", has_text="offsets = ").locator(".line-note", has_text="0 … 3").wait_for()
    assert page.locator(".look .choices select").count() == 0, "it has no cases"
    write(page, TEMPLATE.replace("x_ptr + offsets, mask=mask", "x_ptr + offsets"))
    press(page, "Run")
    page.locator(".scratch .output .failed").wait_for()
    assert "tl.load(x_ptr + offsets)" in page.inner_text(".scratch .output pre")
    write(page, "import sys\nsys.heard = 'mine'\nprint('kept')")
    press(page, "Run")
    page.locator(".scratch .output pre", has_text="kept").wait_for()
    page.get_by_role("link", name="New").click()
    write(page, "import sys\nprint(getattr(sys, 'heard', 'nothing'))")
    assert page.locator(".scratch .output").is_hidden()
    press(page, "Run")
    page.locator(".scratch .output pre", has_text="nothing").wait_for()
    write(page, "while True: pass")
    press(page, "Run")
    press(page, "Stop")
    page.locator(".scratch .output", has_text="✗ stopped").wait_for()


POLLUTED = '{"__proto__": {"polluted": true}, "constructor": {"prototype": {"polluted": true}}}'


def test_what_others_have_written_reaches_no_other_object(context: BrowserContext, address: str) -> None:
    """In a link, in the list of pads, in a pad's record, in settings."""
    page = opened(context, f"{address}{link_of(POLLUTED)}")
    assert text(page) == POLLUTED, "it is a text like another"
    press(page, "Keep it")
    written = """(text) => {
      for (const key of Object.keys(localStorage)) localStorage.setItem(key, text);
      for (const key of ["pads", "pad", "values"]) localStorage.setItem(`triton-workshop-setting-${key}`, text);
    }"""
    for record in (
        POLLUTED,
        f"[{POLLUTED}, null, 1]",
        "1",
        '"__proto__"',
        '[{"id": "__proto__", "name": "constructor"}]',
    ):
        page.evaluate(written, record)
        page.goto(f"{address}#scratch")
        page.reload()
        page.locator(".scratch .cm-line", has_text="@triton.jit").wait_for()
        write(page, "mine = 1")
        page.locator(".scratch .cm-line", has_text="mine = 1").wait_for()
        assert page.evaluate("({}).polluted === undefined && [].polluted === undefined")
        assert tabs(page)[-1] == "New"
