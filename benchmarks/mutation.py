"""Edits a script by machine, one place at a time, as people mistype and misremember: `edits` lists all there are.

Only the bodies of functions are edited: no docstring, no message, and no guard such as an assertion, since no case of
the checker is about a guard.
"""

from __future__ import annotations

import ast
import random
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

HINTS = ("num_warps", "num_stages", "cache_modifier", "eviction_policy")
GUARDS = ("check_tensors_gpu_ready", "print", "assume", "debug_barrier", "multiple_of", "max_contiguous")
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
TRIES = 20
"""For each pair of edits that is wanted: some overlap, or can't be read by Python."""
OTHER_TEXTS = {"ieee": ("tf32",)}


@dataclass(frozen=True, order=True)
class Edit:
    """What replaces the bytes from `start` to `end` of a script."""

    start: int
    end: int
    new: str
    operator: str
    """The kind of edit."""


@dataclass(frozen=True)
class Script:
    """A script, and where its parts are: Python counts columns in bytes."""

    text: str

    @cached_property
    def data(self) -> bytes:
        return self.text.encode()

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line starts."""
        starts = [0]
        for line in self.data.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        """Without kernels that nothing calls."""
        tree = ast.parse(self.text)
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        read = _names_read(tree)
        return [node for node in functions if node.name in read or not is_kernel(node)]

    def start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def part(self, start: int, end: int) -> str:
        return self.data[start:end].decode()

    def code(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        return self.part(self.start(node), self.end(node))

    def lines_around(self, start: int, end: int) -> tuple[int, int]:
        """From the start of the first line to the end of the last one."""
        last = self.data.find(b"\n", end)
        return self.data.rfind(b"\n", 0, start) + 1, len(self.data) if last < 0 else last

    def edited(self, *edits: Edit) -> str:
        """Raises ValueError if two edits overlap."""
        data, before = self.data, len(self.data) + 1
        for edit in sorted(edits, reverse=True):
            if edit.end > before:
                raise ValueError("these edits overlap")
            data = data[: edit.start] + edit.new.encode() + data[edit.end :]
            before = edit.start
        return data.decode()


@dataclass(frozen=True)
class Mutant:
    """A script after its edits."""

    script: Script
    edits: tuple[Edit, ...]

    @property
    def text(self) -> str:
        return self.script.edited(*self.edits)

    @cached_property
    def changes(self) -> tuple[tuple[str, str], ...]:
        """For each edit, the lines that it changes, before and after; several are put in one."""
        return tuple(self._change(edit) for edit in sorted(self.edits))

    def _change(self, edit: Edit) -> tuple[str, str]:
        start, end = self.script.lines_around(edit.start, edit.end)
        old = self.script.part(start, end)
        new = self.script.part(start, edit.start) + edit.new + self.script.part(edit.end, end)
        return _one_line(old), _one_line(new)


def _one_line(code: str) -> str:
    """Without comments and empty lines; indentation counts where it differs."""
    lines = (re.sub(r"(^|\s)# .*", "", line).rstrip() for line in code.split("\n"))
    return " ⏎ ".join(textwrap.dedent("\n".join(filter(None, lines))).split("\n"))


def mutants(script: Script) -> list[Mutant]:
    """One for each edit."""
    return list(_different(script, ((edit,) for edit in edits(script))))


def some(script: Script, number: int, chance: random.Random) -> list[Mutant]:
    """So many of them, if there are as many."""
    every = edits(script)
    return list(islice(_different(script, ((edit,) for edit in chance.sample(every, len(every)))), number))


def pairs(every: list[Mutant], number: int, chance: random.Random) -> list[Mutant]:
    """So many mutants with the edits of two of these, if there are as many: every other is one slip in two places."""
    own = [mutant.edits[0] for mutant in every]
    alike: dict[tuple[str, str], list[Edit]] = {}
    for mutant, edit in zip(every, own, strict=True):
        alike.setdefault((mutant.script.part(edit.start, edit.end), edit.new), []).append(edit)
    slips = [edits for edits in alike.values() if len(edits) > 1] or [own]
    chosen = (chance.sample(chance.choice(slips) if turn % 2 else own, 2) for turn in range(TRIES * number))
    return list(islice(_different(every[0].script, chosen), number))


def _different(script: Script, chosen: Iterable[Sequence[Edit]]) -> Iterator[Mutant]:
    """Those that Python can read, and whose syntax tree is neither the script's nor that of an earlier one."""
    seen = {ast.dump(ast.parse(script.text))}
    for edits in chosen:
        try:
            mutant = Mutant(script, tuple(sorted(edits)))
            tree = ast.dump(ast.parse(mutant.text))
        except (SyntaxError, ValueError):
            continue
        if tree not in seen:
            seen.add(tree)
            yield mutant


def edits(script: Script) -> list[Edit]:
    """All edits of its functions, in the order of the operators."""
    return [edit for operator in OPERATORS for function in script.functions for edit in operator(script, function)]


def is_kernel(function: ast.FunctionDef) -> bool:
    return any("jit" in ast.dump(decorator) for decorator in function.decorator_list)


def _names_read(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _parts(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """What may be edited in a function, outermost first, without values that nothing reads."""
    read = _names_read(function)
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        if not _left_alone(node, read):
            yield node
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _left_alone(node: ast.AST, read: set[str]) -> bool:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id not in read:
        return True
    if isinstance(node, ast.keyword) and node.arg in HINTS:
        return True
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Call) and _name(node.func) in GUARDS:
        return True
    if isinstance(node, ast.Attribute) and node.attr == "device":
        return True
    text = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in OTHER_TEXTS
    return text or isinstance(node, ast.Assert | ast.Raise | ast.JoinedStr)


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _statements(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """The statements of the function, and of each loop and branch in it."""
    read = _names_read(function)
    for node in (function, *_parts(function)):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield [statement for statement in block if not _left_alone(statement, read)]


# The operators


def operators(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Replace an operator by another."""
    for node in _parts(function):
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
        yield from (Edit(place, place + len(old), new, "operator") for new in others)


def constants(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Replace a number by its neighbours, its double and its half, and a text or a dtype by another."""
    for node in _parts(function):
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
    """Replace a name by another of its kind: a size by a size or a stride, a block by a block, a mask by a mask."""
    kinds = Kinds(function).found
    for node in _parts(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in kinds:
            same = (name for name, kind in kinds.items() if kind == kinds[node.id] and name != node.id)
            yield from (Edit(script.start(node), script.end(node), name, "name") for name in same)


def functions_and_dtypes(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Replace a function or a dtype by another."""
    for node in _parts(function):
        match node:
            case ast.Attribute(_, "dtype"):
                yield Edit(script.start(node), script.end(node), "torch.float32", "function")
            case ast.Attribute(_, name) if name in OTHER_NAMES:
                for other in OTHER_NAMES[name]:
                    yield Edit(script.end(node) - len(name), script.end(node), other, "function")
            case ast.Call(called, [dividend, divisor]) if _name(called) == "cdiv":
                floor = f"(({script.code(dividend)}) // ({script.code(divisor)}))"
                yield Edit(script.start(node), script.end(node), floor, "function")


def orders(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Exchange neighbours: arguments of a call, parts of a tuple, operands where their order matters, axes."""
    for node in _parts(function):
        match node:
            case ast.Call(_, arguments):
                pairs = list(pairwise(arguments))
            case ast.Tuple(parts):
                pairs = list(pairwise(parts))
            case ast.BinOp(left, ast.Sub() | ast.FloorDiv() | ast.Mod() | ast.Div(), right):
                pairs = [(left, right)]
            case _:
                continue
        for one, other in pairs:
            between = script.part(script.end(one), script.start(other))
            exchanged = script.code(other) + between + script.code(one)
            yield Edit(script.start(one), script.end(other), exchanged, "order")


def dropped_lines(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Leave out a statement; a loop or a branch loses its header only by being edited."""
    for block in _statements(function):
        for statement in block:
            if not isinstance(statement, ast.For | ast.While | ast.If | ast.FunctionDef):
                yield Edit(script.start(statement), script.end(statement), "pass", "dropped line")


def moved_lines(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Exchange neighbouring statements; move one to the other side of a loop's end."""
    for block in _statements(function):
        for one, other in pairwise(block):
            if isinstance(one, ast.For | ast.While):
                yield from _past_the_end(script, one, other)
            elif not isinstance(other, ast.For | ast.While | ast.If | ast.FunctionDef) and not _commute(one, other):
                between = script.part(script.end(one), script.start(other))
                exchanged = script.code(other) + between + script.code(one)
                yield Edit(script.start(one), script.end(other), exchanged, "moved line")


def _commute(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two statements may stand in either order: neither uses what the other makes.

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
    return any(isinstance(node, ast.Call) and _name(node.func) == name for node in ast.walk(statement))


def _past_the_end(script: Script, loop: ast.For | ast.While, after: ast.stmt) -> Iterator[Edit]:
    last = loop.body[-1]
    if not isinstance(after, ast.For | ast.While | ast.If | ast.FunctionDef):
        yield Edit(script.end(last), script.end(after), f"\n{' ' * last.col_offset}{script.code(after)}", "moved line")
    if len(loop.body) > 1:
        first = script.end(loop.body[-2])
        yield Edit(first, script.end(last), f"\n{' ' * loop.col_offset}{script.code(last)}", "moved line")


def dropped_parts(script: Script, function: ast.FunctionDef) -> Iterator[Edit]:
    """Leave out a keyword, the last argument of a function of Triton, an operand, or a call around its argument."""
    for node in _parts(function):
        match node:
            case ast.Call():
                yield from _without_arguments(script, node)
                if node.args and _name(node.func) not in ("", "load", "store"):
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
    triton = isinstance(call.func, ast.Attribute) and _name(call.func.value) == "tl"
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


class Kinds:
    """What each name of a function is, by how it is made: a pointer, a number, a block, offsets, a mask, values."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.found: dict[str, str] = {}
        kernel = is_kernel(function)
        for argument in function.args.args:
            constant = argument.annotation is not None and "constexpr" in ast.dump(argument.annotation)
            self.found[argument.arg] = "block" if constant else "number" if kernel else "tensor"
        made = {_name(node.targets[0]): node.value for node in ast.walk(function) if isinstance(node, ast.Assign)}
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and _name(node.func) in ("load", "store") and node.args:
                self._pointer(node.args[0], made)
        for node in _parts(function):
            match node:
                case ast.Assign([target], value):
                    self._assign(target, value)
                case ast.For(target):
                    self._assign(target, None)

    def _pointer(self, address: ast.expr, made: dict[str, ast.expr]) -> None:
        """The first parameter in an address is a pointer, or in what the first name in it is made of."""
        for node in ast.walk(address):
            if isinstance(node, ast.Name) and node.id in self.found:
                self.found[node.id] = "pointer"
                return
            if isinstance(node, ast.Name) and node.id in made:
                value = made.pop(node.id)  # once: it may be made of itself
                self._pointer(value, made)
                return

    def _assign(self, target: ast.expr, value: ast.expr | None) -> None:
        if isinstance(target, ast.Tuple):
            parts = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
            for index, part in enumerate(target.elts):
                self._assign(part, parts[index] if parts else value)
        elif isinstance(target, ast.Name):
            self.found.setdefault(target.id, self.kind(value) if value else "index")

    def kind(self, value: ast.expr) -> str:
        match value:
            case ast.Name(name):
                return self.found.get(name, "")
            case ast.Constant():
                return "block"
            case ast.Compare() | ast.BoolOp() | ast.BinOp(_, ast.BitAnd() | ast.BitOr(), _) | ast.UnaryOp(ast.Invert()):
                return "mask"
            case ast.Subscript(inner) | ast.UnaryOp(_, inner) | ast.Attribute(inner, "T"):
                return self.kind(inner)
            case ast.Attribute(_, "shape") | ast.Call(ast.Attribute(_, "size" | "numel" | "stride")):
                return "number"
            case ast.BinOp(left, _, right):
                return min(self.kind(left), self.kind(right), key=RANKS.index)
            case ast.Call(function):
                return CALLS.get(_name(function), "")
        return ""


CALLS = {
    "load": "values",
    "zeros": "values",
    "full": "values",
    "dot": "values",
    "minimum": "values",
    "fma": "values",
} | {
    "arange": "offsets",
    "program_id": "index",
    "num_programs": "index",
    "len": "number",
    "cdiv": "number",
    "empty": "tensor",
    "empty_like": "tensor",
    "zeros_like": "tensor",
    "new_empty": "tensor",
    "where": "values",
}
RANKS = ["values", "mask", "pointer", "offsets", "index", "tensor", "number", "block", ""]
"""Of two operands, the kind that the result has comes first."""
