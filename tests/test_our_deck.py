"""The workshop's own deck: it parses, its claims hold, and its live blocks run."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT, shipped_exercise

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Code, Deck, Execution, JumpToMiddle, Slide, plain, walk
from triton_workshop.validating import Validation, validate
from triton_workshop.viewer.fit import HEIGHT, ended, output_columns, rows_needed

DECK = ROOT / "slides" / "triton-workshop.md"


def _codes(deck: Deck) -> list[tuple[Slide, Code]]:
    blocks = [(slide, block.content) for slide in deck.slides for block in walk(slide.blocks)]
    return [(slide, content) for slide, content in blocks if isinstance(content, Code)]


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck(DECK)


def test_the_deck_has_nothing_to_warn_of(deck: Deck) -> None:
    assert deck.warnings == ()


def test_every_slide_but_the_introduction_has_a_title_and_notes(deck: Deck) -> None:
    assert deck.slides[0].introduction
    for slide in deck.slides[1:]:
        assert slide.title, f"line {slide.line}"
        is_section = any(isinstance(block.content, JumpToMiddle) for block in slide.blocks)
        assert slide.notes or is_section, f"line {slide.line}"


def test_setup_comes_before_the_first_live_block(deck: Deck) -> None:
    titles = [plain(slide.title or ()) for slide in deck.slides]
    first_live = next(slide for slide, code in _codes(deck) if code.execution is Execution.ON_KEY)
    assert titles.index("Setup · 0:20") < deck.slides.index(first_live)


@pytest.mark.parametrize("function", ["add_kernel", "add"])
def test_the_template_on_the_slide_is_the_exercise(deck: Deck, function: str) -> None:
    exercise = shipped_exercise(1)
    shown = ["\n".join(code.lines) for slide, code in _codes(deck) if "Exercise 1" in plain(slide.title or ())]
    wanted = re.search(rf"^(@triton\.jit\n)?def {function}\(.*?(?=\n\n\n)", exercise, re.DOTALL | re.MULTILINE)
    assert wanted is not None
    assert wanted[0] in shown


def test_visible_code_fits_a_slide(deck: Deck) -> None:
    for slide, code in _codes(deck):
        assert len(code.lines) <= 25, f"line {slide.line}"
        assert max(map(len, code.lines)) <= 80, f"line {slide.line}"


def test_presenterm_needs_no_more_than_the_flag_that_runs_code(deck: Deck) -> None:
    """`-x`, that is: `-X` would run code before anybody asked for it."""
    kinds = {code.execution for _, code in _codes(deck)}
    assert kinds <= {Execution.NONE, Execution.ON_KEY, Execution.AUTOMATIC}


@pytest.fixture(scope="module")
def validation() -> Validation:
    """Every live block, run once, each with the columns that the viewer gives it."""
    return validate(DECK, widths=output_columns)


def test_the_deck_is_valid_on_this_machine(validation: Validation) -> None:
    failures = [f"{result.path}:{result.block.line}: {result.failure}\n{result.text}" for result in validation.blocks]
    failed = [text for text, result in zip(failures, validation.blocks, strict=True) if not result.passed]
    assert not failed, "\n".join(failed)
    assert validation.findings == ()


def test_every_live_block_runs_and_prints_something(validation: Validation) -> None:
    assert len(validation.blocks) >= 5
    for result in validation.blocks:
        assert result.outcome is not None, result.block.line
        assert result.text.strip(), result.block.line


def test_every_slide_fits_the_screen_with_all_that_its_code_prints(deck: Deck, validation: Validation) -> None:
    cells = {result.block: ended(result.output, result.outcome) for result in validation.blocks if result.outcome}
    rows = {f"line {slide.line}, {slide.name}": rows_needed(deck, slide, cells) for slide in deck.slides}
    assert {slide: needed for slide, needed in rows.items() if needed > HEIGHT} == {}


PRINTED = (
    ("GPU or simulator?", "kernels and tensors live on '"),
    ("The launcher: an ordinary Python function", "programs: 4\nright:    True\n"),
    (
        "Live debugging: something is wrong here",
        "program [0]: offsets [0 1 2 3]\nprogram [1]: offsets [0 1 2 3]\n"
        "expected [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]\ngot      [0.0, 2.0, 4.0, 6.0, -1.0, -1.0]\n",
    ),
    (
        "Live debugging: the fix",
        "program [0]: offsets [0 1 2 3]\nprogram [1]: offsets [4 5 6 7]\n"
        "expected [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]\ngot      [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]\n",
    ),
)


@pytest.mark.parametrize(("title", "output"), PRINTED)
def test_a_live_block_prints_what_the_slide_says(validation: Validation, title: str, output: str) -> None:
    [slide] = [slide for slide in validation.slides if slide.title == title]
    assert slide.blocks[0].text.startswith(output)


def test_the_setup_block_runs_the_real_check(validation: Validation) -> None:
    [setup] = [result for result in validation.blocks if result.code.source.strip() == "uv run setup-check"]
    assert "Ready" in setup.text
