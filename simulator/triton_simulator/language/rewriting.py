"""Rewriting of kernels to the compiler's reading of Python.

Triton's compiler treats assignments, branches, loops, `and`, `or` and more differently from Python.

Python would ask a block whether it is true, and `mask = (rows < height) and (cols < width)` would lose its first half.
Numbers that a kernel assigns, or counts in a loop, would be Python's: for those, `i.to(tl.float32)` is an error and
`i // 2` rounds down. What a rewritten kernel calls is in `statements.py`.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import triton.language as tl
from triton.compiler.code_generator import CodeGenerator
from triton.runtime import interpreter as upstream

from triton_simulator.branches import RECORDER_NAME, BranchInstrumenter, record_branch
from triton_simulator.language import statements
from triton_simulator.language.closures import ClosureVariables, define_kernel, is_accepted_by_compiler, refuse_variable
from triton_simulator.language.loops import TENSOR_BUILTINS, constexpr_value, loop_values, tensor_builtin
from triton_simulator.language.triton_builtins import current_builtin, is_replaced
from triton_simulator.patches import Patches

_TENSOR_BUILTIN_NAMES = frozenset(python.__name__ for python, _ in TENSOR_BUILTINS)
"""Builtins of Python that are others for tensors."""
_CONSTEXPR_ATTRIBUTES = frozenset(vars(tl.constexpr(0)))
"""Attributes of a constant that the compiler finds before its value's."""
_CAN_RETURN_CONSTANTS = hasattr(CodeGenerator, "decide_return_type")
"""True if a jit function can return a constant.

In Triton 3.6, every number that it returns is a tensor.
"""
_CAN_ANNOTATE_AHEAD = "pending_annotations" in CodeGenerator.__init__.__code__.co_names
"""True if `k: tl.constexpr` alone says what `k` will be.

In Triton 3.6 it does not.
"""
_MAYBE_CONSTANT = (ast.Attribute, ast.IfExp, ast.Name, ast.Subscript)
"""Expressions that may be None or a data type."""
_OPERAND, _CONDITION, _DYNAMIC = ".part", ".condition", ".branched"
"""Variables that only we can name."""
_NONE = ast.Constant(None)
_Node = TypeVar("_Node", bound=ast.AST)


class Rewriter(upstream.ASTTransformer):  # type: ignore[misc]  # Triton is untyped
    """Triton's transformer of a kernel's source, after ours."""

    def __init__(self, space: dict[str, Any], around: Mapping[str, Any]) -> None:
        self._compiled = _CompilerSemantics(space, around)

    def visit_Module(self, node: ast.Module) -> ast.AST:  # noqa: N802
        """Return the module after all transformers."""
        changed: ast.AST = self.generic_visit(self._compiled.visit(BranchInstrumenter().visit(node)))
        return changed

    def visit_Assign(self, node: ast.Assign) -> ast.AST:  # noqa: N802
        """Return the assignment unchanged, with its parts visited."""
        changed: ast.AST = self.generic_visit(node)
        return changed


class _CompilerSemantics(ast.NodeTransformer):
    def __init__(self, space: dict[str, Any], around: Mapping[str, Any]) -> None:
        self._space = {**space, **around}
        self._rejected = {name for name, value in around.items() if not is_accepted_by_compiler(name, value)}
        self._numbers = itertools.count()
        self._escaping_loops: frozenset[ast.For] = frozenset()
        """The loops whose index is read after them."""
        self._varying: frozenset[int] = frozenset()
        """Indices in the result whose value depends on the `return` that runs."""
        self._early_returns: frozenset[ast.Return] = frozenset()
        """Returns in a branch with others after them.

        The compiler goes on there, whatever it knows.
        """
        self._locals: set[str] = set()
        self._escaping_comprehensions: frozenset[ast.ListComp] = frozenset()
        """The comprehensions whose names are read elsewhere."""
        self._protected: set[str] = set()
        """Names that a branch does not replace.

        They are set here, perhaps to None, to a data type or to a global.
        """
        self._annotations: dict[str, ast.expr] = {}
        """Annotations of names without a value."""
        self._allows_assignment = True
        """True if `:=` is allowed here."""

    # Functions

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Analyse the function's names, and rewrite its body."""
        nodes = list(ast.walk(node))
        parameters = {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
        stored = _assigned_names(node.body)
        # The compiler reads a global until the kernel assigns the name; Python would raise UnboundLocalError.
        shadowing = {name for name in stored - parameters if statements.is_compiler_global(self._space, name)}
        self._locals, self._protected = stored | parameters, set(shadowing)
        self._varying, self._early_returns = _varying_positions(nodes), frozenset(_early_returns(node.body))
        self._escaping_loops = frozenset(_escaping_nodes(nodes, ast.For, lambda loop: [loop.target]))
        self._escaping_comprehensions = frozenset(
            _escaping_nodes(
                nodes, ast.ListComp, lambda comprehension: [generator.target for generator in comprehension.generators]
            )
        )
        node.body = self._visit_block(node.body)
        start = [_assign(name, _call_module_value(name)) for name in sorted(shadowing)]
        if self._varying:
            start.append(_assign(_DYNAMIC, ast.Constant(False)))
        # These statements come first, on the line of the first one, so that errors name a line that exists.
        node.body[:0] = [ast.copy_location(statement, node.body[0]) for statement in start]
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """Convert what is returned as the compiler would."""
        is_early = node in self._early_returns
        self.generic_visit(node)
        if node.value is None:
            return node
        if not _CAN_RETURN_CONSTANTS:
            node.value = _locate(node.value, _call("_to_tensors", [node.value]))
        elif self._varying:
            elements = _elements(node.value)
            is_dynamic = ast.Constant(True) if is_early else _load(_DYNAMIC)
            # Only results that differ between returns become tensors; the compiler knows the others as constants.
            for position in self._varying & set(range(len(elements))):
                elements[position] = _locate(node, _call("_return_value", [elements[position], is_dynamic]))
            if not isinstance(node.value, ast.Tuple):
                (node.value,) = elements
        return node

    # Assignments

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Convert the value that is assigned."""
        if len(node.targets) > 1:
            raise ValueError("Multiple assignments are not supported")
        self._track_assignment(node.targets[0], node.value)
        self.generic_visit(node)
        node.value = self._convert_assigned(node.targets[0], node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Apply the annotation to the value, or keep it for later."""
        if node.value is None:
            if _CAN_ANNOTATE_AHEAD and isinstance(node.target, ast.Name):
                self._annotations[node.target.id] = node.annotation
            return node
        self._track_assignment(node.target, node.value)
        node.value = _locate(node.value, _call("_apply_annotation", [self.visit(node.value), node.annotation]))
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        """Convert the value that is assigned."""
        self._track_assignment(node.target, node.value)
        self.generic_visit(node)
        node.value = self._convert_assigned(node.target, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Rewrite `x += y` on a name as `x = x + y`."""
        if not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        result = _locate(node, ast.BinOp(_load(node.target.id), node.op, node.value))
        changed: ast.AST = self.visit(_locate(node, _assign(node.target.id, result)))
        return changed

    def _track_assignment(self, target: ast.expr, value: ast.expr) -> None:
        nothing = isinstance(value, ast.Constant) and value.value is None
        names = _assigned_names([target])
        if nothing or isinstance(value, _MAYBE_CONSTANT):
            self._protected |= names
        else:
            self._protected -= names

    def _convert_assigned(self, target: ast.expr, value: ast.expr) -> ast.expr:
        names = [name_node.id for name_node in ast.walk(target) if isinstance(name_node, ast.Name)]
        annotations = [self._annotations.pop(name, None) for name in names]
        if annotations and annotations[0] is not None and all(annotations):
            return _locate(value, _call("_apply_annotation", [value, annotations[0]]))
        return _locate(value, _call("_to_tensors", [value]))

    # Branches and loops

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Add what keeps protected names, and what tracks returns."""
        protected = sorted(self._protected & (_assigned_names(node.body) ^ _assigned_names(node.orelse)))
        returns = self._varying and any(isinstance(statement, ast.Return) for statement in ast.walk(node))
        node.test = self.visit(node.test)
        node.body, node.orelse = self._visit_block(node.body), self._visit_block(node.orelse)
        # Most branches need nothing: their names can be replaced, and the function returns elsewhere.
        if not (protected or returns):
            return node
        number = next(self._numbers)
        # A name with a dot is none that a script can have; the number keeps nested branches apart.
        condition = f"{_CONDITION}{number}"
        setup = [_assign(condition, node.test)]
        node.test = _locate(node.test, _load(condition))
        if returns:
            setup.append(_assign(_DYNAMIC, _call("_is_dynamic_branch", [_load(condition), _load(_DYNAMIC)])))
        merges = []
        for name in protected:
            value = f".{name}{number}"
            # The value before the branch is kept, as the branch may not replace it.
            setup.append(_assign(value, _load(name)))
            arguments = [_load(condition), _load(value), _load(name), _call_module_value(name)]
            merges.append(_assign(name, _call("_merge_branches", arguments)))
        return [
            *(_locate(node, statement) for statement in setup),
            node,
            *(_locate(node, statement) for statement in merges),
        ]

    def visit_While(self, node: ast.While) -> ast.AST:
        """Visit the branches as blocks that may not run."""
        node.test = self.visit(node.test)
        node.body, node.orelse = self._visit_block(node.body), self._visit_block(node.orelse)
        return node

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        """Loop over tensors, and make the index undefined after the loop."""
        node.iter = _locate(node.iter, _call("_loop_values", [self.visit(node.iter)]))
        node.body, node.orelse = self._visit_block(node.body), self._visit_block(node.orelse)
        if node not in self._escaping_loops or not isinstance(node.target, ast.Name):
            return node
        loop = f".loop{next(self._numbers)}"
        node.iter = _locate(node.iter, ast.NamedExpr(ast.Name(loop, ast.Store()), node.iter))
        index = _call("_undefined_index", [_load(loop), ast.Constant(node.target.id)])
        # A loop that the compiler unrolls leaves its index behind; one that counts at run time does not.
        end = ast.If(_call("_is_runtime_loop", [_load(loop)]), [_assign(node.target.id, index)], [])
        return [node, _locate(node, end)]

    def _visit_block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Visit the statements of a branch or loop, which may not run."""
        state = set(self._protected), dict(self._annotations)
        # A module makes `generic_visit` accept that a statement becomes several.
        changed = ast.Module(statements, [])
        self.generic_visit(changed)
        self._protected, self._annotations = state
        return changed.body

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Rewrite an assertion as a call that takes tensors."""
        self.generic_visit(node)
        arguments = [node.test] if node.msg is None else [node.test, node.msg]
        return _locate(node, ast.Expr(_call("_elementwise_assert", arguments)))

    # Expressions

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Resolve a name as the compiler does."""
        if not isinstance(node.ctx, ast.Load):
            return node
        if node.id in self._rejected:
            return _locate(node, _call("_refuse_variable", [ast.Constant(node.id), node]))
        value = self._module_value(node)
        # The compiler reads a constant's value where Python would find the wrapper.
        if isinstance(value, tl.constexpr):
            return _locate(node, _call("_constexpr_value", [node]))
        if is_replaced(value):
            return _locate(node, _call("_current_builtin", [node]))
        return _locate(node, _call("_tensor_builtin", [node])) if node.id in _TENSOR_BUILTIN_NAMES else node

    def _module_value(self, node: ast.expr) -> Any:
        """Return the value of a name or attribute at module level.

        None where a function has another meaning for the name.
        """
        if isinstance(node, ast.Name) and node.id not in self._locals:
            return self._space.get(node.id)
        module = self._module_value(node.value) if isinstance(node, ast.Attribute) else None
        return vars(module).get(node.attr) if isinstance(module, types.ModuleType) else None  # type: ignore[attr-defined]

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Resolve an attribute as the compiler does."""
        value = self._module_value(node)
        if isinstance(value, tl.constexpr) and isinstance(node.ctx, ast.Load):
            return _locate(node, _call("_constexpr_value", [node]))
        if is_replaced(value):
            return _locate(node, _call("_current_builtin", [node]))
        self.generic_visit(node)
        if node.attr not in _CONSTEXPR_ATTRIBUTES or not isinstance(node.ctx, ast.Load):
            return node
        return _locate(node, _call("_read_attribute", [node.value, ast.Constant(node.attr)]))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Rewrite `and` and `or` as elementwise operations."""
        self.generic_visit(node)
        if not self._allows_assignment:
            return node
        name = "and" if isinstance(node.op, ast.And) else "or"
        *operands, result = node.values
        # From the right, so that each operand is evaluated only if those before it do not decide.
        for operand in reversed(operands):
            decision = _call(f"_short_circuits_{name}", [ast.NamedExpr(ast.Name(_OPERAND, ast.Store()), operand)])
            joined = _call(f"_elementwise_{name}", [_load(_OPERAND), result])
            result = ast.IfExp(decision, _load(_OPERAND), joined)
        return _locate(node, result)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Convert the value if the condition is a tensor."""
        self.generic_visit(node)
        if not self._allows_assignment:
            return node
        condition = ast.NamedExpr(ast.Name(_CONDITION, ast.Store()), node.test)
        return _locate(
            node, _call("_conditional_value", [condition, ast.IfExp(_load(_CONDITION), node.body, node.orelse)])
        )

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Rewrite `not` as an elementwise operation."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return _locate(node, _call("_elementwise_not", [node.operand]))

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """Assign the names that a comprehension shares with its function."""
        escapes = node in self._escaping_comprehensions
        self.generic_visit(node)
        # Python keeps a comprehension's names to itself; the compiler assigns them in the function.
        for generator in node.generators if escapes else []:
            names = _elements(generator.target)
            if all(isinstance(name, ast.Name) for name in names):
                # The names that comprehensions count by are the function's.
                hidden = {name.id: f".{name.id}" for name in names}
                assignments: list[ast.expr] = [
                    ast.NamedExpr(ast.Name(name, ast.Store()), _load(hidden_name))
                    for name, hidden_name in hidden.items()
                ]
                for name in names:
                    name.id = hidden[name.id]
                generator.ifs.insert(
                    0, _locate(node, ast.Compare(ast.Tuple(assignments, ast.Load()), [ast.IsNot()], [_NONE]))
                )
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """Visit the parts, and forbid `:=` in what is iterated over."""
        previous, self._allows_assignment = self._allows_assignment, False
        # Python forbids `:=` in what a comprehension iterates over.
        node.iter = self.visit(node.iter)
        self._allows_assignment = previous
        node.ifs = [self.visit(condition) for condition in node.ifs]
        return node


def _locate(location: ast.AST, node: _Node) -> _Node:
    """Return `node` and its parts at the location of another node."""
    return ast.fix_missing_locations(ast.copy_location(node, location))


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(func=_load(name), args=arguments, keywords=[])


def _load(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value)


def _call_module_value(name: str) -> ast.Call:
    return _call("_module_value", [_call("globals", []), ast.Constant(name)])


def _assigned_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names that are assigned in `nodes`."""
    children = (child for node in nodes for child in ast.walk(node))
    return {child.id for child in children if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)}


def _elements(value: ast.expr | None) -> list[Any]:
    return value.elts if isinstance(value, ast.Tuple) else [value]


def _varying_positions(nodes: Iterable[ast.AST]) -> frozenset[int]:
    """Return the positions of a function's results that vary.

    They vary if they are not written the same way wherever the function returns.
    """
    returns = [_elements(node.value) for node in nodes if isinstance(node, ast.Return)]
    positions = range(max(map(len, returns), default=0))
    # Tuples of different lengths have no common positions: all vary.
    if len(set(map(len, returns))) > 1:
        return frozenset(positions)
    dumps = [
        {ast.dump(elements[position]) for elements in returns if elements[position] is not None}
        for position in positions
    ]
    return frozenset(position for position in positions if len(dumps[position]) > 1)


def _escaping_nodes(
    nodes: Sequence[ast.AST], kind: type[_Node], targets: Callable[[_Node], Iterable[ast.expr]]
) -> Iterator[_Node]:
    """Yield the loops or comprehensions whose names are read outside.

    A read in another one of the same names beside them does not count.
    """
    candidates = [node for node in nodes if isinstance(node, kind)]
    if not candidates:
        return
    bound = {node: _assigned_names(targets(node)) for node in candidates}
    inside = {node: set(ast.walk(node)) for node in candidates}
    updated = {node.target for node in nodes if isinstance(node, ast.AugAssign)}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    reads = [name for name in names if isinstance(name.ctx, ast.Load) or name in updated]
    for node in candidates:
        disjoint = [candidate for candidate in candidates if node not in inside[candidate]]
        outside = (read for read in reads if read.id in bound[node] and read not in inside[node])
        if any(
            not any(read.id in bound[candidate] and read in inside[candidate] for candidate in disjoint)
            for read in outside
        ):
            yield node


def _early_returns(body: list[ast.stmt]) -> Iterator[ast.Return]:
    """Yield the returns in branches that are followed by a return."""
    for position, statement in enumerate(body):
        # Nothing after it runs.
        if isinstance(statement, ast.Return):
            return
        if not isinstance(statement, ast.If):
            continue
        if any(isinstance(node, ast.Return) for later in body[position + 1 :] for node in ast.walk(later)):
            yield from (node for node in ast.walk(statement) if isinstance(node, ast.Return))
        else:
            yield from _early_returns(statement.body)
            yield from _early_returns(statement.orelse)


def rewriter_patches(patches: Patches) -> None:
    """Plan that kernels are rewritten.

    Even those are that were rewritten before, as Triton keeps what it has rewritten.
    """
    transformer = property(lambda rewriter: Rewriter(rewriter.fn.__globals__, ClosureVariables(rewriter.fn)))
    patches.attribute(upstream.FunctionRewriter, "ast_transformer", transformer)
    patches.attribute(upstream.FunctionRewriter, "_compile_and_exec", _define_rewritten)
    patches.attribute(upstream.FunctionRewriter, "_get_jit_fn_file_line", _find_definition)
    patches.attribute(upstream.InterpretedFunction, "rewritten_fn", {})
    # Triton gives a kernel the names of its interpreter's module.
    functions = [
        member for member in vars(statements).values() if getattr(member, "__module__", "") == statements.__name__
    ]
    for function in (tensor_builtin, loop_values, current_builtin, constexpr_value, refuse_variable, *functions):
        patches.attribute(upstream, f"_{function.__name__}", function)
    patches.attribute(upstream, RECORDER_NAME, record_branch)


def _find_definition(rewriter: Any) -> tuple[str, int]:
    """Return the file and the line of a kernel's `def`.

    To know them, Triton would read the kernel's source once more. `inspect` would ask each module in the process for
    its file, which takes longer than a small launch.
    """
    code = rewriter.fn.__code__
    lines = linecache.getlines(code.co_filename, rewriter.fn.__globals__)[code.co_firstlineno - 1 :]
    numbers = (number for number, line in enumerate(lines, code.co_firstlineno) if line.strip().startswith("def "))
    return code.co_filename, next(numbers, code.co_firstlineno)


def _define_rewritten(rewriter: Any, tree: ast.Module) -> Any:
    """Return the function that a rewritten kernel's text defines.

    Among the kernel's globals are then the names that a rewritten text calls, all of which begin with an underscore.
    Triton would add the rest of its interpreter's module: a kernel would find `np` and `math` without an import.
    """
    for name, value in vars(upstream).items():
        if name.startswith("_"):
            # A name of the kernel's own module stays.
            rewriter.fn.__globals__.setdefault(name, value)
    return define_kernel(rewriter.fn, tree, rewriter.filename)
