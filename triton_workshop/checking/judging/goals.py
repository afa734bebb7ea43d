"""Goals: whether a right kernel costs more than it may.

They are judged by what was measured, and never by the script's text, which only says which line to show.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Sequence

from triton_simulator.compiler.report import join_names
from triton_workshop.checking.judging.verdict import Finding, FindingKind, JudgedGoal
from triton_workshop.checking.observing.source import Source, callee_name, nodes_of
from triton_workshop.costs.figures import NO_PRODUCT, Figures
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.goals import Goal, Quantity
from triton_workshop.exercises.workloads import cost_case
from triton_workshop.hints import sentence


def judged_goals(exercise: Exercise, figures: Figures) -> tuple[JudgedGoal, ...]:
    """Return all goals, with what is known of each by now."""
    return tuple(_judged(goal, figures) for goal in exercise.goals)


def _judged(goal: Goal, figures: Figures) -> JudgedGoal:
    figure = figures.get(goal.quantity)
    if figure is None:
        return JudgedGoal(goal.name, goal.quantity, goal.allowed)
    return JudgedGoal(
        goal.name, goal.quantity, goal.allowed, figure.value, figure.line, holds=goal.allows(figure.value)
    )


def missed_goal(source: Source, goals: Sequence[JudgedGoal]) -> tuple[Finding, ...]:
    """Return a finding for the first goal that a right script misses, if any."""
    for goal, judged in zip(source.exercise.goals, goals, strict=True):
        # None means that it is not known, which is no miss.
        if judged.holds is False:
            return (_finding(source, goal, judged),)
    return ()


def _finding(source: Source, goal: Goal, judged: JudgedGoal) -> Finding:
    exercise = source.exercise
    name = "product-missing" if judged.measured == NO_PRODUCT else goal.quantity
    line = _line_to_blame(source, goal, judged)
    message = sentence(
        f"goals.{name}",
        measured=judged.measured,
        allowed=judged.allowed,
        case=cost_case(exercise).name,
        gpu=exercise.gpu.name,
        wave=exercise.gpu.multiprocessors,
    )
    return Finding(
        FindingKind.CORRECT_BUT_SLOW, message, exercise.goal_hints(goal), line, source.line(line), hint_name=goal.name
    )


def _line_to_blame(source: Source, goal: Goal, judged: JudgedGoal) -> int | None:
    match goal.blame:
        case "sizes":
            return source.sizes_line()
        case "launch":
            return source.launch_line()
        case "programs":
            calls = itertools.chain.from_iterable(nodes_of(kernel, ast.Call) for kernel in source.kernels)
            return min(
                (call.lineno for call in calls if callee_name(call) == "program_id"), default=source.launch_line()
            )
    return judged.line or source.launch_line()


def describe_unknown(goals: Sequence[JudgedGoal]) -> Iterator[str]:
    """Say which goals cannot be judged on this machine, if any."""
    unknown = [goal.name.replace("-", " ") for goal in goals if goal.holds is None]
    if unknown:
        yield sentence("goals.unknown", names=join_names(unknown))


def describe_costs(exercise: Exercise, figures: Figures) -> Iterator[str]:
    """Say what a right script costs, whatever it may."""
    values = {quantity: figure.value for quantity, figure in figures.items()}
    # What is counted is known all together or not at all.
    if Quantity.BYTES in values:
        yield sentence(
            "goals.counted",
            case=cost_case(exercise).name,
            bytes=values[Quantity.BYTES],
            sectors=values[Quantity.SECTORS],
            lanes=values[Quantity.LANES],
            wave=exercise.gpu.multiprocessors,
            wave_bytes=values[Quantity.WAVE_BYTES],
            waits=values[Quantity.WAITS],
        )
    if Quantity.REGISTERS in values:
        yield sentence(
            "goals.compiled",
            gpu=exercise.gpu.name,
            width=values[Quantity.WIDTH],
            product=values[Quantity.PRODUCT],
            barriers=values[Quantity.BARRIERS],
            registers=values[Quantity.REGISTERS],
            spills=values[Quantity.SPILLS],
            programs=values[Quantity.PROGRAMS],
        )
