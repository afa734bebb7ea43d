"""What a right kernel may cost: each goal tells a slow script from a good one, and says what it costs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
import torch

from benchmarks.mutation import Script, some
from simulator.tests.tables import SLOW_EVERY
from triton_simulator.compiler.compilation import Start
from triton_simulator.gpus import H200
from triton_workshop.asm.build import compile_kernels
from triton_workshop.checking import full_size
from triton_workshop.checking.check import CheckRequest, check
from triton_workshop.checking.compiling import with_compiled_costs
from triton_workshop.checking.judging.goals import describe_unknown
from triton_workshop.checking.judging.verdict import FindingKind, Verdict
from triton_workshop.checking.observing.child import prepare
from triton_workshop.checking.observing.counting import count
from triton_workshop.checking.observing.source import Source
from triton_workshop.checking.reporting.description import describe
from triton_workshop.costs.figures import Figures, compiled_figures
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.cases import Case
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.goals import Goal, Quantity
from triton_workshop.exercises.workloads import cost_case
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.runner import Runner

from .judging import judge_here

_START: list[Start] = []
"""What starts the compiler, while the tests run."""
HINTS = ("Is it?", "It is.")
WITH_GOALS = [number for number, exercise in EXERCISES.items() if exercise.goals]
MUTANTS = 20
"""For each repaired kernel."""


@pytest.fixture(scope="module", autouse=True)
def compiler() -> Iterator[None]:
    """A process that has imported Triton's compiler, of which all of these tests take forks."""
    with Runner() as runner:
        _START.append(warm(runner))
        yield
        _START.clear()


def judged(exercise: Exercise, text: str, folder: Path) -> Verdict:
    """The verdict on a script, by the simulator and then by the compiler for the GPU of the goals."""
    file = folder / "mine.py"
    file.write_text(text, encoding="utf-8")
    verdict = judge_here(exercise, file)
    return with_compiled_costs(verdict, _START[0]) if verdict.passed else verdict


def with_goals(*goals: Goal) -> mock._patch[property]:
    """Every exercise has these goals meanwhile."""
    return mock.patch.object(Exercise, "goals", property(lambda _: goals))


# What a goal allows


@pytest.mark.parametrize(
    ("goal", "enough", "too_much"),
    [
        (Goal("few", Quantity.SECTORS, 1000, HINTS, margin=1.25), 1250, 1251),
        (Goal("none", Quantity.SPILLS, 0, HINTS), 0, 1),
        (Goal("wide", Quantity.WIDTH, 128, HINTS, margin=2), 64, 32),
        (Goal("none", Quantity.SPILLS, 0, HINTS, slack=32), 32, 33),
        (Goal("many", Quantity.PROGRAMS, 5, HINTS, margin=1.2), 5, 4),
        (Goal("fast", Quantity.PRODUCT, "HGMMA", HINTS), "HGMMA", "HMMA"),
    ],
)
def test_a_margin_lets_others_pass(goal: Goal, enough: int | str, too_much: int | str) -> None:
    assert goal.allows(enough)
    assert not goal.allows(too_much)


LOADS_TWICE = (
    "x = tl.load(x_ptr + offsets, mask=mask)",
    "x = tl.load(x_ptr + offsets, mask=mask) + 0 * tl.load(y_ptr + offsets, mask=mask)",
)
APART = (
    "offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)",
    "offsets = pid + tl.num_programs(axis=0) * tl.arange(0, BLOCK_SIZE)",
)
ONE_WARP = ("eps, BLOCK_SIZE,\n    )", "eps, BLOCK_SIZE, num_warps=1,\n    )")
SLOWER: dict[Quantity, tuple[str, tuple[str, str]]] = {
    Quantity.BYTES: ("1", LOADS_TWICE),
    Quantity.SECTORS: ("1", APART),
    Quantity.LANES: ("1", ("(cdiv(n_elements, BLOCK_SIZE),)", "(2 * cdiv(n_elements, BLOCK_SIZE),)")),
    Quantity.WAVE_BYTES: ("4", ("BLOCK_SIZE_K = 64, 128, 16", "BLOCK_SIZE_K = 16, 16, 16")),
    Quantity.WAITS: ("5", ("BLOCK_SIZE = 1024", "BLOCK_SIZE = 128")),
    Quantity.WIDTH: ("1", APART),
    Quantity.PRODUCT: ("6", ("BLOCK_SIZE_N = 64, 32", "BLOCK_SIZE_N = 32, 64")),
    Quantity.BARRIERS: ("5", ("running_max = new_max", "running_max = tl.max(tl.maximum(block, new_max), axis=0)")),
    Quantity.REGISTERS: ("5c", ONE_WARP),
    Quantity.SPILLS: ("7d", ("num_warps = min(32, max(4, BLOCK_SIZE // 1024))", "num_warps = 4")),
    Quantity.PROGRAMS: ("6", ("BLOCK_SIZE_N = 64, 32", "BLOCK_SIZE_N = 128, 128")),
}
"""By what is measured, an exercise, and an edit of its solution that makes a right script cost more."""


def figures_of(exercise: Exercise, text: str, folder: Path) -> Figures:
    """What a script costs, counted and compiled."""
    file = folder / "measured.py"
    prepare()
    counted = count(Source(file, text, exercise))
    made = compile_kernels(counted.observation.kernels, H200.target, _START[0])
    return {**counted.figures, **compiled_figures(made, file, text)}


@pytest.mark.parametrize("quantity", list(Quantity)[::SLOW_EVERY])
def test_each_quantity_tells_a_slow_script_from_a_good_one(quantity: Quantity, tmp_path: Path) -> None:
    number, (old, new) = SLOWER[quantity]
    exercise = EXERCISES[number]
    assert exercise.solution.count(old) == 1
    slow = exercise.solution.replace(old, new)
    good, costly = (figures_of(exercise, text, tmp_path)[quantity].value for text in (exercise.solution, slow))
    with with_goals(Goal("cheap", quantity, good, HINTS)):
        passed = judged(exercise, exercise.solution, tmp_path)
        missed = judged(exercise, slow, tmp_path)
    assert passed.passed, passed.findings
    assert [(goal.measured, goal.holds) for goal in passed.goals] == [(good, True)]
    [finding] = missed.findings
    assert (finding.kind, finding.hints[:2], finding.hint_name) == (FindingKind.CORRECT_BUT_SLOW, HINTS, "cheap")
    assert [(goal.measured, goal.holds) for goal in missed.goals] == [(costly, False)]
    shown = f"{costly:,}" if isinstance(costly, int) else costly
    assert shown in finding.message
    assert finding.line is not None
    assert missed.is_correct
    assert not missed.passed


def test_goals_are_told_one_at_a_time_and_those_that_are_counted_first(tmp_path: Path) -> None:
    exercise = EXERCISES["1"]
    slow = exercise.solution.replace(*APART)
    bytes_goal = Goal("bytes", Quantity.BYTES, 10**9, HINTS)
    goals = (Goal("wide", Quantity.WIDTH, 128, HINTS), bytes_goal, Goal("sectors", Quantity.SECTORS, 0, HINTS))
    with with_goals(*goals):
        verdict = judged(exercise, slow, tmp_path)
    assert [finding.hint_name for finding in verdict.findings] == ["sectors"]
    assert [goal.holds for goal in verdict.goals] == [None, True, False]


def test_without_a_compiler_the_rest_is_said_to_be_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triton_workshop.checking.compiling.has_library", lambda: False)
    exercise = EXERCISES["1"]
    with with_goals(Goal("few-bytes", Quantity.BYTES, 10**9, HINTS), Goal("wide-loads", Quantity.WIDTH, 128, HINTS)):
        verdict = judged(exercise, exercise.solution, tmp_path)
    assert verdict.passed
    assert [goal.holds for goal in verdict.goals] == [True, None]
    assert [*describe_unknown(verdict.goals)] == [
        "Without Triton's compiler, these goals cannot be judged here: wide loads."
    ]


def test_wrong_values_come_before_a_goal(tmp_path: Path) -> None:
    exercise = EXERCISES["1"]
    wrong = exercise.solution.replace(*APART).replace("output = x + y", "output = x - y")
    with with_goals(Goal("sectors", Quantity.SECTORS, 0, HINTS)):
        verdict = judged(exercise, wrong, tmp_path)
    assert verdict.findings[0].kind is FindingKind.WRONG_VALUES


def test_what_is_counted_has_to_be_right_too(tmp_path: Path) -> None:
    """At no other case is the vector as long."""
    exercise = EXERCISES["1"]
    size = cost_case(exercise).arguments("meta")[0].numel()
    wrong = exercise.solution.replace("    return output\n", f"    return output[1:] if len(x) == {size} else output\n")
    with with_goals(Goal("sectors", Quantity.SECTORS, 10**9, HINTS)):
        verdict = judged(exercise, wrong, tmp_path)
    assert verdict.findings[0].kind is FindingKind.WRONG_SHAPE
    assert verdict.findings[0].case == cost_case(exercise).name


def test_costs_are_said_on_request_and_are_no_faults(tmp_path: Path) -> None:
    exercise = EXERCISES["1"]
    script = tmp_path / "mine.py"
    script.write_text(exercise.solution, encoding="utf-8")
    silent, asked = (check(CheckRequest(exercise, script, costs=costs)) for costs in (False, True))
    assert silent.passed
    assert asked.passed
    assert not silent.costs
    counted, made = asked.costs
    assert f"{3 * 4 * cost_case(exercise).arguments('meta')[0].numel():,} bytes" in counted
    assert "128 bits" in made
    assert "0 spill" in made


def test_a_slow_script_is_called_correct(tmp_path: Path) -> None:
    exercise = EXERCISES["1"]
    with with_goals(Goal("sectors", Quantity.SECTORS, 0, HINTS)):
        verdict = judged(exercise, exercise.solution, tmp_path)
        described = describe(verdict, exercise, exercise.solution)
    assert (described.headline, described.tone) == ("◑ It is correct, but slow", "warning")
    [goal] = verdict.as_json()["goals"]  # type: ignore[misc]
    assert goal == vars(verdict.goals[0])
    assert (goal["name"], goal["allowed"], goal["holds"]) == ("sectors", 0, False)


# The exercises


@pytest.mark.parametrize("number", WITH_GOALS)
def test_a_solution_costs_what_its_goals_say(number: str, tmp_path: Path) -> None:
    exercise = EXERCISES[number]
    verdict = judged(exercise, exercise.solution, tmp_path)
    assert verdict.passed, verdict.findings
    figures = {goal.name: goal.figure for goal in exercise.goals}
    assert {goal.name: goal.measured for goal in verdict.goals} == figures
    assert all(goal.holds for goal in verdict.goals)


@pytest.mark.parametrize("number", WITH_GOALS)
def test_hints_of_a_goal_end_with_the_repair(number: str) -> None:
    exercise = EXERCISES[number]
    for goal in exercise.goals:
        question, _, repair = exercise.goal_hints(goal)
        assert question.endswith("?")
        assert repair.startswith("The solution has:")


@pytest.mark.parametrize("number", WITH_GOALS[::SLOW_EVERY])
def test_no_mutant_of_a_repaired_kernel_passes_that_costs_more(number: str, tmp_path: Path) -> None:
    """What each costs is measured a second time, apart from the verdict."""
    exercise = EXERCISES[number]
    for mutant in some(Script(exercise.solution), MUTANTS, random.Random(number)):
        verdict = judged(exercise, mutant.text, tmp_path)
        if verdict.passed:
            figures = figures_of(exercise, mutant.text, tmp_path)
            costly = [goal.name for goal in exercise.goals if not goal.allows(figures[goal.quantity].value)]
            assert not costly, mutant.changes


def test_a_gpu_times_the_kernel_as_shipped_beside_the_repaired_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here without a GPU, whose clock is played: each call takes as many milliseconds as its launcher says."""
    exercise = EXERCISES["1"]
    arguments = cost_case(exercise).arguments("cpu")
    sizes = [Case(name, lambda device: tuple(tensor.to("cpu") for tensor in arguments)) for name in ("small", "large")]
    monkeypatch.setitem(full_size.WORKLOADS, "1", replace(full_size.WORKLOADS["1"], timing_cases=tuple(sizes)))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (2**40, 2**40))
    monkeypatch.setattr(full_size, "load", lambda source: lambda *_: 3.0)
    monkeypatch.setattr(full_size, "time_call", lambda launcher, arguments: launcher(*arguments))
    told = full_size.describe_times(Source(Path("mine.py"), exercise.solution, exercise), lambda *_: 2.0)  # type: ignore[arg-type]
    assert told == "With large on this GPU: 3.000 ms as shipped, 2.000 ms now, 1.50 times as fast."
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (0, 2**40))
    assert full_size.describe_times(Source(Path("mine.py"), exercise.solution, exercise), lambda *_: 2.0) == ""  # type: ignore[arg-type]
