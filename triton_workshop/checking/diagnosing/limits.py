"""Runs a right script on larger inputs than any case has: a number in its text may bound a size.

An offset in int32 bounds the size of a tensor: a case shows it in which an int32 has fewer bits. Other numbers may do
so where something is compared with them, or cut off at them. Only a script that has one, or branches, is run on larger
inputs, so what happens decides whether it bounds anything, and not how it looks.
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
from triton_workshop.checking.diagnosing.tile_sizes import Changes, bound_by, with_changes
from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Source, called
from triton_workshop.exercises.cases import NARROW_BITS, Case

LEAST_BOUND = 64
"""A smaller number bounds nothing that the cases have not shown."""
LEAST_BLOCK = 4096
"""A block without a loop may be meant to hold all, if it is as large as this."""
MORE = 1 << 12
"""So many times as large, a bound is none any more."""
NO_BOUND = 1 << 18
"""A block that holds all of an axis."""
WHOLE_INT32 = {1 << 31: 1 << NARROW_BITS - 1, (1 << 31) - 1: (1 << NARROW_BITS - 1) - 1}
"""The numbers by which a script asks whether an int32 holds an offset, and what they are with fewer bits."""
LARGEST_INT32 = ("torch.iinfo(torch.int32).max", "np.iinfo(np.int32).max")
SMALL_INTEGERS = ("int16", "uint16", "int8", "uint8")
OPERATIONS: dict[type[ast.operator], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.LShift: lambda number, places: number << places if 0 <= places < 64 else None,
    ast.Pow: lambda number, times: number**times if 0 <= times < 64 else None,
}
CUTS = ("min", "minimum", "clamp", "clip", "range", "static_range", "narrow")
"""Functions that take bounds."""
SIZED = ("arange", "empty", "zeros", "full", "ones")
"""Functions that take sizes."""


@dataclass(frozen=True)
class WideOffsets:
    """Accesses whose offsets are computed in int32, although they depend on the size of a whole tensor."""

    arguments: tuple[tuple[str, int], ...]
    """By their names, each with the line of the first such access."""
    stored: bool
    """Whether one of these is a store."""


@dataclass(frozen=True)
class Bound:
    """With which larger input a script goes wrong, and the number that is to blame, if that is known."""

    case: str
    seen: Observation
    line: int | None = None
    words: str = ""


@dataclass(frozen=True)
class Reached:
    """What larger inputs have shown to be right: the branches that a script took with them."""

    branches: frozenset[Branch]
    """With an empty condition where that was changed: any on its line."""


Limit = WideOffsets | Bound | Reached
Observe = Callable[[str, Case], Observation | None]
Right = Callable[[str, Case], bool]


def limits_of(source: Source, observe: Observe, right: Right, extend: Callable[[], None]) -> Iterator[Limit]:
    """Find sizes beyond which a right script is wrong. `observe` gives None when time is up; `extend` gives more."""
    yield from _wide_offsets(source, observe, right)
    yield from _bounds(source, observe, right, extend)


def _wide_offsets(source: Source, observe: Observe, right: Right) -> Iterator[WideOffsets | Reached]:
    """What wraps where an int32 has few bits."""
    case, text = source.exercise.int64_case, _for_few_bits(source)
    seen = None if case is None else observe(text, case)
    if case is None or seen is None:
        return
    if text != source.text and right(text, case):
        yield Reached(frozenset(branch._replace(condition="") for branch in seen.branches))
    found: dict[str, int] = {}
    for fault in seen.faults:
        if fault.kind is Kind.WRAPPED_OFFSET and fault.argument is not None:
            found.setdefault(fault.argument, fault.line.number)
    stores = {call.lineno for call in source.calls("store")}
    if found:
        yield WideOffsets(tuple(found.items()), not stores.isdisjoint(found.values()))


def _for_few_bits(source: Source) -> str:
    """The script's text for such an int32: one that asks whether its own has enough bits still does so."""
    numbers = _Numbers(source)
    changes: list[tuple[ast.expr | ast.stmt, str]] = []
    for node in source.nodes:
        if isinstance(node, ast.BinOp | ast.Constant | ast.Attribute) and numbers.value(node) in WHOLE_INT32:
            changes.append((node, str(WHOLE_INT32[numbers.value(node) or 0])))
    inside = {part for node, _ in changes for part in ast.walk(node) if part is not node}
    return with_changes(source, [change for change in changes if change[0] not in inside])


def _bounds(source: Source, observe: Observe, right: Right, extend: Callable[[], None]) -> Iterator[Bound | Reached]:
    candidates = list(dict(_candidates(source)).items())
    for case in source.exercise.larger_cases if candidates or any(map(_depends_on_size, source.nodes)) else ():
        seen = observe(source.text, case)
        if seen is None:
            return
        if seen.timed_out or (seen.failure is not None and seen.failure.type == "MemoryError"):
            continue
        if not right(source.text, case):
            extend()
            node = _blamed(source, candidates, partial(_right_in, case, right))
            words = node and ast.get_source_segment(source.text, node)
            yield Bound(case.name, seen, node.lineno if node else None, words or "")
            return
        yield Reached(seen.branches)


def _depends_on_size(node: ast.AST) -> bool:
    """Whether it may be a path for inputs that no case has, or makes blocks that grow with them."""
    if isinstance(node, ast.Call):
        return called(node) == "next_power_of_2"
    return isinstance(node, ast.If | ast.While | ast.IfExp) and "__name__" not in ast.unparse(node.test)


def _right_in(case: Case, right: Right, text: str) -> bool:
    return right(text, case)


def _blamed(source: Source, candidates: Changes, right: Callable[[str], bool]) -> ast.expr | None:
    """The candidate without which a larger input is no problem; or the first of several that are the same number."""
    equal = [
        [change for change in candidates if change[1] == words]
        for words in dict.fromkeys(words for _, words in candidates)
    ]
    for changes in (*([change] for change in candidates), *equal):
        if right(with_changes(source, changes)):
            node = changes[0][0]
            return node if isinstance(node, ast.expr) else None
    return None


def _candidates(source: Source) -> Iterator[tuple[ast.expr, str]]:
    """What may bound a size, a number or a conversion to few bits; and what can stand there and bounds nothing."""
    numbers = _Numbers(source)
    for place, is_block in _places(source):
        for node in numbers.inside(place):
            value = numbers.value(node) or 0
            if node.lineno != node.end_lineno:
                continue
            if is_block and value >= LEAST_BLOCK and value & (value - 1) == 0:
                yield numbers.literal(node), str(NO_BOUND)
            elif not is_block and value >= LEAST_BOUND:
                yield numbers.literal(node), str(value * MORE)
    for small in source.nodes:
        if isinstance(small, ast.Attribute) and small.attr in SMALL_INTEGERS and ast.unparse(small.value) == "tl":
            yield small, "tl.int64"


def _places(source: Source) -> Iterator[tuple[ast.expr, bool]]:
    """Where a number bounds a size, if there is one, and whether it is one of a block."""
    for node in source.nodes:
        match node:
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE(), *_], comparators=others):
                yield from ((side, False) for side in (left, *others))
            case ast.Slice(lower=lower, upper=upper):
                yield from ((side, False) for side in (lower, upper) if side is not None)
            case ast.BinOp(op=ast.Mod() | ast.BitAnd(), right=right):
                yield right, False
            case ast.Call():
                launched = isinstance(node.func, ast.Subscript)
                if launched or called(node) in (*CUTS, *SIZED):
                    bounds = node.args[:2] if called(node) in ("range", "static_range") else node.args
                    given = (*bounds, *(keyword.value for keyword in node.keywords))
                    yield from ((each, launched or called(node) in SIZED) for each in given)
    yield from ((size, False) for size in _sizes_of_grids(source))


def _sizes_of_grids(source: Source) -> Iterator[ast.expr]:
    grids = [call.func.slice for call in source.calls() if isinstance(call.func, ast.Subscript)]
    names = {grid.id for grid in grids if isinstance(grid, ast.Name)}
    for node in source.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id in names:
            grids.append(node.value)
    for grid in grids:
        body = grid.body if isinstance(grid, ast.Lambda) else grid
        yield from body.elts if isinstance(body, ast.Tuple) else (body,)


class _Numbers:
    """The integers of a script that are known without running it."""

    def __init__(self, source: Source) -> None:
        stored = [node.id for node in source.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        self._named: dict[str, ast.expr] = {}
        self._parameters = {
            node
            for kernel, node in source.expressions
            if isinstance(node, ast.Name)
            and node.id in [part.arg for part in ast.walk(kernel.args) if isinstance(part, ast.arg)]
        }
        """What is named in a kernel, which has nothing to do with a number of this name in the launcher."""
        assignments = [node for node in source.nodes if isinstance(node, ast.Assign)]
        targets = [(target, node.value) for node in assignments for target in node.targets]
        annotated = [node for node in source.nodes if isinstance(node, ast.AnnAssign)]
        targets += [(node.target, node.value) for node in annotated if node.value is not None]
        for name, value in (pair for target, given in targets for pair in bound_by(target, given)):
            if stored.count(name) == 1 and self.value(value) is not None:
                self._named[name] = value

    def value(self, node: ast.AST) -> int | None:
        """The number that an expression always is; None if it is none, or not always the same."""
        if isinstance(node, ast.Attribute):
            return (1 << 31) - 1 if ast.unparse(node) in LARGEST_INT32 else None
        match node:
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                return value
            case ast.Name(id=name) if name in self._named and node not in self._parameters:
                return self.value(self._named[name])
            case ast.Call() if called(node) == "constexpr" and node.args:
                return self.value(node.args[0])
            case ast.BinOp(left, operation, right) if type(operation) in OPERATIONS:
                sides = self.value(left), self.value(right)
                return None if None in sides else OPERATIONS[type(operation)](*sides)
        return None

    def inside(self, node: ast.AST) -> Iterator[ast.expr]:
        """The largest parts of an expression that are such numbers."""
        if isinstance(node, ast.expr) and self.value(node) is not None:
            yield node
        elif not isinstance(node, ast.Call):  # one that cuts is a place of its own
            for part in ast.iter_child_nodes(node):
                yield from self.inside(part)

    def literal(self, node: ast.expr) -> ast.expr:
        """Where the number itself is written, if it has a name."""
        match node:
            case ast.Name(id=name):
                return self.literal(self._named[name])
            case ast.Call(args=[part]):
                return self.literal(part)
        return node
