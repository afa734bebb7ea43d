"""Analysis of a kernel's names and returns, before it is rewritten."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from triton_simulator.language.statements import is_compiler_global
from triton_simulator.language.syntax import assigned_names, elements

_Node = TypeVar("_Node", bound=ast.AST)


@dataclass(frozen=True)
class FunctionFacts:
    """Facts about a function that no single statement shows."""

    local_names: frozenset[str]
    """Its parameters and the names that it assigns."""
    shadowing: frozenset[str]
    """The names it assigns that the compiler finds before that.

    Python would raise UnboundLocalError.
    """
    varying: frozenset[int]
    """Indices in the result whose value depends on the `return` that runs."""
    early_returns: frozenset[ast.Return]
    """Returns in a branch with others after them.

    The compiler goes on there, whatever it knows.
    """
    escaping_loops: frozenset[ast.For]
    """The loops whose index is read after them."""
    escaping_comprehensions: frozenset[ast.ListComp]
    """The comprehensions whose names are read elsewhere."""


def analyse(function: ast.FunctionDef, space: dict[str, Any]) -> FunctionFacts:
    """Return the facts about a function whose outer names are in `space`."""
    nodes = list(ast.walk(function))
    parameters = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
    stored = assigned_names(function.body)
    return FunctionFacts(
        local_names=frozenset(stored | parameters),
        shadowing=frozenset(name for name in stored - parameters if is_compiler_global(space, name)),
        varying=_varying_positions(nodes),
        early_returns=frozenset(_early_returns(function.body)),
        escaping_loops=frozenset(_escaping_nodes(nodes, ast.For, lambda loop: [loop.target])),
        escaping_comprehensions=frozenset(_escaping_nodes(nodes, ast.ListComp, _comprehension_targets)),
    )


def _comprehension_targets(comprehension: ast.ListComp) -> list[ast.expr]:
    return [generator.target for generator in comprehension.generators]


def _varying_positions(nodes: Iterable[ast.AST]) -> frozenset[int]:
    """Return the positions of a function's results that vary.

    They vary if they are not written the same way wherever the function returns.
    """
    returns = [elements(node.value) for node in nodes if isinstance(node, ast.Return)]
    # Tuples of different lengths have no common positions: all vary.
    if len(set(map(len, returns))) > 1:
        return frozenset(range(max(map(len, returns))))
    columns = zip(*returns, strict=True)
    return frozenset(position for position, values in enumerate(columns) if _is_varying(values))


def _is_varying(values: Iterable[Any]) -> bool:
    """Return whether the values at a position are written in several ways."""
    return len({ast.dump(value) for value in values if value is not None}) > 1


def _escaping_nodes(
    nodes: Sequence[ast.AST], kind: type[_Node], targets: Callable[[_Node], Iterable[ast.expr]]
) -> Iterator[_Node]:
    """Yield the loops or comprehensions whose names are read outside.

    A read in another one of the same names beside them does not count.
    """
    candidates = [node for node in nodes if isinstance(node, kind)]
    if not candidates:
        return
    inside = {node: set(ast.walk(node)) for node in candidates}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    reads = [name for name in names if isinstance(name.ctx, ast.Load)]
    # `x += 1` reads x, although its context there is only Store.
    updated = {node.target for node in nodes if isinstance(node, ast.AugAssign)}
    reads += [name for name in names if name in updated]
    reads_of = {}
    for node in candidates:
        bound = assigned_names(targets(node))
        reads_of[node] = {read for read in reads if read.id in bound}
    for node in candidates:
        # A loop around this one does not count: what it reads after this one is what this one has left.
        disjoint = [candidate for candidate in candidates if node not in inside[candidate]]
        own_reads = (reads_of[candidate] & inside[candidate] for candidate in disjoint)
        if reads_of[node].difference(inside[node], *own_reads):
            yield node


def _early_returns(body: list[ast.stmt]) -> Iterator[ast.Return]:
    """Yield the returns in branches that are followed by a return."""
    for position, statement in enumerate(body):
        # Nothing after it runs.
        if isinstance(statement, ast.Return):
            return
        if not isinstance(statement, ast.If):
            continue
        later = itertools.chain.from_iterable(map(ast.walk, body[position + 1 :]))
        has_later_return = any(isinstance(node, ast.Return) for node in later)
        if has_later_return:
            yield from (node for node in ast.walk(statement) if isinstance(node, ast.Return))
        else:
            yield from _early_returns(statement.body)
            yield from _early_returns(statement.orelse)
