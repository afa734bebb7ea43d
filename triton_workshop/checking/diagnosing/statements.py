"""The statements of a script's kernel and launcher, and how one of them compares with one of the solution."""

from __future__ import annotations

import ast
import difflib
import functools
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from triton_workshop.checking.observing.source import Function, Source, called, names_loaded, names_stored
from triton_workshop.exercises.exercise import todo_lines


@dataclass(frozen=True)
class Statement:
    """A statement of a kernel or a launcher; for a loop, only its first line."""

    function: str
    node: ast.stmt
    code: str
    """Without indentation."""
    last: int
    """Its last line, from 1."""
    outer: tuple[int, ...]
    """The last lines of the loops around it, outermost first."""
    todo: int | None

    @functools.cached_property
    def keys(self) -> frozenset[tuple[str, str]]:
        """Its function, with each name that it assigns, or with what it calls, returns or loops over."""
        names = ["loop"] if isinstance(self.node, ast.For | ast.While) else _names(self.node)
        return frozenset((self.function, name) for name in names)

    @property
    def first(self) -> int:
        return self.node.lineno

    @property
    def loops(self) -> int:
        """How many loops are around it."""
        return len(self.outer)

    @functools.cached_property
    def updates(self) -> bool:
        """Whether it makes the new value of a name from the old one."""
        return isinstance(self.node, ast.AugAssign) or (
            isinstance(self.node, ast.Assign) and not self.keys.isdisjoint(self.uses)
        )

    @functools.cached_property
    def uses(self) -> frozenset[tuple[str, str]]:
        """Its function, with each name that it reads."""
        read = self.node.iter if isinstance(self.node, ast.For) else self.node
        return frozenset((self.function, name) for name in names_loaded(read))

    def likeness(self, other: Statement) -> float:
        """How much alike the two are as texts, 0 to 1."""
        return difflib.SequenceMatcher(None, self.code, other.code).ratio()

    @property
    def first_line(self) -> str:
        return self.code.partition("\n")[0]

    @functools.cached_property
    def dump(self) -> str:
        """Its syntax tree as text, the same however it is written."""
        return _dump(self.node)

    def same_code(self, other: Statement) -> bool:
        return self.code == other.code or self.dump == other.dump

    def same_as(self, other: Statement) -> bool:
        """Whether the two are the same code inside as many loops."""
        return self.same_code(other) and self.loops == other.loops

    def is_in(self, function: Function | None) -> bool:
        """Whether a function has this code anywhere."""
        nodes = ast.walk(function) if function else iter(())
        return any(self.dump == _dump(node) for node in nodes if isinstance(node, ast.stmt))


def statements_of(source: Source) -> tuple[Statement, ...]:
    functions = (("kernel", source.kernel), ("launcher", source.launcher))
    every = (s for name, function in functions if function for s in _inside(source, name, function.body, ()))
    return tuple(statement for statement in every if statement.keys)


def branches_of(source: Source) -> Iterator[Statement]:
    """The first lines of the kernel's and the launcher's conditions."""
    for name, function in (("kernel", source.kernel), ("launcher", source.launcher)):
        for node in ast.walk(function) if function else ():
            if (
                isinstance(node, ast.If)
                and source.line(node.lineno).startswith("if ")
                and node.body[0].lineno > node.lineno
            ):
                last = node.test.end_lineno or node.lineno
                yield Statement(name, node, source.line(node.lineno), last, (), None)


def names_known_without(statement: Statement, function: Function | None) -> bool:
    """Whether its function can do without a statement: the names that it gives values to have others too."""
    if function is None or isinstance(statement.node, ast.For | ast.While):
        return False
    inside = set(ast.walk(statement.node))
    elsewhere = {part.id for part in _stored(function) if part not in inside} | {
        a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)
    }
    return names_stored(statement.node) <= elsewhere


def _stored(node: ast.AST) -> list[ast.Name]:
    return [part for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]


def _inside(source: Source, function: str, body: list[ast.stmt], outer: tuple[int, ...]) -> Iterator[Statement]:
    for node in body:
        last = _end_of_header(node)
        code = textwrap.dedent("\n".join(source.lines[node.lineno - 1 : last]))
        yield Statement(function, node, code, last, outer, todo_lines(source.text).get(node.lineno))
        if isinstance(node, ast.For | ast.While):
            yield from _inside(source, function, node.body, (*outer, node.end_lineno or last))


def _end_of_header(node: ast.stmt) -> int:
    """The last line of a statement, or of a loop's first line."""
    header = node.iter if isinstance(node, ast.For) else node.test if isinstance(node, ast.While) else node
    return header.end_lineno or node.lineno


def _names(node: ast.stmt) -> Iterator[str]:
    """What distinguishes a statement from others in its function. A branch has the names of what is in it."""
    for part in ast.walk(node):
        match part:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Return():
                yield "return"
            case ast.Expr(value=ast.Call(func=ast.Subscript())):
                yield "launch()"
            case ast.Expr(value=ast.Call() as call):
                yield f"{called(call)}()"


def pairings(ours: tuple[Statement, ...], theirs: tuple[Statement, ...]) -> list[list[Statement]]:
    """For each of our statements, those of theirs that it can replace."""
    pairs: list[list[Statement]] = [_only_copy(own, ours, theirs) for own in ours]
    left = [s for s in theirs if not any(s in pair for pair in pairs)]
    for alike in (_twins, _neighbours, _namesakes, _same_call):
        for place, own in enumerate(ours):
            found = [] if pairs[place] else [s for s in left if alike(own, s)]
            # Several assignments of a name all correspond to our last one, each one before that to one of ours.
            again = len(found) > 1 and any(_twins(own, other) for other in ours[place + 1 :])
            pairs[place] += found[:1] if again else found
            left = [s for s in left if s not in pairs[place]]
    for alike in (_twins, _neighbours):
        for place, own in enumerate(ours):
            # An additional assignment goes with the first one.
            if pairs[place]:
                pairs[place] += [s for s in left if alike(own, s)]
                left = [s for s in left if s not in pairs[place]]
    return pairs


def _only_copy(own: Statement, ours: tuple[Statement, ...], theirs: tuple[Statement, ...]) -> list[Statement]:
    """Their statement that is the same as ours, if each side has one such statement."""
    found = [s for s in theirs if s.function == own.function and own.same_as(s)]
    alone = sum(s.function == own.function and own.same_as(s) for s in ours) == 1
    return found if alone and len(found) == 1 else []


def _twins(own: Statement, other: Statement) -> bool:
    return _neighbours(own, other) and own.updates == other.updates


def _neighbours(own: Statement, other: Statement) -> bool:
    return _namesakes(own, other) and own.loops == other.loops


def _namesakes(own: Statement, other: Statement) -> bool:
    return bool(own.keys & other.keys)


def _same_call(own: Statement, other: Statement) -> bool:
    """Whether both call the same function, and one of them ignores what it returns."""
    node, value = other.node, getattr(own.node, "value", None)
    if not isinstance(value, ast.Call) or not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    return own.function == other.function and own.loops == other.loops and called(value) == called(node.value)


def _dump(node: ast.stmt) -> str:
    if isinstance(node, ast.For):
        return ast.dump(ast.Tuple([node.target, node.iter]))
    return ast.dump(node.test) if isinstance(node, ast.While) else ast.dump(node)
