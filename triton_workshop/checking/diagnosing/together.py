"""The same change of several lines in a row that are alike.

Whoever writes three channels on three lines makes a mistake three times.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.observing.source import Function, walk

WORD = re.compile(r"[A-Za-z_]\w*|\d[\w.]*")
Signature = tuple[str, int, str]
"""The kind of a change, the number of its node in the statement, and its words."""


def changes_together(function: Function, changes: Iterable[Change]) -> Iterator[Change]:
    """Yield the changes that fit each of several lines in a row."""
    single: dict[int, list[Change]] = {}
    for change in changes:
        if not change.also and not change.line:
            single.setdefault(change.node.lineno, []).append(change)
    for statements in _alike(function):
        first, *others = [_by_signature(statement, single.get(statement.lineno, ())) for statement in statements]
        for signature, change in first.items():
            rest = [each[signature] for each in others if signature in each]
            if len(rest) == len(others):
                yield replace(change, also=tuple((each.node, each.replacement) for each in rest))


def _alike(function: Function) -> Iterator[list[ast.stmt]]:
    """Yield the statements in a row that differ in names, numbers or // and % only."""
    for node in walk(function):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            for _, row in groupby(body, _shape):
                statements = [each for each in row if each.lineno == each.end_lineno]
                if len(statements) > 1:
                    yield statements


def _shape(statement: ast.stmt) -> str:
    """Return a statement without its names and numbers."""
    shape = WORD.sub(lambda token: token[0] if token[0] in ("tl", "in", "is") else "_", ast.unparse(statement))
    return shape.replace("%", "//")


def _by_signature(statement: ast.stmt, changes: Sequence[Change]) -> dict[Signature, Change]:
    numbers = {node: number for number, node in enumerate(walk(statement))}
    own = {token: f"<{at}>" for at, token in enumerate(dict.fromkeys(WORD.findall(ast.unparse(statement))))}
    found: dict[Signature, Change] = {}
    for change in changes:
        if change.node in numbers:
            replacement = WORD.sub(lambda token: own.get(token[0], token[0]), change.replacement).replace("%", "//")
            found.setdefault((change.kind, numbers[change.node], replacement), change)
    return found
