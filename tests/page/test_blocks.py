"""Blocks of a deck run in a real browser, from one file on a disk, as readers run, edit, stop and put them back."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from rich.text import Text

from tests.chromium import axe_findings
from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import live_code
from triton_workshop.page import bundle, parts
from triton_workshop.page.outputs import Output
from triton_workshop.page.page import make_page
from triton_workshop.page.slides import Writer

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.browser
DECK = r"""---
title: Blocks that run
---

One
===

```python +exec +line_numbers
/// hidden = "kept"
print("\x1b[31mred\x1b[0m", hidden)
print("\x1b[38;2;90;220;90mown\x1b[0m")
for part in range(3): print(f"\r{part} of 2", end="")
```

<!-- end_slide -->

Two
===

```python +exec +expect:failure
/// first = "hidden"
print(first)
1 / 0
```

<!-- end_slide -->

Three
===

```python +exec
import torch
from triton_workshop import show_image
print("before")
show_image(torch.ones(3, 4, 6))
print("after")
```

```bash +exec
ls
```

<!-- end_slide -->

Four
===

```python +exec +line_numbers
/// import torch, triton, triton.language as tl
@triton.jit
def double_kernel(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, 2 * tl.load(x_ptr + offsets))
x = torch.arange(8)
double_kernel[(2,)](x, 4)
print(x.tolist())
```
"""
KERNEL = 4
"""The number of the block that launches one."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The deck, open in Chromium; it asks nobody for anything, and no script of it fails."""
    from playwright.sync_api import sync_playwright

    if parts.cached_parts() is None:
        pytest.skip("the page's parts are not here: `uv run python -m triton_workshop.page.parts` fetches them")
    place = tmp_path_factory.mktemp("blocks")
    (place / "deck.md").write_text(DECK, encoding="utf-8")
    file, wrong = place / "page.html", list[str]()
    deck = load_deck(place / "deck.md")
    *_, kernel = live_code(deck)
    outputs = {kernel.block: Output((Text("recorded"),), "0.1 s", failed=False)}
    file.write_text(make_page(Writer(deck, outputs), {}).standalone(bundle.build_bundle()), encoding="utf-8")
    with sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        context = browser.new_context()
        context.set_default_timeout(300_000)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: wrong.append(request.url) if request.url.startswith("http") else None)
        page.goto(Path(file).as_uri())
        yield page
        browser.close()
    assert wrong == []


def block(page: Page, number: int) -> Locator:
    return page.locator(f"#code-{number} .code")


def ended(page: Page, number: int) -> Locator:
    """What a block has printed here, once it has come to its end."""
    page.wait_for_selector(f"#your-output-{number} .right, #your-output-{number} .failed")
    return page.locator(f"#your-output-{number}")


def run(page: Page, number: int) -> Locator:
    block(page, number).get_by_role("button", name="Run").click()
    return ended(page, number)


def lines(output: Locator) -> list[str]:
    return (output.locator("pre").text_content() or "").split("\n")


def editor(page: Page, number: int) -> Locator:
    """The editor of a block, with the focus in it."""
    block(page, number).get_by_role("button", name="Edit").click()
    content = block(page, number).locator(".cm-content:focus")
    content.wait_for()
    return content


def replace(page: Page, number: int, text: str) -> None:
    """Write another text in the place of a block's, by keyboard."""
    editor(page, number)
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def put_back(page: Page, number: int) -> None:
    block(page, number).get_by_role("button", name="Put back").click()


def test_a_block_prints_as_in_the_terminal_with_its_hidden_lines(page: Page) -> None:
    output = run(page, 0)
    assert not block(page, 0).get_by_role("button", name="Put back").is_visible(), "nothing was changed"
    assert lines(output) == ["red kept", "own", "2 of 2", ""]
    assert output.locator(".t-bad").text_content() == "red"
    assert output.get_by_text("own").evaluate("(own) => getComputedStyle(own).color") == "rgb(90, 220, 90)"


def test_a_fault_names_the_line_as_the_slide_does(page: Page) -> None:
    output = run(page, 1)
    assert "exit 1" in (output.locator("figcaption").text_content() or "")
    assert lines(output)[0] == "hidden"
    assert any("line 2" in line for line in lines(output))
    assert "ZeroDivisionError: division by zero" in lines(output)


def test_a_picture_stands_where_it_was_shown(page: Page) -> None:
    output = run(page, 2)
    shown = output.locator("pre").evaluate(
        "(pre) => [...pre.children].map((each) => each.naturalWidth ?? each.innerText.trim())"
    )
    assert shown == ["before", 6, "after", ""]


def test_what_a_page_cannot_run_says_why_and_has_no_run(page: Page) -> None:
    assert block(page, 3).get_by_text("This block needs Bash, which a page does not have.").is_visible()
    assert block(page, 3).get_by_role("button", name="Run").count() == 0


def test_an_edit_runs_by_keyboard_and_can_be_put_back(page: Page) -> None:
    before = block(page, 0).locator("code").inner_html()
    replace(page, 0, "for np in range(2):\nprint(np)")
    assert block(page, 0).locator("code").text_content() == "for np in range(2):\nprint(np)"
    page.keyboard.press("Control+Enter")
    assert "IndentationError" in "\n".join(lines(ended(page, 0)))
    page.keyboard.press("Control+A")
    page.keyboard.type("if True:\nn = p = 1\nprint(n)")  # these keys go to no slide
    page.keyboard.press("Control+Enter")
    assert lines(ended(page, 0)) == ["1", ""]
    text = block(page, 0).locator("code").text_content() or ""
    assert text == "if True:\n    n = p = 1\n    print(n)", "a line begins as far in as its place demands"
    assert block(page, 0).locator(".cm-lineNumbers").inner_text().split() == ["1", "2", "3"]
    page.keyboard.press("Tab")
    assert editor(page, 0).inner_text() != text, "Tab indents"
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.isContentEditable")
    block(page, 0).get_by_role("button", name="Put back").click()
    assert block(page, 0).locator("code").inner_html() == before
    assert block(page, 0).locator(".editor").count() == 0
    assert page.locator("#your-output-0").count() == 0


def test_an_edit_stays_over_a_reload_until_it_is_put_back(page: Page) -> None:
    shipped = block(page, 2).locator("code").text_content()
    replace(page, 2, "kept = 1\nprint(kept)")
    page.reload()
    block(page, 2).locator(".cm-content", has_text="print(kept)").wait_for()
    assert block(page, 0).locator(".edited").count() == 0
    assert lines(run(page, 2)) == ["1", ""]
    page.emulate_media(media="print")
    assert block(page, 2).locator("code").is_visible()
    assert not block(page, 2).locator(".editor").is_visible()
    page.emulate_media(media="screen")
    block(page, 2).get_by_role("button", name="Put back").click()
    page.reload()
    assert block(page, 2).locator("code").text_content() == shipped
    assert not block(page, 2).get_by_role("button", name="Put back").is_visible()


def test_an_edit_of_another_text_does_not_come_back(page: Page) -> None:
    """As after a new edition of the deck, or in a deck with another name."""
    shipped = (block(page, 1).locator("code").text_content() or "").removesuffix("\n")
    for text, comes_back in (("print('another text')", False), (shipped, True)):
        page.evaluate(KEEP, ["Blocks that run", "Two", 0, text])
        page.reload()
        assert (block(page, 1).locator("code").text_content() == "mine") == comes_back
    page.evaluate("Object.keys(localStorage).forEach((key) => localStorage.setItem(key, 'no record'))")
    page.reload()
    assert "1 / 0" in (block(page, 1).locator("code").text_content() or "")
    assert block(page, 1).get_by_role("button", name="Run").is_visible()
    page.evaluate("localStorage.clear()")


KEEP = "(key) => Store.update(`block-${JSON.stringify(key)}`, { text: 'mine', revision: 1 })"


def test_two_tabs_lose_neither_text_of_a_block(page: Page) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    replace(page, 0, "first = 1")
    replace(other, 0, "second = 2")
    other.get_by_text("This block was changed in another tab, too").wait_for()
    block(page, 0).locator(".cm-line", has_text="second = 2").wait_for()  # it had nothing that was not kept
    other.get_by_role("button", name="Exchange them").click()
    other.locator("#code-0 .cm-line", has_text="first = 1").wait_for()
    other.get_by_role("button", name="Exchange them").click()
    other.reload()
    other.locator("#code-0 .cm-line", has_text="second = 2").wait_for()
    other.close()
    put_back(page, 0)


def test_a_kernels_values_stand_at_the_ends_of_its_lines(page: Page) -> None:
    code = block(page, KERNEL).locator("code").text_content() or ""
    assert page.get_by_text("What it prints").is_visible()
    run(page, KERNEL)
    note = block(page, KERNEL).locator(".line", has_text="offsets = ").locator(".line-note")
    note.wait_for()
    assert "0 … 3" in (note.get_attribute("data-note") or "")
    assert block(page, KERNEL).locator("code").text_content() == code, "notes are no code"
    page.get_by_text("Look inside").first.click()
    assert not page.get_by_text("What it prints").is_visible(), "the reader's own output stands in its place"
    page.locator(".programs button", has_text="1").click()
    block(page, KERNEL).locator("[data-note*='4 … 7']").first.wait_for()
    page.get_by_role("button", name="Hide values").click()
    assert note.count() == 0
    run(page, KERNEL)
    page.get_by_role("button", name="Show values").click()
    note.wait_for()
    replace(page, KERNEL, code.replace("BLOCK + ", "BLOCK * 2 + "))
    page.keyboard.press("Control+Enter")
    # It reads outside x, so the program that does is shown.
    block(page, KERNEL).locator(".cm-line", has_text="offsets = ").locator(".line-note", has_text="8 … 11").wait_for()
    put_back(page, KERNEL)
    assert page.locator(".values, .line-note").count() == 0
    assert page.get_by_text("What it prints").is_visible()


ROWS = """(line) => {
  const range = document.createRange(), lefts = new Map();
  range.selectNodeContents(line);
  for (const { top, left, width } of range.getClientRects()) {
    if (width) lefts.set(Math.round(top), Math.min(left, lefts.get(Math.round(top)) ?? Infinity));
  }
  return [...lefts].sort(([one], [other]) => one - other).map(([, left]) => left);
}"""
"""Where each row of a line begins, in pixels."""


def test_a_phone_wraps_code_further_in_and_messages_between_words(page: Page) -> None:
    replace(page, 1, "import os\nprint(os.environ['COLUMNS'])")
    page.keyboard.press("Control+Enter")
    assert lines(ended(page, 1))[0] == "80", "as a terminal has"
    page.set_viewport_size({"width": 390, "height": 844})
    first, *others = block(page, KERNEL).locator(".line", has_text="offsets = ").evaluate(ROWS)
    assert others, "it does not fit"
    assert min(others) > first + len("    ") * 7, "a row goes on further in than its line begins"
    assert 30 < int(lines(run(page, 1))[0]) < 60
    page.set_viewport_size({"width": 1280, "height": 720})
    put_back(page, 1)


def test_a_flood_of_lines_is_cut_to_its_end(page: Page) -> None:
    replace(page, 1, "for number in range(5000): print(number)")
    page.keyboard.press("Control+Enter")
    output = ended(page, 1)
    assert lines(output)[-2] == "4999"
    assert len(lines(output)) == 1001
    assert output.get_by_text("The last 1000 lines; 4000 came before.").is_visible()
    box = output.bounding_box()
    assert box is not None
    assert box["height"] < 720, "it is no higher than the screen"
    put_back(page, 1)


SVG = "<svg xmlns='http://www.w3.org/2000/svg'><script>document.title = 1</script></svg>"
MARKUP = {
    "an element": 'print(\'<img src=x onerror="document.title = 1"><svg onload="document.title = 1">\')',
    "a link of the terminal": r"print('\x1b]8;;javascript:document.title=1\x1b\\press\x1b]8;;\x1b\\')",
    "a picture that is none": f"open('/tmp/page/a.png', 'w').write({SVG!r})\n"
    r"print('\x1b_triton-workshop:picture;a.png\x1b\\')",
    "a picture elsewhere": r"print('\x1b_triton-workshop:picture;../x.svg\x1b\\')",
    "a title": r"print('\x1b]0;taken\x07')",
    "an error": "raise ValueError('<b onclick=\"document.title = 1\">press</b>')",
}
"""What may be more than a text where it is printed."""


@pytest.mark.parametrize("name", MARKUP)
def test_what_is_printed_is_text(page: Page, name: str) -> None:
    replace(page, 1, MARKUP[name])
    page.keyboard.press("Control+Enter")
    output = ended(page, 1)
    assert output.locator("pre :not(span, img[src^='blob:']), pre a, pre [onclick]").count() == 0
    for press in output.get_by_text("press").all():
        press.click()
    assert page.title() == "Blocks that run"
    put_back(page, 1)


@pytest.mark.parametrize("text", ["while True: pass", "while True: print('x' * 60)", "sum(range(10**15))"])
def test_stop_ends_whatever_runs_and_the_next_one_runs(page: Page, text: str) -> None:
    replace(page, 1, text)
    page.keyboard.press("Control+Enter")
    block(page, 1).get_by_role("button", name="Stop").click()
    assert re.fullmatch(r"✗ stopped · [\d.]+ s", ended(page, 1).locator("figcaption").text_content() or "")
    assert lines(run(page, 0))[0] == "red kept"


@pytest.mark.parametrize("text", ["import os; os._exit(3)", "import torch; torch.empty(10**10)"])
def test_after_the_worst_the_next_block_runs(page: Page, text: str) -> None:
    replace(page, 1, text)
    page.keyboard.press("Control+Enter")
    assert (ended(page, 1).locator("figcaption").text_content() or "").startswith("✗ ")
    assert lines(run(page, 0))[0] == "red kept"


def test_a_block_that_somebody_edits_reads_no_exercise(page: Page) -> None:
    replace(page, 1, "import sys; sys.heard = []; sys.addaudithook(lambda name, found: sys.heard.append(str(found)))")
    page.keyboard.press("Control+Enter")
    ended(page, 1)
    page.evaluate("location.hash = '#exercise-1'")
    page.wait_for_selector(".verdict h3")
    page.get_by_role("button", name="Back to the slides").click()
    for number in (0, 1):
        replace(page, number, "import sys; print('add_kernel' in str(getattr(sys, 'heard', '')))")
        page.keyboard.press("Control+Enter")
        assert lines(ended(page, number))[0] == "False"


def test_axe_finds_nothing_serious(page: Page) -> None:
    run(page, 1)
    editor(page, 0)
    assert [each for each in axe_findings(page, "document", "{}") if each[0] in ("serious", "critical")] == []
