"""Rewrites what Triton's compiler treats differently from Python: `and`, `or`, `not`, `assert` and numbers.

Python would ask a block whether it is true, and `mask = (rows < height) and (cols < width)` would lose its first half.
The numbers of a loop and of a tuple would be Python's: for those, `i.to(tl.float32)` is an error and `i // 2` rounds
down.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import triton.language as tl
from triton.runtime import interpreter as upstream

from triton_workshop.simulator import language

_NAMES = {ast.And: "_elementwise_and", ast.Or: "_elementwise_or"}
_OF_TENSORS = frozenset({"range", "min", "max"})
_OF_CONSTANTS = frozenset(vars(tl.constexpr(0)))
"""What the compiler finds in a constant before it looks at its value: `.value`, `.type`."""


class Rewriter(upstream.ASTTransformer):  # type: ignore[misc]  # Triton is untyped
    """What Triton's interpreter makes of a kernel's source, once these are calls."""

    def __init__(self) -> None:
        self._declared: set[str] = set()
        """The names that `n: tl.constexpr` has declared: what is assigned to them next stays a constant."""

    def visit_Module(self, node: ast.Module) -> ast.AST:  # noqa: N802
        self._declared.clear()
        changed: ast.AST = self.generic_visit(_AsCompiled().visit(node))
        return changed

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:  # noqa: N802
        match node.target:
            case ast.Name(id=name) if node.value is None and "constexpr" in ast.unparse(node.annotation):
                self._declared.add(name)
        return self.generic_visit(node)  # type: ignore[no-any-return]  # Triton is untyped

    def visit_Assign(self, node: ast.Assign) -> ast.AST:  # noqa: N802
        if len(node.targets) > 1:
            raise ValueError("Multiple assignments are not supported")
        self.generic_visit(node)
        names = {part.id for part in ast.walk(node.targets[0]) if isinstance(part, ast.Name)}
        if names and names <= self._declared:
            self._declared -= names
            return node
        node.value = ast.copy_location(_call("_assigned", [node.value]), node.value)
        return node


class _AsCompiled(ast.NodeTransformer):
    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        node.iter = ast.copy_location(_call("_counted", [node.iter]), node.iter)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in _OF_TENSORS or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(_call("_batched", [node]), node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr not in _OF_CONSTANTS or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(_call("_attribute", [node.value, ast.Constant(node.attr)]), node)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        parts: list[ast.expr] = [_lambda(value) for value in node.values]
        return ast.copy_location(_call(_NAMES[type(node.op)], parts), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return ast.copy_location(_call("_elementwise_not", [node.operand]), node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        arguments = [node.test] if node.msg is None else [node.test, node.msg]
        return ast.copy_location(ast.Expr(_call("_elementwise_assert", arguments)), node)


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(func=ast.Name(id=name, ctx=ast.Load()), args=arguments, keywords=[])


def _lambda(body: ast.expr) -> ast.Lambda:
    """An operand that is evaluated only if those before it do not decide, as in Python with plain values."""
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(args=nothing, body=body)


def elementwise_and(*parts: Callable[[], Any]) -> Any:
    return _joined(parts, "logical_and", decides=False)


def elementwise_or(*parts: Callable[[], Any]) -> Any:
    return _joined(parts, "logical_or", decides=True)


def elementwise_not(value: Any) -> Any:
    return value.__not__() if isinstance(value, tl.tensor) else not value


def elementwise_assert(condition: Any, message: str = "") -> None:
    if isinstance(condition, tl.tensor):
        tl.device_assert(condition, message)
    else:
        assert condition, message


def attribute(thing: Any, name: str) -> Any:
    """`thing.value` and so on, where a constant is a plain value here and a `tl.constexpr` for the compiler."""
    constant = not hasattr(thing, name) and not isinstance(thing, tl.core.base_value)
    return getattr(tl.constexpr(thing) if constant else thing, name)


def assigned(value: Any) -> Any:
    """What is assigned to names: numbers become tensors, those of a tuple too."""
    if isinstance(value, tl.tensor):
        return value
    if not isinstance(value, tuple):
        return upstream.interpreter_semantic.to_tensor(value, False)
    parts = [assigned(part) for part in value]
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def _joined(parts: tuple[Callable[[], Any], ...], method: str, *, decides: bool) -> Any:
    """Join all parts by a method of tensors. A plain value that decides the result ends this."""
    result = parts[0]()
    for part in parts[1:]:
        if not isinstance(result, tl.tensor):
            if bool(result) is decides:
                return result
            result = part()
            continue
        other = part()
        if isinstance(other, tl.tensor):
            result = getattr(result, method)(other)
        elif bool(other) is decides:
            return other
    return result


def install_rewriter() -> None:
    """Rewrite the kernels that are launched from now on."""
    upstream.FunctionRewriter.ast_transformer = Rewriter()
    # Triton gives a kernel the names of its interpreter's module.
    upstream._elementwise_and = elementwise_and
    upstream._elementwise_or = elementwise_or
    upstream._elementwise_not = elementwise_not
    upstream._elementwise_assert = elementwise_assert
    upstream._attribute = attribute
    upstream._batched = language.batched
    upstream._counted = language.counted
    upstream._assigned = assigned
