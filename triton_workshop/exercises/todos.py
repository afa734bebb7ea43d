"""Open TODOs of a script: their lines hold `...` instead of code."""

from __future__ import annotations

import ast
import re
import threading
from dataclasses import dataclass
from functools import lru_cache

from triton_workshop.scripts import lines_of

_TODO = re.compile(r"#\s*TODO (\d+):?\s*(.*)")


@dataclass(frozen=True)
class OpenTodo:
    """A line with `...`.

    `number` and `task` come from its comment, if it has one.
    """

    line: int
    source: str
    number: int | None
    task: str


_PARSE_LOCK = threading.Lock()


def parse_script(source: str, file: str = "<script>") -> ast.Module:
    """Parse a script, in any thread. Raises SyntaxError if it is not Python.

    Python 3.11 counts how deep a tree is for all threads together, and may refuse a right one (CPython issue 106905).
    """
    with _PARSE_LOCK:
        return ast.parse(source, file)


@lru_cache(maxsize=64)  # a list of exercises is shown again and again, and few of them change
def open_todos(source: str) -> tuple[OpenTodo, ...]:
    """Return a script's open TODOs, from top to bottom.

    Raises SyntaxError if the script is not Python.
    """
    lines = lines_of(source)
    nodes = ast.walk(parse_script(source))
    placeholders = sorted({line for node in nodes for line in _placeholder_lines(node)})
    return tuple(_open_todo(line, lines[line - 1]) for line in placeholders)


def _placeholder_lines(node: ast.AST) -> list[int]:
    """Return the lines where a statement is `...` or assigns it.

    Elsewhere, as in `x[..., None]`, it is code.
    """
    if isinstance(node, ast.Expr | ast.Assign | ast.AugAssign | ast.AnnAssign) and _is_ellipsis(node.value):
        return [node.lineno]
    return []


def _is_ellipsis(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _open_todo(line: int, text: str) -> OpenTodo:
    match = _TODO.search(text)
    if match is None:
        return OpenTodo(line, text.strip(), None, "")
    return OpenTodo(line, text.strip(), int(match[1]), match[2].strip())
