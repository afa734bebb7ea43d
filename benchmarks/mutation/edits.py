"""What may be edited in a function: a generator for each kind of edit."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise

from benchmarks.mutation.kinds import Kinds
from benchmarks.mutation.script import HINTS, OTHER_TEXTS, Edit, Script, name_of, parts, statements

OTHER_OPERATORS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Add: ("+", "-", "*"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+", "//"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "%", "*"),
    ast.Mod: ("%", "//"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Lt: ("<", "<=", ">", ">="),
    ast.LtE: ("<=", "<", ">=", ">"),
    ast.Gt: (">", ">=", "<", "<="),
    ast.GtE: (">=", ">", "<=", "<"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
}
"""An operator as it is written, then what it becomes."""
OTHER_NAMES = {
    "minimum": ("maximum",),
    "maximum": ("minimum",),
    "float32": ("float16", "float64"),
}


def edits(script: Script) -> list[Edit]:
    """All edits of its functions, in the order of the operators."""
    return [edit for operator in OPERATORS for function in script.functions for edit in operator(script, function)]


def operators(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Replace an operator by another."""
    for node in parts(function):
        match node:
            case ast.BinOp(left, op, right):
                yield from _operator(script, op, left, right)
            case ast.Compare(left, ops, others):
                for comparison, (one, other) in zip(ops, pairwise([left, *others]), strict=True):
                    yield from _operator(script, comparison, one, other)
            case ast.BoolOp(op, values):
                for one, other in pairwise(values):
                    yield from _operator(script, op, one, other)
            case ast.UnaryOp(_, operand):
                yield Edit(script.start(node), script.start(operand), "", "operator")
            case ast.AugAssign(target, op, value):
                between = script.end(target), script.start(value)
                for new in ("=", *(f"{other}=" for other in OTHER_OPERATORS[type(op)][1:])):
                    yield Edit(*between, f" {new} ", "operator")


def _operator(script: Script, op: ast.AST, left: ast.expr, right: ast.expr) -> Iterator[Edit]:
    old, *others = OTHER_OPERATORS.get(type(op), ("",))
    if old:
        place = script.data.index(old.encode(), script.end(left), script.start(right))
        divides = isinstance(right, ast.Constant) and right.value == 0
        yield from (Edit(place, place + len(old), new, "operator") for new in others if new != "//" or not divides)


def constants(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Replace a number by its neighbours, its double and its half.

    A text or a dtype is replaced by another.
    """
    for node in parts(function):
        match node:
            case ast.Constant(bool(value)):
                others: tuple[object, ...] = (not value,)
            case ast.Constant(int(value)):
                # Half or double a block is a block.
                others = (value + 1, value - 1) if value >= 8 else (value + 1, value - 1, 2 * value, value // 2)
            case ast.Constant(float(value)):
                others = (0.0, value + 0.01, 1.0)
            case ast.Constant(str(value)):
                others = tuple(f'"{other}"' for other in OTHER_TEXTS[value])
            case _:
                continue
        for other in dict.fromkeys(others):
            if other != value:
                yield Edit(script.start(node), script.end(node), str(other), "constant")


def namesakes(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Replace a name by another of its kind.

    A size becomes a size or a stride, a block a block, a mask a mask.
    """
    kinds = Kinds(function).found
    for node in parts(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in kinds:
            same = (name for name, kind in kinds.items() if kind == kinds[node.id] and name != node.id)
            yield from (Edit(script.start(node), script.end(node), name, "name") for name in same)


def functions_and_dtypes(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Replace a function or a dtype by another."""
    for node in parts(function):
        match node:
            case ast.Attribute(_, "dtype"):
                yield Edit(script.start(node), script.end(node), "torch.float32", "function")
            case ast.Attribute(_, name) if name in OTHER_NAMES:
                for other in OTHER_NAMES[name]:
                    yield Edit(script.end(node) - len(name), script.end(node), other, "function")
            case ast.Call(called, [dividend, divisor]) if name_of(called) == "cdiv":
                floor = f"(({script.code(dividend)}) // ({script.code(divisor)}))"
                yield Edit(script.start(node), script.end(node), floor, "function")


def orders(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Exchange neighbours.

    These are arguments of a call, parts of a tuple, operands where their order matters, and axes.
    """
    for node in parts(function):
        match node:
            case ast.Call(_, arguments):
                pairs = list(pairwise(arguments))
            case ast.Tuple(elements):
                pairs = list(pairwise(elements))
            case ast.BinOp(left, ast.Sub() | ast.FloorDiv() | ast.Mod() | ast.Div(), right):
                pairs = [(left, right)]
            case _:
                continue
        for one, other in pairs:
            between = script.part(script.end(one), script.start(other))
            exchanged = script.code(other) + between + script.code(one)
            yield Edit(script.start(one), script.end(other), exchanged, "order")


def dropped_lines(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Leave out a statement.

    A loop or a branch loses its header only by being edited.
    """
    for block in statements(function):
        for statement in block:
            if not isinstance(statement, ast.For | ast.While | ast.If | ast.FunctionDef):
                yield Edit(script.start(statement), script.end(statement), "pass", "dropped line")


def moved_lines(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Exchange neighbouring statements, or move one across a loop's end."""
    for block in statements(function):
        for one, other in pairwise(block):
            if isinstance(one, ast.For | ast.While):
                yield from _past_the_end(script, one, other)
            elif not isinstance(other, ast.For | ast.While | ast.If | ast.FunctionDef) and not _commute(one, other):
                between = script.part(script.end(one), script.start(other))
                exchanged = script.code(other) + between + script.code(one)
                yield Edit(script.start(one), script.end(other), exchanged, "moved line")


def _commute(one: ast.stmt, other: ast.stmt) -> bool:
    """Return whether two statements may stand in either order.

    Neither uses what the other makes.

    Stores may: those of a right kernel go to different places.
    """
    (made, used), (others_made, others_used) = _makes_and_uses(one), _makes_and_uses(other)
    return not (made & (others_made | others_used) or others_made & used)


def _makes_and_uses(statement: ast.stmt) -> tuple[set[str], set[str]]:
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    made = {name.id for name in names if isinstance(name.ctx, ast.Store)}
    used = {name.id for name in names if isinstance(name.ctx, ast.Load)}
    if isinstance(statement, ast.AugAssign):
        used |= made
    stores = {"memory"} if isinstance(statement, ast.Expr) or _calls(statement, "store") else set[str]()
    loads = {"memory"} if _calls(statement, "load") or isinstance(statement, ast.Return) else set[str]()
    return made | (stores if not _calls(statement, "store") else set()), used | loads | stores


def _calls(statement: ast.stmt, name: str) -> bool:
    return any(isinstance(node, ast.Call) and name_of(node.func) == name for node in ast.walk(statement))


def _past_the_end(script: Script, loop: ast.For | ast.While, after: ast.stmt) -> Iterator[Edit]:
    last = loop.body[-1]
    if not isinstance(after, ast.For | ast.While | ast.If | ast.FunctionDef):
        yield Edit(script.end(last), script.end(after), f"\n{' ' * last.col_offset}{script.code(after)}", "moved line")
    if len(loop.body) > 1:
        first = script.end(loop.body[-2])
        yield Edit(first, script.end(last), f"\n{' ' * loop.col_offset}{script.code(last)}", "moved line")


def dropped_parts(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Leave out a part of an expression.

    It is a keyword, the last argument of a function of Triton, an operand, or a call around its argument.
    """
    for node in parts(function):
        match node:
            case ast.Call():
                yield from _without_arguments(script, node)
                if node.args and name_of(node.func) not in ("", "load", "store"):
                    inner = script.code(node.args[0])
                    yield Edit(script.start(node), script.end(node), f"({inner})", "dropped call")
            case ast.BinOp(left, _, right):
                for kept in (left, right):
                    yield Edit(script.start(node), script.end(node), f"({script.code(kept)})", "dropped operand")
            case ast.BoolOp(_, values):
                for one, other in pairwise(values):
                    yield Edit(script.start(one), script.start(other), "", "dropped operand")
                yield Edit(script.end(values[-2]), script.end(values[-1]), "", "dropped operand")


def _without_arguments(script: Script, call: ast.Call) -> Iterator[Edit]:
    every: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    every.sort(key=script.start)
    before = dict(zip(every[1:], every, strict=False))
    triton = isinstance(call.func, ast.Attribute) and name_of(call.func.value) == "tl"
    dropped: list[ast.expr | ast.keyword] = [word for word in call.keywords if word.arg not in HINTS]
    dropped += call.args[-1:] if triton and len(call.args) > 1 else []
    for argument in dropped:
        start = script.end(before[argument]) if argument in before else script.start(argument)
        yield Edit(start, script.end(argument), "", "dropped argument")


OPERATORS: tuple[Callable[[Script, ast.FunctionDef], Iterator[Edit]], ...] = (
    operators,
    constants,
    namesakes,
    functions_and_dtypes,
    orders,
    dropped_lines,
    moved_lines,
    dropped_parts,
)
