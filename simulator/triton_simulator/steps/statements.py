"""Statements of a kernel: the names that each assigns, and its loops."""

from __future__ import annotations

import ast
import functools
import linecache
import types
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Statement:
    """Statement of a function, or the head of a loop or a branch."""

    line: int
    names: tuple[str, ...]
    """The names that it assigns, in their order."""
    loops: tuple[int, ...]
    """The lines at which the loops around it begin, outermost first. A loop on one line is around itself."""
    is_loop: bool = False
    """Whether it is a loop's head: `names` are assigned each time that the body begins."""


@dataclass(frozen=True)
class Statements:
    """Statements of a function, by line."""

    by_line: dict[int, Statement] = field(default_factory=dict)
    shared: frozenset[int] = frozenset()
    """Lines with several statements, such as `if condition: x = 0`. Whether each ran cannot be known."""


@functools.lru_cache(maxsize=256)
def find_statements(code: types.CodeType) -> Statements | None:
    """Return the statements of a function; None where its source is not known."""
    tree = _parse(code.co_filename)
    if tree is None:
        return None
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    definition = next((node for node in functions if _begins_at(node, code)), None)
    if definition is None:
        return None
    by_line: dict[int, Statement] = {}
    shared: set[int] = set()
    for statement, lines in _walk(definition.body, ()):
        for line in lines:
            if line in by_line:
                shared.add(line)
                previous = by_line[line]
                # Tracing knows lines, not statements: those of one line become one that assigns all names.
                loops = (*previous.loops, previous.line) if previous.is_loop else previous.loops
                statement = Statement(previous.line, (*previous.names, *statement.names), loops)
            by_line[line] = statement
    return Statements(by_line, frozenset(shared))


@functools.lru_cache(maxsize=16)
def _parse_text(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def _parse(file: str) -> ast.Module | None:
    # The file may have changed since; then its lines would not be those that run.
    return _parse_text("".join(linecache.getlines(file)))


def _begins_at(node: ast.FunctionDef, code: types.CodeType) -> bool:
    # A rewritten kernel has lost its decorators, so its code begins at the `def`.
    return node.name == code.co_name and code.co_firstlineno in (node.lineno, _first_line(node))


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _walk(body: list[ast.stmt], loops: tuple[int, ...]) -> Iterator[tuple[Statement, range]]:
    """Yield each statement with its lines.

    Of a compound statement, the head comes before the bodies.
    """
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        blocks = [block for name in ("body", "orelse", "finalbody") if (block := getattr(node, name, None))]
        last = node.end_lineno or node.lineno
        end = blocks[0][0].lineno - 1 if blocks else last
        is_loop = isinstance(node, ast.For | ast.While)
        loops_inside = (*loops, node.lineno) if is_loop else loops
        names = tuple(_targets(node))
        # On one line, the body begins where the head does.
        yield Statement(node.lineno, names, loops, is_loop), range(node.lineno, max(end, node.lineno) + 1)
        for block in blocks:
            # A loop's `else` runs once, after the loop.
            is_body = block is blocks[0]
            yield from _walk(block, loops_inside if is_body else loops)


def _targets(node: ast.stmt) -> Iterator[str]:
    match node:
        case ast.Assign():
            targets = node.targets
        case ast.AugAssign() | ast.AnnAssign() | ast.For():
            targets = [node.target]
        case ast.With():
            targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
        case _:
            targets = []
    for target in targets:
        yield from (inner.id for inner in ast.walk(target) if isinstance(inner, ast.Name))
