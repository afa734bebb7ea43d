"""Exercises as a page needs them: texts, and marks for the progress."""

from __future__ import annotations

import ast
import functools
import json
from itertools import groupby
from typing import Any

from triton_workshop.checking.reporting.description import STATUS_MARKS, title
from triton_workshop.checking.reporting.progress import Status
from triton_workshop.exercises import EXERCISES, variations_of
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.page.assets import asset
from triton_workshop.page.markup import element

STANDINGS_IN_PAGE = (Status.NEW, Status.BEGUN, Status.FAILING, Status.CHANGED, Status.PASSED)
"""States of an exercise in a page, which has all files."""


def exercises() -> str:
    """Return the section for the exercises, and their data for its script."""
    data = {
        "exercises": [_exercise(exercise) for exercise in EXERCISES.values()],
        "scratch": asset("scratch.txt"),
        "marks": {standing: STATUS_MARKS[standing] for standing in STANDINGS_IN_PAGE},
    }
    text = json.dumps(data).replace("</", "<\\/")
    return (
        element("section", "", id="exercises", class_="exercises", aria_label="Exercises")
        + f'\n<script type="application/json" id="exercises-data">{text}</script>'
    )


def _task(text: str) -> list[str]:
    """Return a script's docstring in paragraphs.

    The lines of formulas, which are indented, stay lines.
    """
    docstring = ast.get_docstring(ast.parse(text)) or ""
    groups = groupby(docstring.split("\n"), lambda line: line[:1].isspace() if line else None)
    separators = {True: "\n", False: " "}
    return [separators[is_formula].join(lines) for is_formula, lines in groups if is_formula is not None]


@functools.cache
def _pictures() -> dict[str, list[dict[str, Any]]]:
    """Return pictures of each exercise's input and output.

    `python -m benchmarks.task_pictures` draws them.
    """
    pictures: dict[str, list[dict[str, Any]]] = json.loads(asset("task_pictures.json"))
    return pictures


def _exercise(exercise: Exercise) -> dict[str, Any]:
    return {
        "number": exercise.number,
        "title": title(exercise),
        "launcher": exercise.launcher,
        "optional": exercise.is_optional,
        "warmUp": exercise.is_warm_up,
        "slow": bool(exercise.goals),
        "task": _task(exercise.shipped_text),
        "pictures": _pictures()[exercise.number],
        "shipped": exercise.shipped_text,
        "solution": exercise.solution,
        "todos": exercise.tasks,
        "planted": [[new for _, new in edit.changes] for edit in exercise.planted_bugs],
        "cases": len(exercise.simulated_cases),
        "demo": exercise.demo is not None,
        "variations": [variation.number for variation in variations_of(exercise)],
    }
