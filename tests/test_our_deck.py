"""The workshop's own deck: it parses, its claims hold, and its live blocks run."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest
from conftest import ROOT, Outcome, RunPython, shipped_exercise

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Block, Code, Columns, Deck, Execution, Slide, plain

DECK = ROOT / "slides" / "triton-workshop.md"


def _contents(blocks: tuple[Block, ...]) -> Iterator[object]:
    for block in blocks:
        if isinstance(block.content, Columns):
            for column in block.content.columns:
                yield from _contents(column)
        else:
            yield block.content


def _codes(deck: Deck) -> list[tuple[Slide, Code]]:
    return [(slide, code) for slide in deck.slides for code in _contents(slide.blocks) if isinstance(code, Code)]


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck(DECK)


def test_the_deck_has_nothing_to_warn_of(deck: Deck) -> None:
    assert deck.warnings == ()


def test_every_slide_but_the_introduction_has_a_title_and_notes(deck: Deck) -> None:
    assert deck.slides[0].introduction
    for slide in deck.slides[1:]:
        assert slide.title, f"line {slide.line}"
        is_section = any(type(content).__name__ == "JumpToMiddle" for content in _contents(slide.blocks))
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


@pytest.fixture(scope="module")
def outcomes(run_python: RunPython, deck: Deck, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Every live Python block, run once, by the title of its slide."""
    script = tmp_path_factory.mktemp("live") / "block.py"
    results = {}
    for slide, code in _codes(deck):
        if code.execution is Execution.ON_KEY and code.language == "python":
            script.write_text(code.source)
            results[plain(slide.title or ())] = run_python(script, cwd=DECK.parent)
    return results


def test_every_live_block_runs(outcomes: dict[str, Outcome]) -> None:
    assert len(outcomes) >= 4
    for title, outcome in outcomes.items():
        assert outcome.returncode == 0, f"{title}: {outcome.stderr}"
        assert outcome.stdout, title


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
def test_a_live_block_prints_what_the_slide_says(outcomes: dict[str, Outcome], title: str, output: str) -> None:
    assert outcomes[title].stdout.startswith(output)


def test_the_setup_block_runs_the_real_check(deck: Deck) -> None:
    code = next(code for _, code in _codes(deck) if code.language == "bash" and code.execution is Execution.ON_KEY)
    assert code.source.strip() == "uv run setup-check"
    if shutil.which("uv") is None:
        pytest.skip("uv is not installed")
    result = subprocess.run(["bash", "-c", code.source], cwd=DECK.parent, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Ready" in result.stdout
