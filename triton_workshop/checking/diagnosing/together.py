"""The same change of several lines in a row that are alike.

Whoever writes three channels on three lines makes a mistake three times.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby, pairwise

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.observing.source import Function, callee_name, walk

WORD = re.compile(r"[A-Za-z_]\w*|\d[\w.]*")
Signature = tuple[str, str, int, str]
"""The kind of a change, its node's shape, the number of that among those of this shape, and its words."""
MOST = 8
"""Of more statements in a row, the first are changed together."""


def changes_together(function: Function, changes: Iterable[Change]) -> Iterator[Change]:
    """Yield the changes that fit each of several lines in a row."""
    single = _single_changes(changes)
    for statements in _alike(function):
        of_each = [_by_signature(statement, single.get(statement.lineno, ())) for statement in statements]
        # All of them may be meant, or two: of four pointers, those to k and v.
        for first, last in dict.fromkeys([(0, len(of_each) - 1), *pairwise(range(len(of_each)))]):
            yield from _common_changes(of_each[first], of_each[first + 1 : last + 1])


def _single_changes(changes: Iterable[Change]) -> dict[int, list[Change]]:
    """Return the changes of one node, by its line."""
    single: dict[int, list[Change]] = {}
    of_one_node = (change for change in changes if not change.also)
    for change in of_one_node:
        if not change.line:
            single.setdefault(change.node.lineno, []).append(change)
    return single


def _common_changes(first: dict[Signature, Change], others: Sequence[dict[Signature, Change]]) -> Iterator[Change]:
    """Yield the changes of a statement that the others have as well."""
    for signature, change in first.items():
        rest = [each[signature] for each in others if signature in each]
        if len(rest) == len(others):
            yield replace(change, also=tuple((each.node, each.replacement) for each in rest))


def _alike(function: Function) -> Iterator[list[ast.stmt]]:
    """Yield the statements in a row that do the same with other operands."""
    for node in walk(function):
        body = getattr(node, "body", None)
        # The body of a lambda or of `a if b else c` is an expression.
        if isinstance(body, list):
            for _, row in groupby(body, _action):
                statements = [each for each in row if each.lineno == each.end_lineno]
                if len(statements) > 1:
                    yield statements[:MOST]


def _action(statement: ast.stmt) -> tuple[type[ast.stmt], str]:
    value = getattr(statement, "value", None)
    return type(statement), callee_name(value) if isinstance(value, ast.Call) else ""


def _shape(node: ast.AST) -> str:
    """Return code without its names and numbers."""
    shape = WORD.sub(lambda token: token[0] if token[0] in ("tl", "in", "is") else "_", ast.unparse(node))
    return _halves(shape)


def _halves(code: str) -> str:
    """Return code in which a remainder looks like a quotient.

    The low half of a byte looks like its high half.
    """
    return code.replace("%", "//").replace(">>", "&")


def _by_signature(statement: ast.stmt, changes: Sequence[Change]) -> dict[Signature, Change]:
    shapes = {node: _shape(node) for node in walk(statement) if isinstance(node, ast.expr | ast.stmt)}
    earlier = Counter[str]()
    numbers = dict[ast.AST, int]()
    for node, shape in shapes.items():
        numbers[node], earlier[shape] = earlier[shape], earlier[shape] + 1
    found: dict[Signature, Change] = {}
    for change in changes:
        if change.node in numbers:
            # Numbered in their order, the names in `r * 2.0` and `g * 3.0` are the same.
            own = {token: f"<{at}>" for at, token in enumerate(dict.fromkeys(WORD.findall(ast.unparse(change.node))))}
            replacement = WORD.sub(lambda token: own.get(token[0], token[0]), change.replacement)  # noqa: B023
            signature = change.kind, shapes[change.node], numbers[change.node], _halves(replacement)
            found.setdefault(signature, change)
    return found
