"""What is known of the TODOs that are filled in, while others are open."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from simulator.tests.tables import SLOW_EVERY
from triton_workshop.checking.check import CheckRequest, verdicts
from triton_workshop.checking.diagnosing.completion import complete
from triton_workshop.checking.judging.unfinished import try_todos
from triton_workshop.checking.judging.verdict import FilledTodo, Finding, FindingKind, Verdict
from triton_workshop.checking.observing.child import prepare
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.reporting.description import describe
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


def test_a_grid_without_programs_is_no_error() -> None:
    text = ADD.solution.replace("cdiv(n_elements, BLOCK_SIZE)", "n_elements // 2**30")
    assert right_todos(ADD, fill_in(ADD, set(range(1, 9)), text)) == [1, 2, 3, 4, 5, 6, 7]


def test_a_mistake_takes_nothing_from_the_todos_around_it() -> None:
    wrong = fill_in(ADD, {1, 2, 3, 4}).replace("offsets < n_elements", "offsets <= n_elements")
    assert right_todos(ADD, wrong) == [1, 2, 4]


RAISING = {
    "a store that is none": (
        ADD,
        7,
        "tl.store(output_ptr + offsets, output, mask=mask)",
        "output_ptr[offsets] = output",
    ),
    "a call of its result": (ADD, 7, "output, mask=mask)", "output, mask=mask)()"),
    "a launch without a grid": (ADD, 9, "add_kernel[grid](", "add_kernel[gird]("),
    "a bare expression": (ADD, 9, "add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE)", "add_kernel[grid].run"),
    "another name": (ADD, 6, "output = x + y", "out = x.sum(y, 1, 2, 3)"),
    "a name assigned again": (
        ADD,
        4,
        "x = tl.load(x_ptr + offsets, mask=mask)",
        "x = tl.load(x_ptr)\n    x = x.values",
    ),
    "a line before it": (ADD, 6, "output = x + y", "total = x.add(y)\n    output = total"),
    "a line of several": (SEPIA, 3, "sepia_blue =", "blue.foo\n    sepia_blue ="),
    "the first, before own names": (MATMUL, 1, "offs_m = tl.program_id(axis=0)", "offs_m = tl.program_id(axis=3)"),
}
"""An exercise, a TODO, its code, and code that raises instead."""


@pytest.mark.parametrize("name", RAISING)
def test_a_line_that_raises_takes_nothing_from_the_other_todos(name: str) -> None:
    exercise, todo, code, raising = RAISING[name]
    count = len(exercise.hints)
    others = set(range(1, count + 1)) - {todo, count if todo < count else 8}
    text = fill_in(exercise, others | {todo})
    assert code in text
    text = text.replace(code, raising)
    if exercise is MATMUL:
        text = renamed(text, **OWN_NAMES)
    assert right_todos(exercise, text) == sorted(others)


TILE = """\
    rows = tl.program_id(0) * BLOCK_SIZE_H + tl.arange(0, BLOCK_SIZE_H)[:, None]
    cols = tl.program_id(1) * BLOCK_SIZE_W + tl.arange(0, BLOCK_SIZE_W)[None, :]
    inside = (rows < height) & (cols < width)
    pixels = rows * width + cols
"""
LOADS = """\
    r = tl.load(image_ptr + pixels, mask=inside)
    g = tl.load(image_ptr + height * width + pixels, mask=inside)
    b = tl.load(image_ptr + 2 * height * width + pixels, mask=inside)
"""
STORES = """\
    new_r = tl.minimum(0.393 * r + 0.769 * g + 0.189 * b, 1.0)
    new_g = tl.minimum(0.349 * r + 0.686 * g + 0.168 * b, 1.0)
    new_b = tl.minimum(0.272 * r + 0.534 * g + 0.131 * b, 1.0)
    tl.store(output_ptr + pixels, new_r, mask=inside)
    tl.store(output_ptr + height * width + pixels, new_g, mask=inside)
    tl.store(output_ptr + 2 * height * width + pixels, new_b, mask=inside)
"""
MARKS: dict[str, Callable[[int, str], str]] = {
    "above": lambda todo, code: f"    # TODO {todo}: as it was shipped\n{code}",
    "at each end": lambda todo, code: code.replace("\n", f"  # TODO {todo}\n"),
    "none": lambda todo, code: code,
    "above one": lambda todo, code: f"    # TODO 3\n{code}" if todo == 3 else code,
}
"""Where learners leave the number of a TODO."""
SLIPS = {
    "none": ("0.393", "0.393", [1, 2, 3]),
    "a weight": ("0.393", "0.339", [1, 2]),
    "no such method": ("tl.minimum(0.393 * r + 0.769 * g + 0.189 * b, 1.0)", "(0.393 * r).clamp(max=1.0)", [1, 2]),
    "another plane": ("image_ptr + height * width", "image_ptr + height * height", [1, 3]),
    "a mask of one side": (" & (cols < width)", "", [2, 3]),
}


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize("mark", MARKS)
def test_a_mistake_is_in_its_todo_wherever_that_is_marked(mark: str, slip: str) -> None:
    """Names are the learner's own, and nothing is named that the solution names: `plane`."""
    code = dict(enumerate((TILE, LOADS, STORES), 1))
    old, new, right = SLIPS[slip]
    lines = SEPIA.shipped_text.splitlines(keepends=True)
    for todo in open_todos(SEPIA.shipped_text):
        if todo.number in code:
            lines[todo.line - 1] = MARKS[mark](todo.number, code[todo.number].replace(old, new))
    found = right_todos(SEPIA, "".join(lines))
    first_wrong = min({1, 2, 3, 4} - {*right})
    assert found[: first_wrong - 1] == right[: first_wrong - 1]
    assert found == right or (first_wrong not in found and mark in ("none", "above one"))


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
    "change",
    [("pid = tl", "pid = (\n        ...\n    )  # tl"), ("  # TODO 9: launch them", ""), ("TODO 9", "TODO 12")],
)
def test_other_placeholders_leave_everything_open(change: tuple[str, str]) -> None:
    text = fill_in(ADD, {1, 2}).replace(*change)
    assert complete(Source(FILE, text, ADD)) is None


def test_values_are_those_that_the_learners_lines_make() -> None:
    prepare()
    wrong = fill_in(ADD, {1, 2, 8}).replace("pid * BLOCK_SIZE", "pid")
    todos = {todo.number: todo for todo in try_todos(Source(FILE, wrong, ADD)).todos}
    assert todos[2] == FilledTodo(2, False, "offsets 1 … 1024", (1,), "1,040 elements, float16", 21)
    assert todos[8].values == "grid (2,)"


@pytest.mark.parametrize(
    ("exercise", "code", "wrong", "todo"),
    [
        (MATMUL, "offs_k[None, :] < K - k", "offs_k[None, :] < K", (3, "a_mask 384", (0, 0), "(24 × 17) @ (17 × 24)")),
        (ADD, "offsets < n_elements", "offsets <= n_elements", (3, "mask 1001 of 1024", (0,), "1,000 elements")),
        (ADD, "pid * BLOCK_SIZE", "pid", (2, "offsets 1 … 1024", (1,), "1,040 elements, float16")),
    ],
)
def test_values_are_those_of_the_case_and_the_program_that_differ(
    exercise: Exercise, code: str, wrong: str, todo: tuple[int, str, tuple[int, ...], str]
) -> None:
    prepare()
    text = fill_in(exercise, {1, 2, 3, 4, 5}).replace(code, wrong)
    shown = [each for each in try_todos(Source(FILE, text, exercise)).todos if not each.right]
    number, values, program, case = todo
    assert [(each.number, each.program, each.case) for each in shown] == [(number, program, case)]
    assert shown[0].values.startswith(values)
    assert shown[0].line is not None


def test_the_hints_of_a_filled_todo_that_is_not_right_come_first(tmp_path: Path) -> None:
    file = tmp_path / "exercise_1.py"
    file.write_text(fill_in(ADD, {1, 2}).replace("pid * BLOCK_SIZE", "pid"), encoding="utf-8")
    first, second = (verdict.findings[0].hints for verdict in verdicts(CheckRequest(ADD, file, compiler=None)))
    assert first == ADD.todo_hints(3)
    wrong, following = ADD.todo_hints(2), ADD.todo_hints(3)
    expected = (f"TODO 2 has no ✓ yet. {wrong[0]}", *wrong[1:], f"TODO 3: {following[0]}", *following[1:])
    assert second == expected


def test_the_hints_of_a_todo_that_stops_are_about_its_error(tmp_path: Path) -> None:
    file = tmp_path / "exercise_1.py"
    text = fill_in(ADD, {1, 2}).replace("tl.arange(0, BLOCK_SIZE)", "tl.arange(pid, pid + BLOCK_SIZE)")
    file.write_text(text, encoding="utf-8")
    *_, last = (verdict.findings[0].hints for verdict in verdicts(CheckRequest(ADD, file, compiler=None)))
    question, idea, solution = last[:3]
    assert question == "TODO 2 has no ✓ yet. Which numbers are known before the kernel runs?"
    assert "A program id is not known yet" in idea
    assert solution == ADD.todo_hints(2)[-1]


def test_values_of_several_todos_say_their_places() -> None:
    todos = (
        FilledTodo(1, False, "pid 1", (1,), "a case"),
        FilledTodo(2, False, "offsets 5", (0,), "another"),
    )
    finding = Finding(FindingKind.UNFINISHED, "", line=1)
    verdict = Verdict("1", FILE, "simulator", 0.0, (), (finding,), todos=todos)
    rows = describe(verdict, ADD, fill_in(ADD, {1, 2})).sections[0]
    assert isinstance(rows, tuple)
    texts = [row[-1][0] for row in rows]
    assert texts[0].endswith("· pid 1")
    assert texts[1].endswith("· offsets 5, in program 0, case: another")
    assert texts[-1].endswith("in program 1, case: a case")


@pytest.mark.parametrize(
    ("todo", "code", "wrong", "stops"),
    [
        (2, "tl.arange(0, BLOCK_SIZE)", "tl.arange(0, n_elements)", True),
        (2, "tl.arange(0, BLOCK_SIZE)", "tl.arange(BLOCK_SIZE)", True),
        (8, "(cdiv(n_elements, BLOCK_SIZE),)", "cdiv(n_elements, BLOCK_SIZE)", False),
    ],
)
def test_a_line_that_stops_says_so_at_its_todo(todo: int, code: str, wrong: str, *, stops: bool) -> None:
    prepare()
    text = fill_in(ADD, {1, todo})
    assert code in text
    todos = {each.number: each for each in try_todos(Source(FILE, text.replace(code, wrong), ADD)).todos}
    assert bool(todos[todo].error) == stops
    assert not todos[todo].right
    assert not todos[1].error


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
