"""Finds a slip: one small change of the script itself with which it is right.

It needs no likeness to the solution, so it finds the line in scripts of any style.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass

from triton_workshop.checking.diagnosing.changes import Change, changes_in
from triton_workshop.checking.diagnosing.tile_sizes import with_changes
from triton_workshop.checking.observing.source import Source

KINDS = (
    "rounded",
    "whole",
    "multiple",
    "number",
    "bound",
    "lower",
    "sum",
    "precision",
    "type",
    "coefficient",
    "inside",
    "signs",
    "axes",
    "order",
    "arguments",
    "rounds",
    "names",
    "part",
    "divisor",
    "pointer",
    "size",
    "factor",
    "operator",
    "name",
)
"""The likely ones first: there may be no time for all."""


@dataclass(frozen=True)
class Slip:
    """A change that makes a script right."""

    name: str
    """Of its hints."""
    line: int
    old: str
    """What stands there, as far as it is changed."""
    code: str
    """The whole line as it would be right."""


def find_slip(
    source: Source, noticed: Collection[int], passes: Callable[[str], bool], passes_all: Callable[[str], bool]
) -> Slip | None:
    """Return the first change that helps. `passes` is for the case that failed, `passes_all` for every case.

    The lines where the mistake was noticed are changed first, and never one that is the solution's.
    """
    for change in _changes(source, noticed):
        text = with_changes(source, [(change.node, change.words)])
        if passes(text) and passes_all(text):
            return Slip(f"slip-{change.kind}", change.node.lineno, ast.unparse(change.node), _code(change, text))
    return None


def _code(change: Change, text: str) -> str:
    """The line as it would be right; without parentheses that it does not need."""
    line = text.splitlines()[change.node.lineno - 1].strip()
    if line.endswith((",", ":")):  # one of several lines of a statement, or the first one of a loop
        return line
    with suppress(SyntaxError):
        line = ast.unparse(ast.parse(line))
    return line


def _changes(source: Source, noticed: Collection[int]) -> list[Change]:
    given = {line.strip() for line in source.exercise.solution.splitlines()}
    functions = [*source.kernels, *([source.launcher] if source.launcher else [])]
    parameters = {each.name: [argument.arg for argument in each.args.args] for each in source.kernels}
    coefficients = _coefficients(source.exercise.solution)
    every = [
        change
        for function in functions
        for change in changes_in(function, function in source.kernels, parameters, coefficients)
        if change.node.lineno == change.node.end_lineno and source.line(change.node.lineno) not in given
    ]

    def likely(change: Change) -> tuple[bool, bool, bool, int]:
        far = change.far_fetched and not change.names_the_unread
        return not change.names_the_unread, far, change.node.lineno not in noticed, KINDS.index(change.kind)

    return sorted(every, key=likely)


def _coefficients(solution: str) -> set[float]:
    """The solution's numbers with a fraction; none if the learner has spoilt it."""
    with suppress(SyntaxError):
        nodes = (node for node in ast.walk(ast.parse(solution)) if isinstance(node, ast.Constant))
        return {node.value for node in nodes if isinstance(node.value, float) and not node.value.is_integer()}
    return set()
