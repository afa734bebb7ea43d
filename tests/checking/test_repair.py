"""Where a mistake was made: the solution's lines in the place of a script's, TODO by TODO."""

from __future__ import annotations

from pathlib import Path

from triton_workshop.checking.diagnosing.repair import Culprit, find_culprit
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES

ADD = EXERCISES["1"]
SOLUTION = ADD.solution_file.read_text(encoding="utf-8")


def _culprit(text: str, *right: str) -> Culprit | None:
    """Where the mistake is, if a text passes that has all these pieces."""
    source = Source(Path("mine.py"), text, ADD)
    return find_culprit(source, *[lambda tried: all(piece in tried for piece in right)] * 2)


OFFSETS = "offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)"
MASK = "mask = offsets < n_elements\n"


def test_one_wrong_todo_is_named_with_its_line() -> None:
    culprit = _culprit(SOLUTION.replace(OFFSETS, OFFSETS + " + 1"), OFFSETS + "\n")
    assert culprit is not None
    assert (culprit.todos, culprit.code) == ((2,), OFFSETS)
    assert SOLUTION.splitlines()[culprit.line - 1].strip() == OFFSETS


def test_of_two_wrong_todos_the_first_is_named() -> None:
    wrong = SOLUTION.replace(OFFSETS, OFFSETS + " + 1").replace(MASK, "mask = offsets > 0\n")
    culprit = _culprit(wrong, OFFSETS + "\n", MASK)
    assert culprit is not None
    assert culprit.todos == (2, 3)


def test_what_only_looks_different_is_left_alone() -> None:
    other = SOLUTION.replace(MASK, "mask = n_elements > offsets\n").replace(OFFSETS, "offsets = pid")
    culprit = _culprit(other, OFFSETS + "\n", "n_elements > offsets")
    assert culprit is not None
    assert culprit.todos == (2,)


def test_a_line_that_is_missing_has_no_number() -> None:
    load = "y = tl.load(y_ptr + offsets, mask=mask)\n"
    culprit = _culprit(SOLUTION.replace(load, ""), load)
    assert culprit is not None
    assert (culprit.todos, culprit.line) == ((5,), None)


def test_a_line_that_was_given_belongs_to_no_todo() -> None:
    culprit = _culprit(SOLUTION.replace("return output", "return x"), "return output")
    assert culprit is not None
    assert (culprit.todos, culprit.code) == ((), "return output")


def test_nothing_is_said_where_no_line_of_the_solution_helps() -> None:
    assert _culprit(SOLUTION.replace(MASK, "mask = offsets > 0\n"), "no such text") is None
