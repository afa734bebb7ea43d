"""The comments that have the answer to a question: what is read from them, and what is said of a broken one."""

from __future__ import annotations

from math import inf

import pytest

from triton_workshop.deck import Deck
from triton_workshop.deck.errors import RefusedError
from triton_workshop.deck.model import Paragraph, Prediction, Range, Text, plain, walk
from triton_workshop.deck.predictions import read_prediction

from .conftest import ReadDeck


def predictions(deck: Deck) -> list[Prediction | None]:
    blocks = [block.content for slide in deck.slides for block in walk(slide.blocks)]
    return [content.prediction for content in blocks if isinstance(content, Paragraph)]


def read(lines: str) -> Prediction:
    prediction = read_prediction(f"\n// predict\n{lines}\n")
    assert prediction is not None
    return prediction


def words(texts: tuple[Text, ...]) -> list[str]:
    return [plain(text) for text in texts]


def test_a_number_has_its_unit_and_its_wrong_guesses() -> None:
    found = read(
        "number: 28\nask: In that time\nunit: additions\nnear: 14..56\nwrong:\n  10: Ten.\n  ..5: Few.\n  57..: Many."
    )
    assert words((found.label, found.answer, found.unit)) == ["In that time", "28", "additions"]
    assert (found.right, found.near, found.options) == (Range(28, 28), Range(14, 56), ())
    assert [(guesses, plain(sentence)) for guesses, sentence in found.meanings] == [
        (Range(10, 10), "Ten."),
        (Range(-inf, 5), "Few."),
        (Range(57, inf), "Many."),
    ]


@pytest.mark.parametrize(
    ("written", "right"),
    [("28", (28, 28)), ("14.7", (14.65, 14.75)), ("7.0", (6.95, 7.05)), ("16,744", (16744, 16744)), ("−8", (-8, -8))],
)
def test_what_rounds_to_a_number_is_right(written: str, right: tuple[float, float]) -> None:
    assert read(f"number: {written}").right == Range(*right)


def test_a_choice_is_a_number_of_its_option() -> None:
    found = read("choice:\n  the `upper` half: Rows count from the top.\n  the lower half: right\n  nothing:")
    assert words(found.options) == ["the upper half", "the lower half", "nothing"]
    assert found.options[0][1].code, "an option has inline styles"
    assert (found.right, plain(found.answer)) == (Range(1, 1), "the lower half")
    assert [(guesses, plain(sentence)) for guesses, sentence in found.meanings] == [
        (Range(0, 0), "Rows count from the top.")
    ]


def test_a_slides_code_answers_unless_it_is_said_otherwise() -> None:
    assert read("number: 3").block_answers
    assert not read("number: 3\nblock_answers: false").block_answers


@pytest.mark.parametrize("comment", ["pause", "// predictions\nnumber: 3", "// a remark", "predict\nnumber: 3", ""])
def test_another_comment_is_none(comment: str) -> None:
    assert read_prediction(comment) is None


BROKEN = [
    ("", 0, "expected 'number' or 'choice'"),
    ("unit: GB", 2, "expected 'number' or 'choice'"),
    ("number: 1\nchoice:\n  a: right\n  b:", 2, "not both"),
    ("numbr: 3", 2, "unknown key 'numbr'; did you mean 'number'?"),
    ("number: many", 2, "expected a number, got 'many'"),
    ("number: inf", 2, "expected a number"),
    ("number: 3\nnear: 1..2", 3, "'near' does not include the right answer"),
    ("number: 3\nnear: 4..1", 3, "'4..1' ends before it begins"),
    ("number: 3\nnear: 1..b", 3, "expected a number, got 'b'"),
    ("number: 3\nwrong:\n  1: One.\n  2..4: Some.", 5, "'2..4' includes the right answer"),
    ("number: 3\nwrong:\n  4:", 4, "expected a line of text"),
    ("number: 3\nwrong: none", 3, "expected 'key: value' lines"),
    ("number: 3\nblock_answers: no", 3, "expected true or false"),
    ("number: 3\n  unit: GB", 3, "not valid YAML"),
    ("choice:\n  a: right", 3, "'choice': expected two options or more"),
    ("choice:\n  a: A.\n  b: B.", 3, "one of which is 'right'"),
    ("choice:\n  a: right\n  b: right", 3, "one of which is 'right'"),
    ("choice:\n  a: right\n  a: A.", 4, "'a' is given twice"),
    ("choice:\n  a: right\n  b:\nunit: GB", 5, "'unit' is for a number"),
]


@pytest.mark.parametrize(("lines", "line", "reason"), BROKEN, ids=[reason for _, _, reason in BROKEN])
def test_a_broken_one_names_its_line(lines: str, line: int, reason: str) -> None:
    with pytest.raises(RefusedError) as caught:
        read(lines)
    assert (caught.value.line, reason in caught.value.reason) == (line, True), caught.value.reason


def test_it_belongs_to_the_paragraph_above_it(read: ReadDeck) -> None:
    deck = read("one\n\n**Predict:** two?\n\n<!--\n// predict\nnumber: 2\n-->\n\nthree\n")
    assert [prediction is not None for prediction in predictions(deck)] == [False, True, False]
    assert deck.warnings == ()


def test_it_may_stand_in_a_column(read: ReadDeck) -> None:
    deck = read("<!-- column_layout: [1] -->\n<!-- column: 0 -->\n\none?\n\n<!-- // predict\nnumber: 1\n-->\n")
    assert [prediction is not None for prediction in predictions(deck)] == [True]


@pytest.mark.parametrize(
    ("deck", "line", "reason"),
    [
        ("one?\n\n<!--\n// predict\nnumber: many\n-->\n", 5, "expected a number, got 'many'"),
        (
            "one?\n\n* an item\n\n<!-- // predict\nnumber: 1\n-->\n",
            5,
            "it has to follow the paragraph that asks for it",
        ),
        ("one?\n<!-- // predict\nnumber: 1\n-->\n\n<!-- // predict\nnumber: 1\n-->\n", 6, "it has to follow"),
    ],
)
def test_a_deck_with_a_broken_one_is_shown_with_a_warning(read: ReadDeck, deck: str, line: int, reason: str) -> None:
    """For presenterm it is a remark, so it is no reason to refuse the deck."""
    [warning] = read(deck).warnings
    assert (warning.line, reason in warning.reason) == (line, True), warning.reason
