"""Comments that begin with `// predict`, which presenterm ignores.

Each has the answer to the question above it.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from math import inf

import yaml

from . import yaml_values
from .errors import RefusedError
from .markdown import read_inline
from .model import Prediction, Range, Text

_HEADER = re.compile(r"\s*//\s*predict[ \t]*(?:\n|$)")
_KEYS = ("ask", "block_answers", "choice", "near", "number", "unit", "wrong")
_RIGHT = "right"
"""The word that marks the right option of a choice, where another one may have a sentence."""


def read_prediction(comment: str) -> Prediction | None:
    """Read a comment without its `<!--` and `-->`; None if it is another one.

    Raises RefusedError, whose line counts from the comment's first one.
    """
    header = _HEADER.match(comment)
    if header is None:
        return None
    # As many empty lines as were above, so that YAML counts the comment's lines.
    node = yaml_values.compose("\n" * header[0].count("\n") + comment[header.end() :])
    if node is None:
        raise RefusedError("expected 'number' or 'choice'")
    entries = yaml_values.mapping(node, _KEYS)
    line = yaml_values.line_of(node)
    match entries:
        case {"number": _, "choice": _}:
            raise RefusedError("expected 'number' or 'choice', not both", line)
        case {"number": number}:
            return _read_number(number, entries)
        case {"choice": choice}:
            return _read_choice(choice, entries)
        case _:
            raise RefusedError("expected 'number' or 'choice'", line)


def _read_number(node: yaml.Node, entries: dict[str, yaml.Node]) -> Prediction:
    """Read a number.

    A whole one must be met exactly, any other one to its last digit.
    """
    # A Decimal still knows how many digits were written, as a float does not.
    number = _parse_number(yaml_values.text(node), node)
    exponent = int(number.as_tuple().exponent)
    # Half a unit of the last digit: 0.05 of 1.3, and nothing of 13.
    half = Decimal((0, (5,), exponent - 1)) if exponent < 0 else 0
    right = Range(float(number - half), float(number + half))
    near = _read_range(entries["near"]) if "near" in entries else None
    if near is not None and not near.contains(right):
        raise RefusedError("'near' does not include the right answer", yaml_values.line_of(entries["near"]))
    meanings = []
    wrong = yaml_values.mapping(entries["wrong"]) if "wrong" in entries else {}
    for guess, sentence in wrong.items():
        guesses = _parse_range(guess, sentence)
        if guesses.meets(right):
            raise RefusedError(f"'{guess}' includes the right answer", yaml_values.line_of(sentence))
        meanings.append((guesses, _read_text(sentence)))
    return Prediction(
        _read_text(node),
        right,
        near,
        tuple(meanings),
        _read_optional_text(entries, "ask"),
        _read_optional_text(entries, "unit"),
        block_answers=_read_block_answers(entries),
    )


def _read_choice(node: yaml.Node, entries: dict[str, yaml.Node]) -> Prediction:
    """Read the options of a choice.

    Each has the word `right`, a sentence on what it would mean, or nothing.
    """
    for key in ("near", "unit", "wrong"):
        if key in entries:
            raise RefusedError(f"'{key}' is for a number", yaml_values.line_of(entries[key]))
    values = yaml_values.mapping(node)
    options = tuple(_parse_text(option, value) for option, value in values.items())
    right = [place for place, value in enumerate(values.values()) if _is_right(value)]
    is_choice = len(right) == 1 and len(options) >= 2
    if not is_choice:
        expected = f"two options or more, one of which is '{_RIGHT}'"
        raise RefusedError(f"'choice': expected {expected}", yaml_values.line_of(node))
    meanings = tuple(
        (Range(place, place), _read_text(value))
        for place, value in enumerate(values.values())
        if place not in right and not yaml_values.is_null(value)
    )
    return Prediction(
        options[right[0]],
        Range(right[0], right[0]),
        meanings=meanings,
        label=_read_optional_text(entries, "ask"),
        options=options,
        block_answers=_read_block_answers(entries),
    )


def _is_right(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value == _RIGHT


def _read_block_answers(entries: dict[str, yaml.Node]) -> bool:
    return "block_answers" not in entries or yaml_values.boolean(entries["block_answers"])


def _read_range(node: yaml.Node) -> Range:
    return _parse_range(yaml_values.text(node), node)


def _parse_range(text: str, node: yaml.Node) -> Range:
    """Parse `10`, `1..10`, `..10` or `10..`; errors are at the node."""
    low, dots, high = text.partition("..")
    # Only beside dots may a side be empty; an empty text has to fail as a number.
    if not dots:
        number = float(_parse_number(text, node))
        return Range(number, number)
    numbers = Range(
        float(_parse_number(low, node)) if low else -inf,
        float(_parse_number(high, node)) if high else inf,
    )
    if numbers.low > numbers.high:
        raise RefusedError(f"'{text}' ends before it begins", yaml_values.line_of(node))
    return numbers


def _parse_number(text: str, node: yaml.Node) -> Decimal:
    try:
        # People write commas between thousands, and a minus sign that is no hyphen.
        number = Decimal(text.replace(",", "").replace("−", "-"))
    except InvalidOperation:
        # Refused below, like the `nan` and `inf` that Decimal accepts.
        number = Decimal("NaN")
    if not number.is_finite():
        raise RefusedError(f"expected a number, got '{text}'", yaml_values.line_of(node))
    return number


def _read_optional_text(entries: dict[str, yaml.Node], key: str) -> Text:
    return _read_text(entries[key]) if key in entries else ()


def _read_text(node: yaml.Node) -> Text:
    return _parse_text(yaml_values.text(node), node)


def _parse_text(text: str, node: yaml.Node) -> Text:
    """Parse a line of text with inline styles; errors are at the node."""
    parsed = read_inline(text)
    if not parsed:
        raise RefusedError(f"expected a line of text, got '{text}'", yaml_values.line_of(node))
    return parsed
