"""Exercises and solutions as people run them, and beside each other."""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome, RunPython, shipped_exercise
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import edited_todos
from triton_workshop.exercises.todos import open_todos
from triton_workshop.repository import ROOT

from ..exercises.calls import CALLS
from ..exercises.mistakes import MISTAKES
from .judging import judge_here

NUMBERS = tuple(EXERCISES)
SIMULATED = {"TRITON_INTERPRET": "1"}


@pytest.fixture(scope="module")
def solved(run_warm: RunPython) -> Callable[[str], Outcome]:
    """A solution's run on a slide of 60 columns, once for all tests of it."""
    on_a_slide = {**SIMULATED, "TRITON_WORKSHOP_SLIDE": "60"}
    return functools.cache(lambda number: run_warm(f"solutions/exercise_{number}.py", env=on_a_slide))


@pytest.mark.parametrize("number", NUMBERS)
def test_a_solution_is_right_on_the_simulator(solved: Callable[[str], Outcome], number: str) -> None:
    _assert_right(solved(number), number)


@pytest.mark.parametrize("number", ["1", "3"])
def test_a_solution_is_right_in_a_new_process(run_python: RunPython, number: str) -> None:
    """One that is only checked, and one that shows a picture: all others here start warm, to save time."""
    _assert_right(run_python(f"solutions/exercise_{number}.py", env=SIMULATED), number)


def test_a_solution_is_right_where_it_is_started_through_a_link(run_warm: RunPython, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(EXERCISES["1"].solution_file.parent, target_is_directory=True)
    _assert_right(run_warm(link / "exercise_1.py", env=SIMULATED), "1")


def _assert_right(result: Outcome, number: str) -> None:
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"All {len(EXERCISES[number].simulated_cases)} cases are right" in result.stdout
    assert "simulator" in result.stdout


@pytest.mark.gpu
@pytest.mark.parametrize("number", NUMBERS)
def test_a_solution_is_right_on_the_gpu(run_python: RunPython, number: str) -> None:
    result = run_python(f"solutions/exercise_{number}.py")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "and GPU" in result.stdout
    cases = len(EXERCISES[number].simulated_cases) + len(EXERCISES[number].gpu_cases)
    assert f"All {cases} cases are right" in result.stdout


TO_REPAIR = tuple(number for number, exercise in EXERCISES.items() if exercise.planted_bugs)
TO_SPEED_UP = tuple(number for number, exercise in EXERCISES.items() if exercise.goals)
TO_FILL_IN = tuple(number for number in EXERCISES if number not in (*TO_REPAIR, *TO_SPEED_UP))


@pytest.mark.parametrize("number", TO_FILL_IN)
def test_an_untouched_exercise_names_its_first_todo(run_warm: RunPython, tmp_path: Path, number: str) -> None:
    script = tmp_path / "exercise.py"
    script.write_text(shipped_exercise(number))
    result = run_warm(script)
    assert result.returncode == 1
    assert f"TODO 1 of {len(EXERCISES[number].hints)} is next" in result.stdout
    assert "hint 1 of 3" in result.stdout
    assert "Traceback" not in result.stdout + result.stderr


@pytest.mark.parametrize("number", ["2", "2b", "3", "3b"])
def test_a_picture_is_shown_before_and_after(solved: Callable[[str], Outcome], number: str) -> None:
    result = solved(number)
    showing = EXERCISES[number].demo
    assert showing is not None
    assert f"{showing.caption}:\n" in result.stdout
    assert max(line.count("▀") for line in result.stdout.splitlines()) == 60


@pytest.mark.parametrize("number", TO_FILL_IN)
def test_there_are_hints_for_as_many_todos_as_there_are(number: str) -> None:
    todos = open_todos(shipped_exercise(number))
    assert [todo.number for todo in todos] == list(range(1, len(EXERCISES[number].hints) + 1))


@pytest.mark.parametrize("number", TO_REPAIR)
def test_an_exercise_to_repair_is_its_solution_but_for_a_bug_in_each_part(number: str) -> None:
    exercise = EXERCISES[number]
    text = exercise.solution
    for part, bug in enumerate(exercise.planted_bugs, 1):
        assert edited_todos(bug, exercise.solution) >= {part}
        text = bug.apply(text)
    assert text == shipped_exercise(number)
    assert len(exercise.planted_bugs) == len(exercise.hints)
    assert exercise.remaining_bugs(text) == exercise.planted_bugs
    assert exercise.remaining_bugs(exercise.solution) == ()


@pytest.mark.parametrize("number", TO_REPAIR)
def test_each_planted_bug_shows_in_a_case_of_its_own_and_is_recognised_among_the_others(
    number: str, tmp_path: Path
) -> None:
    """Whichever are repaired: what is told first is the first that is left, and how many are left."""
    exercise, script = EXERCISES[number], tmp_path / "mine.py"
    for left in itertools.product((True, False), repeat=len(exercise.planted_bugs)):
        bugs = [bug for bug, is_left in zip(exercise.planted_bugs, left, strict=True) if is_left]
        script.write_text(functools.reduce(lambda text, bug: bug.apply(text), bugs, exercise.solution))
        verdict = judge_here(exercise, script)
        assert verdict.passed == (not bugs)
        for finding in verdict.findings[:1]:
            first = exercise.planted_bugs.index(bugs[0])
            assert finding.case == exercise.cases[first].name
            assert finding.hint_name == exercise.mistakes[first].name
            assert f". Bugs left: {len(bugs)} of {len(exercise.planted_bugs)}" in finding.message
            assert finding.source in exercise.shipped_text
            assert finding.source not in exercise.solution


@pytest.mark.parametrize("number", TO_FILL_IN)
def test_exercise_and_solution_agree_on_what_is_given(number: str) -> None:
    """All that an exercise gives stands in the solution, in the same order, and each task by its number."""
    exercise = shipped_exercise(number)
    solution = (ROOT / f"solutions/exercise_{number}.py").read_text()
    given = [line for line in exercise.splitlines() if line.strip()]
    rest = iter(line for line in solution.splitlines())
    for line in given:
        todo = re.search(r"# TODO (\d+: .*)", line)
        wanted = f"# {todo[1]}" if todo else line
        assert any(wanted in candidate for candidate in rest), f"not in the solution, or out of order: {wanted}"


@pytest.mark.parametrize("number", TO_SPEED_UP)
def test_one_to_five_lines_of_a_slow_exercise_are_repaired(number: str) -> None:
    exercise = EXERCISES[number]
    shipped, solution = (text.splitlines() for text in (shipped_exercise(number), exercise.solution))
    assert exercise.shipped_text == shipped_exercise(number)
    assert len(shipped) == len(solution)
    assert 1 <= sum(old != new for old, new in zip(shipped, solution, strict=True)) <= 5


@pytest.mark.parametrize("number", NUMBERS)
def test_exercises_stay_short(number: str) -> None:
    assert len(shipped_exercise(number).splitlines()) <= 80


@pytest.mark.parametrize("number", ["4", "4b"])
def test_no_solution_uses_tf32_in_silence(number: str) -> None:
    """Only a GPU would show it."""
    source = (ROOT / f"solutions/exercise_{number}.py").read_text()
    products = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and _is_dot(node)]
    assert products
    for product in products:
        precisions = [keyword.value for keyword in product.keywords if keyword.arg == "input_precision"]
        assert [ast.literal_eval(precision) for precision in precisions] == ["ieee"]


def _is_dot(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "dot"


SHOWN = (
    (
        "mask=mask)\n\n    # 5",
        ")\n\n    # 5",
        "out-of-bounds-load",
        "x = tl.load(x_ptr + offsets, )",
        "Which of the elements that this line accesses do not exist?",
    ),
    ("offsets < n_elements", "offsets <= n_elements", "read x_ptr[1000], but x_ptr has 1000", "mask = offsets <=",
     "inside?"),
    ("grid = (cdiv(n_elements, BLOCK_SIZE),)", "grid = (cdiv(n_elements, BLOCK_SIZE))", "(on line ", "grid = (cdiv",
     "comma"),
    ("add_kernel[grid](", "add_kernel(", "", "", "with the brackets"),
    ("def add(", "add = None\n\n\ndef sum_of(", "defines no function add", "", "calls the function by this name"),
)  # fmt: skip


@pytest.mark.parametrize(("right", "wrong", "message", "source", "hint"), SHOWN)
def test_a_mistake_is_shown_on_its_line_with_a_hint(
    run_warm: RunPython, tmp_path: Path, right: str, wrong: str, message: str, source: str, hint: str
) -> None:
    script = tmp_path / "mine.py"
    solution = (ROOT / "solutions/exercise_1.py").read_text()
    assert right in solution
    script.write_text(solution.replace(right, wrong))
    result = run_warm(script, env={**SIMULATED, "COLUMNS": "200"})
    assert result.returncode == 1
    assert "Traceback" not in result.stdout + result.stderr
    told = " ".join(result.stdout.replace("│", " ").split())
    for words in (message, source, hint):
        assert words in told


def test_a_search_that_does_not_end_leaves_the_verdict(run_warm: RunPython, tmp_path: Path) -> None:
    """With the mask put right, this script would never end."""
    solution = (ROOT / "solutions/exercise_1.py").read_text()
    wrong = solution.replace("offsets < n_elements", "offsets < n_elements - 1")
    script = tmp_path / "mine.py"
    script.write_text(
        wrong.replace("    return output", "    while output.isfinite().all():\n        pass\n    return output")
    )
    result = run_warm(script, env=SIMULATED)
    assert result.returncode == 1
    assert "1 of 1,000 elements is never written" in result.stdout
    assert "stopped" not in result.stdout


def test_a_byte_order_mark_is_no_mistake(run_warm: RunPython, tmp_path: Path) -> None:
    script = tmp_path / "mine.py"
    script.write_bytes(b"\xef\xbb\xbf" + (ROOT / "solutions/exercise_1.py").read_bytes())
    assert run_warm(script, env=SIMULATED).returncode == 0


def test_marks_are_written_where_output_is_not_utf8(run_python: RunPython) -> None:
    result = run_python("solutions/exercise_1.py", env={**SIMULATED, "PYTHONIOENCODING": "cp1252"})
    assert result.returncode == 0
    assert "✓" in result.stdout


PARAMETERS = {"1": "x y", "2": "image", "3": "image weight", "4": "a b"}
"""Of the launchers that the deck names."""


@pytest.mark.parametrize("number", PARAMETERS)
def test_names_are_those_that_the_deck_teaches(number: str) -> None:
    assert [*inspect.signature(EXERCISES[number].reference).parameters] == PARAMETERS[number].split()


@pytest.mark.parametrize("number", NUMBERS)
def test_a_launcher_takes_what_its_reference_takes(number: str) -> None:
    exercise = EXERCISES[number]
    functions = [node for node in ast.parse(shipped_exercise(number)).body if isinstance(node, ast.FunctionDef)]
    assert [function.name for function in functions] == [exercise.kernel, exercise.launcher]
    taken = [argument.arg for argument in functions[-1].args.args]
    assert taken == [*inspect.signature(exercise.reference).parameters]


FOLDERS = ("exercises", "solutions")


MAKE_CALLS = """
import json, runpy, sys
from triton_workshop import DEVICE
import torch
answers = []
for file, calls in json.loads(sys.argv[1]):
    names = runpy.run_path(file)
    names["t"] = lambda *shape: torch.zeros(shape, device=DEVICE)
    answers.append([])
    for call in calls:
        try:
            eval(call, names)
            answers[-1].append("no error")
        except Exception as error:
            answers[-1].append(f"{type(error).__name__}: {error}")
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def answers_to(run_warm: RunPython, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[str]]:
    """What calls of a script's launcher come to. All calls of all scripts are made in one process."""
    script = tmp_path_factory.mktemp("calls") / "calls.py"
    script.write_text(MAKE_CALLS)
    bad = {number: tuple(call for call, _ in calls.refused) for number, calls in CALLS.items()}
    asked = [(f"{folder}/exercise_{number}.py", bad[number]) for folder in FOLDERS for number in NUMBERS]
    asked += [(f"solutions/exercise_{number}.py", (calls.empty,)) for number, calls in CALLS.items()]

    @functools.cache
    def answered() -> dict[tuple[str, tuple[str, ...]], list[str]]:
        result = run_warm(script, json.dumps(asked))
        assert result.returncode == 0, result.stderr
        return dict(zip(asked, json.loads(result.stdout), strict=True))

    return lambda file, *calls: answered()[file, calls]


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("number", NUMBERS)
def test_bad_input_is_refused_with_what_was_expected(
    answers_to: Callable[..., list[str]], folder: str, number: str
) -> None:
    cases = CALLS[number].refused
    answers = answers_to(f"{folder}/exercise_{number}.py", *(call for call, _ in cases))
    assert len(answers) == len(cases) > 0
    for answer, (call, message) in zip(answers, cases, strict=True):
        assert answer.startswith(("TypeError: ", "ValueError: ")), call
        assert message in answer, call


@pytest.mark.parametrize("number", NUMBERS)
def test_a_solution_takes_empty_tensors(answers_to: Callable[..., list[str]], number: str) -> None:
    assert answers_to(f"solutions/exercise_{number}.py", CALLS[number].empty) == ["no error"]


@pytest.mark.parametrize("cheat", ["patched-torch", "torch-adds"])
def test_a_cheat_is_found_out_when_it_runs_itself(run_warm: RunPython, tmp_path: Path, cheat: str) -> None:
    script = tmp_path / "mine.py"
    script.write_text(MISTAKES[f"1-{cheat}"].text)
    result = run_warm(script, env=SIMULATED)
    assert result.returncode == 1, result.stdout
    assert "not-a-kernel" in result.stdout
