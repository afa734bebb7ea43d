"""Recording of the branches that kernels and functions take.

Each condition of a kernel, and of the Python functions that are instrumented, records which way it went.
"""

from __future__ import annotations

import ast
import itertools
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

RECORDER_NAME = "_.tell_branch"
"""The function that an instrumented condition calls.

No script can have a name with a dot. A kernel may use it, as it begins with an underscore.
"""
_CONDITIONAL = (ast.If, ast.While, ast.IfExp)
_Conditional = TypeVar("_Conditional", ast.If, ast.While, ast.IfExp)


class Branch(NamedTuple):
    """Way that a condition went.

    The condition is that of `if`, `while`, or `a if condition else b`.
    """

    file: str
    line: int
    """The line at which the condition begins."""
    condition: str
    """As `ast.unparse` writes it."""
    taken: bool
    """True if the condition was true."""


_record: set[Branch] | None = None


@contextmanager
def record_branches() -> Iterator[set[Branch]]:
    """Collect the branches that are taken while this lasts."""
    global _record
    previous, _record = _record, set()
    try:
        yield _record
    finally:
        _record = previous


def record_branch(condition: Any, source: str) -> Any:
    """Record which way a condition goes, and return it.

    A kernel's condition ends the run, as in `if`, where programs disagree or it is undefined.
    """
    if _record is not None:
        frame = sys._getframe(1)
        _record.add(Branch(frame.f_code.co_filename, frame.f_lineno, source, bool(condition)))
    return condition


class BranchInstrumenter(ast.NodeTransformer):
    """Transformer that makes conditions record which way they go."""

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._wrap(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._wrap(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._wrap(node)

    def _wrap(self, node: _Conditional) -> ast.AST:
        source = ast.Constant(ast.unparse(node.test))
        self.generic_visit(node)
        call = ast.Call(ast.Name(RECORDER_NAME, ast.Load()), [node.test, source], [])
        node.test = ast.fix_missing_locations(ast.copy_location(call, node.test))
        return node


def instrument(space: dict[str, Any], text: str, file: str) -> None:
    """Make the functions of a script record their branches.

    These are the functions in `space` that a script with this text has defined, with the lambdas inside.

    Their code is replaced, and nothing else is. Functions that others wrap, such as caches, are found inside those.
    """
    tree = ast.parse(text)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    nodes = itertools.chain.from_iterable(map(ast.walk, functions))
    has_condition = any(isinstance(node, _CONDITIONAL) for node in nodes)
    if not has_condition:
        return
    # Without dont_inherit, the __future__ imports of this file would hold in the script.
    codes = dict(_code_objects(compile(BranchInstrumenter().visit(tree), file, "exec", dont_inherit=True)))
    for value in list(space.values()):
        function = _unwrap(value)
        if not isinstance(function, types.FunctionType):
            continue
        old_code = function.__code__
        if old_code.co_filename != file:
            continue
        new_code = codes.get((old_code.co_qualname, old_code.co_firstlineno), old_code)
        # Python refuses code for other cells than those of the closure.
        if new_code.co_freevars == old_code.co_freevars:
            function.__code__ = new_code
    space[RECORDER_NAME] = record_branch


def _unwrap(value: Any) -> Any:
    inner = getattr(value, "__dict__", {}).get("__wrapped__") if callable(value) else None
    return value if inner is None else _unwrap(inner)


def _code_objects(code: types.CodeType) -> Iterator[tuple[tuple[str, int], types.CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield (constant.co_qualname, constant.co_firstlineno), constant
