"""Runs a right script on larger inputs than any case has.

A number in its text may bound a size. An offset in int32 bounds the size of a tensor: a case shows it in which an int32
has fewer bits. Other numbers may do so where something is compared with them, or cut off at them. Only a script that
has one, or branches, is run on larger inputs, so what happens decides whether it bounds anything, and not how it looks.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from triton_simulator.branches import Branch
from triton_simulator.faults import Kind
from triton_workshop.checking.diagnosing.tile_sizes import Changes, bindings_in, with_changes
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source, callee_name, parameters_of, stores_in
from triton_workshop.exercises.cases import NARROW_BITS, Case

MIN_BOUND = 64
"""A smaller number bounds nothing that the cases have not shown."""
MIN_BLOCK = 4096
"""Smallest block without a loop that may be meant to hold all."""
BOUND_FACTOR = 1 << 12
"""So many times as large, a bound is none any more."""
NO_BOUND = 1 << 18
"""A block that holds all of an axis."""
WHOLE_INT32 = {1 << 31: 1 << NARROW_BITS - 1, (1 << 31) - 1: (1 << NARROW_BITS - 1) - 1}
"""Numbers that a script compares offsets with, to see if int32 holds them.

Each comes with the number for fewer bits.
"""
LARGEST_INT32 = ("torch.iinfo(torch.int32).max", "np.iinfo(np.int32).max")
SMALL_INTEGERS = ("int16", "uint16", "int8", "uint8")
OPERATIONS: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    # Larger shifts and powers would fill the memory, and no size has as many bits.
    ast.LShift: lambda number, bits: number << bits if 0 <= bits < 64 else None,
    ast.Pow: lambda number, times: number**times if 0 <= times < 64 else None,
}
CUTS = ("min", "minimum", "clamp", "clip", "range", "static_range", "narrow")
"""Functions that take bounds."""
SIZED = ("arange", "empty", "zeros", "full", "ones")
"""Functions that take sizes."""


@dataclass(frozen=True)
class WideOffsets:
    """Accesses by an int32 offset that depends on the size of a tensor."""

    arguments: tuple[tuple[str, int], ...]
    """By their names, each with the line of the first such access."""
    stored: bool
    """One of these is a store."""


@dataclass(frozen=True)
class Bound:
    """A larger input with which a script goes wrong.

    It has the number that is to blame, if that is known.
    """

    case: str
    seen: Observation
    line: int | None = None
    words: str = ""


@dataclass(frozen=True)
class Reached:
    """Branches that larger inputs have taken, and that are right."""

    branches: frozenset[Branch]
    """With an empty condition where that was changed: any on its line."""


Limit = WideOffsets | Bound | Reached
Observe = Callable[[str, Case], Observation | None]
Right = Callable[[str, Case], bool]


def limits_of(source: Source, observe: Observe, right: Right, extend: Callable[[], None]) -> Iterator[Limit]:
    """Find sizes beyond which a right script is wrong.

    `observe` gives None when time is up; `extend` gives more.
    """
    yield from _find_wide_offsets(source, observe, right)
    yield from _find_bounds(source, observe, right, extend)


def _find_wide_offsets(source: Source, observe: Observe, right: Right) -> Iterator[WideOffsets | Reached]:
    """Find the accesses that wrap around where an int32 has few bits."""
    case = source.exercise.int64_case
    if case is None:
        return
    text = _narrow_text(source)
    observation = observe(text, case)
    if observation is None:
        return
    # The texts differ only if the script asks what an int32 holds.
    if text != source.text and right(text, case):
        yield Reached(frozenset(branch._replace(condition="") for branch in observation.branches))
    wrapped = _wrapped_arguments(observation)
    stores = {call.lineno for call in source.calls("store")}
    if wrapped:
        yield WideOffsets(tuple(wrapped.items()), not stores.isdisjoint(wrapped.values()))


def _wrapped_arguments(observation: Observation) -> dict[str, int]:
    """Return the arguments with wrapped offsets, each with its first line."""
    wrapped: dict[str, int] = {}
    faults = [fault for fault in observation.faults if fault.kind is Kind.WRAPPED_OFFSET]
    for fault in faults:
        if fault.argument is not None:
            wrapped.setdefault(fault.argument, fault.line.number)
    return wrapped


def _narrow_text(source: Source) -> str:
    """Return the script's text for an int32 of few bits.

    If it asks whether an int32 has enough bits, it still does so.
    """
    numbers = _Numbers(source)
    changes: list[tuple[ast.expr | ast.stmt, str]] = []
    numerals = [node for node in source.nodes if isinstance(node, ast.BinOp | ast.Constant | ast.Attribute)]
    for node in filter(_is_on_one_line, numerals):
        if (value := numbers.value(node)) in WHOLE_INT32:
            # `or 0` is for the type checker: the number is a key here.
            changes.append((node, str(WHOLE_INT32[value or 0])))
    # Of `1 << 31`, neither the 1 nor the 31 is to be replaced by itself.
    inside = set[ast.AST]()
    for whole, _ in changes:
        inside |= {*ast.walk(whole)} - {whole}
    return with_changes(source, [change for change in changes if change[0] not in inside])


def _find_bounds(
    source: Source, observe: Observe, right: Right, extend: Callable[[], None]
) -> Iterator[Bound | Reached]:
    candidates = list(dict(_candidates(source)).items())
    may_have_bounds = bool(candidates) or any(map(_depends_on_size, source.nodes))
    if not may_have_bounds:
        return  # a larger input would show nothing that the cases have not
    for case in source.exercise.larger_cases:
        observation = observe(source.text, case)
        if observation is None:
            return
        # The script is not wrong for that: another case may show more.
        if observation.is_out_of_reach:
            continue
        if not right(source.text, case):
            # To find the cause, the script runs once more with each candidate changed.
            extend()
            node = _find_cause(source, candidates, partial(_right_in, case, right))
            if node is None:
                yield Bound(case.name, observation)
            else:
                words = ast.get_source_segment(source.text, node) or ""
                yield Bound(case.name, observation, node.lineno, words)
            return
        yield Reached(observation.branches)


def _depends_on_size(node: ast.AST) -> bool:
    """Return whether a node may depend on the size of an input.

    It is a path for inputs that no case has, or it makes blocks that grow with them.
    """
    if isinstance(node, ast.Call):
        return callee_name(node) == "next_power_of_2"
    return isinstance(node, ast.If | ast.While | ast.IfExp) and "__name__" not in ast.unparse(node.test)


def _right_in(case: Case, right: Right, text: str) -> bool:
    return right(text, case)


def _find_cause(source: Source, candidates: Changes, right: Callable[[str], bool]) -> ast.expr | None:
    """Return the candidate without which a larger input is no problem.

    It may be the first of several that are the same number.
    """
    equal: dict[str, Changes] = {}
    for change in candidates:
        equal[change[1]] = [*equal.get(change[1], ()), change]
    # One candidate first: a number that stands in several places may bound a size in one of them only.
    alone = [[change] for change in candidates]
    for changes in (*alone, *equal.values()):
        if right(with_changes(source, changes)):
            node = changes[0][0]
            return node if isinstance(node, ast.expr) else None
    return None


def _candidates(source: Source) -> Iterator[tuple[ast.expr, str]]:
    """Find numbers, and conversions to few bits, that may bound a size.

    Each comes with what can replace it and bounds nothing.
    """
    numbers = _Numbers(source)
    for expression, is_block in _bounding_expressions(source):
        for node in numbers.inside(expression):
            value, literal = numbers.value(node) or 0, numbers.literal(node)
            if not _is_on_one_line(literal):
                continue
            least = MIN_BLOCK if is_block else MIN_BOUND
            if value < least:
                continue
            if not is_block:
                yield literal, str(value * BOUND_FACTOR)
            # A block is a power of two, or Triton refuses it.
            elif value & (value - 1) == 0:
                yield literal, str(NO_BOUND)
    types = [node for node in source.nodes_of(ast.Attribute) if node.attr in SMALL_INTEGERS]
    for small in types:
        if ast.unparse(small.value) == "tl":
            yield small, "tl.int64"


def _is_on_one_line(node: ast.expr) -> bool:
    """Return whether `with_changes` can replace a node."""
    return node.lineno == node.end_lineno


def _bounding_expressions(source: Source) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the expressions in which a number bounds a size.

    Each comes with whether that size is one of a block.
    """
    for node in source.nodes:
        match node:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE(), *_], comparators=comparators):
                yield from ((side, False) for side in (left, *comparators))
            case ast.Slice(lower=lower, upper=upper):
                yield from ((side, False) for side in (lower, upper) if side is not None)
            case ast.BinOp(op=ast.Mod() | ast.BitAnd(), right=right):
                yield right, False
            case ast.Call():
                yield from _bounding_arguments(node)
    yield from ((size, False) for size in _sizes_of_grids(source))


def _bounding_arguments(call: ast.Call) -> Iterator[tuple[ast.expr, bool]]:
    name = callee_name(call)
    is_block = isinstance(call.func, ast.Subscript) or name in SIZED
    has_bounds = is_block or name in CUTS
    if not has_bounds:
        return
    bounds = call.args[:2] if name in ("range", "static_range") else call.args
    keywords = [keyword.value for keyword in call.keywords]
    for value in (*bounds, *keywords):
        yield value, is_block


def _sizes_of_grids(source: Source) -> Iterator[ast.expr]:
    grids = [call.func.slice for call in source.calls() if isinstance(call.func, ast.Subscript)]
    names = {grid.id for grid in grids if isinstance(grid, ast.Name)}
    for node in source.nodes_of(ast.Assign):
        match node:
            case ast.Assign([ast.Name(name), *_], value) if name in names:
                grids.append(value)
    for grid in grids:
        body = grid.body if isinstance(grid, ast.Lambda) else grid
        yield from body.elts if isinstance(body, ast.Tuple) else (body,)


class _Numbers:
    """The integers of a script that are known without running it."""

    def __init__(self, source: Source) -> None:
        stored = [name.id for name in stores_in(source.tree)]
        self._named: dict[str, ast.expr] = {}
        self._parameters = {
            node
            for kernel, node in source.expressions
            if isinstance(node, ast.Name) and node.id in parameters_of(kernel.args)
        }
        """Names in a kernel that are its parameters.

        They have nothing to do with a number of this name in the launcher.
        """
        for name, value in bindings_in(source.tree):
            # A name that is stored to twice may have another value where it is read.
            if stored.count(name) != 1:
                continue
            if self.value(value) is not None:
                self._named[name] = value

    def value(self, node: ast.AST) -> int | None:
        """Return the number that an expression always is.

        It is None if there is none, or not always the same.
        """
        if isinstance(node, ast.Attribute):
            return (1 << 31) - 1 if ast.unparse(node) in LARGEST_INT32 else None
        match node:
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                return value
            case ast.Name(id=name) if name in self._named and node not in self._parameters:
                return self.value(self._named[name])
            case ast.Call() if callee_name(node) == "constexpr" and node.args:
                return self.value(node.args[0])
            case ast.BinOp(left, operation, right) if type(operation) in OPERATIONS:
                sides = self.value(left), self.value(right)
                return None if None in sides else OPERATIONS[type(operation)](*sides)
        return None

    def inside(self, node: ast.AST) -> Iterator[ast.expr]:
        """Yield the largest parts of an expression that are such numbers."""
        if isinstance(node, ast.expr) and self.value(node) is not None:
            yield node
        elif not isinstance(node, ast.Call):  # one that cuts is a place of its own
            for child in ast.iter_child_nodes(node):
                yield from self.inside(child)

    def literal(self, node: ast.expr) -> ast.expr:
        """Return the literal of a number that may have a name."""
        match node:
            case ast.Name(id=name):
                return self.literal(self._named[name])
            case ast.Call(args=[argument]):
                return self.literal(argument)
        return node
