"""Statements of a script's kernel and launcher.

They can be compared and paired with those of the solution.
"""

from __future__ import annotations

import ast
import difflib
import functools
import itertools
import textwrap
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from triton_workshop.checking.observing.source import (
    Function,
    Source,
    callee_name,
    names_loaded,
    names_stored,
    nodes_of,
    parameters_of,
    stores_in,
    walk,
)
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
        """Function with each name that the statement assigns.

        Without an assignment, the names are what it calls, returns or loops over.
        """
        names = ["loop"] if isinstance(self.node, ast.For | ast.While) else _names(self.node)
        return frozenset((self.function, name) for name in names)

    @property
    def first(self) -> int:
        return self.node.lineno

    @property
    def loops(self) -> int:
        """Number of loops around it."""
        return len(self.outer)

    @functools.cached_property
    def updates(self) -> bool:
        """It makes the new value of a name from the old one."""
        if isinstance(self.node, ast.AugAssign):
            return True
        return isinstance(self.node, ast.Assign) and not self.keys.isdisjoint(self.uses)

    @functools.cached_property
    def uses(self) -> frozenset[tuple[str, str]]:
        """Its function, with each name that it reads."""
        read = self.node.iter if isinstance(self.node, ast.For) else self.node
        return frozenset((self.function, name) for name in names_loaded(read))

    def likeness(self, counterpart: Statement) -> float:
        """Return the similarity of the two texts, 0 to 1."""
        return difflib.SequenceMatcher(None, self.code, counterpart.code).ratio()

    @property
    def first_line(self) -> str:
        return self.code.partition("\n")[0]

    @functools.cached_property
    def dump(self) -> str:
        """Its syntax tree as text, the same however it is written."""
        return _dump(self.node)

    def same_code(self, counterpart: Statement) -> bool:
        return self.code == counterpart.code or self.dump == counterpart.dump

    def same_as(self, counterpart: Statement) -> bool:
        """Return whether the two are the same code inside as many loops."""
        return self.same_code(counterpart) and self.loops == counterpart.loops

    @property
    def identity(self) -> tuple[str, int, str]:
        """Its function, the number of loops around it, and its syntax tree."""
        return self.function, self.loops, self.dump

    def is_in(self, function: Function | None) -> bool:
        """Return whether a function has this code anywhere."""
        return any(self.dump == _dump(node) for node in nodes_of(function, ast.stmt))


def statements_of(source: Source) -> tuple[Statement, ...]:
    """Return the statements that can be paired: those with keys."""
    return tuple(statement for statement in every_statement_of(source) if statement.keys)


def every_statement_of(source: Source) -> tuple[Statement, ...]:
    statements: list[Statement] = []
    for name, function in (("kernel", source.kernel), ("launcher", source.launcher)):
        if function is not None:
            statements += _walk_body(source, name, function.body, ())
    return tuple(statements)


def branches_of(source: Source) -> Iterator[Statement]:
    """Yield the first lines of the kernel's and the launcher's conditions."""
    for name, function in (("kernel", source.kernel), ("launcher", source.launcher)):
        for node in nodes_of(function, ast.If):
            code = source.line(node.lineno)
            # Neither an `elif` nor an `if` with its body on the same line has a line that can be replaced.
            if not code.startswith("if "):
                continue
            if node.body[0].lineno > node.lineno:
                yield Statement(name, node, code, node.test.end_lineno or node.lineno, (), None)


def is_redundant(statement: Statement, function: Function | None) -> bool:
    """Return whether a function can do without a statement.

    The names to which the statement gives values have others too.
    """
    if function is None:
        return False
    # Without its first line, the body of a loop would belong to nothing.
    if isinstance(statement.node, ast.For | ast.While):
        return False
    inside = set(ast.walk(statement.node))
    assigned = {name.id for name in stores_in(function) if name not in inside}
    return names_stored(statement.node) <= assigned | parameters_of(function.args)


def _walk_body(source: Source, function: str, body: list[ast.stmt], outer: tuple[int, ...]) -> Iterator[Statement]:
    for node in body:
        last = _end_of_header(node)
        code = textwrap.dedent("\n".join(source.lines[node.lineno - 1 : last]))
        yield Statement(function, node, code, last, outer, todo_lines(source.text).get(node.lineno))
        # A branch is one statement, with all that is in it.
        if isinstance(node, ast.For | ast.While):
            yield from _walk_body(source, function, node.body, (*outer, node.end_lineno or last))


def _end_of_header(node: ast.stmt) -> int:
    """Return the last line of a statement, or of a loop's first line."""
    match node:
        case ast.For(iter=header) | ast.While(test=header):
            return header.end_lineno or node.lineno
    return node.end_lineno or node.lineno


def _names(node: ast.stmt) -> Iterator[str]:
    """Yield the names that tell a statement from others in its function.

    A branch has the names of what is in it.
    """
    for child in walk(node):
        match child:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.Return():
                yield "return"
            # Whatever the kernel is called: its name need not be the solution's.
            case ast.Expr(value=ast.Call(func=ast.Subscript())):
                yield "launch()"
            case ast.Expr(value=ast.Call() as call):
                yield f"{callee_name(call)}()"


def pair_statements(solution: tuple[Statement, ...], script: tuple[Statement, ...]) -> list[list[Statement]]:
    """Return the script's statements that each of the solution's can replace."""
    copies = _only_copies(solution, script)
    pairs: list[list[Statement]] = [copies.get(statement.identity, []) for statement in solution]
    paired = list(itertools.chain.from_iterable(pairs))
    unpaired = [s for s in script if s not in paired]

    def take(index: int, matches: list[Statement]) -> None:
        pairs[index] += matches
        for match in matches:
            unpaired.remove(match)

    # What is the same beyond doubt went first; now what is alike in ever fewer ways.
    for alike in (_twins, _neighbours, _namesakes, _same_call):
        for index, statement in enumerate(solution):
            if pairs[index]:
                continue
            matches = [s for s in unpaired if alike(statement, s)]
            # Several assignments of a name all correspond to the solution's last one, each before that to one of them.
            is_repeated = any(_twins(statement, later) for later in solution[index + 1 :])
            take(index, matches[:1] if is_repeated else matches)
    for alike in (_twins, _neighbours):
        for index, statement in enumerate(solution):
            # An additional assignment goes with the first one.
            if pairs[index]:
                take(index, [s for s in unpaired if alike(statement, s)])
    return pairs


def _only_copies(
    solution: tuple[Statement, ...], script: tuple[Statement, ...]
) -> dict[tuple[str, int, str], list[Statement]]:
    """Return the script's statements that are identical in the solution.

    Each side must have only one such statement.
    """
    of_solution = Counter(statement.identity for statement in solution)
    of_script = Counter(statement.identity for statement in script)
    return {
        identity: [statement]
        for statement in script
        if of_script[identity := statement.identity] == of_solution[identity] == 1
    }


def _twins(statement: Statement, candidate: Statement) -> bool:
    return _neighbours(statement, candidate) and statement.updates == candidate.updates


def _neighbours(statement: Statement, candidate: Statement) -> bool:
    return _namesakes(statement, candidate) and statement.loops == candidate.loops


def _namesakes(statement: Statement, candidate: Statement) -> bool:
    return bool(statement.keys & candidate.keys)


def _same_call(statement: Statement, candidate: Statement) -> bool:
    """Return whether both call the same function.

    One of them ignores what it returns.
    """
    call = getattr(statement.node, "value", None)
    if not isinstance(call, ast.Call):
        return False
    if not isinstance(candidate.node, ast.Expr):
        return False
    candidate_call = candidate.node.value
    if not isinstance(candidate_call, ast.Call):
        return False
    if statement.function != candidate.function:
        return False
    return statement.loops == candidate.loops and callee_name(call) == callee_name(candidate_call)


def _dump(node: ast.stmt) -> str:
    if isinstance(node, ast.For):
        return ast.dump(ast.Tuple([node.target, node.iter]))
    return ast.dump(node.test if isinstance(node, ast.While) else node)
