"""Rewrites what Triton's compiler treats differently from Python: assignments, branches, loops, `and`, `or` and more.

Python would ask a block whether it is true, and `mask = (rows < height) and (cols < width)` would lose its first half.
Numbers that a kernel assigns, or counts in a loop, would be Python's: for those, `i.to(tl.float32)` is an error and
`i // 2` rounds down. What a rewritten kernel calls is in `statements.py`.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import triton.language as tl
from triton.compiler.code_generator import CodeGenerator
from triton.runtime import interpreter as upstream

from triton_simulator.branches import TELL, TellBranches, tell_branch
from triton_simulator.language import statements
from triton_simulator.language.builtins_of_triton import current, is_replaced
from triton_simulator.language.captured import Captured, compiler_takes, defined, refused
from triton_simulator.language.loops import OF_TENSORS, batched, counted, plain
from triton_simulator.patches import Patches

_OF_TENSORS = frozenset(python.__name__ for python, _ in OF_TENSORS)
"""Builtins of Python that are others for tensors."""
_OF_CONSTANTS = frozenset(vars(tl.constexpr(0)))
"""What the compiler finds in a constant before it looks at its value: `.value`, `.type`."""
_RETURNS_CONSTANTS = hasattr(CodeGenerator, "decide_return_type")
"""Whether a jit function can return a constant: in Triton 3.6, every number that it returns is a tensor."""
_ANNOTATES_AHEAD = "pending_annotations" in CodeGenerator.__init__.__code__.co_names
"""Whether `k: tl.constexpr` alone says what `k` will be: not in Triton 3.6."""
_PERHAPS_CONSTANT = (ast.Attribute, ast.IfExp, ast.Name, ast.Subscript)
"""Expressions that may be None or a data type."""
_PART, _CONDITION, _BRANCHED = ".part", ".condition", ".branched"
"""Variables that only we can name."""
_NONE = ast.Constant(None)
_Node = TypeVar("_Node", bound=ast.AST)


class Rewriter(upstream.ASTTransformer):  # type: ignore[misc]  # Triton is untyped
    """What Triton's interpreter makes of a kernel's source, once these are calls."""

    def __init__(self, space: dict[str, Any], around: Mapping[str, Any]) -> None:
        self._compiled = _AsCompiled(space, around)

    def visit_Module(self, node: ast.Module) -> ast.AST:  # noqa: N802
        changed: ast.AST = self.generic_visit(self._compiled.visit(TellBranches().visit(node)))
        return changed

    def visit_Assign(self, node: ast.Assign) -> ast.AST:  # noqa: N802
        changed: ast.AST = self.generic_visit(node)
        return changed


class _AsCompiled(ast.NodeTransformer):
    def __init__(self, space: dict[str, Any], around: Mapping[str, Any]) -> None:
        self._space = {**space, **around}
        self._refused = {name for name, value in around.items() if not compiler_takes(name, value)}
        self._fresh = itertools.count()
        self._outlived: frozenset[ast.For] = frozenset()
        """The loops whose index is read after them."""
        self._returned: frozenset[int] = frozenset()
        """The places of what the function returns that are not the same wherever it returns."""
        self._overtaken: frozenset[ast.Return] = frozenset()
        """The returns in a branch that others come after: the compiler goes on there, whatever it knows."""
        self._locals: set[str] = set()
        self._leaking: frozenset[ast.ListComp] = frozenset()
        """The comprehensions whose names are read elsewhere."""
        self._kept: set[str] = set()
        """Names that are set here, perhaps to None, to a data type or to a global: a branch does not replace those."""
        self._announced: dict[str, ast.expr] = {}
        """Annotations of names without a value."""
        self._may_assign = True
        """Whether `:=` is allowed here."""

    # Functions

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        nodes = list(ast.walk(node))
        parameters = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
        stored = _stored(node.body)
        shadowing = {name for name in stored - parameters if statements.sees(self._space, name)}
        self._locals, self._kept = stored | parameters, set(shadowing)
        self._returned, self._overtaken = _returned(nodes), frozenset(_overtaken(node.body))
        self._outlived = frozenset(_outliving(nodes, ast.For, lambda loop: [loop.target]))
        self._leaking = frozenset(
            _outliving(nodes, ast.ListComp, lambda made: [part.target for part in made.generators])
        )
        node.body = self._block(node.body)
        start = [_assign(name, _of_module(name)) for name in sorted(shadowing)]
        if self._returned:
            start.append(_assign(_BRANCHED, ast.Constant(False)))
        node.body[:0] = [ast.copy_location(statement, node.body[0]) for statement in start]
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        overtaken = node in self._overtaken
        self.generic_visit(node)
        if node.value is None:
            return node
        if not _RETURNS_CONSTANTS:
            node.value = _at(node.value, _call("_assigned", [node.value]))
        elif self._returned:
            parts = _parts(node.value)
            branched = ast.Constant(True) if overtaken else _load(_BRANCHED)
            for place in self._returned & set(range(len(parts))):
                parts[place] = _at(node, _call("_returned", [parts[place], branched]))
            if not isinstance(node.value, ast.Tuple):
                (node.value,) = parts
        return node

    # Assignments

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if len(node.targets) > 1:
            raise ValueError("Multiple assignments are not supported")
        self._set(node.targets[0], node.value)
        self.generic_visit(node)
        node.value = self._as_assigned(node.targets[0], node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            if _ANNOTATES_AHEAD and isinstance(node.target, ast.Name):
                self._announced[node.target.id] = node.annotation
            return node
        self._set(node.target, node.value)
        node.value = _at(node.value, _call("_annotated", [self.visit(node.value), node.annotation]))
        return node

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        self._set(node.target, node.value)
        self.generic_visit(node)
        node.value = self._as_assigned(node.target, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        result = _at(node, ast.BinOp(_load(node.target.id), node.op, node.value))
        changed: ast.AST = self.visit(_at(node, _assign(node.target.id, result)))
        return changed

    def _set(self, target: ast.expr, value: ast.expr) -> None:
        nothing = isinstance(value, ast.Constant) and value.value is None
        names = _stored([target])
        if nothing or isinstance(value, _PERHAPS_CONSTANT):
            self._kept |= names
        else:
            self._kept -= names

    def _as_assigned(self, target: ast.expr, value: ast.expr) -> ast.expr:
        names = [part.id for part in ast.walk(target) if isinstance(part, ast.Name)]
        annotations = [self._announced.pop(name, None) for name in names]
        if annotations and annotations[0] is not None and all(annotations):
            return _at(value, _call("_annotated", [value, annotations[0]]))
        return _at(value, _call("_assigned", [value]))

    # Branches and loops

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        kept = sorted(self._kept & (_stored(node.body) ^ _stored(node.orelse)))
        returns = self._returned and any(isinstance(part, ast.Return) for part in ast.walk(node))
        node.test = self.visit(node.test)
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        if not (kept or returns):
            return node
        number = next(self._fresh)
        condition = f"{_CONDITION}{number}"
        before = [_assign(condition, node.test)]
        node.test = _at(node.test, _load(condition))
        if returns:
            before.append(_assign(_BRANCHED, _call("_branched", [_load(condition), _load(_BRANCHED)])))
        after = []
        for name in kept:
            value = f".{name}{number}"
            before.append(_assign(value, _load(name)))
            parts = [_load(condition), _load(value), _load(name), _of_module(name)]
            after.append(_assign(name, _call("_after_branches", parts)))
        return [*(_at(node, part) for part in before), node, *(_at(node, part) for part in after)]

    def visit_While(self, node: ast.While) -> ast.AST:
        node.test = self.visit(node.test)
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        return node

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        node.iter = _at(node.iter, _call("_counted", [self.visit(node.iter)]))
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        if node not in self._outlived or not isinstance(node.target, ast.Name):
            return node
        loop = f".loop{next(self._fresh)}"
        node.iter = _at(node.iter, ast.NamedExpr(ast.Name(loop, ast.Store()), node.iter))
        index = _call("_after_loop", [_load(loop), ast.Constant(node.target.id)])
        end = ast.If(_call("_counts", [_load(loop)]), [_assign(node.target.id, index)], [])
        return [node, _at(node, end)]

    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements of a branch or of a loop, which may not run."""
        before = set(self._kept), dict(self._announced)
        changed = ast.Module(statements, [])
        self.generic_visit(changed)
        self._kept, self._announced = before
        return changed.body

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.generic_visit(node)
        arguments = [node.test] if node.msg is None else [node.test, node.msg]
        return _at(node, ast.Expr(_call("_elementwise_assert", arguments)))

    # Expressions

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if not isinstance(node.ctx, ast.Load):
            return node
        if node.id in self._refused:
            return _at(node, _call("_refused", [ast.Constant(node.id), node]))
        value = self._of_module(node)
        if isinstance(value, tl.constexpr):
            return _at(node, _call("_plain", [node]))
        if is_replaced(value):
            return _at(node, _call("_current", [node]))
        return _at(node, _call("_batched", [node])) if node.id in _OF_TENSORS else node

    def _of_module(self, node: ast.expr) -> Any:
        """What a name, or an attribute of a module, is where no function has another name for it."""
        if isinstance(node, ast.Name) and node.id not in self._locals:
            return self._space.get(node.id)
        module = self._of_module(node.value) if isinstance(node, ast.Attribute) else None
        return vars(module).get(node.attr) if isinstance(module, types.ModuleType) else None  # type: ignore[attr-defined]

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        value = self._of_module(node)
        if isinstance(value, tl.constexpr) and isinstance(node.ctx, ast.Load):
            return _at(node, _call("_plain", [node]))
        if is_replaced(value):
            return _at(node, _call("_current", [node]))
        self.generic_visit(node)
        if node.attr not in _OF_CONSTANTS or not isinstance(node.ctx, ast.Load):
            return node
        return _at(node, _call("_attribute", [node.value, ast.Constant(node.attr)]))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if not self._may_assign:
            return node
        name = "and" if isinstance(node.op, ast.And) else "or"
        *parts, result = node.values
        for part in reversed(parts):
            decides = _call(f"_decides_{name}", [ast.NamedExpr(ast.Name(_PART, ast.Store()), part)])
            joined = _call(f"_elementwise_{name}", [_load(_PART), result])
            result = ast.IfExp(decides, _load(_PART), joined)
        return _at(node, result)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if not self._may_assign:
            return node
        condition = ast.NamedExpr(ast.Name(_CONDITION, ast.Store()), node.test)
        return _at(node, _call("_chosen", [condition, ast.IfExp(_load(_CONDITION), node.body, node.orelse)]))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return _at(node, _call("_elementwise_not", [node.operand]))

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        leaking = node in self._leaking
        self.generic_visit(node)
        for part in node.generators if leaking else []:
            names = _parts(part.target)
            if all(isinstance(name, ast.Name) for name in names):
                # The names that comprehensions count by are the function's.
                own = {name.id: f".{name.id}" for name in names}
                taken: list[ast.expr] = [
                    ast.NamedExpr(ast.Name(name, ast.Store()), _load(mine)) for name, mine in own.items()
                ]
                for name in names:
                    name.id = own[name.id]
                part.ifs.insert(0, _at(node, ast.Compare(ast.Tuple(taken, ast.Load()), [ast.IsNot()], [_NONE])))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        before, self._may_assign = self._may_assign, False
        node.iter = self.visit(node.iter)
        self._may_assign = before
        node.ifs = [self.visit(condition) for condition in node.ifs]
        return node


def _at(place: ast.AST, node: _Node) -> _Node:
    """`node`, and what it is made of, at the place of another one."""
    return ast.fix_missing_locations(ast.copy_location(node, place))


def _call(name: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(func=_load(name), args=arguments, keywords=[])


def _load(name: str) -> ast.Name:
    return ast.Name(id=name, ctx=ast.Load())


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign(targets=[ast.Name(id=name, ctx=ast.Store())], value=value)


def _of_module(name: str) -> ast.Call:
    return _call("_of_module", [_call("globals", []), ast.Constant(name)])


def _stored(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that are assigned in `nodes`."""
    parts = (part for node in nodes for part in ast.walk(node))
    return {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _parts(value: ast.expr | None) -> list[Any]:
    return value.elts if isinstance(value, ast.Tuple) else [value]


def _returned(nodes: Iterable[ast.AST]) -> frozenset[int]:
    """The places of what a function of these nodes returns that are not written the same way wherever it returns."""
    returns = [_parts(part.value) for part in nodes if isinstance(part, ast.Return)]
    places = range(max(map(len, returns), default=0))
    if len(set(map(len, returns))) > 1:
        return frozenset(places)
    dumps = [{ast.dump(parts[place]) for parts in returns if parts[place] is not None} for place in places]
    return frozenset(place for place in places if len(dumps[place]) > 1)


def _outliving(
    nodes: Sequence[ast.AST], kind: type[_Node], targets: Callable[[_Node], Iterable[ast.expr]]
) -> Iterator[_Node]:
    """The loops or comprehensions whose names are read outside, but not in another of the same names beside them."""
    found = [node for node in nodes if isinstance(node, kind)]
    if not found:
        return
    bound = {node: _stored(targets(node)) for node in found}
    inside = {node: set(ast.walk(node)) for node in found}
    updated = {node.target for node in nodes if isinstance(node, ast.AugAssign)}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    reads = [name for name in names if isinstance(name.ctx, ast.Load) or name in updated]
    for node in found:
        others = [other for other in found if node not in inside[other]]
        outside = (read for read in reads if read.id in bound[node] and read not in inside[node])
        if any(not any(read.id in bound[other] and read in inside[other] for other in others) for read in outside):
            yield node


def _overtaken(body: list[ast.stmt]) -> Iterator[ast.Return]:
    """The returns in branches that are followed by a return."""
    for place, statement in enumerate(body):
        if isinstance(statement, ast.Return):
            return
        if not isinstance(statement, ast.If):
            continue
        if any(isinstance(part, ast.Return) for later in body[place + 1 :] for part in ast.walk(later)):
            yield from (part for part in ast.walk(statement) if isinstance(part, ast.Return))
        else:
            yield from _overtaken(statement.body)
            yield from _overtaken(statement.orelse)


def rewriter_patches(patches: Patches) -> None:
    """Plan that kernels are rewritten, even those that were rewritten before: Triton keeps what it has rewritten."""
    transformer = property(lambda rewriter: Rewriter(rewriter.fn.__globals__, Captured(rewriter.fn)))
    patches.attribute(upstream.FunctionRewriter, "ast_transformer", transformer)
    patches.attribute(upstream.FunctionRewriter, "_compile_and_exec", _defined)
    patches.attribute(upstream.FunctionRewriter, "_get_jit_fn_file_line", _place)
    patches.attribute(upstream.InterpretedFunction, "rewritten_fn", {})
    # Triton gives a kernel the names of its interpreter's module.
    functions = [each for each in vars(statements).values() if getattr(each, "__module__", "") == statements.__name__]
    for function in (batched, counted, current, plain, refused, *functions):
        patches.attribute(upstream, f"_{function.__name__}", function)
    patches.attribute(upstream, TELL, tell_branch)


def _place(rewriter: Any) -> tuple[str, int]:
    """The file and the line of a kernel's `def`. To know them, Triton would read the kernel's source once more."""
    code = rewriter.fn.__code__
    lines, first = inspect.findsource(code)
    at = next(number for number, line in enumerate(lines[first:], first + 1) if line.strip().startswith("def "))
    return code.co_filename, at


def _defined(rewriter: Any, tree: ast.Module) -> Any:
    """The function that a rewritten kernel's text defines.

    Among the kernel's globals are then the names that a rewritten text calls, all of which begin with an underscore.
    Triton would add the rest of its interpreter's module: a kernel would find `np` and `math` without an import.
    """
    for name, value in vars(upstream).items():
        if name.startswith("_"):
            rewriter.fn.__globals__.setdefault(name, value)
    return defined(rewriter.fn, tree, rewriter.filename)
