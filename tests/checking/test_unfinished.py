"""What is known of the TODOs that are filled in, while others are open."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import pytest

from simulator.tests.tables import SLOW_EVERY
from triton_workshop.checking.check import CheckRequest, verdicts
from triton_workshop.checking.diagnosing.completion import complete
from triton_workshop.checking.judging.unfinished import try_todos
from triton_workshop.checking.judging.verdict import FilledTodo
from triton_workshop.checking.observing.child import prepare
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise, edited_todos, todo_lines
from triton_workshop.exercises.todos import open_todos

from . import judging

WITH_TODOS = [exercise for exercise in EXERCISES.values() if not exercise.planted_bugs]
ADD, SEPIA, MATMUL = EXERCISES["1"], EXERCISES["2"], EXERCISES["4"]
FILE = Path("unfinished.py")


def fill_in(exercise: Exercise, todos: set[int], solution: str = "") -> str:
    """Return the shipped file with a solution's code in some of its TODOs."""
    solution = solution or exercise.solution
    lines, code = solution.split("\n"), dict[int, list[str]]()
    for number, todo in todo_lines(solution).items():
        code.setdefault(todo, []).append(lines[number - 1])
    places = {todo.line: todo.number for todo in open_todos(exercise.shipped_text)}
    script: list[str] = []
    for number, line in enumerate(exercise.shipped_text.split("\n"), 1):
        script += code.get(places[number] or 0, []) if places.get(number) in todos else [line]
    return "\n".join(script)


def right_todos(exercise: Exercise, text: str) -> list[int]:
    return judging.right_todos(Source(FILE, text, exercise))


@dataclass(frozen=True)
class Row:
    """An unfinished script, in which the last TODO that is filled in may have a mistake."""

    exercise: Exercise
    name: str
    text: str
    edited: frozenset[int] = frozenset()

    def __str__(self) -> str:
        return f"{self.exercise.number}-{self.name}"


def solution_rows() -> list[Row]:
    return [
        Row(exercise, str(last), fill_in(exercise, set(range(1, last + 1))))
        for exercise in WITH_TODOS
        for last in range(1, len(exercise.hints))
    ]


def mistake_rows() -> list[Row]:
    """Each known mistake in a TODO; if that is the last one, the first other TODO is open."""
    rows = []
    for exercise in WITH_TODOS:
        for mistake in exercise.mistakes:
            for index, edit in enumerate(mistake.edits):
                edited = {todo for todo in edited_todos(edit, exercise.solution) if todo is not None}
                if len(edited) < len(edited_todos(edit, exercise.solution)):
                    continue  # it is in a line that the exercise gives
                filled = set(range(1, max(edited) + 1))
                others = set(range(1, len(exercise.hints) + 1)) - edited
                filled -= {min(others)} if max(edited) == len(exercise.hints) and others else set()
                if len(filled) < len(exercise.hints):
                    text = fill_in(exercise, filled, edit.apply(exercise.solution))
                    rows.append(Row(exercise, f"{mistake.name}-{index}", text, frozenset(edited)))
    return rows


@pytest.mark.parametrize("row", solution_rows()[::SLOW_EVERY], ids=str)
def test_each_todo_of_the_solution_is_right_while_the_next_is_open(row: Row) -> None:
    assert right_todos(row.exercise, row.text) == list(range(1, int(row.name) + 1))


@pytest.mark.parametrize("row", mistake_rows()[:: SLOW_EVERY**2], ids=str)
def test_a_todo_with_a_mistake_is_never_right(row: Row) -> None:
    assert not row.edited <= set(right_todos(row.exercise, row.text))


def renamed(text: str, **names: str) -> str:
    return re.sub("|".join(rf"\b{name}\b" for name in names), lambda match: names[match[0]], text)


OWN_NAMES = {"offs_m": "m", "offs_n": "n", "a_ptrs": "pa", "b_ptrs": "pb", "accumulator": "acc", "a_mask": "inside_a"}


def test_names_of_the_learners_own_are_found_by_their_values() -> None:
    script = renamed(fill_in(MATMUL, {1, 2, 3}), **OWN_NAMES)
    assert right_todos(MATMUL, script) == [1, 2, 3]
    assert right_todos(MATMUL, script.replace("offs_k[None, :] < K - k", "offs_k[None, :] < K")) == [1, 2]


def test_a_mistake_takes_nothing_from_the_todos_around_it() -> None:
    wrong = fill_in(ADD, {1, 2, 3, 4}).replace("offsets < n_elements", "offsets <= n_elements")
    assert right_todos(ADD, wrong) == [1, 2, 4]


def test_a_todo_that_is_done_while_earlier_ones_are_open_is_tried_with_ours() -> None:
    assert right_todos(MATMUL, fill_in(MATMUL, {5, 7})) == [5, 7]


def test_what_is_missing_is_not_filled_in_from_the_solution() -> None:
    without_mask = fill_in(SEPIA, {1, 2}).replace("    mask = ", "    # mask = ")
    assert right_todos(SEPIA, without_mask) == [2]
    deleted = re.sub(r"    \.\.\.  # TODO 2.*\n", "", fill_in(SEPIA, {1}))
    assert 2 not in right_todos(SEPIA, deleted)


def test_a_statement_that_may_be_of_another_todo_is_not_taken_away() -> None:
    overwritten = fill_in(SEPIA, {1, 2, 3}).replace("    sepia_red =", "    red =").replace("sepia_red,", "red,")
    assert 3 not in right_todos(SEPIA, overwritten)


@pytest.mark.parametrize(
    "change", [("pid = tl", "pid = (\n        ...\n    )  # tl"), ("  # TODO 9: start them", ""), ("TODO 9", "TODO 12")]
)
def test_other_placeholders_leave_everything_open(change: tuple[str, str]) -> None:
    text = fill_in(ADD, {1, 2}).replace(*change)
    assert complete(Source(FILE, text, ADD)) is None


def test_values_are_those_that_the_learners_lines_make() -> None:
    prepare()
    wrong = fill_in(ADD, {1, 2, 8}).replace("pid * BLOCK_SIZE", "pid")
    todos = {todo.number: todo for todo in try_todos(Source(FILE, wrong, ADD)).todos}
    assert todos[2] == FilledTodo(2, False, "offsets 1 … 1024", (1,), "1,025 elements")
    assert todos[8].values == "grid (2,)"


@pytest.mark.parametrize(
    ("todo", "code", "wrong", "words"),
    [
        (2, "tl.arange(0, BLOCK_SIZE)", "tl.arange(0, n_elements)", "it stops here: "),
        (2, "tl.arange(0, BLOCK_SIZE)", "tl.arange(BLOCK_SIZE)", "it stops here: "),
        (8, "(cdiv(n_elements, BLOCK_SIZE),)", "cdiv(n_elements, BLOCK_SIZE)", ""),
    ],
)
def test_a_line_that_stops_says_so_at_its_todo(todo: int, code: str, wrong: str, words: str) -> None:
    prepare()
    text = fill_in(ADD, {1, todo})
    assert code in text
    todos = {each.number: each for each in try_todos(Source(FILE, text.replace(code, wrong), ADD)).todos}
    assert todos[todo].values.startswith(words)
    assert not todos[todo].right
    assert not todos[1].values.startswith("it stops")


def test_the_verdict_on_open_todos_comes_before_anything_runs(tmp_path: Path) -> None:
    file = tmp_path / "exercise_1.py"
    file.write_text(fill_in(ADD, {1, 2}), encoding="utf-8")
    first, second = verdicts(CheckRequest(ADD, file, compiler=None))
    assert first.findings == second.findings
    assert not first.todos
    assert [(todo.number, todo.right) for todo in second.todos] == [(1, True), (2, True)]


@pytest.mark.parametrize("line", ["import os; os._exit(3)", "raise SystemExit", "raise KeyError(1)", "print(1 / 0)"])
def test_a_script_that_cannot_run_keeps_its_first_verdict(line: str, tmp_path: Path) -> None:
    file = tmp_path / "exercise_1.py"
    file.write_text(textwrap.dedent(fill_in(ADD, {1})) + line + "\n", encoding="utf-8")
    *_, last = verdicts(CheckRequest(ADD, file, compiler=None))
    assert last.findings[0].kind == "unfinished"
    assert not any(todo.right for todo in last.todos)


def test_without_a_filled_todo_nothing_runs(tmp_path: Path) -> None:
    file = tmp_path / "exercise_1.py"
    file.write_text(ADD.shipped_text, encoding="utf-8")
    assert len(list(verdicts(CheckRequest(ADD, file, compiler=None)))) == 1


def test_what_does_not_compile_is_not_right(tmp_path: Path) -> None:
    file = tmp_path / "exercise_5.py"
    text = fill_in(EXERCISES["5"], {1, 2})
    for change, right in (("running_sum = 0.0", True), ("running_sum = 0", False)):
        file.write_text(re.sub("running_sum = .*", change, text), encoding="utf-8")
        *_, last = verdicts(CheckRequest(EXERCISES["5"], file))
        assert [todo.right for todo in last.todos] == [right, right]
