"""The answers that our decks' pages compare guesses with: each question has one, and its slide says it."""

from __future__ import annotations

import json
import re

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Code, Paragraph, Prediction, Slide, plain, walk
from triton_workshop.repository import ROOT

OUTPUTS = {"triton-workshop.md": "deck-outputs.json", "second-half.md": "second-half-outputs.json"}
DECKS = {name: load_deck(ROOT / "slides" / name) for name in OUTPUTS}
PARAGRAPHS = [
    (name, slide, block.line, block.content)
    for name, deck in DECKS.items()
    for slide in deck.slides
    for block in walk(slide.blocks)
    if isinstance(block.content, Paragraph)
]
PREDICTIONS = [
    pytest.param(name, slide, line, paragraph.prediction, id=slide.name)
    for name, slide, line, paragraph in PARAGRAPHS
    if paragraph.prediction is not None
]
IN_A_PICTURE = "Six elements in blocks of four"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def test_every_question_has_an_answer_and_nothing_else_has_one() -> None:
    unlike = [
        f"{name}:{line}"
        for name, _, line, paragraph in PARAGRAPHS
        if plain(paragraph.text).startswith("Predict:") == (paragraph.prediction is None)
    ]
    assert unlike == []
    assert len(PREDICTIONS) == 42


def numbers(text: str) -> set[float]:
    """The numbers of a text, which may have commas and a minus of its own."""
    written = re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("−", "-"))
    return {float(number) for number in NUMBER.findall(written)}


def revealed(name: str, slide: Slide, line: int) -> str:
    """What a slide says below a line, and what its code has printed."""
    following = [other.line for other in DECKS[name].slides if other.line > slide.line]
    lines = (ROOT / "slides" / name).read_text(encoding="utf-8").split("\n")[line : min(following, default=None)]
    runs = json.loads((ROOT / "benchmarks" / "results" / OUTPUTS[name]).read_text(encoding="utf-8"))
    sources = [block.content.source for block in walk(slide.blocks) if isinstance(block.content, Code)]
    printed = [run["printed"] for run in runs if run["code"] in sources]
    return COMMENT.sub("", "\n".join([*lines, *printed]))


@pytest.mark.parametrize(("name", "slide", "line", "prediction"), PREDICTIONS)
def test_the_slide_says_the_answer(name: str, slide: Slide, line: int, prediction: Prediction) -> None:
    said, right = numbers(revealed(name, slide, line)), prediction.right
    if prediction.options:
        assert numbers(plain(prediction.answer)) <= said
    elif slide.name != IN_A_PICTURE:
        assert any(right.low <= number <= right.high for number in said)


@pytest.mark.parametrize(("name", "slide", "line", "prediction"), PREDICTIONS)
def test_a_wrong_guess_has_a_sentence(name: str, slide: Slide, line: int, prediction: Prediction) -> None:
    assert len(prediction.meanings) >= 2, (name, slide.name, line)
    for _, sentence in prediction.meanings:
        words = plain(sentence)
        assert words.endswith("."), words
        assert sentence[0].code or not words[0].islower(), words
