"""The exercises as a page in which kernels run needs them: their texts, and the words and marks for how far one is."""

from __future__ import annotations

import json
from typing import Any

from triton_workshop.checking.reporting.description import STANDINGS, title
from triton_workshop.checking.reporting.progress import Standing
from triton_workshop.exercises import EXERCISES, variations_of
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.page.markup import element

SHOWN = (Standing.NEW, Standing.BEGUN, Standing.FAILING, Standing.CHANGED, Standing.PASSED)
"""How far an exercise can be in a page, which has all files."""


def exercises() -> str:
    """The place where a page's script lays the exercises out, and what it lays out."""
    data = {
        "exercises": [_exercise(exercise) for exercise in EXERCISES.values()],
        "marks": {standing: STANDINGS[standing][:2] for standing in SHOWN},
    }
    text = json.dumps(data).replace("</", "<\\/")
    return (
        element("section", "", id="exercises", class_="exercises", aria_label="Exercises")
        + f'\n<script type="application/json" id="exercises-data">{text}</script>'
    )


def _exercise(exercise: Exercise) -> dict[str, Any]:
    return {
        "number": exercise.number,
        "title": title(exercise),
        "optional": exercise.optional,
        "warmUp": exercise.warm_up,
        "shipped": exercise.shipped_text,
        "solution": exercise.solution,
        "todos": len(exercise.hints),
        "planted": [[new for _, new in edit.changes] for edit in exercise.planted_bugs],
        "variations": [variation.number for variation in variations_of(exercise)],
    }
