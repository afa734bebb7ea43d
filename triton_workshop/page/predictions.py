"""Fields for the deck's questions, which predict.js keeps and compares."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from math import isfinite

from triton_workshop.deck.model import Prediction, Range, Text
from triton_workshop.page.markup import element, escaped

LABEL = "Your answer"


def prediction_key(*parts: str) -> str:
    """Return the name under which a browser keeps the answer to a question."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def prediction_form(prediction: Prediction, key: str, write: Callable[[Text], str], step: str | None) -> str:
    """Return the form with the field of a prediction.

    `write` returns text as HTML. What is right stands in an attribute, out of sight.
    """
    unit = f" {write(prediction.unit)}" if prediction.unit else ""
    answer = write(prediction.answer)
    data = {
        "answer": f"“{answer}”" if prediction.options else answer + unit,
        "right": _bounds(prediction.right),
        "near": prediction.near and _bounds(prediction.near),
        "meanings": [[*_bounds(guesses), write(sentence)] for guesses, sentence in prediction.meanings],
        "blockAnswers": prediction.block_answers,
    }
    label = write(prediction.label) or escaped(LABEL)
    if prediction.options:
        options = "".join(_option(place, write(option)) for place, option in enumerate(prediction.options))
        field = element("fieldset", element("legend", label) + options)
    else:
        field = element("label", f'{label} <input type="number" step="any" name="guess" required>{unit}')
    return element(
        "form",
        field + element("button", "Keep my answer", type="submit") + element("p", "", role="status"),
        class_="predict",
        autocomplete="off",
        data_step=step,
        data_key=key,
        data_prediction=json.dumps(data, ensure_ascii=False),
    )


def _option(place: int, text: str) -> str:
    field = f'<input type="radio" name="guess" value="{place}" required>'
    return element("label", f"{field} {element('span', text)}")


def _bounds(numbers: Range) -> list[float | None]:
    """Return both ends, as JSON has no infinity."""
    return [bound if isfinite(bound) else None for bound in (numbers.low, numbers.high)]
