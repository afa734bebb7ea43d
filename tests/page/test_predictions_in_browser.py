"""Answering before the reveal, in a real browser: what is kept, when it is compared, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.chromium import axe_findings
from triton_workshop.deck import load_deck
from triton_workshop.deck.consent import EVERYTHING
from triton_workshop.page.handout import handout
from triton_workshop.page.outputs import run_all

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = pytest.mark.browser
DECK = """Number
===

**Predict:** How many?

<!--
// predict
number: 28
unit: additions
near: 20..40
wrong:
  ..10: Then `add` would be fast.
-->

<!-- pause -->

**28**.

<!-- end_slide -->

Block
===

**Predict:** What does it print?

<!--
// predict
choice:
  "`1`": right
  "`2`": It adds nothing.
-->

```python +exec
print(1)
```

<!-- end_slide -->

Later
===

Something.

<!-- pause -->

**Predict:** What now?

<!--
// predict
number: -8
-->

<!-- pause -->

−8.

<!-- end_slide -->

Edited
===

**Predict:** And without the loop?

<!--
// predict
number: 5
block_answers: false
-->

```python +exec
print(3)
```

<!-- pause -->

Five.
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("predictions") / "deck.md"
    file.write_text(DECK, encoding="utf-8")
    deck = load_deck(file)
    page = file.with_suffix(".html")
    page.write_text(handout(deck, run_all(deck, EVERYTHING, lambda *_: None)).standalone(), encoding="utf-8")
    return page.as_uri()


@pytest.fixture
def opened(browser: Browser, address: str) -> Iterator[Page]:
    """A page of a browser that remembers nothing; its console stays empty."""
    context, said = browser.new_context(), list[str]()
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(address)
    yield page
    context.close()
    assert said == []


def form_of(page: Page, slide: int) -> Locator:
    return page.locator(f"#slide-{slide} .predict")


def answer(form: Locator, guess: str) -> None:
    form.get_by_label("Your answer").fill(guess)
    form.get_by_role("button", name="Keep my answer").click()


def status_of(form: Locator) -> str:
    return form.get_by_role("status").inner_text()


def open_fold(page: Page, slide: int, name: str = "What comes next") -> None:
    page.locator(f"#slide-{slide} summary", has_text=name).last.click()


def test_an_answer_is_kept_over_a_reload_compared_and_given_again(opened: Page) -> None:
    form = form_of(opened, 1)
    answer(form, "10")
    assert status_of(form) == "Kept. What comes next has the answer."
    opened.reload()
    field = form.get_by_label("Your answer")
    assert (field.input_value(), field.is_enabled()) == ("10", True)
    assert "28 additions" not in form.inner_text()
    open_fold(opened, 1)
    form.get_by_text("The answer is 28 additions; you said 10. Then add would be fast.").wait_for()
    assert form.locator("code").inner_text() == "add"
    assert field.is_disabled()
    assert not form.get_by_role("button", name="Keep my answer").is_visible()
    form.get_by_role("button", name="Answer again").click()
    assert not opened.locator("#slide-1 .fold p").is_visible(), "it is no question any more while its answer is there"
    assert (field.input_value(), field.is_enabled(), status_of(form)) == ("", True, "")
    assert field.evaluate("(field) => field === document.activeElement")
    opened.reload()
    assert field.input_value() == ""


def test_an_answer_of_an_older_edition_is_still_there(opened: Page) -> None:
    opened.evaluate("localStorage.setItem(`triton-workshop-prediction-${document.forms[0].dataset.key}`, '21')")
    opened.reload()
    assert form_of(opened, 1).get_by_label("Your answer").input_value() == "21"
    opened.evaluate("Store.set(`prediction-${document.forms[0].dataset.key}`, 'no answer')")
    opened.reload()
    assert form_of(opened, 1).get_by_label("Your answer").input_value() == ""


@pytest.mark.parametrize(
    ("guess", "said"),
    [
        ("28", "✓ Right: you said 28."),
        ("21", "Close: the answer is 28 additions; you said 21."),
        ("-5000", "The answer is 28 additions; you said −5000. Then add would be fast."),
    ],
)
def test_what_is_said_of_a_number(opened: Page, guess: str, said: str) -> None:
    answer(form_of(opened, 1), guess)
    open_fold(opened, 1)
    form_of(opened, 1).get_by_text(said, exact=True).wait_for()


def test_nothing_is_kept_without_an_answer(opened: Page) -> None:
    form = form_of(opened, 1)
    form.get_by_role("button", name="Keep my answer").click()
    assert (status_of(form), opened.evaluate("localStorage.length")) == ("", 0)
    open_fold(opened, 1)
    form.get_by_role("button", name="Answer it").wait_for()
    assert status_of(form) == ""


def test_what_stands_in_the_field_counts_without_the_button(opened: Page) -> None:
    form = form_of(opened, 1)
    form.get_by_label("Your answer").fill("28")
    open_fold(opened, 1)
    form.get_by_text("✓ Right: you said 28.").wait_for()


@pytest.mark.parametrize("reveal", ["What it prints", "a run"])
def test_a_choice_is_compared_with_what_the_block_prints(opened: Page, reveal: str) -> None:
    form = form_of(opened, 2)
    form.get_by_role("group", name="Your answer").get_by_label("2").check()
    form.get_by_role("button", name="Keep my answer").click()
    if reveal == "a run":
        opened.locator("#slide-2 .code").dispatch_event("ran")
    else:
        open_fold(opened, 2, reveal)
    form.get_by_text("The answer is “1”; you said “2”. It adds nothing.").wait_for()
    assert form.get_by_role("radio").first.is_disabled()


def test_a_question_after_a_pause_has_its_answer_in_a_fold_of_its_own(opened: Page) -> None:
    form = form_of(opened, 3)
    opened.locator("#slide-3 summary", has_text="What comes next").first.click()
    answer(form, "-8")
    assert status_of(form) == "Kept. What comes next has the answer."
    open_fold(opened, 3)
    form.get_by_text("✓ Right: you said −8.").wait_for()


def test_a_block_that_does_not_answer_closes_no_field(opened: Page) -> None:
    form = form_of(opened, 4)
    answer(form, "3")
    open_fold(opened, 4, "What it prints")
    opened.locator("#slide-4 .code").dispatch_event("ran")
    opened.locator("#slide-4 .output").wait_for()
    assert status_of(form) == "Kept. What comes next has the answer."
    open_fold(opened, 4)
    form.get_by_text("The answer is 5; you said 3.").wait_for()


def test_it_works_without_storage(opened: Page) -> None:
    opened.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error('closed'); } })")
    opened.reload()
    answer(form_of(opened, 1), "28")
    open_fold(opened, 1)
    form_of(opened, 1).get_by_text("✓ Right: you said 28.").wait_for()


def test_there_is_no_field_on_paper_and_while_the_page_follows_a_presenter(opened: Page) -> None:
    form = form_of(opened, 1)
    assert form.is_visible()
    opened.emulate_media(media="print")
    assert not form.is_visible()
    opened.emulate_media(media="screen")
    opened.evaluate("document.documentElement.classList.add('following')")
    assert not form.is_visible()


def test_there_is_no_field_without_scripts(browser: Browser, address: str) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(address)
    assert page.get_by_text("How many?").is_visible()
    assert not form_of(page, 1).is_visible()
    page.context.close()


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_axe_finds_nothing_to_object_to(opened: Page, scheme: str) -> None:
    opened.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    answer(form_of(opened, 1), "10")
    open_fold(opened, 1)
    form_of(opened, 1).get_by_text("you said 10").wait_for()
    assert axe_findings(opened, "{ include: [['.predict']] }", "{}") == []
