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
from triton_workshop.checking.diagnosing.forms import Forms, computes_values, counts, is_possible
from triton_workshop.checking.diagnosing.tile_sizes import with_changes
from triton_workshop.checking.diagnosing.together import changes_together
from triton_workshop.checking.observing.source import (
    Assignment,
    Function,
    Source,
    names_loaded,
    names_stored,
    nodes_of,
    walk,
)
from triton_workshop.scripts import lines_of

KINDS = (
    "rounded",
    "divisor",
    "rounds",
    "end",
    "twice",
    "turned",
    "limit",
    "continued",
    "late",
    "step",
    "twin",
    "addend",
    "beyond",
    "hoisted",
    "restarted",
    "reciprocal",
    "early",
    "derived",
    "divided",
    "inside",
    "whole",
    "axis",
    "base",
    "sides",
    "precision",
    "running",
    "multiple",
    "strides",
    "part-of-byte",
    "stale",
    "overwritten",
    "forgotten",
    "rescaled",
    "exchanged",
    "offset",
    "start",
    "limited",
    "lower",
    "unwrapped",
    "unshifted",
    "size",
    "axes",
    "regrouped",
    "where",
    "outside",
    "bound",
    "order",
    "moved",
    "number",
    "arguments",
    "factor",
    "constant",
    "pointer",
    "type",
    "sum",
    "coefficient",
    "names",
    "mask",
    "name",
    "path",
    "part",
    "operator",
)
"""The likely ones first, as there may be no time for all: those of which a script has few are tried sooner."""
KINDS_FOR_A_STEP = 9
"""So many kinds later is as unlikely as a step farther from where the mistake shows."""
STEPS_FOR_A_NAME = 3
"""As unlikely is a name that is quite another one."""
STEPS_FOR_SIZES = 4
"""As unlikely is another order of what a launcher unpacks: exchanging two sizes in the kernel helps as well."""
STEPS_FOR_LINES = 2
"""As unlikely is a change of several lines: where a change of one does as well, the others are right."""
STEPS_FOR_VALUES = 6
"""As unlikely is another value where elements are outside, or never written."""
STATEMENTS = Assignment | ast.For | ast.Expr | ast.Return
EMPTY: Forms = {}
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
    source: Source, changes: Iterable[Change], passes: Callable[[str], bool], passes_all: Callable[[str], bool]
) -> Slip | None:
    """Return the first change that helps.

    `passes` is for the case that failed, `passes_all` for every case.
    """

    def helps(change: Change) -> bool:
        text = with_changes(source, change.nodes)
        return passes(text) and passes_all(text)

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
    branches = (node for node in source.nodes if isinstance(node, ast.If | ast.IfExp))
    choosing = next(node for node in branches if node.test is path.node)
    # `False` leaves out the body and `True` the rest: what is left out is what is wrong.
    code = choosing.body if path.replacement == "False" else choosing.orelse
    parts = code if isinstance(code, list) else [code]
    named = set[str]().union(*map(names_loaded, parts))
    return [*parts, *(kernel for kernel in source.kernels if kernel.name in named)]


def _is_in(code: Sequence[ast.AST], node: ast.AST) -> bool:
    first, last = _span(node)
    return any(begin <= first <= last <= end for begin, end in map(_span, code))


def _span(node: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _code(change: Change, text: str) -> str:
    """Return the corrected lines, without needless parentheses."""
    lines = lines_of(text)
    numbers = sorted({node.lineno for node, replacement in change.nodes if replacement != "pass"})
    return "\n".join(_plain(lines[number - 1].strip()) for number in numbers)


def _plain(line: str) -> str:
    if line.endswith((",", ":")):  # one of several lines of a statement, or the first one of a loop
        return line
    with suppress(SyntaxError):
        line = ast.unparse(ast.parse(line))
    return line


def likely_changes(
    source: Source,
    noticed: Collection[int] = (),
    later: Collection[int] = (),
    forms: Forms = EMPTY,
    *,
    nearby: bool = False,
    misplaced: bool = False,
) -> list[Change]:
    """Return the changes of a script, the likeliest first.

    Those are of the lines where the mistake was noticed, then of those that they use, then of the `later` ones that
    only show it, and never of the solution's. With `nearby`, no others are changed. Where elements are `misplaced`,
    what is computed of them matters little.
    """
    given = {line.strip() for line in source.exercise.solution.splitlines()}
    functions = _functions_of(source)
    parameters = {each.name: _parameters_of(each) for each in source.kernels}
    coefficients = _coefficients(source.exercise.solution)
    every, counting, of_values = list[Change](), set[ast.AST](), set[ast.AST]()
    for function in functions:
        possible = [
            change
            for change in changes_in(function, function in source.kernels, parameters, coefficients)
            # `with_changes` replaces nodes within a line only.
            if all(node.lineno == node.end_lineno for node, _ in change.nodes)
            and source.line(change.node.lineno) not in given
            and is_possible(change, function.name, forms)
        ]
        every += [*possible, *changes_together(function, possible)]
        changes_of_names = [each for each in possible if each.kind == "name"]
        counting |= {each.node for each in changes_of_names if counts(each, function.name, forms)}
        of_values |= {each.node for each in possible if computes_values(each, function.name, forms)}

    steps = _steps(source, noticed)
    # However near they are, `later` lines only show the mistake: they come behind those that may make it.
    steps |= {line: max(steps.get(line, STEPS), STEPS - 1) for line in later if line not in noticed}

    unpacked = {node.lineno for node in nodes_of(source.launcher, ast.Assign) if isinstance(node.targets[0], ast.Tuple)}

    def unlikely(change: Change) -> tuple[bool, bool, float]:
        is_mask_of_misplaced = misplaced and change.kind == "mask"
        is_name_of_use = change.names_the_unread or change.node in counting
        is_likely = is_name_of_use or is_mask_of_misplaced
        far = change.far_fetched and not is_likely
        # A statement that moves leaves `pass` behind, and is a change of one line all the same.
        lines = len({node.lineno for node, replacement in change.nodes if replacement != "pass"}) > 1
        # Few names stand for a single integer, so there is time to try them as early as sizes.
        kind = KINDS.index("size" if change.node in counting else change.kind) / KINDS_FOR_A_STEP
        step = steps.get(change.place, STEPS)
        # Where it was noticed on one line alone, every kind is likely there.
        is_only_line = step == 0 and len(noticed) == 1
        steps_back = kind / 3 if is_only_line else step + kind
        return (
            # `find_slip` returns the first other change that helps, so it has to know the path by then.
            change.kind != "path",
            not change.names_the_unread,
            steps_back
            + STEPS_FOR_A_NAME * far
            + STEPS_FOR_LINES * lines
            + STEPS_FOR_VALUES * (misplaced and change.node in of_values)
            + STEPS_FOR_SIZES * (change.kind == "order" and change.node.lineno in unpacked),
        )

    def is_near(change: Change) -> bool:
        return change.kind == "path" or change.node.lineno in steps

    if nearby:
        every = list(filter(is_near, every))
    return sorted(every, key=unlikely)


def _functions_of(source: Source) -> list[Function]:
    """Return the kernels, and the launcher after them."""
    return [*source.kernels, *([source.launcher] if source.launcher else [])]


def _parameters_of(function: Function) -> list[str]:
    """Return the names of a function's own parameters, in order."""
    return [argument.arg for argument in function.args.args]


def _steps(source: Source, noticed: Collection[int]) -> dict[int, int]:
    """Return for each line how many steps back it is.

    Those noticed are 0, or 1 in the launcher, a line that assigns what these read is one more, and so on. The lines of
    a helper are a step back from a call of it.
    """
    statements = _statements_of(source)
    # A launch is a step away from the kernel's line where the mistake is noticed.
    found = {line: int(source.function_at(line) is source.launcher) for line in noticed}
    for _, node in statements:
        # A statement is one step, however many lines it has.
        seen = found.keys() & _lines_of(node)
        if seen:
            found |= dict.fromkeys(_lines_of(node), min(found[line] for line in seen))
    for step in range(1, STEPS):
        last = {line for line, number in found.items() if number == step - 1}
        reading = [(function, node) for function, node in statements if node.lineno in last]
        read = set[str]().union(*(_names_read(node) for _, node in reading))
        # Not of the launcher: a launch would put all lines of its kernel at one step, in no order that says anything.
        in_kernels = [node for function, node in reading if function is not source.launcher]
        helpers = set[str]().union(*map(names_loaded, in_kernels))
        for function, node in statements:
            is_before = function.name in helpers or not read.isdisjoint(_names_assigned(node))
            if is_before:
                # In this order, a line keeps its fewest steps.
                found = dict.fromkeys(_lines_of(node), step) | found
    return found


def _statements_of(source: Source) -> list[tuple[Function, ast.stmt]]:
    """Return the statements of all functions, each with its function."""
    statements: list[tuple[Function, ast.stmt]] = []
    for function in _functions_of(source):
        statements += [(function, node) for node in walk(function) if isinstance(node, STATEMENTS)]
    return statements


def _lines_of(node: ast.stmt) -> set[int]:
    """Return the lines of a statement; of a loop, those of its head."""
    last = node.iter.end_lineno if isinstance(node, ast.For) else node.end_lineno
    return {*range(node.lineno, (last or node.lineno) + 1)}


def _names_assigned(node: ast.stmt) -> set[str]:
    return names_stored(node.target if isinstance(node, ast.For) else node)


def _names_read(node: ast.stmt) -> list[str]:
    return names_loaded(node.iter if isinstance(node, ast.For) else node)


def _coefficients(solution: str) -> set[float]:
    """Return the solution's numbers with a fraction.

    There are none if the learner has spoilt it.
    """
    with suppress(SyntaxError):
        values = [node.value for node in nodes_of(ast.parse(solution), ast.Constant)]
        floats = [value for value in values if isinstance(value, float)]
        return {value for value in floats if not value.is_integer()}
    return set()
