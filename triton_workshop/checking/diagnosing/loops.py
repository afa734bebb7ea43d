"""Changes of loops: what an iteration resets, computes again or moves on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.diagnosing.names import MEMORY, Names
from triton_workshop.checking.observing.source import Function, callee_name, names_loaded, names_stored, nodes_of, walk

Loop = ast.For | ast.While
Statement = TypeVar("Statement", bound=ast.stmt)
STARTS = ("zeros", "full", "float")
"""Calls whose result a loop begins with."""
MOST_STEPS = 12
"""More steps of a pointer are not tried."""


def changes_of_loops(function: Function, names: Names) -> Iterator[Change]:
    """Yield the changes of all loops of a kernel."""
    for loop, around, before in _loops(function.body, [], []):
        yield from _restarted(loop, before)
        yield from _hoisted(loop, before)
        yield from _late(loop)
        yield from _stale(loop, around + before)
        yield from _unmoved(loop, around + before, names)
        yield from _left(loop, names)


def _loops(
    body: Sequence[ast.stmt], around: list[ast.stmt], before: list[ast.stmt]
) -> Iterator[tuple[Loop, list[ast.stmt], list[ast.stmt]]]:
    """Yield each loop, what stands before those around it, and before itself."""
    for node in body:
        if isinstance(node, Loop):
            # A copy, as `before` grows with each statement.
            yield node, around, list(before)
        for inside in (getattr(node, "body", []), getattr(node, "orelse", [])):
            yield from _loops(inside, around + before, [])
        before.append(node)


def _is_simple(node: ast.stmt) -> bool:
    """Return whether another statement fits on the line of this one."""
    return node.lineno == node.end_lineno and not hasattr(node, "body")


def _assignments(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.Assign]]:
    for node in body:
        match node:
            case ast.Assign([ast.Name(name)]):
                yield name, node


def _restarted(loop: Loop, before: Sequence[ast.stmt]) -> Iterator[Change]:
    """Reset a sum, or all of them, in each round of a loop.

    A round that neither loops itself nor stores has no use for a sum of its own.
    """
    first = loop.body[0]
    if not _is_simple(first):
        return
    if not _has_use_for_sums(loop):
        return
    own = names_stored(loop)
    # A `while` loop would never end if each round reset what its condition reads.
    if isinstance(loop, ast.While):
        own -= {*names_loaded(loop.test)}
    starts = [node for node in before if _is_start(node)]
    own_starts = [start for start in starts if names_stored(start) <= own]
    for group in _each_and_all(own_starts):
        replacement = "; ".join(map(ast.unparse, [*group, first]))
        # The start is to blame, because it stands before the loop.
        yield Change("restarted", first, replacement, line=group[0].lineno)


def _has_use_for_sums(loop: Loop) -> bool:
    """Return whether a round of a loop loops itself or stores."""
    _, *inside = walk(loop)
    has_loop = any(isinstance(node, Loop) for node in inside)
    return has_loop or any(map(_stores, inside))


def _hoisted(loop: Loop, before: Sequence[ast.stmt]) -> Iterator[Change]:
    """Do once, before a loop, what each of its rounds does.

    That is a start, or the sum of what no round changes.
    """
    if not before:
        return
    place = before[-1]
    if not _is_simple(place):
        return
    stored = names_stored(loop)
    for node in loop.body:
        is_sum = isinstance(node, ast.AugAssign) and stored.isdisjoint(names_loaded(node.value))
        if is_sum or _is_start(node):
            yield Change("hoisted", node, "pass", also=((place, f"{ast.unparse(place)}; {ast.unparse(node)}"),))


def _late(loop: Loop) -> Iterator[Change]:
    """Give a name its new value after what needs the old one."""
    *others, last = loop.body
    if not _is_simple(last):
        return
    for at, node in enumerate(others):
        match node:
            case ast.Assign([ast.Name(name)], ast.Name()) if name in _names_loaded_in(loop.body[at + 1 :]):
                yield Change("late", node, "pass", also=((last, f"{ast.unparse(last)}; {ast.unparse(node)}"),))


def _stores(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and callee_name(node) == "store"


def _each_and_all(nodes: list[Statement]) -> Iterator[list[Statement]]:
    """Yield each alone, and then several together."""
    yield from ([node] for node in nodes)
    if len(nodes) > 1:
        yield nodes


def _is_start(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Assign):
        return False
    values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    return all(map(_is_constant, values))


def _is_constant(value: ast.expr) -> bool:
    # `-float("inf")` is a sign before a call.
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    if isinstance(value, ast.Call):
        return callee_name(value) in STARTS
    return isinstance(value, ast.Constant)


def _stale(loop: Loop, before: Sequence[ast.stmt]) -> Iterator[Change]:
    """Compute again in a loop what depends on a name that it changes."""
    stored, read = names_stored(loop), {*names_loaded(loop)}
    place = next((node for node in (loop.body[0], loop.body[-1]) if _is_simple(node)), None)
    changed, stale = set(stored), list[ast.Assign]()
    for name, node in _assignments(before):
        if name in stored or changed.isdisjoint(names_loaded(node.value)):
            continue
        changed.add(name)
        if name in read:
            stale.append(node)
    if place is None:
        return
    for group in _each_and_all(stale):
        # At the end of a round, it is in time for the next: the first has what was computed before the loop.
        parts = [*group, place] if place is loop.body[0] else [place, *group]
        yield Change("stale", place, "; ".join(map(ast.unparse, parts)), line=group[0].lineno)


def _unmoved(loop: Loop, before: Sequence[ast.stmt], names: Names) -> Iterator[Change]:
    """Move on a pointer that stays where it is while others move."""
    pointers = _names_in_addresses(loop)
    additions = [node for node in loop.body if isinstance(node, ast.AugAssign)]
    moves = [node for node in additions if names_stored(node) & pointers]
    if not moves:
        return
    place = next((node for node in (loop.body[-1], *moves[::-1]) if _is_simple(node)), None)
    if place is None:
        return
    likely = chain.from_iterable(_steps(move.value, names) for move in moves)
    steps = list(dict.fromkeys([*likely, "1"]))[:MOST_STEPS]
    unmoved = pointers - names_stored(loop)
    for name in dict(_assignments(before)):
        if name in unmoved:
            for step in steps:
                yield Change("forgotten", place, f"{ast.unparse(place)}; {name} += {step}")


def _names_in_addresses(loop: Loop) -> set[str]:
    calls = [call for call in nodes_of(loop, ast.Call) if callee_name(call) in MEMORY]
    addresses = [call.args[0] for call in calls if call.args]
    return _names_loaded_in(addresses)


def _names_loaded_in(nodes: Iterable[ast.AST]) -> set[str]:
    return set[str]().union(*map(names_loaded, nodes))


def _steps(value: ast.expr, names: Names) -> Iterator[str]:
    """Yield how far another pointer moves, and as far along other strides."""
    step = ast.unparse(value)
    yield step
    for name in names_loaded(value):
        for alternative in names.like(name):
            if names.are_alike(name, alternative):
                yield re.sub(rf"\b{name}\b", alternative, step)


def _left(loop: Loop, names: Names) -> Iterator[Change]:
    """Compare what is left after the rounds of a loop that are done."""
    match loop:
        # With a step, the variable counts elements and not blocks.
        case ast.For(ast.Name(variable), ast.Call(args=bounds)) if len(bounds) < 3:
            sides = [node.left for node in nodes_of(loop, ast.Compare) if len(node.ops) == 1]
            for side in sides:
                while isinstance(side, ast.Subscript):
                    side = side.value
                if variable in names_loaded(side):
                    continue
                if isinstance(side, ast.Name | ast.Call):
                    for size in names.constants:
                        yield Change("moved", side, f"({variable} * {size} + {ast.unparse(side)})")
