"""Nodes of Python's syntax tree that a rewritten kernel is made of."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable
from typing import Any, TypeVar

# No script can write a name with a dot, so none of these is a variable of the kernel. Each kind has a dot elsewhere, so
# none is another one either, whatever the kernel calls its variables.
OPERAND, CONDITION, DYNAMIC = ".operand", ".condition", ".dynamic"
"""Variables of an expression, of an expression, and of a function.

They hold an operand, a condition, and whether the program decides where the function returns.
"""
MODULE = "simulator.globals"
"""The globals of the kernel, for what finds a name there that the kernel assigns too."""
_Node = TypeVar("_Node", bound=ast.AST)


def helper_name(name: str) -> str:
    """Return by which name a rewritten kernel calls a helper."""
    return f"simulator.{name}"


def is_hidden(name: str) -> bool:
    """Return whether a name is one that no script can write."""
    return "." in name


def locate(location: ast.AST, node: _Node) -> _Node:
    """Return `node` and its parts at the location of another node."""
    ast.copy_location(node, location)
    pending: list[ast.AST] = [node]
    while pending:
        for part in ast.iter_child_nodes(pending.pop()):
            # A part that has a location has it in all of its parts, and most of a kernel has: no need to look there.
            if not hasattr(part, "lineno"):
                if "lineno" in part._attributes:
                    ast.copy_location(part, node)
                pending.append(part)
    return node


def call(helper: str, arguments: list[ast.expr]) -> ast.Call:
    """Return a call of a helper of `statements.py` and its like."""
    return ast.Call(func=load(helper_name(helper)), args=arguments, keywords=[])


def call_module_value(name: str) -> ast.Call:
    """Return a call that gives the module's value of a name."""
    return call("module_value", [load(MODULE), ast.Constant(name)])


def load(name: str) -> ast.Name:
    """Return a read of a variable."""
    return ast.Name(id=name, ctx=ast.Load())


def assign(name: str, value: ast.expr) -> ast.stmt:
    """Return the statement `name = value`."""
    return ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value)


def bind(name: str, value: ast.expr) -> ast.NamedExpr:
    """Return the expression `name := value`."""
    return ast.NamedExpr(ast.Name(name, ast.Store()), value)


def assigned_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that are assigned in `nodes`."""
    children = itertools.chain.from_iterable(map(ast.walk, nodes))
    names = (child for child in children if isinstance(child, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def elements(value: ast.expr | None) -> list[Any]:
    """Return the elements of a tuple, or the one value."""
    return value.elts if isinstance(value, ast.Tuple) else [value]
