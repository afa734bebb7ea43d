"""Hints on lines that are extra, or stand in another place."""

from __future__ import annotations

import ast
import itertools

from triton_workshop.checking.diagnosing.repair import Culprit
from triton_workshop.checking.judging.phrases import final_hint
from triton_workshop.checking.observing.source import Function, Source, callee_name
from triton_workshop.hints import sentences


def placement_hints(culprit: Culprit, source: Source) -> tuple[str, tuple[str, ...]]:
    """Return the name and hints of a line that has to go elsewhere.

    Both are empty if other code has to stand in its place.
    """
    if culprit.instead is None:
        return "", ()
    node = source.statement_at(culprit.line)
    if node is None:
        return "", ()
    # An `if` is never in the way by itself, but by what it leaves out.
    if isinstance(node, ast.If):
        return "branch", (*_branch_hints(node, source), final_hint(culprit))
    if culprit.moved:
        return "moved-line", (*sentences("lines.moved"), final_hint(culprit))
    return "added-line", (*_added_line_hints(node), final_hint(culprit))


def is_overwriting(culprit: Culprit | None, source: Source) -> bool:
    """Return whether an extra line ignores the value that it replaces."""
    if culprit is None or not culprit.extra:
        return False
    node = source.statement_at(culprit.line)
    if not isinstance(node, ast.Assign):
        return False
    operands = {child.id for child in ast.walk(node.value) if isinstance(child, ast.Name)}
    return operands.isdisjoint(_assigned_names(node))


def _branch_hints(node: ast.If, source: Source) -> tuple[str, ...]:
    # The hints ask for the case in which a part is left out: where the branch returns, that is when it is taken.
    answer = "true" if isinstance(node.body[-1], ast.Return) else "false"
    function = source.function_at(node.lineno)
    if function is not None and _is_in_loop(node, function):
        return sentences("lines.branch-in-loop", answer=answer)
    if function in source.kernels:
        return sentences("lines.branch-in-kernel", answer=answer)
    return sentences("lines.branch-in-launcher", answer=answer)


def _is_in_loop(node: ast.If, function: Function) -> bool:
    """Return whether a loop of a function contains a branch."""
    loops = [child for child in ast.walk(function) if isinstance(child, ast.For | ast.While)]
    for loop in loops:
        last_line = loop.end_lineno or 0
        if loop.lineno < node.lineno <= last_line:
            return True
    return False


def _added_line_hints(node: ast.stmt) -> tuple[str, ...]:
    match node:
        case ast.Assign() | ast.AugAssign() if names := _assigned_names(node):
            if len(names) == 1:
                return sentences("lines.added-value", names=names[0])
            return sentences("lines.added-values", names=" and ".join(names))
        case ast.Return():
            return sentences("lines.added-return")
        case ast.Expr(value=ast.Call(func=ast.Subscript())):
            return sentences("lines.added-launch")
        case ast.Expr(value=ast.Call() as call) if callee_name(call) == "store":
            return sentences("lines.added-store")
    return sentences("lines.added-line")


def _assigned_names(node: ast.Assign | ast.AugAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    nodes = itertools.chain.from_iterable(map(ast.walk, targets))
    return [node.id for node in nodes if isinstance(node, ast.Name)]
