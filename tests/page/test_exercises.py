"""Exercises in a page, in a real browser: what a learner does by keyboard, and that nobody's text is lost."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

from tests.chromium import axe_findings
from triton_workshop.exercises import EXERCISES
from triton_workshop.page import bundle, parts
from triton_workshop.page.assets import STYLES, asset
from triton_workshop.page.page import Page, _variables

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext
    from playwright.sync_api import Page as Opened

pytestmark = pytest.mark.browser
SLIDES = '<section class="slide" id="slide-1"></section><section class="slide" id="slide-2">{}</section>'
OPENER = '<p class="opener"><a href="#exercise-1">Open exercise 1</a></p>'
LISTED = "".join(f'<li><a href="#slide-{number}">{number}</a></li>' for number in (1, 2))
HEADER = '<header><h1>A page</h1><div class="tools"></div></header>'
BODY = f"{HEADER}<nav><ol>{LISTED}</ol></nav><main>{SLIDES.format(OPENER)}</main>"
STYLE = "\n".join((_variables(), *map(asset, STYLES), ".slide { min-height: 120vh; }"))
SOLUTION, FIFTH = EXERCISES["1"].solution, EXERCISES["5"].solution
LEFTS = """(lines) => lines.flatMap((line) => {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  const range = document.createRange(), lefts = new Map();
  while (walker.nextNode()) {
    for (let at = 0; at < walker.currentNode.length; at++) {
      if (walker.currentNode.data[at] === " ") continue;
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + 1);
      const { left, top } = range.getBoundingClientRect();
      const row = Math.round(top / 8);
      lefts.set(row, Math.min(left, lefts.get(row) ?? Infinity));
    }
  }
  return [...lefts.values()];
})"""
"""Where the text of each row begins, from line to line."""
TABS = """() => [
  [...document.querySelectorAll(".tabs a:not([hidden])")].map((tab) => tab.getBoundingClientRect().top),
  document.querySelector(".tabs [aria-current]").getBoundingClientRect().right,
]"""
TOLD = """
globalThis.told = [];
document.addEventListener("progress", ({ detail }) => { if (detail.right) told.push("right"); });
const keep = Storage.prototype.setItem;
Storage.prototype.setItem = function (key, text) {
  if (text.includes('"standing":"passed"')) told.push("passed");
  keep.call(this, key, text);
};
new MutationObserver(() => {
  if (document.querySelector(".verdict h3.t-good, .next")) told.push("Compare with the solution");
}).observe(document, { childList: true, subtree: true });
"""
"""Notes whatever says that a script is right."""
WRONG = {
    "reads outside": SOLUTION.replace("tl.load(x_ptr + offsets, mask=mask)", "tl.load(x_ptr + offsets)"),
    "wrong values": SOLUTION.replace("x + y", "x - y"),
    "stops with an error": SOLUTION.replace("x + y", "x + z"),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a page on a disk."""
    if parts.cached_parts() is None:
        pytest.skip("the page's parts are not here: `uv run python -m triton_workshop.page.parts` fetches them")
    file = tmp_path_factory.mktemp("page") / "page.html"
    file.write_text(Page("a page", BODY, STYLE).standalone(bundle.build_bundle()), encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that knows nothing yet."""
    context = new_context(browser)
    yield context
    context.close()


def new_context(browser: Browser) -> BrowserContext:
    context = browser.new_context()
    context.set_default_timeout(300_000)
    return context


def opened(context: BrowserContext, file: str, number: str = "1") -> Opened:
    """An exercise in its editor, checked once."""
    page = context.new_page()
    page.goto(f"{file}#exercise-{number}")
    page.wait_for_selector(".verdict h3", state="attached")
    return page


@pytest.fixture(scope="module")
def shared(browser: Browser, file: str) -> Iterator[Opened]:
    """A page for the tests that need none of their own, as Python takes seconds to start."""
    context = new_context(browser)
    yield opened(context, file)
    context.close()


@pytest.fixture
def page(shared: Opened, file: str) -> Opened:
    """Exercise 1 as it is shipped, checked, in a page where others may have worked before."""
    shared.goto(f"{file}#exercise-1")
    press(shared, "Reset")
    verdict(shared, "TODOs")
    shared.locator(".checking", has_text="Checked in").wait_for()  # its TODOs have been tried too
    return shared


def write(page: Opened, text: str) -> None:
    """Replace the whole text, by keyboard."""
    page.focus(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def press(page: Opened, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def verdict(page: Opened, words: str | re.Pattern[str]) -> str:
    """What the checker says, as soon as its headline has these words."""
    page.locator(".verdict:not(.outdated) h3", has_text=words).wait_for()
    return page.inner_text(".verdict")


def test_from_the_first_todo_to_right_with_three_mistakes_on_the_way(page: Opened) -> None:
    said = verdict(page, "TODOs")
    assert "0 of 9 TODOs filled in" in said
    for words, text in WRONG.items():
        write(page, text)
        verdict(page, words)
        page.locator(".verdict:not(.outdated)", has_text="❱").wait_for()  # the line is shown
        assert page.locator(".cm-lintRange").count() > 0, "and marked in the editor"
    page.focus(".hints button")
    page.keyboard.press("Enter")
    assert "hint 1 of" in page.inner_text(".verdict")
    write(page, SOLUTION)
    assert "Compare with the solution" in verdict(page, re.compile(r"All \d+ cases are right"))
    assert "✓" in page.inner_text(".tabs a >> nth=0")
    page.reload()
    verdict(page, "cases are right")


def test_a_todo_is_right_before_the_last_one_is_filled_in(page: Opened) -> None:
    begun = EXERCISES["1"].shipped_text.replace("pid = ...", "pid = tl.program_id(0)")
    write(page, begun.replace("offsets = ...", "offsets = pid + tl.arange(0, BLOCK_SIZE)"))
    assert "2 of 9 TODOs filled in" in verdict(page, "TODOs")
    page.locator(".verdict", has_text="✓ means: with our code").wait_for()
    said = page.inner_text(".verdict")
    assert "TODO 1" in said
    assert "offsets 1 … 1024" in said, "the second has its values"
    assert page.locator(".tabs [aria-current]", has_text="◐").is_visible()


LATE = {
    "a long case": (FIFTH, FIFTH.replace(".to(tl.int64)", "")),
    "Triton's front end": (
        SOLUTION,
        SOLUTION.replace("    # 1:", "    for _ in range(4):\n        break\n\n    # 1:", 1),
    ),
}
"""What is right until then: a right script, and the same with the mistake."""


@pytest.mark.parametrize("where", LATE)
def test_nothing_is_right_before_the_last_word(page: Opened, where: str) -> None:
    right, late = LATE[where]
    if right is FIFTH:
        page.get_by_role("navigation", name="All exercises").get_by_role("link", name=re.compile("^5 ")).click()
        verdict(page, "TODOs")
    page.evaluate(TOLD)
    write(page, late)
    verdict(page, "It ")
    assert page.evaluate("told") == []
    write(page, right)
    verdict(page, "cases are right")
    assert {*page.evaluate("told")} == {"right", "passed", "Compare with the solution"}
    write(page, late)
    page.locator(".tabs [aria-current]", has_text="◑").wait_for()  # what was right is another text now
    verdict(page, "It ")
    assert "✗" in page.inner_text(".tabs [aria-current]")


def test_a_check_says_that_it_checks_and_can_be_stopped(page: Opened) -> None:
    write(page, SOLUTION.replace("    grid = ", "    sum(range(10**15))\n    grid = "))
    page.locator(".checking", has_text="Checking").wait_for()
    press(page, "Stop")
    assert "You stopped it." in verdict(page, "ended")
    assert not page.get_by_role("button", name="Stop").is_visible()


def test_a_new_text_ends_the_check_of_the_old_one_but_not_its_worker(page: Opened) -> None:
    page.get_by_role("navigation", name="All exercises").get_by_role("link", name=re.compile("^5 ")).click()
    page.locator(".workspace h2", has_text="Exercise 5").wait_for()
    write(page, FIFTH)
    page.locator(".checking", has_text=re.compile(r"case \d+ of 20")).wait_for()
    verdict(page, "cases are right")
    (frame,) = page.frames[1:]
    frame.evaluate("workers.active.isTheSame = true")
    for wrong in ("new_max - running_max", "running_max + new_max"):
        page.keyboard.type("#")
        page.locator(".checking", has_text=re.compile("case|looking further")).wait_for()
        write(page, FIFTH.replace("running_max - new_max", wrong))
        verdict(page, "wrong values")
        write(page, FIFTH)
        verdict(page, "cases are right")
    assert frame.evaluate("workers.active.isTheSame")


LISTEN = """() => {
  globalThis.heard = [];
  const listener = new MutationObserver(([{ target }]) => heard.push(target.textContent));
  for (const live of document.querySelectorAll("[role=status], [aria-live]")) {
    listener.observe(live, { childList: true, subtree: true, characterData: true });
  }
}"""
"""Notes what a screen reader says by itself."""


LINES_WITHOUT_NUMBER = """() => {
  const within = (selector) => [...document.querySelectorAll(`.workspace:not([hidden]) ${selector}`)];
  const tops = within(".cm-lineNumbers .cm-gutterElement").map((element) => element.getBoundingClientRect().top);
  const isAlone = (line) => !tops.some((top) => Math.abs(top - line.getBoundingClientRect().top) < 4);
  return within(".cm-line").filter(isAlone).length;
}"""


def test_numbers_stand_beside_their_lines_after_a_phone_is_turned(page: Opened) -> None:
    write(page, SOLUTION + f"# {'words that wrap ' * 9}\n" * 40)
    for width, height in ((390, 844), (844, 390), (390, 844), (1280, 720)):
        page.evaluate("document.querySelector('.workspace:not([hidden]) .cm-scroller').scrollTop = 1e6")
        page.set_viewport_size({"width": width, "height": height})
        deadline = time.monotonic() + 10
        while page.evaluate(LINES_WITHOUT_NUMBER) > 1:  # one may be half out of sight
            assert time.monotonic() < deadline, f"at {width}"
            page.wait_for_timeout(100)


def test_a_screen_reader_says_only_what_is_new(page: Opened) -> None:
    write(page, WRONG["wrong values"])
    verdict(page, "wrong values")
    page.locator(".look:not(.outdated) h4").wait_for()
    page.evaluate(LISTEN)
    page.keyboard.type("#")
    page.wait_for_selector(".verdict.outdated")
    verdict(page, "wrong values")
    page.locator(".look:not(.outdated) h4").wait_for()
    assert page.evaluate("heard") == []
    write(page, SOLUTION)
    verdict(page, "cases are right")
    (heard,) = page.evaluate("heard")
    assert re.fullmatch(r"All \d+ cases are right", heard)


def test_a_copy_that_a_browser_has_saved_says_that_nothing_runs(page: Opened, tmp_path: Path) -> None:
    copy, errors = tmp_path / "copy.html", list[object]()
    copy.write_text(f"<!doctype html>{page.evaluate('document.documentElement.outerHTML')}", encoding="utf-8")
    saved = page.context.new_page()
    saved.on("pageerror", lambda error: errors.append(error))
    saved.goto(copy.as_uri(), wait_until="commit")
    saved.get_by_text("no kernels run in this copy").wait_for()
    assert saved.locator("button, .workspace").count() == 0
    assert saved.locator(".slide").first.is_visible()
    assert errors == []
    saved.close()


def test_a_line_that_is_being_written_is_no_error_until_the_cursor_leaves_it(page: Opened) -> None:
    write(page, SOLUTION)
    verdict(page, "cases are right")
    page.keyboard.press("Control+End")
    for leave in ("ArrowDown", "Control+Enter"):
        page.keyboard.press("ArrowUp")
        page.keyboard.press("End")
        page.keyboard.type(" +")
        assert "not finished yet" in verdict(page, re.compile(r"^Line \d+ is not finished yet$"))
        assert page.locator(".cm-lintRange, .cm-lint-marker-error").count() == 0
        page.keyboard.press(leave)
        assert "❱" in verdict(page, "stops with an error")
        assert page.locator(".cm-lint-marker-error").count() == 1
        write(page, SOLUTION)
        verdict(page, "cases are right")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("End")
    page.keyboard.type(" +")
    verdict(page, "not finished yet")
    page.focus(".tabs a")
    verdict(page, "stops with an error")


BELOW = """() => [...document.querySelectorAll(".look h3, .look .controls, .look h4, .look canvas")].map(
  (element) => element.getBoundingClientRect().top
)"""
"""Where the parts of a look inside begin."""


def test_a_look_inside_begins_on_the_first_screen(context: BrowserContext, file: str) -> None:
    page = opened(context, file)
    page.set_viewport_size({"width": 1280, "height": 800})
    for number, (code, wrong) in MISTAKES.items():
        page.goto(f"{file}#exercise-{number}")
        verdict(page, "TODOs")
        write(page, EXERCISES[number].solution.replace(code, wrong))
        said = verdict(page, re.compile("^✗"))
        page.locator(".look:not(.outdated) h4").wait_for()
        assert page.inner_text(".verdict h3") in said
        assert max(page.evaluate(BELOW)[:4]) < 780, number


MISTAKES = {
    "1": ("x + y", "x - y"),
    "4": ("offs_k[None, :] < K - k", "offs_k[None, :] < K"),
    "5": ("running_max - new_max", "new_max - running_max"),
}
"""Of some exercises, a mistake in the solution."""


def test_axe_finds_nothing_beside_an_exercise(page: Opened) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    for text, words in ((WRONG["wrong values"], "wrong values"), (SOLUTION, "cases are right")):
        write(page, text)
        verdict(page, words)
        page.locator(".look:not(.outdated) h4").wait_for()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            page.wait_for_timeout(200)  # colours change
            assert axe_findings(page, "document", "{}") == []


def test_the_code_of_a_hint_is_code(page: Opened) -> None:
    write(page, WRONG["wrong values"])
    verdict(page, "wrong values")
    for name in ("A hint", "Another hint", "Another hint"):
        press(page, name)
    assert page.locator(".hint pre").inner_text() == "output = x + y"
    assert page.locator(".hint pre").evaluate("(pre) => getComputedStyle(pre).whiteSpace") == "pre"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_focus_and_the_current_exercise_are_seen_in_the_bar(page: Opened, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    page.focus(".tabs a:not([aria-current])")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    bar = colour(page, ".bar", "backgroundColor")
    assert contrast(colour(page, ".tabs a:focus", "outlineColor"), bar) > 3
    others = colour(page, ".tabs a:not([aria-current])", "backgroundColor")
    assert contrast(colour(page, ".tabs [aria-current]", "backgroundColor"), others) > 3


def colour(page: Opened, where: str, name: str) -> list[int]:
    found = page.evaluate(f"getComputedStyle(document.querySelector({where!r})).{name}")
    return [int(part) for part in re.findall(r"\d+", found)[:3]]


def contrast(one: list[int], other: list[int]) -> float:
    """As WCAG counts it, from 1 to 21."""

    def luminance(parts: list[int]) -> float:
        linear = [part / 3294.6 if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_solution_begins_with_its_kernel_in_colours(page: Opened) -> None:
    write(page, SOLUTION)
    verdict(page, "cases are right")
    press(page, "Compare with the solution")
    assert page.inner_text(".diff") == "Line by line, your code is the solution's."
    press(page, "Back to the verdict")
    write(page, SOLUTION.replace("    output = x + y", "    output = y + x  # either way").replace("* BLOCK", "*BLOCK"))
    said = verdict(page, "cases are right")
    assert "no kernel can do with fewer" in said
    assert "five steps of every kernel" in said
    press(page, "Compare with the solution")
    assert page.locator(".diff del").all_inner_texts() == ["−     output = y + x  # either way\n"]
    assert page.locator(".diff ins").all_inner_texts() == ["+     output = x + y\n"]
    assert page.locator(".diff details").count() == 2
    assert page.locator(".diff .purpose").all_inner_texts() == ["6: the values to store"]
    solution = page.locator(".verdict .cm-content")
    assert solution.inner_text().startswith("@triton.jit\ndef add_kernel(")
    assert solution.locator(".cm-line span").count() > 10
    page.wait_for_timeout(500)  # the cases to come
    press(page, "Back to the verdict")
    verdict(page, "cases are right")


def test_long_lines_wrap_further_in_than_they_begin(context: BrowserContext, file: str) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{file}#exercise-1")
    page.focus(".cm-content")
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(f"if True:\n    print({'first, ' * 30})")
    page.wait_for_function("document.querySelector('.cm-content').innerText.startsWith('if True')")
    assert (
        page.evaluate(
            "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.cm-scroller'))"
        )
        == 0
    )
    first, begins, *goes_on = page.locator(".cm-line").evaluate_all(LEFTS)
    assert begins > first
    assert len(goes_on) > 1
    assert min(goes_on) > begins


CARET_IS_IN_SIGHT = """() => {
    const scroller = document.querySelector(".workspace:not([hidden]) .cm-scroller");
    const { top, bottom } = scroller.getBoundingClientRect(), range = document.getSelection().getRangeAt(0);
    const caret = range.getClientRects()[0] ?? range.startContainer.getBoundingClientRect();
    return caret.top >= Math.max(0, top) - 1 && caret.bottom <= Math.min(innerHeight, bottom) + 1;
}"""
"""Whether the cursor is inside the editor and the window."""


@pytest.mark.parametrize("width", [390, 1280])
def test_the_cursor_stays_in_sight_while_one_types(context: BrowserContext, file: str, width: int) -> None:
    page = opened(context, file)
    page.set_viewport_size({"width": width, "height": 600})
    write(page, "".join(f"line_{number} = {number}\n" for number in range(100)))
    page.keyboard.press("Control+End")
    page.wait_for_function(CARET_IS_IN_SIGHT)
    page.keyboard.type("a word that goes on " * 12)  # over several lines
    page.wait_for_function(CARET_IS_IN_SIGHT)
    page.evaluate("document.querySelector('.workspace:not([hidden]) .cm-scroller').scrollTop = 0")
    page.wait_for_function(f"!({CARET_IS_IN_SIGHT})()")
    page.keyboard.type("!")
    page.wait_for_function(CARET_IS_IN_SIGHT)


def test_the_exercises_are_one_row_on_a_phone(context: BrowserContext, file: str) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{file}#exercise-6")
    page.wait_for_selector(".cm-content")
    tops, right = page.evaluate(TABS)
    assert len({*tops}) == 1
    assert right <= 390, "the current one is in sight"
    assert page.evaluate("document.querySelector('.bar').offsetHeight") < 120
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_exercises_have_names_and_their_variations_stand_beside_them(context: BrowserContext, file: str) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{file}#exercise-5")
    page.wait_for_selector(".cm-content")
    shown = [text.rstrip(" ○") for text in page.locator(".workspace .tabs a:visible").all_inner_texts()]
    others = ["1 add", "2 sepia", "3 conv2d", "4 matmul", "5a softmax"]
    assert shown == [*others, "5", "5b", "5c", "6 attention", "Scratch"]  # the heading names the current one
    assert page.evaluate("document.querySelector('.bar').offsetHeight") < 75, "the bar is one row"


def test_the_verdict_is_in_sight_at_twice_the_size(page: Opened) -> None:
    """A laptop's window at 200 % has 640 × 400 pixels, and a phone with its keyboard has no more."""
    page.set_viewport_size({"width": 640, "height": 400})
    write(page, WRONG["wrong values"])
    glance = page.locator(".glance", has_text="✗ The result has wrong values, line 36")
    glance.wait_for()
    box = glance.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] == 400
    assert page.evaluate("document.querySelector('.workspace').scrollWidth") <= 640
    glance.click()
    glance.wait_for(state="hidden")  # the verdict is in sight
    assert page.locator(".verdict h3").bounding_box()["y"] < 400  # type: ignore[index]
    page.set_viewport_size({"width": 1280, "height": 800})
    glance.wait_for(state="hidden")


def test_one_goes_back_to_where_the_editor_was_opened_or_else_to_the_slide(context: BrowserContext, file: str) -> None:
    page = context.new_page()
    page.goto(file)
    page.get_by_role("link", name="Open exercise 1").scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 40)")
    before = page.evaluate("scrollY")
    assert before > 0
    page.get_by_role("link", name="Open exercise 1").click()
    page.locator(".tabs a", has_text="1b").click()
    press(page, "Back to the slides")
    assert page.evaluate("scrollY") == before
    page.wait_for_url(file)
    page.get_by_role("link", name="Open exercise 1").click()
    assert not page.locator(".slide").first.evaluate("slide => slide.checkVisibility()")
    page.go_back()
    assert page.evaluate("scrollY") == before
    page.close()
    page = context.new_page()
    page.goto(f"{file}#exercise-1b")
    press(page, "Back to the slides")
    page.wait_for_url(f"{file}#slide-2")
    assert page.evaluate("document.querySelector('#slide-2').getBoundingClientRect().top") < 100


def test_a_loop_without_an_end_is_named_and_the_next_check_works(page: Opened) -> None:
    page.evaluate(LIMIT, 2)
    write(page, SOLUTION.replace("    grid = ", "    while True:\n        pass\n    grid = "))
    verdict(page, "does not finish")
    page.evaluate(LIMIT, 20)
    write(page, SOLUTION)
    verdict(page, "cases are right")


LIMIT = """async (seconds) => {
  const text = `from triton_workshop.checking import check; check.LIMIT_SECONDS = ${seconds}`;
  await (await Parts.python()).ask({ owner: "1", run: { text } });
}"""
"""Gives scripts so many seconds, where exercise 1 is checked."""


def test_two_tabs_lose_neither_text(page: Opened, file: str) -> None:
    one, other = page, opened(page.context, file)
    write(one, "# one\n" + SOLUTION)
    other.wait_for_selector(".notice button")
    write(other, "# other\n" + SOLUTION)
    press(other, "This one")
    press(one, "The other tab's")
    assert "# other" in one.inner_text(".cm-content")
    press(one, "Put back")
    assert "# one" in one.inner_text(".cm-content")
    other.close()


def test_typing_touches_neither_storage_nor_lists_nor_python(context: BrowserContext, file: str) -> None:
    page = opened(context, file)
    page.evaluate(COUNT)
    page.focus(".cm-content")
    page.keyboard.press("Control+Home")
    page.evaluate("counted = 0")
    page.keyboard.type("# mine: every key is cheap")
    assert page.evaluate("counted") < 26, "less than one a key, if a pause comes between"
    page.reload()
    page.wait_for_selector(".cm-content")
    assert page.inner_text(".cm-line >> nth=0").startswith("# mine: every key is cheap")


COUNT = """() => {
  globalThis.counted = 0;
  for (const [{ prototype }, name] of [[Storage, "getItem"], [Storage, "setItem"], [MessagePort, "postMessage"]]) {
    const plain = prototype[name];
    prototype[name] = function (...words) { counted++; return plain.apply(this, words); };
  }
  const count = new MutationObserver((changes) => { counted += changes.length; });
  const options = { childList: true, subtree: true };
  for (const list of document.querySelectorAll(".tabs, .exercise-list")) count.observe(list, options);
}"""


def test_a_reset_keeps_what_was_there(page: Opened) -> None:
    write(page, SOLUTION)
    verdict(page, "cases are right")
    press(page, "Reset")
    verdict(page, "TODOs")
    press(page, "Put back")
    verdict(page, "cases are right")


def test_what_another_version_of_the_page_has_kept_does_no_harm(context: BrowserContext, file: str) -> None:
    kept = {"text": SOLUTION, "revision": 1, "standing": "half way", "hints": 1}
    context.add_init_script(f"localStorage.setItem('triton-workshop-exercise-1', JSON.stringify({json.dumps(kept)}))")
    verdict(opened(context, file), "cases are right")


def test_a_browser_without_storage_says_so(context: BrowserContext, file: str) -> None:
    context.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('none'); } })")
    page = opened(context, file)
    write(page, SOLUTION)
    verdict(page, "cases are right")
    assert "This browser keeps nothing" in page.inner_text(".about")


def look_at(page: Opened, words: str | re.Pattern[str]) -> str:
    """The value that is looked at, as soon as its heading has these words."""
    page.locator(".look:not(.outdated) h4", has_text=words).wait_for()
    return page.inner_text(".look")


def test_values_stand_at_the_ends_of_lines_and_are_dim_while_one_types(page: Opened) -> None:
    write(page, WRONG["wrong values"])
    verdict(page, "wrong values")
    page.locator(".cm-line", has_text="offsets = ").locator(".line-note", has_text="0 … 1023").wait_for()
    assert "line 36" in look_at(page, "output fp32")
    page.keyboard.type("#")
    assert page.locator(".dim-notes .line-note").count() > 5
    assert page.locator(".look.outdated").count() == 1
    write(page, SOLUTION)
    page.locator(".cm-editor:not(.dim-notes) .line-note").first.wait_for()
    for name, value in (("mask", "1000 of 1024 true"), ("n_elements", "1000 of 1024 true")):
        point_at(page, "mask = ", name)
        look_at(page, value)


def point_at(page: Opened, line: str, name: str) -> None:
    """Move the pointer onto a name in the first line that has this text."""
    shown = page.locator(".cm-line", has_text=line).first
    shown.scroll_into_view_if_needed()
    x, y = shown.evaluate(MIDDLE, name)
    page.mouse.move(x - 1, y)
    page.mouse.move(x, y)


MIDDLE = """(line, name) => {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walker.nextNode()) {
    const { data } = walker.currentNode, start = data.indexOf(name);
    if (start < 0) continue;
    range.setStart(walker.currentNode, start);
    range.setEnd(walker.currentNode, start + name.length);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return [(left + right) / 2, (top + bottom) / 2];
  }
}"""
"""Where a name stands in a line."""


def test_programs_and_iterations_are_chosen_by_keyboard(context: BrowserContext, file: str) -> None:
    page = opened(context, file, "4")
    write(page, EXERCISES["4"].solution)
    page.get_by_role("combobox", name="Case").wait_for()
    page.get_by_role("combobox", name="Case").select_option(label=SEVERAL_TILES)
    page.locator(".cm-line", has_text="a_mask = ").get_by_text("a_mask").click()
    said = look_at(page, "a_mask")
    assert "in a grid of (2, 2)" in said
    page.focus(".programs [aria-pressed=true]")
    page.keyboard.press("ArrowRight")
    page.get_by_text("Program (0, 1) in a grid of (2, 2)").wait_for()
    page.keyboard.press("ArrowDown")
    page.get_by_text("Program (1, 1) in a grid of (2, 2)").wait_for()
    page.get_by_role("slider", name="Iteration").focus()
    page.keyboard.press("ArrowRight")
    page.locator(".look .block", has_text="line 35, iteration 2").wait_for()
    assert "2 of 18" in page.inner_text(".look")
    assert page.get_by_role("slider", name="Iteration").evaluate("(slider) => slider === document.activeElement")


SEVERAL_TILES = "(70 × 288) @ (288 × 140), every 2nd row, every 3rd column"


def test_values_can_be_hidden_and_stay_hidden(page: Opened) -> None:
    write(page, SOLUTION)
    page.locator(".line-note").first.wait_for()
    press(page, "Hide values")
    assert page.locator(".line-note").count() == 0
    page.reload()
    verdict(page, "cases are right")
    page.wait_for_timeout(500)
    assert page.locator(".line-note").count() == 0
    press(page, "Show values")
    page.locator(".line-note").first.wait_for()


def test_on_paper_the_script_is_whole_and_its_verdict_is_beside_it(page: Opened) -> None:
    write(page, WRONG["wrong values"])
    verdict(page, "wrong values")
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.inner_text(".paper").strip() == WRONG["wrong values"].strip()
    assert page.locator(".verdict h3").is_visible()
    assert not page.locator("main").is_visible()
    assert not page.locator(".workspace .tabs").is_visible(), "after which a page would end, as after the contents"
    page.emulate_media(media="screen")
    assert not page.locator(".paper").is_visible()


def test_a_right_kernel_shows_what_it_makes_of_a_picture(context: BrowserContext, file: str) -> None:
    page = opened(context, file, "2")
    write(page, EXERCISES["2"].solution)
    verdict(page, "cases are right")
    page.locator(".demo canvas").last.wait_for()
    assert page.locator(".demo figcaption").all_inner_texts() == ["the image", "and in sepia"]
    sizes = page.locator(".demo canvas").evaluate_all("(all) => all.map(({ width, height }) => [width, height])")
    assert sizes == [[320, 240], [320, 240]]
    photo = {"name": "mine.png", "mimeType": "image/png", "buffer": png(30, 60)}
    page.locator(".demo input").set_input_files(photo)  # type: ignore[arg-type]
    page.locator(".demo canvas[height='640']").last.wait_for()
    page.locator(".demo input").set_input_files(photo | {"buffer": b"no picture"})  # type: ignore[arg-type]
    page.locator(".demo", has_text="This file is no picture").wait_for()


def png(width: int, height: int) -> bytes:
    """A picture's file."""
    data = io.BytesIO()
    Image.new("RGB", (width, height), "orange").save(data, "PNG")
    return data.getvalue()


def test_a_script_opens_at_its_task(context: BrowserContext, file: str) -> None:
    page = opened(context, file)
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.inner_text(".task p >> nth=0") == "Exercise 1: add two vectors, output[i] = x[i] + y[i]."
    assert page.locator(".task figcaption").all_text_contents() == ["x 1,000", "y 1,000", "→ 1,000"]
    assert page.locator(".task img").evaluate_all("(all) => all.map(({ naturalWidth }) => naturalWidth)") == [48] * 3
    assert page.locator(".cm-line").count() < len(EXERCISES["1"].shipped_text.splitlines())
    assert page.locator(".cm-line", has_text="import torch").count() == 0, "the head is folded"
    page.keyboard.insert_text("tl.program_id(axis=0)")
    assert page.inner_text(".cm-activeLine") == "    pid = tl.program_id(axis=0)  # TODO 1: which program is this?"
    for number in range(1, 10):
        box = page.locator(".cm-line", has_text=f"# TODO {number}:").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 800, f"TODO {number} is in sight"
    page.locator(".cm-foldPlaceholder").click()
    assert page.locator(".cm-line", has_text="import torch").count() == 1
