"""Rewriting of kernels to the compiler's reading of Python.

Python would ask a block whether it is true, and `mask = (rows < height) and (cols < width)` would lose its first half.
Numbers that a kernel assigns, or counts in a loop, would be Python's: for those, `i.to(tl.float32)` is an error and
`i // 2` rounds down. What a kernel is rewritten to, where the compiler reads it differently from Python:

    kernel              the compiler's reading                  rewritten to
    x = 1               a name holds a tensor                   to_tensors, apply_annotation
    if c: x = …         None, types and globals stay            merge_branches
    return a, b         a number may become a tensor            to_tensors, return_value
    for i in …:         i is a tensor, and undefined after      loop_values, undefined_index
    assert c            of all elements                         elementwise_assert
    and, or, not        of each element                         short_circuits_…, elementwise_…
    a if c else b       a tensor, if c is one                   conditional_value
    [f(i) for i in …]   assigns i in the function               `:=`
    a name              of a constant, a builtin, a closure     constexpr_value, tensor_builtin, refuse_variable …
    a.value             of a constant too                       read_attribute

The functions are in `statements.py` and its like; a kernel has them in its closure, and not among its module's names.
`expressions.py` rewrites expressions, and this module statements.
"""

from __future__ import annotations

import ast
import itertools
import linecache
from collections.abc import Mapping
from typing import Any

from triton.compiler.code_generator import CodeGenerator
from triton.runtime import interpreter as upstream

from triton_simulator.branches import RECORDER_NAME, BranchInstrumenter, record_branch
from triton_simulator.language import statements
from triton_simulator.language.analysis import analyse
from triton_simulator.language.closures import ClosureVariables, define_kernel, refuse_variable
from triton_simulator.language.expressions import Assignments, ExpressionRewriter
from triton_simulator.language.loops import constexpr_value, loop_values, tensor_builtin
from triton_simulator.language.syntax import (
    CONDITION,
    DYNAMIC,
    MODULE,
    assign,
    assigned_names,
    bind,
    call,
    call_module_value,
    elements,
    helper_name,
    load,
    locate,
)
from triton_simulator.language.triton_builtins import current_builtin
from triton_simulator.patches import Patches

_CAN_RETURN_CONSTANTS = hasattr(CodeGenerator, "decide_return_type")
"""True if a jit function can return a constant.

In Triton 3.6, every number that it returns is a tensor.
"""
_CAN_ANNOTATE_AHEAD = "pending_annotations" in CodeGenerator.__init__.__code__.co_names
"""True if `k: tl.constexpr` alone says what `k` will be.

In Triton 3.6 it does not.
"""
_COMPARISON = "_InterpreterComparison"
"""What Triton's transformer writes for `a < b < c`."""


class Rewriter(upstream.ASTTransformer):  # type: ignore[misc]  # Triton is untyped
    """Triton's transformer of a kernel's source, after ours."""

    def __init__(self, space: Mapping[str, Any], around: Mapping[str, Any]) -> None:
        self._space = space
        self._around = around

    def visit_Module(self, node: ast.Module) -> ast.AST:  # noqa: N802
        """Return the module after all transformers."""
        # First, while the conditions are still those that the script wrote.
        BranchInstrumenter().visit(node)
        node.body = [_rewrite_function(function, self._space, self._around) for function in node.body]
        changed: ast.AST = self.generic_visit(node)
        return changed

    def visit_Assign(self, node: ast.Assign) -> ast.AST:  # noqa: N802
        """Return the assignment unchanged, with its parts visited."""
        # Triton's own method would make a tensor of every value, even of constants and hidden ones.
        changed: ast.AST = self.generic_visit(node)
        return changed

    def visit_Compare(self, node: ast.Compare) -> ast.AST:  # noqa: N802
        """Return Triton's chain of comparisons; Triton 3.6 has none."""
        visit: Any = getattr(super(), "visit_Compare", self.generic_visit)
        changed: ast.AST = visit(node)
        if changed is node:
            return changed
        names = (part for part in ast.walk(changed) if isinstance(part, ast.Name))
        for name in names:
            if name.id == _COMPARISON:
                name.id = helper_name(_COMPARISON)
        return changed


def _rewrite_function(node: ast.stmt, space: Mapping[str, Any], around: Mapping[str, Any]) -> ast.stmt:
    """Rewrite the body of a function; return anything else as it is."""
    return _FunctionRewriter(node, space, around).rewrite(node) if isinstance(node, ast.FunctionDef) else node


class _FunctionRewriter(ast.NodeTransformer):
    """Rewriter of the statements of one function."""

    def __init__(self, function: ast.FunctionDef, space: Mapping[str, Any], around: Mapping[str, Any]) -> None:
        self._outside = space, around
        names = {**space, **around}
        self._facts = analyse(function, names)
        self._assignments = Assignments(self._facts.shadowing)
        self._expressions = ExpressionRewriter(names, around, self._facts, self._assignments)
        self._numbers = itertools.count()
        """Numbers that keep the hidden names of nested statements apart."""

    def rewrite(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Rewrite the function's body."""
        node.body = self._rewrite_block(node.body)
        # The compiler reads a global until the kernel assigns the name; Python would raise UnboundLocalError.
        start = [assign(name, call_module_value(name)) for name in sorted(self._facts.shadowing)]
        if self._facts.varying:
            start.append(assign(DYNAMIC, ast.Constant(False)))
        # These statements come first, on the line of the first one, so that errors name a line that exists.
        node.body[:0] = [ast.copy_location(statement, node.body[0]) for statement in start]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Rewrite a function inside, whose names are its own."""
        return _rewrite_function(node, *self._outside)

    def visit(self, node: ast.AST) -> Any:
        """Rewrite a statement, or an expression of it."""
        return self._expressions.visit(node) if isinstance(node, ast.expr) else super().visit(node)

    def _rewrite_block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        # A module makes `generic_visit` accept that a statement becomes several.
        changed = ast.Module(body, [])
        with self._assignments.block():
            self.generic_visit(changed)
        return changed.body

    # Returns and assertions

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """Convert what is returned as the compiler would."""
        self.generic_visit(node)
        if node.value is None:
            return node
        if not _CAN_RETURN_CONSTANTS:
            node.value = locate(node.value, call("to_tensors", [node.value]))
            return node
        results = elements(node.value)
        is_dynamic = ast.Constant(True) if node in self._facts.early_returns else load(DYNAMIC)
        # Only results that differ between returns become tensors; the compiler knows the others as constants.
        for position in self._facts.varying & set(range(len(results))):
            results[position] = locate(node, call("return_value", [results[position], is_dynamic]))
        if not isinstance(node.value, ast.Tuple):
            (node.value,) = results
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Rewrite an assertion as a call that takes tensors."""
        self.generic_visit(node)
        arguments = [node.test] if node.msg is None else [node.test, node.msg]
        return locate(node, ast.Expr(call("elementwise_assert", arguments)))

    # Assignments

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Convert the value that is assigned."""
        if len(node.targets) > 1:
            raise ValueError("Multiple assignments are not supported")
        self._assignments.track(node.targets[0], node.value)
        self.generic_visit(node)
        node.value = self._assignments.convert(node.targets[0], node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Apply the annotation to the value, or keep it for later."""
        if node.value is None:
            if _CAN_ANNOTATE_AHEAD and isinstance(node.target, ast.Name):
                self._assignments.annotations[node.target.id] = node.annotation
            return node
        self._assignments.track(node.target, node.value)
        node.value = locate(node.value, call("apply_annotation", [self.visit(node.value), node.annotation]))
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Rewrite `x += y` on a name as `x = x + y`."""
        if not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        result = locate(node, ast.BinOp(load(node.target.id), node.op, node.value))
        changed: ast.AST = self.visit(locate(node, assign(node.target.id, result)))
        return changed

    # Branches and loops

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Add what keeps protected names, and what tracks returns."""
        protected = sorted(self._assignments.protected & (assigned_names(node.body) ^ assigned_names(node.orelse)))
        returns = self._facts.varying and _has_return(node)
        self._rewrite_parts(node)
        # Most branches need nothing: their names can be replaced, and the function returns elsewhere.
        is_plain = not protected and not returns
        if is_plain:
            return node
        number = next(self._numbers)
        condition, kept = f"{CONDITION}{number}", {name: f"kept{number}.{name}" for name in protected}
        setup = [assign(condition, node.test)]
        node.test = locate(node.test, load(condition))
        if returns:
            setup.append(assign(DYNAMIC, call("is_dynamic_branch", [load(condition), load(DYNAMIC)])))
        # The value before the branch is kept, as the branch may not replace it.
        setup += [assign(kept[name], load(name)) for name in protected]
        merges = [_merge(name, condition, kept[name]) for name in protected]
        before = [locate(node, part) for part in setup]
        after = [locate(node, part) for part in merges]
        return [*before, node, *after]

    def visit_While(self, node: ast.While) -> ast.AST:
        """Visit the branches as blocks that may not run."""
        self._rewrite_parts(node)
        return node

    def _rewrite_parts(self, node: ast.If | ast.While) -> None:
        node.test = self.visit(node.test)
        node.body, node.orelse = self._rewrite_block(node.body), self._rewrite_block(node.orelse)

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        """Loop over tensors, and make the index undefined after the loop."""
        node.iter = locate(node.iter, call("loop_values", [self.visit(node.iter)]))
        node.body, node.orelse = self._rewrite_block(node.body), self._rewrite_block(node.orelse)
        if node not in self._facts.escaping_loops:
            return node
        if not isinstance(node.target, ast.Name):
            return node
        loop = f".loop{next(self._numbers)}"
        node.iter = locate(node.iter, bind(loop, node.iter))
        index = call("undefined_index", [load(loop), ast.Constant(node.target.id)])
        # A loop that the compiler unrolls leaves its index behind; one that counts at run time does not.
        end = ast.If(call("is_runtime_loop", [load(loop)]), [assign(node.target.id, index)], [])
        return [node, locate(node, end)]


def _has_return(node: ast.stmt) -> bool:
    return any(isinstance(part, ast.Return) for part in ast.walk(node))


def _merge(name: str, condition: str, kept: str) -> ast.stmt:
    """Return the assignment of a protected name after a branch."""
    arguments = [load(condition), load(kept), load(name), call_module_value(name)]
    return assign(name, call("merge_branches", arguments))


def rewriter_patches(patches: Patches) -> None:
    """Plan that kernels are rewritten.

    Even those are that were rewritten before, as Triton keeps what it has rewritten.
    """
    helpers = _helpers()

    def define(rewriter: Any, tree: ast.Module) -> Any:
        """Return the function that a rewritten kernel's text defines."""
        names = {**helpers, MODULE: rewriter.fn.__globals__}
        return define_kernel(rewriter.fn, tree, rewriter.filename, names)

    transformer = property(lambda rewriter: Rewriter(rewriter.fn.__globals__, ClosureVariables(rewriter.fn)))
    patches.attribute(upstream.FunctionRewriter, "ast_transformer", transformer)
    patches.attribute(upstream.FunctionRewriter, "_transform_ast", _transform)
    patches.attribute(upstream.FunctionRewriter, "_compile_and_exec", define)
    patches.attribute(upstream.FunctionRewriter, "_get_jit_fn_file_line", _find_definition)
    patches.attribute(upstream.InterpretedFunction, "rewritten_fn", {})


def _helpers() -> dict[str, Any]:
    """Return what rewritten kernels call, by the names they use."""
    functions = [
        member for member in vars(statements).values() if getattr(member, "__module__", "") == statements.__name__
    ]
    functions += [tensor_builtin, loop_values, current_builtin, constexpr_value, refuse_variable]
    named = {helper_name(function.__name__): function for function in functions}
    return {
        **named,
        helper_name(_COMPARISON): getattr(upstream, _COMPARISON, None),
        RECORDER_NAME: record_branch,
    }


def _transform(rewriter: Any, text: str) -> Any:
    """Return the rewritten tree of a kernel's text, with the file's lines.

    Triton would go through the tree twice more, to number its lines and to fill in locations, which `define` does.
    """
    return rewriter.ast_transformer.visit(ast.parse("\n" * (rewriter.def_file_lineno - 1) + text))


def _find_definition(rewriter: Any) -> tuple[str, int]:
    """Return the file and the line of a kernel's `def`.

    To know them, Triton would read the kernel's source once more. `inspect` would ask each module in the process for
    its file, which takes longer than a small launch.
    """
    code = rewriter.fn.__code__
    lines = linecache.getlines(code.co_filename, rewriter.fn.__globals__)[code.co_firstlineno - 1 :]
    numbers = (number for number, line in enumerate(lines, code.co_firstlineno) if line.strip().startswith("def "))
    return code.co_filename, next(numbers, code.co_firstlineno)
