"""Writes many changes of a script into one text.

A script is loaded and its kernels are rewritten once for all of them, which takes longer than a run. A number that is
set before each call says which of the changes is made: `a + b` becomes `a - b if _variant == 3 else a + b`, and what
replaces a statement stands in the branch of an `if`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Sequence
from contextlib import suppress

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.observing.source import Source

VARIANT = "_variant"
"""The global that says which change is made; 0 for none."""
Code = ast.expr | list[ast.stmt]
Replacement = tuple[ast.AST, Code]
"""A part of a script, and the code to take its place."""
Choices = dict[ast.AST, list[tuple[int, Code]]]
"""For parts of a script, the code of each change, with its number."""


def text_with_variants(source: Source, changes: Sequence[Change]) -> tuple[str, list[int]]:
    """Return a text with all changes, and the numbers of those that fit in.

    The first change has the number 1. A target of an assignment, for example, does not fit in.
    """
    parents: dict[ast.AST, ast.AST] = {}
    for node in source.nodes:
        parents.update(dict.fromkeys(ast.iter_child_nodes(node), node))
    choices: Choices = {}
    fitting = []
    for number, change in enumerate(changes, 1):
        with suppress(SyntaxError):
            replacements = [_replacement(node, replacement, parents) for node, replacement in change.nodes]
            if None not in replacements:
                for node, replacement in filter(None, replacements):
                    choices.setdefault(node, []).append((number, replacement))
                fitting.append(number)
    tree = _rebuilt(source.tree, choices)
    assert isinstance(tree, ast.Module)
    # After any `from __future__ import …`, which Python wants first, and before every function.
    first = next((at for at, node in enumerate(tree.body) if isinstance(node, ast.FunctionDef)), 0)
    # The script need not have the name `tl`, and a kernel may read no global but a constexpr.
    tree.body[first:first] = ast.parse(f"import triton.language\n{VARIANT} = triton.language.constexpr(0)").body
    return ast.unparse(ast.fix_missing_locations(tree)), fitting


def _rebuilt(node: ast.AST, choices: Choices) -> ast.AST:
    """Return a copy of a tree in which parts have their choices."""
    # The source keeps its tree: the next text is made of the same nodes.
    built = copy.copy(node)
    for name, value in ast.iter_fields(node):
        if isinstance(value, list):
            setattr(built, name, [_rebuilt(part, choices) if isinstance(part, ast.AST) else part for part in value])
        elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context | ast.operator | ast.cmpop):
            setattr(built, name, _rebuilt(value, choices))
    for number, code in choices.get(node, ()):
        test = ast.Compare(ast.Name(VARIANT, ast.Load()), [ast.Eq()], [ast.Constant(number)])
        if isinstance(built, ast.stmt):
            assert isinstance(code, list)
            built = ast.If(test, code, [built])
        else:
            assert isinstance(code, ast.expr)
            assert isinstance(built, ast.expr)
            built = ast.IfExp(test, code, built)
    return built


def _replacement(node: ast.AST, replacement: str, parents: dict[ast.AST, ast.AST]) -> Replacement | None:
    """Return which part has to be replaced for this node, and by what."""
    if isinstance(node, ast.stmt):
        return node, ast.parse(replacement).body
    if isinstance(node, ast.Tuple) and node not in parents:  # some arguments of a call, or some of a tuple
        return _in_parent(node.elts, replacement, parents)
    if not isinstance(node, ast.expr):
        return None
    if _is_target(node):
        return None
    parent = parents.get(node)
    # No `a if … else b` can hold a slice such as `:`, but it can hold the whole `x[:, None]`.
    if isinstance(parent, ast.Subscript) and parent.slice is node:
        if _is_target(parent):
            return None
        return parent, _parsed(f"{ast.unparse(parent.value)}[{replacement}]")
    return node, _parsed(replacement)


def _is_target(node: ast.AST | None) -> bool:
    """Return whether a node is assigned to, and so no expression to choose."""
    return isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)


def _parsed(code: str) -> ast.expr:
    return ast.parse(f"({code})", mode="eval").body


def _in_parent(old: Sequence[ast.expr], replacement: str, parents: dict[ast.AST, ast.AST]) -> Replacement | None:
    parent = parents.get(old[0])
    if _is_target(parent):
        return None
    subscript = _parsed(f"_[{replacement},]")  # only there may be slices
    assert isinstance(subscript, ast.Subscript)
    assert isinstance(subscript.slice, ast.Tuple)
    new = subscript.slice
    changed = copy.copy(parent)
    match changed:
        case ast.Call(args=values):
            changed.args = _spliced(values, old, new.elts)
        case ast.Tuple(elts=values) | ast.List(elts=values):
            changed.elts = _spliced(values, old, new.elts)
        case _:
            return None
    assert isinstance(parent, ast.expr)
    outer = parents.get(parent)
    if isinstance(outer, ast.Subscript) and outer.slice is parent:
        if _is_target(outer):
            return None
        whole = copy.copy(outer)
        whole.slice = changed
        return outer, whole
    return parent, changed


def _spliced(values: Iterable[ast.expr], old: Sequence[ast.expr], new: Sequence[ast.expr]) -> list[ast.expr]:
    """Return values with the new ones in place of the old ones in a row."""
    before = list(values)
    at = before.index(old[0])
    return [*before[:at], *new, *before[at + len(old) :]]
