"""The checker itself, on launchers that are wrong in one way each."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from triton_workshop.checking.check import check
from triton_workshop.checking.exercise import Exercise
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.tolerance import tolerance
from triton_workshop.checking.verdict import Kind, Verdict

ADD, SEPIA, CONV2D, MATMUL = (EXERCISES[number] for number in (1, 2, 3, 4))
Launcher = Callable[..., torch.Tensor]


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "exercise_1.py"
    path.write_text("def add(x, y):\n    return x + y\n")
    return path


def _verdict(launcher: Launcher | None, script: Path) -> Verdict:
    return check(ADD, script, launcher, "cpu")


def _crashes(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    raise RuntimeError("no such luck")


def _changes_its_input(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.add_(y)


def _leaves_the_end_unwritten(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    output = torch.empty_like(x)
    whole = len(x) // 1024 * 1024
    output[:whole] = (x + y)[:whole]
    return output


WRONG = (
    (_crashes, Kind.CRASH, "no such luck"),
    (_changes_its_input, Kind.INPUT_MODIFIED, "argument 1 of add"),
    (lambda x, y: (x + y)[:-1], Kind.WRONG_SHAPE, r"expected a tensor of shape \(1,\), got shape \(0,\)"),
    (lambda x, y: None, Kind.WRONG_SHAPE, "got NoneType"),
    (lambda x, y: (x + y).half(), Kind.WRONG_DTYPE, r"expected torch\.float32, got torch\.float16"),
    (_leaves_the_end_unwritten, Kind.UNWRITTEN, r"NaN in 1 of 1 element: never written"),
    (lambda x, y: x - y, Kind.WRONG_VALUES, r"wrong: 1 of 1 element; element \[0\] is"),
    (lambda x, y: (x.half() + y.half()).float(), Kind.WRONG_VALUES, "expected"),
    (None, Kind.CRASH, "defines no function add"),
)


@pytest.mark.parametrize(("launcher", "kind", "message"), WRONG)
def test_a_wrong_launcher_is_found_out(launcher: Launcher | None, kind: Kind, message: str, script: Path) -> None:
    verdict = _verdict(launcher, script)
    assert not verdict.passed
    assert verdict.findings[0].kind is kind
    assert re.search(message, verdict.findings[0].message)


def test_a_right_launcher_passes_every_case(script: Path) -> None:
    verdict = _verdict(lambda x, y: x + y, script)
    assert verdict.passed
    assert [case.name for case in verdict.cases] == [case.name for case in ADD.cases]


def test_the_check_stops_at_the_first_case_that_fails(script: Path) -> None:
    wrong_from_1025 = lambda x, y: x + y if len(x) <= 1024 else x - y  # noqa: E731
    verdict = _verdict(wrong_from_1025, script)
    assert [case.passed for case in verdict.cases] == [True, True, True, True, False]
    assert verdict.findings[0].case == "1,025 elements"


def test_a_crash_names_the_line_of_the_script(tmp_path: Path) -> None:
    script = tmp_path / "exercise_1.py"
    script.write_text("def add(x, y):\n    return x.no_such_method(y)\n")
    namespace: dict[str, Launcher] = {}
    exec(compile(script.read_text(), script, "exec"), namespace)
    finding = check(ADD, script, namespace["add"], "cpu").findings[0]
    assert (finding.line, finding.source) == (2, "return x.no_such_method(y)")
    assert finding.message.startswith("AttributeError")


def test_an_open_todo_is_found_before_anything_runs(tmp_path: Path) -> None:
    script = tmp_path / "exercise_1.py"
    script.write_text("def add(x, y):\n    z = ...  # TODO 3: load the block of x\n")
    verdict = check(ADD, script, _crashes, "cpu")
    assert verdict.findings[0].kind is Kind.UNFINISHED
    assert verdict.findings[0].message == "TODO 3 of 7 is next: load the block of x"
    assert verdict.findings[0].hint == ADD.hints[2]


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda exercise: exercise.launcher)
def test_pytorch_in_float32_is_within_the_tolerance(exercise: Exercise) -> None:
    for case in exercise.cases:
        arguments = case.arguments("cpu")
        exact = exercise.reference(*(argument.double() for argument in arguments))
        assert ((exercise.reference(*arguments).double() - exact).abs() <= tolerance(exercise, arguments)).all()


def test_tf32_is_outside_of_the_tolerance() -> None:
    """Operands rounded to 10 bits of fraction, as TF32 does: the second case is large enough to show it."""

    def to_tf32(x: torch.Tensor) -> torch.Tensor:
        return ((x.contiguous().view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)

    a, b = MATMUL.cases[1].arguments("cpu")
    exact = a.double() @ b.double()
    wrong = (to_tf32(a) @ to_tf32(b)).double() - exact
    assert (wrong.abs() > tolerance(MATMUL, (a, b))).any()


def test_a_flipped_filter_is_outside_of_the_tolerance() -> None:
    image, weight = CONV2D.cases[3].arguments("cpu")
    flipped = CONV2D.reference(image, weight.flip(0, 1)).double()
    exact = CONV2D.reference(image.double(), weight.double())
    assert ((flipped - exact).abs() > tolerance(CONV2D, (image, weight))).any()


def test_sepia_reaches_the_clip() -> None:
    """Or a kernel without it would pass."""
    image = SEPIA.cases[-1].arguments("cpu")[0]
    assert (SEPIA.reference(image) == 1.0).any()


def test_a_case_is_the_same_every_time() -> None:
    for exercise in EXERCISES.values():
        first, second = (exercise.cases[-1].arguments("cpu") for _ in range(2))
        assert all(torch.equal(a, b) for a, b in zip(first, second, strict=True))
