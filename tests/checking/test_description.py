"""A verdict is described once, and a terminal shows all of it, however narrow and without colour."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from triton_workshop.checking.judging.verdict import (
    CaseResult,
    Element,
    Finding,
    FindingKind,
    Pixels,
    TileMap,
    TileState,
    Verdict,
)
from triton_workshop.checking.reporting.description import CELLS, STATUS_MARKS, describe, look_command, title
from triton_workshop.checking.reporting.progress import Status
from triton_workshop.checking.reporting.report import print_verdicts
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises import exercise as exercise_module
from triton_workshop.hints import table
from triton_workshop.printing import printable

WRONG = Finding(
    FindingKind.WRONG_VALUES,
    "1,024 of 3,000 elements\x1b[2J are wrong",
    ("look", "think", "copy"),
    line=3,
    source="c = a - b",
    element=Element((1024,), 2.5, None, 1e-7, (1,), 1024),
    tiles=TileMap("a program's tile", (((TileState.RIGHT, TileState.WRONG),),)),
    pictures=(Pixels("expected", 1, 2, bytes(6)),),
)
VERDICT = Verdict(
    exercise="1",
    file=Path("mine.py"),
    device="simulator",
    seconds=0.5,
    cases=(CaseResult("1,024 elements", True), CaseResult("3,000 elements", False)),
    findings=(WRONG, Finding(FindingKind.RACE, "")),
    tolerance="float32: off by 2e-07",
)


@pytest.mark.parametrize("width", [40, 80, 150])
def test_a_terminal_shows_all_that_a_description_says(width: int) -> None:
    described, screen = describe(VERDICT, EXERCISES["1"]), io.StringIO()
    print_verdicts([VERDICT], EXERCISES["1"], Console(file=screen, width=width, height=24))
    assert max(map(len, screen.getvalue().splitlines())) <= width
    assert "\x1b" not in screen.getvalue()
    told = " ".join(screen.getvalue().replace("│", " ").split())
    cells = [text for part in described.sections if isinstance(part, tuple) for row in part for text, _ in row]
    assert "look" in cells
    assert "3,000 elements" in cells
    for text in (*cells, described.headline, described.location, title(EXERCISES["1"]), "W wrong"):
        assert " ".join(printable(text).split()) in told, text


def test_no_mark_is_green_before_all_cases_are_in() -> None:
    right = replace(VERDICT, cases=VERDICT.cases[:1], findings=())
    before, after = (describe(replace(right, to_come=left), EXERCISES["1"]) for left in (3, 0))
    assert (before.tone, before.headline) == ("plain", "… 1 cases are right so far, 3 to come")
    assert "good" not in {
        tone for part in before.sections if isinstance(part, tuple) for row in part for _, tone in row
    }
    assert (after.tone, after.headline) == ("good", "✓ All 1 cases are right")


def test_with_the_script_the_lines_around_are_shown() -> None:
    # Neither a form feed nor a separator ends a line of Python.
    described = describe(VERDICT, EXERCISES["1"], "\fdef f(): # \u2028\n    a = 1\n    c = a - b\n    return c\n")
    code = next(part for part in described.sections if isinstance(part, tuple) and "a = 1" in part[0][-1])
    assert [[text for text, _ in row] for row in code] == [
        ["    2", "a = 1"],
        ["❱   3", "c = a - b"],
        ["    4", "return c"],
    ]


def test_a_finding_says_that_the_solution_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said() -> list[str]:
        parts = describe(VERDICT, EXERCISES["1"]).sections
        return [
            text for part in parts if isinstance(part, tuple) for row in part for text, _ in row if "missing" in text
        ]

    assert said() == []
    monkeypatch.setattr(exercise_module, "ROOT", tmp_path)
    assert said() == ["solutions/exercise_1.py is missing: without it there are fewer hints, and lines to blame."]


def test_there_are_words_for_every_kind_state_and_standing() -> None:
    assert (set(table("headlines")), set(CELLS), set(STATUS_MARKS)) == (set(FindingKind), set(TileState), set(Status))


def test_a_finding_names_the_command_that_looks_inside() -> None:
    exercise = EXERCISES["1"]
    third = exercise.simulated_cases[2].name
    found = replace(WRONG, case=third)
    verdict = replace(VERDICT, file=exercise.exercise_file.resolve(), findings=(found,))
    assert look_command(verdict, exercise) == "uv run workshop look 1 --case 3 --program 1 --line 3"
    first = replace(found, case=exercise.cases[0].name, element=None, programs=((2,),), line=None)
    assert look_command(replace(verdict, findings=(first,)), exercise) == "uv run workshop look 1 --case 1 --program 2"
    assert look_command(replace(verdict, file=Path("mine.py")), exercise) == ""
    nowhere = replace(found, kind=FindingKind.UNFINISHED)
    assert look_command(replace(verdict, findings=(nowhere,)), exercise) == ""
