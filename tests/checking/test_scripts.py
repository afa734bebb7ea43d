"""Exercises and solutions as people run them, and beside each other."""

from __future__ import annotations

import ast
import functools
import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome, RunPython, shipped_exercise
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.exercise import todos_of
from triton_workshop.checking.exercises.unfinished import open_todos
from triton_workshop.repository import ROOT

from .judging import judge_here
from .mistakes import MISTAKES

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


TO_FILL_IN = tuple(number for number, exercise in EXERCISES.items() if not exercise.planted)
TO_REPAIR = tuple(number for number in EXERCISES if number not in TO_FILL_IN)


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
    showing = EXERCISES[number].showing
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
    for part, bug in enumerate(exercise.planted, 1):
        assert todos_of(bug, exercise.solution) >= {part}
        text = bug.made_in(text)
    assert text == shipped_exercise(number)
    assert len(exercise.planted) == len(exercise.hints)
    assert exercise.planted_in(text) == exercise.planted
    assert exercise.planted_in(exercise.solution) == ()


@pytest.mark.parametrize("number", TO_REPAIR)
def test_each_planted_bug_shows_in_a_case_of_its_own_and_is_recognised_among_the_others(
    number: str, tmp_path: Path
) -> None:
    """Whichever are repaired: what is told first is the first that is left, and how many are left."""
    exercise, script = EXERCISES[number], tmp_path / "mine.py"
    for left in itertools.product((True, False), repeat=len(exercise.planted)):
        bugs = [bug for bug, is_left in zip(exercise.planted, left, strict=True) if is_left]
        script.write_text(functools.reduce(lambda text, bug: bug.made_in(text), bugs, exercise.solution))
        verdict = judge_here(exercise, script)
        assert verdict.passed == (not bugs)
        for finding in verdict.findings[:1]:
            first = exercise.planted.index(bugs[0])
            assert finding.case == exercise.cases[first].name
            assert finding.hint_name == exercise.mistakes[first].name
            assert f". Bugs left: {len(bugs)} of {len(exercise.planted)}" in finding.message
            assert finding.source in exercise.shipped()
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


PARAMETERS = {
    "1": "x y", "2": "image", "3": "image weight", "4": "a b",
    "1b": "a x y", "2b": "image", "3b": "image weight", "4b": "a b bias",
    "5a": "x", "5": "logits target", "5b": "logits target grad", "5c": "x weight bias eps",
    "6": "q k v", "6b": "q k v", "6c": "x weight scale",
}  # fmt: skip
"""Of each launcher."""


@pytest.mark.parametrize("number", NUMBERS)
def test_names_are_those_that_the_deck_teaches(number: str) -> None:
    exercise = EXERCISES[number]
    functions = [node for node in ast.parse(shipped_exercise(number)).body if isinstance(node, ast.FunctionDef)]
    assert [function.name for function in functions] == [exercise.kernel, exercise.launcher]
    assert [argument.arg for argument in functions[-1].args.args] == PARAMETERS[number].split()


BAD_INPUT = (
    ("1", "add(t(3), t(4))", "argument 2: expected shape (n,) with n = 3, got (4,)"),
    ("1", "add(t(3), t(3).double())", "torch.float64"),
    ("1", "add(t(3).int(), t(3).int())", "torch.int32"),
    ("1", "add(t(4)[::2], t(2))", "argument 1: expected a contiguous tensor"),
    ("1", "add(3.0, t(2))", "argument 1: expected a torch.Tensor, got float"),
    ("2", "sepia(t(4, 5, 5))", "argument 1: expected shape (3, height, width), got (4, 5, 5)"),
    ("2", "sepia(t(3, 5, 5).half())", "torch.float16"),
    ("2", "sepia(t(5, 5))", "got (5, 5)"),
    ("3", "conv2d(t(3, 5, 5), t(3, 5))", "argument 2: expected shape (k, k), got (3, 5)"),
    ("3", "conv2d(t(3, 5, 5), t(3))", "got (3,)"),
    ("3", "conv2d(t(5, 5), t(3, 3))", "argument 1: expected shape (c, height, width), got (5, 5)"),
    ("4", "matmul(t(3, 4), t(3, 4))", "argument 2: expected shape (K, N) with K = 4, got (3, 4)"),
    ("4", "matmul(t(4), t(4, 3))", "argument 1: expected shape (M, K), got (4,)"),
    ("4", "matmul(t(3, 4), t(4, 3).half())", "expected torch.float32, as for argument 1, got torch.float16"),
    ("4", "matmul(t(3, 4).double(), t(4, 3).double())", "torch.float64"),
    ("4", "matmul(t(3, 4).to('meta'), t(4, 3))", "argument 2: expected meta, as for argument 1, got a tensor on cpu"),
    ("5", "cross_entropy(t(3, 4), t(4).long())", "argument 2: expected shape (M,) with M = 3, got (4,)"),
    ("5", "cross_entropy(t(3), t(3).long())", "argument 1: expected shape (M, V), got (3,)"),
    ("5", "cross_entropy(t(3, 4), t(3))", "argument 2: expected torch.int64, got torch.float32"),
    ("5", "cross_entropy(t(3, 4).double(), t(3).long())", "torch.float64"),
    ("5", "cross_entropy(t(4, 3).t(), t(3).long())", "argument 1: expected a contiguous tensor"),
    ("6", "attention(t(2, 3, 64), t(2, 4, 64), t(2, 5, 64))", "with heads = 2 and N = 4 and D = 64, got (2, 5, 64)"),
    (
        "6",
        "attention(t(2, 3, 64), t(3, 4, 64), t(3, 4, 64))",
        "argument 2: expected shape (heads, N, D) with heads = 2",
    ),
    ("6", "attention(t(3, 64), t(4, 64), t(4, 64))", "argument 1: expected shape (heads, M, D), got (3, 64)"),
    ("6", "attention(t(1, 3, 64).half(), t(1, 4, 64).half(), t(1, 4, 64))", "argument 3: expected torch.float16"),
    ("6", "attention(t(1, 64, 3).mT, t(1, 4, 64), t(1, 4, 64))", "argument 1: expected a contiguous tensor"),
    ("5a", "softmax(t(3))", "argument 1: expected shape (M, N), got (3,)"),
    ("5a", "softmax(t(3, 4).half())", "torch.float16"),
    ("5a", "softmax(t(4, 3).t())", "argument 1: expected a contiguous tensor"),
    (
        "5b",
        "cross_entropy_backward(t(3, 4), t(3).long(), t(4))",
        "argument 3: expected shape (M,) with M = 3, got (4,)",
    ),
    ("5b", "cross_entropy_backward(t(3, 4), t(3).long(), t(3).half())", "argument 3: expected torch.float32, got"),
    ("5b", "cross_entropy_backward(t(3, 4), t(3), t(3))", "argument 2: expected torch.int64, got torch.float32"),
    ("5b", "cross_entropy_backward(t(4, 3).t(), t(3).long(), t(3))", "argument 1: expected a contiguous tensor"),
    ("5c", "layer_norm(t(3, 4), t(4), t(3), 1e-5)", "argument 3: expected shape (N,) with N = 4, got (3,)"),
    (
        "5c",
        "layer_norm(t(3, 4).half(), t(4), t(4), 1e-5)",
        "expected torch.float16, as for argument 1, got torch.float",
    ),
    ("5c", "layer_norm(t(3, 4).int(), t(4).int(), t(4).int(), 1e-5)", "torch.int32"),
    ("5c", "layer_norm(t(4, 3).t(), t(4), t(4), 1e-5)", "argument 1: expected a contiguous tensor"),
    ("1b", "axpy(2.0, t(3), t(4))", "(4,)"),
    ("1b", "axpy(2.0, t(3).int(), t(3).int())", "torch.int32"),
    ("2b", "sepia(t(4, 5, 5))", "(4, 5, 5)"),
    ("2b", "sepia(t(3, 5, 5).double())", "torch.float64"),
    ("3b", "sepia_edges(t(3, 5, 5), t(3, 5))", "(3, 5)"),
    ("3b", "sepia_edges(t(3, 5, 5).mT, t(3, 3))", "contiguous"),
    ("4b", "linear_relu(t(3, 4), t(4, 5), t(3))", "(3,)"),
    ("4b", "linear_relu(t(3, 4), t(4, 5), t(5).half())", "torch.float16"),
    (
        "6b",
        "causal_attention(t(2, 3, 64), t(2, 4, 64), t(2, 4, 64))",
        "with heads = 2 and N = 3 and D = 64, got (2, 4, 64)",
    ),
    ("6b", "causal_attention(t(1, 3, 64).double(), t(1, 3, 64), t(1, 3, 64))", "torch.float64"),
    ("6c", "int4_linear(t(1, 200).half(), t(5, 100).byte(), t(5, 1).half())", "expected shape (B, 128), got (1, 200)"),
    ("6c", "int4_linear(t(1, 128).half(), t(5, 128).byte(), t(5, 1).half())", "expected shape (N, 64), got (5, 128)"),
    ("6c", "int4_linear(t(1, 128).half(), t(5, 64).byte(), t(4, 1).half())", "with N = 5, got (4, 1)"),
    ("6c", "int4_linear(t(1, 128).half(), t(5, 64).char(), t(5, 1).half())", "expected torch.uint8, got torch.int8"),
    ("6c", "int4_linear(t(1, 128), t(5, 64).byte(), t(5, 1))", "argument 1: expected torch.float16, got torch.float32"),
    (
        "6c",
        "int4_linear(t(1, 128).half(), t(64, 5).byte().t(), t(5, 1).half())",
        "argument 2: expected a contiguous tensor",
    ),
)

FOLDERS = ("exercises", "solutions")
EMPTY = {
    "1": "add(t(0), t(0))",
    "2": "sepia(t(3, 0, 5))",
    "3": "conv2d(t(3, 5, 0), t(3, 3))",
    "4": "matmul(t(3, 0), t(0, 4))",
    "5a": "softmax(t(0, 4))",
    "5": "cross_entropy(t(0, 4), t(0).long())",
    "5b": "cross_entropy_backward(t(0, 4), t(0).long(), t(0))",
    "5c": "layer_norm(t(0, 4), t(4), t(4), 1e-5)",
    "1b": "axpy(2.0, t(0), t(0))",
    "2b": "sepia(t(3, 0, 5))",
    "3b": "sepia_edges(t(3, 5, 0), t(3, 3))",
    "4b": "linear_relu(t(3, 0), t(0, 4), t(4))",
    "6": "attention(t(2, 0, 64).half(), t(2, 3, 64).half(), t(2, 3, 64).half())",
    "6b": "causal_attention(*(t(2, 0, 64).half(),) * 3)",
    "6c": "int4_linear(t(0, 128).half(), t(5, 64).byte(), t(5, 1).half())",
}


CALLS = """
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
    script.write_text(CALLS)
    bad = {number: tuple(call for n, call, _ in BAD_INPUT if n == number) for number in NUMBERS}
    asked = [(f"{folder}/exercise_{number}.py", bad[number]) for folder in FOLDERS for number in NUMBERS]
    asked += [(f"solutions/exercise_{number}.py", (EMPTY[number],)) for number in NUMBERS]

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
    cases = [(call, message) for n, call, message in BAD_INPUT if n == number]
    answers = answers_to(f"{folder}/exercise_{number}.py", *(call for call, _ in cases))
    assert len(answers) == len(cases)
    for answer, (call, message) in zip(answers, cases, strict=True):
        assert answer.startswith(("TypeError: ", "ValueError: ")), call
        assert message in answer, call


@pytest.mark.parametrize("number", NUMBERS)
def test_a_solution_takes_empty_tensors(answers_to: Callable[..., list[str]], number: str) -> None:
    assert answers_to(f"solutions/exercise_{number}.py", EMPTY[number]) == ["no error"]


@pytest.mark.parametrize("cheat", ["patched-torch", "torch-adds"])
def test_a_cheat_is_found_out_when_it_runs_itself(run_warm: RunPython, tmp_path: Path, cheat: str) -> None:
    script = tmp_path / "mine.py"
    script.write_text(MISTAKES[f"1-{cheat}"].text)
    result = run_warm(script, env=SIMULATED)
    assert result.returncode == 1, result.stdout
    assert "not-a-kernel" in result.stdout
