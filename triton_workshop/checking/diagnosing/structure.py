"""The line of a known mistake in a script, found by its structure.

The script has a style of its own. A mistake replaces a statement of the solution with another. A line of the script is
that statement if it has what is new in it, and lacks what is lost, whatever its names are. Names stand for the
solution's where their numbers do.
"""

from __future__ import annotations

import ast
import difflib
import itertools
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from triton_workshop.checking.observing.source import Function, Source, callee_name, names_loaded, nodes_of

Roles = Mapping[str, str]
"""For names of a script, the solution's names with the same numbers."""
MARGIN = 0.34
"""By how much the likest line has to be more like the mistake than the next one."""
ENOUGH = 0.6
"""How much of a mistake's structure a line has to have."""
TWIN = 0.7
"""Likeness of two lines that do the same."""
DEPTHS = (1, 2)
MIRRORED: dict[type[ast.cmpop], tuple[str, bool]] = {
    ast.Lt: ("<", False),
    ast.LtE: ("<=", False),
    ast.Gt: ("<", True),
    ast.GtE: ("<=", True),
    ast.Eq: ("==", False),
    ast.NotEq: ("!=", False),
}
SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
UNNAMED = "§"
NAMED = re.compile(r"[A-Za-z_]\w*\b(?!\()")
"""A name, and not that of a function."""


@dataclass(frozen=True)
class _Change:
    """What a mistake adds to a statement, and what it takes away.

    Both come in two forms: without names, and with them.
    """

    new: tuple[frozenset[str], frozenset[str]]
    lost: tuple[frozenset[str], frozenset[str]]


def line_like(
    source: Source, solution: str, mistaken: Collection[str], roles: Roles, right: Collection[int]
) -> int | None:
    """Return the line of a script that looks like a mistake.

    None if it is not clear which one does. The solution has the mistake in one of several ways. Of lines that are
    `right`, the names have to say so too.
    """
    changes = list(itertools.chain.from_iterable(_changes(solution, text) for text in mistaken))
    scores: dict[int, float] = {}
    functions = [*source.kernels, *([source.launcher] if source.launcher else [])]
    for node in _simple_statements(functions):
        for change in changes:
            unnamed, named = _likeness(node, change, roles)
            is_possible = node.lineno not in right or named > 0
            if is_possible:
                scores[node.lineno] = max(unnamed + named, scores.get(node.lineno, 0.0))
    best, *lower = sorted(scores.values(), reverse=True) or [0.0]
    # A line that is wrongly blamed costs more time than none.
    if best < ENOUGH:
        return None
    if best - max(lower, default=0.0) < MARGIN:
        return None
    line = max(scores, key=lambda number: scores[number])
    return None if has_twin(source, line) else line


def has_twin(source: Source, line: int) -> bool:
    """Return whether a line beside this one looks the same.

    Of two that do the same to two halves, the mistake may be in either.
    """
    code = source.line(line)
    beside = [source.line(number) for number in (line - 1, line + 1) if 0 < number <= len(source.lines)]
    return any(difflib.SequenceMatcher(None, code, alternative).ratio() >= TWIN for alternative in beside)


def _likeness(node: ast.stmt, change: _Change, roles: Roles) -> tuple[float, float]:
    """Return how much a statement looks like a mistake.

    This is how much it has of what the mistake adds, less what that takes away: without names, and with them.
    """
    features = _features(node, None) | _as_whole(node, None)
    unnamed = _share(features, change.new[0]) - _share(features, change.lost[0])
    features = _features(node, roles) | _as_whole(node, roles)
    named = frozenset(one for one in features if NAMED.search(one))
    like = {one for one in change.new[1] if _fits_any(one, named)}
    return unnamed, _share(like, change.new[1]) - _share(features, change.lost[1])


def _fits_any(feature: str, alternatives: Iterable[str]) -> bool:
    """Return whether a feature is one of these; unknown names may be any."""
    return any(re.fullmatch(_pattern(alternative), feature) for alternative in alternatives)


def _share(features: Collection[str], of: frozenset[str]) -> float:
    return len(of.intersection(features)) / len(of) if of else 0.0


def _pattern(feature: str) -> str:
    """Return a pattern for a feature, in which some names may be any.

    They are the names that stand for none of the solution's.
    """
    return re.escape(feature).replace(UNNAMED, r"\w+")


def _changes(solution: str, mistaken: str) -> Iterator[_Change]:
    """Yield what each replaced statement gains and loses.

    The solution has nowhere what a statement gains.
    """
    before, after = (_statements(text) for text in (solution, mistaken))
    old = [node for dump, node in before.items() if dump not in after]
    new = [node for dump, node in after.items() if dump not in before]
    # The solution's names stand for themselves.
    loaded = itertools.chain.from_iterable(map(names_loaded, (*before.values(), *new)))
    own = {name: name for name in loaded}
    for made in new:
        parts = []
        for names in (None, own):
            features = _features(made, names)
            gone = _all(_features(node, names) for node in old)
            # What stands anywhere in the solution, such as a mask against the length, is in right scripts as well.
            siblings = _all(_features(node, names) for node in before.values())
            # Where a mistake leaves a part out, only the statement as a whole is new.
            if not features - siblings:
                features |= _as_whole(made, names)
                gone |= _all(_as_whole(node, names) for node in old)
                siblings |= _all(_as_whole(node, names) for node in before.values())
            parts.append((features - siblings, gone - features))
        yield _Change((parts[0][0], parts[1][0]), (parts[0][1], parts[1][1]))


def _all(features: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*features)


def _statements(text: str) -> dict[str, ast.stmt]:
    functions = [node for node in ast.parse(text).body if isinstance(node, Function)]
    return {ast.dump(_head(node)): node for node in _simple_statements(functions)}


def _simple_statements(functions: list[Function]) -> Iterator[ast.stmt]:
    for function in functions:
        for node in nodes_of(function, ast.stmt):
            if not isinstance(node, Function):
                yield node


def _head(node: ast.stmt) -> ast.AST:
    """Return what a statement computes itself.

    Of a loop or a branch, it is what that goes over or asks.
    """
    match node:
        case ast.For(iter=head) | ast.While(test=head) | ast.If(test=head):
            return head
        # `x += y` and `x = x + y` have to look the same.
        case ast.AugAssign(target, operator, value):
            return ast.BinOp(target, operator, value)
    return node


def _features(node: ast.stmt, roles: Roles | None) -> frozenset[str]:
    parts = [
        part for part in ast.walk(_head(node)) if isinstance(part, ast.BinOp | ast.Compare | ast.Call | ast.UnaryOp)
    ]
    names = {} if roles is None else roles
    shapes = {_shape(part, depth, names) for part, depth in itertools.product(parts, DEPTHS)}
    shapes.update(*(_sums(part, names) for part in parts))
    return frozenset(shapes - {UNNAMED})


def _as_whole(node: ast.stmt, roles: Roles | None) -> frozenset[str]:
    """Return what a statement assigns.

    This matters where nothing else is new, such as where a part is left out.
    """
    # The value of `x += y` is only a part of what that assigns.
    if isinstance(node, ast.AugAssign):
        return frozenset()
    value = getattr(node, "value", None)
    if not isinstance(value, ast.expr):
        return frozenset()
    names = {} if roles is None else roles
    return frozenset(f"= {_shape(value, depth, names)}" for depth in DEPTHS)


def _sums(node: ast.expr, roles: Roles) -> Iterator[str]:
    """Yield the sums of any two addends, where there are more than two."""
    addends = _addends(node)
    if len(addends) > 2:
        # People add in any order, so that any two addends may stand side by side in a script.
        for left, right in itertools.combinations(addends, 2):
            yield _sum(_side(left, 1, roles), _side(right, 1, roles))


def _addends(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return [*_addends(left), *_addends(right)]
    return [node]


def _sum(left: str, right: str) -> str:
    return f"({' + '.join(sorted((left, right)))})"


def _side(node: ast.expr, depth: int, roles: Roles) -> str:
    """Return an operand; what is loaded there may as well have a name."""
    is_load = isinstance(node, ast.Call) and callee_name(node) == "load"
    return UNNAMED if is_load else _shape(node, depth, roles)


def _shape(node: ast.AST, depth: int, roles: Roles) -> str:
    """Return an expression without what depends on names, down to a depth."""
    match node:
        case ast.Name(name):
            return roles.get(name, UNNAMED)
        # People write 0 and 0.0 for the same number.
        case ast.Constant(value):
            return repr(float(value)) if isinstance(value, int | float) else repr(value)
        # In a kernel, brackets only add axes: the numbers are the same.
        case ast.Subscript(value):
            return _shape(value, depth, roles)
        # A conversion may stand in any of several places, and the formula stays the same.
        case ast.Call(ast.Attribute(value, "to"), _):
            return _shape(value, depth, roles)
        case ast.Attribute():
            return UNNAMED
        case ast.UnaryOp(sign_of, operand):
            return f"{type(sign_of).__name__}({_shape(operand, depth, roles)})"
    if depth == 0:
        return UNNAMED
    match node:
        case ast.BinOp(left, operator, right):
            sides = [_side(left, depth - 1, roles), _side(right, depth - 1, roles)]
            # Both orders of these are right, so they have to look the same.
            sides = sorted(sides) if isinstance(operator, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr) else sides
            return f"({sides[0]} {SIGNS.get(type(operator), UNNAMED)} {sides[1]})"
        case ast.Compare(left, [compared], [right]) if type(compared) in MIRRORED:
            # a < b and b > a are the same comparison.
            sign, is_mirrored = MIRRORED[type(compared)]
            sides = [_side(left, depth - 1, roles), _side(right, depth - 1, roles)]
            if sign in ("==", "!="):
                sides.sort()
            elif is_mirrored:
                sides.reverse()
            return f"({sides[0]} {sign} {sides[1]})"
        case ast.Call(_, arguments):
            inside = ", ".join(_shape(argument, depth - 1, roles) for argument in arguments)
            return f"{callee_name(node)}({inside})"
    return UNNAMED
