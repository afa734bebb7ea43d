"""Rewriting of a kernel's expressions to the compiler's reading."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import triton.language as tl

from triton_simulator.language.analysis import FunctionFacts
from triton_simulator.language.closures import is_accepted_by_compiler
from triton_simulator.language.loops import TENSOR_BUILTINS
from triton_simulator.language.syntax import (
    CONDITION,
    OPERAND,
    assigned_names,
    bind,
    call,
    elements,
    load,
    locate,
)
from triton_simulator.language.triton_builtins import is_replaced

_TENSOR_BUILTIN_NAMES = frozenset(python.__name__ for python, _ in TENSOR_BUILTINS)
"""Builtins of Python that are others for tensors."""
_CONSTEXPR_ATTRIBUTES = frozenset(vars(tl.constexpr(0)))
"""Attributes of a constant that the compiler finds before its value's."""
_MAYBE_CONSTANT = (ast.Attribute, ast.IfExp, ast.Name, ast.Subscript)
"""Expressions that may be None or a data type."""


class Assignments:
    """Names as the statements before have left them."""

    def __init__(self, protected: Iterable[str]) -> None:
        self.protected = set(protected)
        """Names that a branch does not replace.

        They are set here, perhaps to None, to a data type or to a global.
        """
        self.annotations: dict[str, ast.expr] = {}
        """Annotations of names without a value."""

    def track(self, target: ast.expr, value: ast.expr) -> None:
        """Note an assignment, before its value is rewritten."""
        names = assigned_names([target])
        if _may_be_constant(value):
            self.protected |= names
        else:
            self.protected -= names

    def convert(self, target: ast.expr, value: ast.expr) -> ast.expr:
        """Return the value that the compiler would assign to a target."""
        names = [name_node.id for name_node in ast.walk(target) if isinstance(name_node, ast.Name)]
        annotations = [self.annotations.pop(name, None) for name in names]
        first = annotations[0] if annotations else None
        if first is not None and all(annotations):
            return locate(value, call("apply_annotation", [value, first]))
        return locate(value, call("to_tensors", [value]))

    @contextmanager
    def block(self) -> Iterator[None]:
        """Forget at the end what a block has assigned: it may not run."""
        state = set(self.protected), dict(self.annotations)
        yield
        self.protected, self.annotations = state


def _may_be_constant(value: ast.expr) -> bool:
    """Return whether a value may be None, a data type or a global."""
    if isinstance(value, ast.Constant):
        return value.value is None
    return isinstance(value, _MAYBE_CONSTANT)


class ExpressionRewriter(ast.NodeTransformer):
    """Rewriter of the expressions of one function."""

    def __init__(
        self, space: Mapping[str, Any], around: Mapping[str, Any], facts: FunctionFacts, assignments: Assignments
    ) -> None:
        self._space = space
        self._rejected = {name for name, value in around.items() if not is_accepted_by_compiler(name, value)}
        self._facts = facts
        self._assignments = assignments
        self._allows_assignment = True
        """True if `:=` is allowed here."""

    # Names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Resolve a name as the compiler does."""
        if not isinstance(node.ctx, ast.Load):
            return node
        if node.id in self._rejected:
            return locate(node, call("refuse_variable", [ast.Constant(node.id), node]))
        value = self._module_value(node)
        # The compiler reads a constant's value where Python would find the wrapper.
        if isinstance(value, tl.constexpr):
            return locate(node, call("constexpr_value", [node]))
        if is_replaced(value):
            return locate(node, call("current_builtin", [node]))
        return locate(node, call("tensor_builtin", [node])) if node.id in _TENSOR_BUILTIN_NAMES else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Resolve an attribute as the compiler does."""
        value = self._module_value(node)
        is_read = isinstance(node.ctx, ast.Load)
        if is_read and isinstance(value, tl.constexpr):
            return locate(node, call("constexpr_value", [node]))
        if is_replaced(value):
            return locate(node, call("current_builtin", [node]))
        self.generic_visit(node)
        if is_read and node.attr in _CONSTEXPR_ATTRIBUTES:
            return locate(node, call("read_attribute", [node.value, ast.Constant(node.attr)]))
        return node

    def _module_value(self, node: ast.expr) -> Any:
        """Return the value of a name or attribute at module level.

        None where a function has another meaning for the name.
        """
        if isinstance(node, ast.Name):
            return None if node.id in self._facts.local_names else self._space.get(node.id)
        module = self._module_value(node.value) if isinstance(node, ast.Attribute) else None
        return vars(module).get(node.attr) if isinstance(module, types.ModuleType) else None  # type: ignore[attr-defined]

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        """Convert the value that is assigned."""
        self._assignments.track(node.target, node.value)
        self.generic_visit(node)
        node.value = self._assignments.convert(node.target, node.value)
        return node

    # Operators

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Rewrite `and` and `or` as elementwise operations."""
        self.generic_visit(node)
        if not self._allows_assignment:
            return node
        name = "and" if isinstance(node.op, ast.And) else "or"
        *operands, result = node.values
        # From the right, so that each operand is evaluated only if those before it do not decide.
        for operand in reversed(operands):
            decision = call(f"short_circuits_{name}", [bind(OPERAND, operand)])
            joined = call(f"elementwise_{name}", [load(OPERAND), result])
            result = ast.IfExp(decision, load(OPERAND), joined)
        return locate(node, result)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Convert the value if the condition is a tensor."""
        self.generic_visit(node)
        if not self._allows_assignment:
            return node
        choice = ast.IfExp(load(CONDITION), node.body, node.orelse)
        return locate(node, call("conditional_value", [bind(CONDITION, node.test), choice]))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Rewrite `not` as an elementwise operation."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return locate(node, call("elementwise_not", [node.operand]))

    # Comprehensions

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """Assign the names that a comprehension shares with its function."""
        self.generic_visit(node)
        # Python keeps a comprehension's names to itself; the compiler assigns them in the function.
        if node in self._facts.escaping_comprehensions:
            for generator in node.generators:
                names = elements(generator.target)
                has_only_names = all(isinstance(name, ast.Name) for name in names)
                if has_only_names:
                    generator.ifs.insert(0, locate(node, _share_names(names)))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """Visit the parts, and forbid `:=` in what is iterated over."""
        # Python forbids it there.
        previous, self._allows_assignment = self._allows_assignment, False
        node.iter = self.visit(node.iter)
        self._allows_assignment = previous
        node.ifs = [self.visit(condition) for condition in node.ifs]
        return node


def _share_names(names: list[ast.Name]) -> ast.expr:
    """Return a condition that is true, and assigns a function's names.

    The names that the comprehension counts by become hidden ones.
    """
    hidden = {name.id: f"item.{name.id}" for name in names}
    for name in names:
        name.id = hidden[name.id]
    assignments: list[ast.expr] = [bind(name, load(hidden_name)) for name, hidden_name in hidden.items()]
    return ast.Compare(ast.Tuple(assignments, ast.Load()), [ast.IsNot()], [ast.Constant(None)])
