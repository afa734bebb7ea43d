"""Finds a slip: one small change of the script itself with which it is right.

It needs no likeness to the solution, so it finds the line in scripts of any style. A change is a number that is one
less, another name of the same kind, two arguments that trade places, a factor more or less: what people mistype.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations

from triton_workshop.checking.diagnosing.tile_sizes import with_changes
from triton_workshop.checking.observing.source import Function, Source, called, names_in

OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.FloorDiv),
    ast.FloorDiv: (ast.Mod, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
COMPARISONS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
OPPOSITES = {"minimum": "maximum", "maximum": "minimum"}
MEMORY = ("load", "store", "atomic_add")
"""Calls whose first argument is an address."""
LOOPS = ("range", "static_range")
MOST_IN_ANY_ORDER = 4
"""Of more values in a row, only neighbours trade places."""
KINDS = (
    "rounded",
    "whole",
    "number",
    "part",
    "axes",
    "order",
    "size",
    "factor",
    "arguments",
    "bound",
    "operator",
    "sum",
    "name",
)
"""The likely ones first: there may be no time for all."""


@dataclass(frozen=True)
class Slip:
    """A change that makes a script right."""

    name: str
    """Of its hints."""
    line: int
    old: str
    """What stands there, as far as it is changed."""
    code: str
    """The whole line as it would be right."""


@dataclass(frozen=True)
class _Change:
    kind: str
    node: ast.expr | ast.stmt
    """What is replaced; it is on one line."""
    words: str
    names_the_unread: bool = False
    """Whether it uses a parameter that nothing uses so far: that one is missing somewhere."""


def find_slip(
    source: Source, noticed: int | None, passes: Callable[[str], bool], passes_all: Callable[[str], bool]
) -> Slip | None:
    """Return the first change that helps. `passes` is for the case that failed, `passes_all` for larger ones.

    The line where the mistake was noticed is changed first, and never one that is the solution's.
    """
    for change in _changes(source, noticed):
        text = with_changes(source, [(change.node, change.words)])
        if passes(text) and passes_all(text):
            return Slip(f"slip-{change.kind}", change.node.lineno, ast.unparse(change.node), _code(change, text))
    return None


def _code(change: _Change, text: str) -> str:
    """The line as it would be right; without parentheses that it does not need."""
    line = text.splitlines()[change.node.lineno - 1].strip()
    with suppress(SyntaxError):  # the first line of a loop, or one of several lines of a statement
        line = ast.unparse(ast.parse(line))
    return line


def _changes(source: Source, noticed: int | None) -> list[_Change]:
    given = {line.strip() for line in source.exercise.solution.splitlines()}
    functions = [*source.kernels, *([source.launcher] if source.launcher else [])]
    every = [
        change
        for function in functions
        for change in _in_function(function, function in source.kernels)
        if change.node.lineno == change.node.end_lineno and source.line(change.node.lineno) not in given
    ]

    def likely(change: _Change) -> tuple[bool, bool, int]:
        return not change.names_the_unread, change.node.lineno != noticed, KINDS.index(change.kind)

    return sorted(every, key=likely)


def _in_function(function: Function, is_kernel: bool) -> Iterator[_Change]:
    names = _Names(function, is_kernel)
    cdiv = "tl.cdiv" if is_kernel else "triton.cdiv"
    for statement in function.body:
        for node in _editable(statement):
            yield from _of_numbers(node, cdiv)
            yield from _of_orders(node)
            yield from _of_operators(node)
            yield from _of_names(node, names)
            if is_kernel:
                yield from _of_factors(node, names)
        yield from _of_sums(statement)


def _editable(statement: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a statement, but for what keeps a loop going: with another name it might not end, or not soon."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        inside = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.While):
            inside = [part for part in node.body if not isinstance(part, ast.AugAssign)]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.FloorDiv):
            inside = [part for part in inside if not isinstance(part, ast.Constant)]  # it may be too much as a whole
        elif isinstance(node, ast.Call) and called(node) in LOOPS:
            inside = [part for part in node.args[:2] if not isinstance(part, ast.Name)]
        waiting += reversed(inside)


class _Names:
    """The names of a function by kind: those of one kind are mistaken for one another."""

    def __init__(self, function: Function, is_kernel: bool) -> None:
        arguments = [argument.arg for argument in function.args.args]
        stores = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
        pointers = _pointers(function) if is_kernel else set[str]()
        self.unread = set(arguments) - {node.id for node in stores if isinstance(node.ctx, ast.Load)}
        self.sizes = [name for name in arguments if name not in pointers]
        self.pointers = [name for name in arguments if name in pointers]
        self.others = sorted(names_in(function) - set(arguments))
        annotated = {argument.arg for argument in function.args.args if argument.annotation is not None}
        self.constants = [name for name in self.sizes if name in annotated]

    def like(self, name: str) -> Sequence[str]:
        return next((group for group in (self.sizes, self.pointers, self.others) if name in group), ())


def _pointers(function: Function) -> set[str]:
    """The parameters that addresses begin with."""
    values = {
        node.targets[0].id: node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call) and called(node) in MEMORY)
    return {name for call in calls for name in (_beginning(call.args[0], values) if call.args else ())}


def _beginning(address: ast.expr, values: dict[str, ast.expr]) -> Iterator[str]:
    while isinstance(address, ast.BinOp):
        address = address.left
    if isinstance(address, ast.Name):
        yield address.id
        if address.id in values:
            yield from _beginning(values[address.id], {name: v for name, v in values.items() if name != address.id})


def _of_numbers(node: ast.AST, cdiv: str) -> Iterator[_Change]:
    match node:
        case ast.BinOp(left, ast.FloorDiv(), right):
            yield _Change("rounded", node, f"{cdiv}({ast.unparse(left)}, {ast.unparse(right)})")
        case ast.Constant(int(value)) if type(value) is int:
            yield from (_Change("number", node, str(other)) for other in (value + 1, value - 1) if other >= 0)
        case ast.Call(ast.Name("len"), [of]):
            yield _Change("number", node, f"{ast.unparse(of)}.numel()")
    if isinstance(node, ast.Call) and called(node) in LOOPS and node.args:
        if isinstance(node.args[-1], ast.Constant) and len(node.args) == 3:
            yield _Change("number", node.args[-1], "tl.num_programs(0)")
        stop = node.args[: len(node.args) // 2 + 1][-1]
        if not isinstance(stop, ast.BinOp):  # of those, a part may be too much
            yield _Change("number", stop, f"{ast.unparse(stop)} + 1")
    if isinstance(node, ast.Call) and called(node) in OPPOSITES:
        yield from (_Change("number", each, f"{each.id} - 1") for each in node.args if isinstance(each, ast.Name))


def _of_orders(node: ast.AST) -> Iterator[_Change]:
    values = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
    fixed = isinstance(node, ast.Call) and called(node) in (*MEMORY, *LOOPS)
    if fixed or len(values) < 2 or not isinstance(node, ast.expr):
        return
    kind = "axes" if any(isinstance(each, ast.Slice) for each in values) else "order"
    near = 1 if len(values) > MOST_IN_ANY_ORDER else len(values)
    for one, other in combinations(range(len(values)), 2):
        if other - one > near:
            continue
        swapped = [*values]
        swapped[one], swapped[other] = values[other], values[one]
        if values[one].lineno == values[other].end_lineno and ast.dump(values[one]) != ast.dump(values[other]):
            inside = ", ".join(map(ast.unparse, swapped))
            if isinstance(node, ast.Call):
                words = ", ".join([inside, *map(ast.unparse, node.keywords)])
                yield _Change("arguments", node, f"{ast.unparse(node.func)}({words})")
            else:
                yield _Change(kind, node, inside if kind == "axes" else f"({inside})")


def _of_operators(node: ast.AST) -> Iterator[_Change]:
    match node:
        case ast.BinOp(left, operator, right):
            for other in OPERATORS.get(type(operator), ()):
                yield _Change("operator", node, f"({ast.unparse(ast.BinOp(left, other(), right))})")
            less = isinstance(operator, ast.Sub | ast.FloorDiv) and isinstance(right, ast.Constant)
            yield _Change("whole" if less else "part", node, ast.unparse(left))
            yield _Change("part", node, ast.unparse(right))
        case ast.Compare(left, [comparison], [right]):
            for sign in COMPARISONS:
                if not isinstance(comparison, sign):
                    yield _Change("bound", node, ast.unparse(ast.Compare(left, [sign()], [right])))
        case ast.Call(function) if called(node) in OPPOSITES:
            name = called(node)
            words = ast.unparse(function).removesuffix(name) + OPPOSITES[name]
            yield _Change("operator", function, words)


def _of_names(node: ast.AST, names: _Names) -> Iterator[_Change]:
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        kind = "size" if node.id in (*names.sizes, *names.pointers) else "name"
        others = (other for other in names.like(node.id) if other != node.id)
        yield from (_Change(kind, node, other, other in names.unread) for other in others)


def _of_factors(node: ast.AST, names: _Names) -> Iterator[_Change]:
    """A factor that is missing in a sum, in a divisor or in how far a loop goes, or that is at the wrong addend."""
    match node:
        case ast.BinOp(left, ast.Add(), right):
            plain = [each for each in (left, right) if not isinstance(each, ast.BinOp | ast.Constant)]
            if isinstance(right, ast.BinOp) and isinstance(right.op, ast.Mult):
                rest, last = (left.left, left.right) if isinstance(left, ast.BinOp) else (None, left)
                moved = f"{ast.unparse(last)} * {ast.unparse(right.right)} + {ast.unparse(right.left)}"
                yield _Change("factor", node, f"{ast.unparse(rest)} + {moved}" if rest else moved)
        case ast.BinOp(_, ast.FloorDiv() | ast.Mod(), ast.Name() as right):
            plain = [right]
            yield from (_Change("factor", right, f"({right.id} * {other})") for other in names.others)
        case ast.Call(args=arguments) if called(node) in LOOPS:
            ends = [each for each in arguments if isinstance(each, ast.Name) and each.id in names.constants]
            yield from (_Change("factor", e, f"{e.id} * {size}") for e in ends for size in names.constants)
            return
        case ast.List(elements):
            plain = [each for each in elements if isinstance(each, ast.Name)]
        case _:
            return
    for each in plain:
        for size in names.sizes:
            product = f"{ast.unparse(each)} * {size}"
            divides = isinstance(node, ast.BinOp) and not isinstance(node.op, ast.Add)
            yield _Change("factor", each, f"({product})" if divides else product, size in names.unread)


def _of_sums(statement: ast.stmt) -> Iterator[_Change]:
    """What a loop sets where it has to add."""
    for loop in ast.walk(statement):
        for node in loop.body if isinstance(loop, ast.For | ast.While) else ():
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                yield _Change("sum", node, f"{node.targets[0].id} += {ast.unparse(node.value)}")
