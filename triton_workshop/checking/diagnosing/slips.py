"""Finds a slip: one small change with which the script is right.

It needs no likeness to the solution, so it finds the line in scripts of any style.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.diagnosing.changes import changes_in
from triton_workshop.checking.diagnosing.forms import Forms, is_possible
from triton_workshop.checking.diagnosing.tile_sizes import with_changes
from triton_workshop.checking.observing.source import Assignment, Function, Source, names_loaded, names_stored

KINDS = (
    "spelling",
    "rounded",
    "whole",
    "multiple",
    "bound",
    "axis",
    "number",
    "constant",
    "base",
    "sum",
    "regrouped",
    "inside",
    "coefficient",
    "precision",
    "type",
    "running",
    "start",
    "sides",
    "unwrapped",
    "signs",
    "rounds",
    "outside",
    "lower",
    "unshifted",
    "early",
    "restarted",
    "forgotten",
    "size",
    "strides",
    "arguments",
    "pointer",
    "factor",
    "divisor",
    "axes",
    "order",
    "names",
    "exchanged",
    "where",
    "rescaled",
    "moved",
    "name",
    "part-of-byte",
    "part",
    "operator",
    "limited",
    "mask",
    "path",
)
"""The likely ones first: there may be no time for all."""
KINDS_FOR_A_STEP = 9
"""So many kinds later is as unlikely as a step farther from where the mistake shows."""
STEPS_FOR_A_NAME = 3
"""As unlikely is a name that is quite another one."""
STEPS_FOR_SIZES = 12
"""As unlikely is another order of what a launcher unpacks: exchanging two sizes in the kernel helps as well."""
STEPS_FOR_LINES = 4
"""As unlikely is a change of two lines: where a change of one does as well, both are right."""
EMPTY: Forms = {}
Screen = Callable[[Sequence[Change]], Iterable[Change]]
"""Leaves out changes that do not help in the case that failed."""
STEPS = 4
"""Number of steps back from the mistake within which lines come first."""


@dataclass(frozen=True)
class Slip:
    """A change that makes a script right."""

    name: str
    """Of its hints."""
    line: int
    old: str
    """The code that stands there, as far as it is changed."""
    code: str
    """The whole lines as they would be right."""


def find_slip(
    source: Source,
    noticed: Collection[int],
    passes: Callable[[str], bool],
    passes_all: Callable[[str], bool],
    *,
    nearby: bool = False,
    forms: Forms = EMPTY,
    later: Collection[int] = (),
    screen: Screen | None = None,
) -> Slip | None:
    """Return the first change that helps.

    `passes` is for the case that failed, `passes_all` for every case. The lines where the mistake was noticed are
    changed first, then those that they use, then the `later` ones that only show it, and never the solution's. With
    `nearby`, no others are changed. `screen` yields the changes that are worth a run, sooner than `passes` would tell.
    """

    def helps(change: Change) -> bool:
        text = with_changes(source, change.nodes)
        return passes(text) and passes_all(text)

    every = _changes(source, noticed, later, forms, nearby=nearby)
    changes = every if screen is None else screen(every)
    path = None
    for change in filter(helps, changes):
        if change.kind != "path":
            # What is wrong on a path stands there: elsewhere, much would keep a program from taking it.
            if path is None or _is_in(_code_of(path, source), change.node):
                return _slip(source, change)
        elif path is None:
            path = change
    return None if path is None else _slip(source, path)


def _slip(source: Source, change: Change) -> Slip:
    text = with_changes(source, change.nodes)
    return Slip(f"slip-{change.kind}", change.place, ast.unparse(change.node), _code(change, text))


def _code_of(path: Change, source: Source) -> list[ast.AST]:
    """Return the code of a path, with the functions that it names."""
    choosing = next(node for node in source.nodes if isinstance(node, ast.If | ast.IfExp) and node.test is path.node)
    code = choosing.body if path.words == "False" else choosing.orelse
    parts = code if isinstance(code, list) else [code]
    named = {name for part in parts for name in names_loaded(part)}
    return [*parts, *(kernel for kernel in source.kernels if kernel.name in named)]


def _is_in(code: Sequence[ast.AST], node: ast.AST) -> bool:
    first, last = _span(node)
    return any(begin <= first and last <= end for begin, end in map(_span, code))


def _span(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _code(change: Change, text: str) -> str:
    """Return the changed lines as they would be right, without needless parentheses."""
    lines = text.splitlines()
    return "\n".join(_plain(lines[number - 1].strip()) for number in sorted({node.lineno for node, _ in change.nodes}))


def _plain(line: str) -> str:
    if line.endswith((",", ":")):  # one of several lines of a statement, or the first one of a loop
        return line
    with suppress(SyntaxError):
        line = ast.unparse(ast.parse(line))
    return line


def _changes(
    source: Source, noticed: Collection[int], later: Collection[int] = (), forms: Forms = EMPTY, *, nearby: bool = False
) -> list[Change]:
    given = {line.strip() for line in source.exercise.solution.splitlines()}
    functions = [*source.kernels, *([source.launcher] if source.launcher else [])]
    parameters = {each.name: [argument.arg for argument in each.args.args] for each in source.kernels}
    coefficients = _coefficients(source.exercise.solution)
    every = [
        change
        for function in functions
        for change in changes_in(function, function in source.kernels, parameters, coefficients)
        if all(node.lineno == node.end_lineno for node, _ in change.nodes)
        and source.line(change.node.lineno) not in given
        and is_possible(change, function.name, forms)
    ]

    steps = _steps(functions, noticed)
    steps |= {line: max(steps.get(line, STEPS), STEPS - 1) for line in later if line not in noticed}

    unpacked = {
        node.lineno
        for node in (ast.walk(source.launcher) if source.launcher else ())
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
    }

    def unlikely(change: Change) -> tuple[bool, bool, float]:
        far = change.far_fetched and not change.names_the_unread
        lines = len({node.lineno for node, _ in change.nodes}) > 1
        step, kind = steps.get(change.place, STEPS), KINDS.index(change.kind) / KINDS_FOR_A_STEP
        # Where it was noticed on one line alone, every kind is likely there.
        steps_back = kind / 3 if step == 0 and len(noticed) == 1 else step + kind
        return (
            change.kind != "path",
            not change.names_the_unread,
            steps_back
            + STEPS_FOR_A_NAME * far
            + STEPS_FOR_LINES * lines
            + STEPS_FOR_SIZES * (change.kind == "order" and change.node.lineno in unpacked),
        )

    possible = (each for each in every if not nearby or each.kind == "path" or each.node.lineno in steps)
    return sorted(possible, key=unlikely)


def _steps(functions: Sequence[Function], noticed: Collection[int]) -> dict[int, int]:
    """Return for each line how many steps back it is.

    Those noticed are 0, a line that assigns what these read is 1, and so on. The lines of a function are a step back
    from a call of it.
    """
    nodes = [(each.name, node) for each in functions for node in ast.walk(each)]
    statements = [(name, node) for name, node in nodes if isinstance(node, Assignment | ast.Expr | ast.Return)]
    found = dict.fromkeys(noticed, 0)
    for step in range(1, STEPS):
        reading = [node for _, node in statements if found.get(node.lineno) == step - 1]
        read = {name for node in reading for name in names_loaded(node)}
        for function, node in statements:
            if function in read or (isinstance(node, Assignment) and names_stored(node) & read):
                found.setdefault(node.lineno, step)
    return found


def _coefficients(solution: str) -> set[float]:
    """Return the solution's numbers with a fraction.

    There are none if the learner has spoilt it.
    """
    with suppress(SyntaxError):
        nodes = (node for node in ast.walk(ast.parse(solution)) if isinstance(node, ast.Constant))
        return {node.value for node in nodes if isinstance(node.value, float) and not node.value.is_integer()}
    return set()
