"""Completion and a call's parameters in the editor, by keyboard and by mouse; neither takes a key that is not its."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.chromium import axe_findings
from tests.page.conftest import editor_bundle
from triton_workshop.deck import load_deck
from triton_workshop.page.page import make_page
from triton_workshop.page.slides import Writer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser
DECK = "One\n===\n\n```python +exec\nimport triton.language as tl\n```\n"


@pytest.fixture(scope="module")
def shared(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A page with the editor and without Python, whose console stays empty."""
    place, said = tmp_path_factory.mktemp("completion"), list[str]()
    (place / "deck.md").write_text(DECK, encoding="utf-8")
    page_text = make_page(Writer(load_deck(place / "deck.md"), {}), {}).standalone(editor_bundle())
    (place / "page.html").write_text(page_text, encoding="utf-8")
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(10_000)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto((place / "page.html").as_uri())
    page.get_by_role("button", name="Edit").click()
    page.locator(".cm-content:focus").wait_for()
    yield page
    page.close()
    assert said == []


@pytest.fixture
def page(shared: Page) -> Page:
    """The editor, which is empty."""
    shared.keyboard.press("Escape")
    shared.keyboard.press("Escape")
    shared.mouse.move(0, 0)
    shared.focus(".cm-content")
    shared.keyboard.press("Control+a")
    shared.keyboard.press("Delete")
    shared.locator(".cm-tooltip").wait_for(state="detached")
    return shared


def options(page: Page) -> Locator:
    return page.get_by_role("option")


def text(page: Page) -> str:
    return page.locator("#code-0 code").text_content() or ""


def help_of(page: Page) -> str:
    shown = page.locator(".cm-tooltip > .signature, .cm-tooltip.signature")
    shown.wait_for()
    return shown.inner_text()


def test_what_is_typed_replaces_a_selection(page: Page) -> None:
    """The browser would give it a style, of which the page's policy complains in the console."""
    page.keyboard.insert_text("import triton\ndef kernel():\n    return None\n")
    page.keyboard.press("Control+a")
    page.keyboard.type("x")
    assert text(page) == "x"
    page.keyboard.press("Control+z")
    assert text(page).startswith("import triton\ndef")


def test_names_of_tl_come_after_the_dot_and_are_chosen_by_arrow_or_mouse(page: Page) -> None:
    page.keyboard.type("x = tl.program_")
    options(page).get_by_text("program_id").wait_for()
    page.wait_for_timeout(200)  # the list takes keys only after a moment
    page.keyboard.press("ArrowDown")
    page.get_by_text("Returns the id of the current program instance").wait_for()
    page.keyboard.press("Enter")
    assert text(page) == "x = tl.program_id"
    page.keyboard.type(" + tl.num_")
    options(page).get_by_text("num_programs").click()
    assert text(page) == "x = tl.program_id + tl.num_programs"


@pytest.mark.parametrize(("key", "then"), [("Enter", "tl.pro\n"), ("Tab", "    tl.pro")])
def test_enter_and_tab_stay_the_editors_while_nothing_is_chosen(page: Page, key: str, then: str) -> None:
    page.keyboard.type("tl.pro")
    options(page).first.wait_for()
    page.wait_for_timeout(200)
    page.keyboard.press(key)
    assert text(page) == then


def test_escape_closes_the_list_and_a_key_opens_it(page: Page) -> None:
    page.keyboard.type("tl.ar")
    options(page).first.wait_for()
    page.keyboard.press("Escape")
    options(page).first.wait_for(state="detached")
    page.keyboard.press("Control+ ")
    options(page).get_by_text("arange").wait_for()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+a")
    page.keyboard.type("offsets = 1\n")
    page.keyboard.press("Control+ ")
    options(page).get_by_text("print_if").wait_for()
    options(page).get_by_text("offsets").wait_for()


@pytest.mark.parametrize("line", ["# tl.", "'tl.", "mask.", "x = 12"])
def test_no_list_opens_elsewhere(page: Page, line: str) -> None:
    page.keyboard.type(line)
    page.wait_for_timeout(400)
    assert options(page).count() == 0


def test_a_calls_parameters_are_shown_while_it_is_written(page: Page) -> None:
    page.keyboard.type("tl.load(")
    assert help_of(page).startswith("tl.load(pointer, mask=None, other=None, *,")
    bold = page.locator(".signature b")
    assert bold.inner_text() == "pointer"
    page.keyboard.type("x_ptr + offsets, ")
    assert bold.inner_text() == "mask=None"
    page.keyboard.type("other=(0")
    assert bold.inner_text() == "other=None"
    page.keyboard.type(")")
    assert bold.inner_text() == "other=None", "a bracket within is not the call's"
    page.keyboard.type(")")
    page.locator(".cm-tooltip").wait_for(state="detached")
    page.keyboard.press("Enter")
    page.keyboard.type("print_if('a, b', ")
    assert bold.inner_text() == "pid_0"
    page.keyboard.press("Escape")
    page.locator(".cm-tooltip").wait_for(state="detached")
    page.keyboard.type("pid, ")
    page.wait_for_timeout(200)
    assert page.locator(".cm-tooltip").count() == 0, "it was closed for this call"
    page.keyboard.press("Control+Shift+ ")
    assert bold.inner_text() == "pid_1=None"
    assert "Print text for program ids" in help_of(page)


def test_nothing_is_said_of_an_unknown_function(page: Page) -> None:
    page.keyboard.type("load(1, tl.unknown(2, ")
    page.wait_for_timeout(200)
    assert page.locator(".cm-tooltip").count() == 0


def test_a_name_is_explained_under_the_pointer_and_at_the_cursor(page: Page) -> None:
    page.keyboard.insert_text("x = tl.zeros")
    page.keyboard.press("Control+Shift+ ")
    assert "Returns a tensor filled with the scalar value 0" in help_of(page)
    page.keyboard.press("Escape")
    page.locator(".cm-line", has_text="tl.zeros").hover(position={"x": 70, "y": 10})
    assert help_of(page).startswith("tl.zeros(shape, dtype)")


def test_a_phone_shows_it_all(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.keyboard.type("tl.load(")
    help_of(page)
    box = page.locator(".cm-tooltip").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_axe_finds_nothing_to_object_to(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.keyboard.type("tl.load(tl.a")
    options(page).first.wait_for()
    page.wait_for_timeout(200)
    page.keyboard.press("ArrowDown")
    page.wait_for_timeout(300)  # colours change
    found = axe_findings(page, "{ include: [['.code']] }", "{}")
    assert [each for each in found if each[1] != "scrollable-region-focusable"] == []  # arrows scroll the list


def test_what_a_todo_asks_for_is_bold_and_no_other_comment(page: Page) -> None:
    page.keyboard.type("x = ...  # TODO 1: which program?\ny = 2  # a remark")
    looks = page.locator(".cm-line *").evaluate_all(
        "parts => parts.map((part) => [part.textContent, getComputedStyle(part).fontWeight])"
    )
    assert [part for part, weight in looks if weight == "700"] == ["# TODO 1: which program?"]
