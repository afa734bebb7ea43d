"""Changes of formulas: what people forget, or do in another order.

A function of another base, a factor for one part only, a maximum that is not subtracted, lanes that are not masked.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import groupby, pairwise, permutations

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.diagnosing.names import Names
from triton_workshop.checking.observing.source import (
    Function,
    argument_of,
    callee_name,
    is_product,
    names_loaded,
    names_stored,
    operand_of,
    walk,
)

FUNCTIONS = {
    "exp": ("exp2",),
    "exp2": ("exp",),
    "log": ("log2",),
    "log2": ("log",),
    "sqrt": ("rsqrt",),
    "rsqrt": ("sqrt",),
}
"""For a function of `tl`, those that are taken for it."""
POWERS = ("exp", "exp2")
MAXIMA = ("max", "maximum")
WITHOUT_MASK = ("load", "zeros", "full", "sum", "max", "program_id")
"""Calls whose result has a mask already, or no need of one."""
LIMITING = ("minimum", "maximum", "clamp")
LOWEST = "float('-inf')", "-3.0e38"
"""Numbers below all others, of which the second can be subtracted from itself."""
LOOPS = ast.For | ast.While
COLUMN = ("", "[:, None]")
"""Of a vector, that makes it fit to a tile."""
TWIN = 0.6
"""Likeness of two values of one name, of which one may be meant where the other stands."""
RANGE = re.compile(r"tl\.arange\([^()]*\)")
MOST = 24
"""More names than that are not tried in pairs."""


@dataclass(frozen=True)
class Formulas:
    """The formulas of one kernel, and changes of them."""

    kernel: Function
    names: Names

    def changes(self) -> Iterator[Change]:
        """Yield all changes."""
        for statement in self._statements:
            yield from self._of_statement(statement)
            for node in walk(statement):
                if isinstance(node, ast.expr) and not isinstance(node, ast.Constant):
                    yield from self._of_expression(node)
        yield from self._like_its_sibling()
        for body in self._bodies:
            yield from _of_neighbours(body)
            yield from _overwritten(body)
        for loop, before in self._loops:
            yield from self._updated(loop, before)
            yield from _continued(loop, before)

    @cached_property
    def _statements(self) -> list[ast.stmt]:
        """The statements that contain no others."""
        nodes = [node for node in walk(self.kernel) if isinstance(node, ast.stmt)]
        return [node for node in nodes if not hasattr(node, "body")]

    @cached_property
    def _bodies(self) -> list[list[ast.stmt]]:
        nodes = [node for node in walk(self.kernel) if isinstance(node, ast.stmt)]
        fields = [getattr(node, name, None) for node in nodes for name in ("body", "orelse")]
        return [field for field in fields if isinstance(field, list) and field]

    @cached_property
    def _loops(self) -> list[tuple[ast.For | ast.While, list[ast.stmt]]]:
        """The loops, with the statements before each."""
        places = [(body, at) for body in self._bodies for at, node in enumerate(body) if isinstance(node, LOOPS)]
        return [(body[at], body[:at]) for body, at in places]  # type: ignore[misc]

    @cached_property
    def _assigned(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        for node in self._statements:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                found.setdefault(node.targets[0].id, []).append(node.value)
        return found

    @cached_property
    def _maxima(self) -> list[str]:
        """Names of maxima, and of what they become."""
        found = {
            name
            for name, values in self._assigned.items()
            if any(
                isinstance(node, ast.Call) and callee_name(node) in MAXIMA for value in values for node in walk(value)
            )
        }
        copies = {
            name
            for name, values in self._assigned.items()
            if any(isinstance(value, ast.Name) and value.id in found for value in values)
        }
        return sorted(found | copies)

    @cached_property
    def _factors(self) -> list[str]:
        """Names of powers of differences, by which sums are rescaled."""
        return [
            name
            for name, values in self._assigned.items()
            if any(
                isinstance(value, ast.Call)
                and isinstance(operand := operand_of(value), ast.BinOp)
                and callee_name(value) in POWERS
                and {*names_loaded(operand)} & {*self._maxima}
                for value in values
            )
        ]

    @cached_property
    def _power(self) -> str:
        """The power of a difference of maxima, as the kernel computes it."""
        for node in walk(self.kernel):
            if isinstance(node, ast.Call) and callee_name(node) in POWERS:
                for operand in walk(node):
                    match operand:
                        case ast.BinOp(ast.Name(left), ast.Sub(), ast.Name(right)) if {left, right} <= {*self._maxima}:
                            # What stands around the difference, such as a scale, stays in the template.
                            return ast.unparse(node).replace(ast.unparse(operand), "{} - {}")
        return ""

    @cached_property
    def _indices(self) -> list[str]:
        """Names that are made of program ids, ranges and loops."""
        loops = {
            node.target.id
            for node in walk(self.kernel)
            if isinstance(node, ast.For) and isinstance(node.target, ast.Name)
        }
        found = {*loops}
        for name, values in self._assigned.items():
            for value in values:
                calls = {callee_name(node) for node in walk(value) if isinstance(node, ast.Call)}
                # Other calls, such as a load, make no index of one.
                if calls & {"arange", "program_id"} or (
                    not calls - {"cdiv", "minimum", "min"} and {*names_loaded(value)} & found
                ):
                    found.add(name)
        # What compares indices is made of them, too, but is a mask.
        return sorted(found - self.names.conditions)

    @cached_property
    def _masks(self) -> list[str]:
        """The masks of loads, as they are written, and the names of others."""
        loads = [node for node in walk(self.kernel) if isinstance(node, ast.Call) and callee_name(node) == "load"]
        masks = [keyword.value for load in loads for keyword in load.keywords if keyword.arg == "mask"]
        written = dict.fromkeys(ast.unparse(value) for value in masks if isinstance(value, ast.Compare))
        return [*sorted(self.names.conditions), *written]

    @cached_property
    def _sums(self) -> list[tuple[ast.expr, list[tuple[str, ast.expr]]]]:
        """The sums that names stand for, with their parts and signs."""
        values = [value for values in self._assigned.values() for value in values]
        return [(value, operands) for value in values if len(operands := _signed_parts(value)) > 1]

    def _of_statement(self, node: ast.stmt) -> Iterator[Change]:
        match node:
            case ast.Assign([ast.Name()], ast.Call() as value) if callee_name(value) == "max":
                for alternative in self._maxima:
                    yield Change("running", value, f"tl.maximum({alternative}, {ast.unparse(value)})")
            case ast.Assign([ast.Name()], ast.Call(args=[_, *_]) as value) if callee_name(value) == "zeros":
                keywords = [ast.unparse(keyword) for keyword in value.keywords]
                rest = ", ".join([*map(ast.unparse, value.args[1:]), *keywords])
                # A maximum that starts at 0 is wrong where all numbers are below 0.
                for lowest in LOWEST:
                    replacement = f"tl.full({ast.unparse(value.args[0])}, {lowest}, {rest or 'tl.float32'})"
                    yield Change("start", value, replacement)
            # A step counts elements along an axis; an address moves by as many strides.
            case ast.AugAssign(ast.Name(pointer), ast.Add(), ast.Name(step) as value):
                for stride in self._strides_of(pointer):
                    yield Change("step", value, f"{step} * {stride}")
            case ast.Assign([ast.Name()], ast.Name(constant) as size) if constant in self.names.constants:
                yield from self._limited(size)
        whole = getattr(node, "value", None)
        if isinstance(node, ast.Assign | ast.AugAssign) and isinstance(whole, ast.expr):
            yield from self._masked(node, whole)
            yield from self._beyond(whole)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            code = ast.unparse(node.value)
            for twin in {ast.unparse(value) for value in self._assigned[node.targets[0].id]} - {code}:
                if SequenceMatcher(None, code, twin).ratio() >= TWIN:
                    yield Change("twin", node.value, twin)

    def _strides_of(self, pointer: str) -> set[str]:
        """Return the strides along which the addresses of a pointer begin."""
        products = [node for value in self._assigned.get(pointer, ()) for node in walk(value) if is_product(node)]
        sides = [{*names_loaded(product)} for product in products]
        return {name for names in sides if names & {*self._indices} for name in names & {*self.names.sizes}}

    def _beyond(self, value: ast.expr) -> Iterator[Change]:
        """Leave out of a maximum, and of powers, what lies beyond the end."""
        if any(isinstance(node, ast.Call) and callee_name(node) == "dot" for node in walk(value)):
            for index, size in self._ends:
                mask = f"{index}[None, :] < {size}"
                yield Change("beyond", value, f"tl.where({mask}, {ast.unparse(value)}, {LOWEST[0]})")

    @cached_property
    def _ends(self) -> list[tuple[str, str]]:
        """The indices that masks compare, and the sizes with which they do."""
        found = dict[tuple[str, str], None]()
        for node in walk(self.kernel):
            match node:
                case ast.Compare(left, [ast.Lt()], [ast.Name(size)]):
                    found |= {(name, size): None for name in names_loaded(left) if name in self._indices}
        return list(found)

    def _limited(self, node: ast.Name) -> Iterator[Change]:
        """Leave fewer where fewer are left."""
        names = [name for name in self.names.assigned if name not in self.names.conditions]
        for one, alternative in permutations(names, 2):
            yield Change("limited", node, f"min({one} - {alternative}, {node.id})", far_fetched=len(names) > MOST)

    def _masked(self, node: ast.Assign | ast.AugAssign, value: ast.expr) -> Iterator[Change]:
        target = node.target if isinstance(node, ast.AugAssign) else node.targets[0]
        if isinstance(target, ast.Name) and target.id in self.names.conditions:
            replacement = ast.unparse(value)
            sizes = [size for size in self.names.sizes if size not in self.names.constants]
            below = {ast.unparse(side) for each in walk(value) for side in _sides_below(each)}
            for index in self._indices:
                if index not in names_loaded(value):
                    for size in sizes:
                        within = f"({replacement}) & ({index} >= 0) & ({index} < {size})"
                        # A row's length belongs to the columns that are added to its rows.
                        origins = [self.names.origins.get(name, set()) for name in names_loaded(value)]
                        is_column = any({index, size} <= names for names in origins)
                        yield Change("end" if is_column else "mask", value, within, far_fetched=not is_column)
                elif index not in below:  # only its other end is compared
                    yield from (Change("end", value, f"({replacement}) & ({index} < {size})") for size in sizes)
            return
        # An index of a masked lane is never used, whatever it is.
        if isinstance(target, ast.Name) and target.id not in self._indices:
            calls = [node for node in walk(value) if isinstance(node, ast.Call)]
            # Lanes that were loaded as 0 are still 0 in a product.
            keeps_zero = isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult)
            # A helper may have summed up the lanes, of which none is left to be masked.
            reduces = any(callee_name(call) in WITHOUT_MASK or isinstance(call.func, ast.Name) for call in calls)
            for mask in [] if keeps_zero or reduces else self._masks:
                if mask not in names_loaded(value):
                    yield Change("where", value, f"tl.where({mask}, {ast.unparse(value)}, 0.0)")

    def _of_expression(self, node: ast.expr) -> Iterator[Change]:
        match node:
            case ast.Call():
                yield from self._of_call(node)
                yield from _outside_of_limits(node)
            case ast.BinOp(left, operator, right):
                yield from _regrouped(node)
                if isinstance(operator, ast.Sub | ast.Div):
                    swapped = ast.BinOp(right, operator, left)
                    yield Change("sides", node, f"({ast.unparse(swapped)})")
                if isinstance(operator, ast.Add):
                    yield from _with_limit(node, left, right)
                # In uint8, as the bytes are, half of a byte less 8 would wrap around.
                if isinstance(operator, ast.Sub) and _is_half(left):
                    yield Change("early", node, f"(({ast.unparse(left)}).to(tl.int32) - {ast.unparse(right)})")
                if isinstance(operator, ast.Sub | ast.Add):
                    yield from self._of_ones(right)
                # A weight of 4 bits is stored as n from 0 to 15, which stands for n - 8.
                if isinstance(operator, ast.RShift | ast.BitAnd) and isinstance(right, ast.Constant):
                    yield Change("part-of-byte", node, f"(({ast.unparse(node)}).to(tl.int32) - 8)")
            case ast.Compare(left, _, [right]):
                for side in (left, right):
                    yield from self._moved(side)
                yield from self._counted_twice(left, right)
                # Two ranges compare places in blocks, where those in whole rows may be meant.
                if _is_range(left) and _is_range(right):
                    for names in permutations(self._indices, 2):
                        yield Change("moved", node, _with_names(node, names))

    def _of_ones(self, node: ast.expr) -> Iterator[Change]:
        if isinstance(node, ast.Constant) and isinstance(node.value, float):
            numbers = [name for name in (*self.names.assigned, *self.names.sizes) if name not in self._indices]
            for name in numbers:
                if name not in self.names.conditions and name not in self.names.constants:
                    yield Change("constant", node, name, far_fetched=True)

    def _counted_twice(self, index: ast.expr, bound: ast.expr) -> Iterator[Change]:
        """Compare a place in the row with the whole row, not with its rest."""
        match bound:
            case ast.BinOp(whole, ast.Sub(), ast.Name(start)):
                # The index counts from the row's start already, so its bound has to as well.
                if any(start in self.names.origins.get(name, ()) for name in names_loaded(index)):
                    yield Change("twice", bound, ast.unparse(whole))

    def _moved(self, node: ast.expr) -> Iterator[Change]:
        """Yield a place in the row for one in the block."""
        while isinstance(node, ast.Subscript):
            node = node.value
        is_range = isinstance(node, ast.Call) and callee_name(node) == "arange"
        if is_range or (isinstance(node, ast.Name) and node.id in self._indices):
            for name in self._indices:
                if name not in names_loaded(node):
                    yield Change("moved", node, f"({name} + {ast.unparse(node)})")
                    if is_range:
                        yield Change("moved", node, name)

    def _of_call(self, node: ast.Call) -> Iterator[Change]:
        name = callee_name(node)
        prefix = ast.unparse(node.func).removesuffix(name)
        for alternative in FUNCTIONS.get(name, ()):
            yield Change("base", node.func, prefix + alternative)
        if (
            len(node.args) == 1
            and not node.keywords
            and name not in ("program_id", "num_programs", "float", "range", "trans")
        ):
            yield Change("unwrapped", node, ast.unparse(node.args[0]))
        operand = operand_of(node)
        if name in POWERS and operand is not None:
            for maximum in self._maxima:
                if maximum not in names_loaded(node):
                    # A row's maximum fits a tile as it is or as a column. The operand of a method needs parentheses.
                    for column in COLUMN:
                        yield Change("unshifted", operand, f"({ast.unparse(operand)} - {maximum}{column})")
        if name in ("log", "log2"):
            # The logarithm of a sum of shifted powers lacks the maximum that was subtracted.
            for maximum in self._maxima:
                yield Change("unshifted", node, f"({maximum} + {ast.unparse(node)})")
        if name == "sum" and operand is not None:
            yield from self._rescaled(operand)
        if name == "store":
            yield from self._divided(node)
        if name == "load":
            yield from _outside(node, 2)
            yield from self._offset(operand)
        if name == "where":
            yield from _outside(node, 2)

    def _divided(self, node: ast.Call) -> Iterator[Change]:
        """Divide what is stored by a sum."""
        value = argument_of(node, 1, "value")
        if isinstance(value, ast.Name):
            for name in self._updated_names:
                if name != value.id:
                    yield from (Change("divided", value, f"({value.id} / {name}{column})") for column in COLUMN)

    @cached_property
    def _updated_names(self) -> list[str]:
        """The names that loops change, but for counters and pointers."""
        stored = {name for loop, _ in self._loops for name in names_stored(loop)}
        started = {name for _, before in self._loops for node in before for name in names_stored(node)}
        return sorted((stored & started) - {*self._indices} - {*self.names.pointers})

    def _offset(self, node: ast.expr | None) -> Iterator[Change]:
        """Read another element than the first one of a tensor."""
        if isinstance(node, ast.Name) and node.id in self.names.pointers:
            for index in self._indices:
                yield Change("offset", node, f"{node.id} + {index}")

    def _like_its_sibling(self) -> Iterator[Change]:
        """Add to a sum what another one has, along another axis."""
        sizes = {*self.names.sizes}
        for value, operands in self._sums:
            own = {ast.unparse(operand) for _, operand in operands}
            for _, longer in self._sums:
                if len(longer) == len(operands) + 1:
                    for sign, operand in longer:
                        addend = ast.unparse(operand)
                        # What is made of sizes only, such as `K // 2`, may belong to either axis.
                        if addend not in own and {*names_loaded(operand)} <= sizes:
                            yield Change("addend", value, f"({ast.unparse(value)} {sign} {addend})")

    def _rescaled(self, node: ast.expr) -> Iterator[Change]:
        """Multiply what lanes have summed by what brings it to a common maximum."""
        if isinstance(node, ast.Name) and self._power and len(self._maxima) <= MOST:
            for left, right in permutations(self._maxima, 2):
                yield Change("rescaled", node, f"({node.id} * {self._power.format(left, right)})")

    def _updated(self, loop: ast.For | ast.While, before: Sequence[ast.stmt]) -> Iterator[Change]:
        """Rescale a sum in a loop, or keep what it has computed."""
        stored = names_stored(loop)
        for node in walk(loop):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                own = [
                    each for each in walk(node.value) if isinstance(each, ast.Name) and each.id == node.targets[0].id
                ]
                for factor in self._factors:
                    if factor not in names_loaded(node):
                        for each in own:
                            for column in COLUMN:
                                yield Change("rescaled", each, f"({each.id} * {factor}{column})")
        last = loop.body[-1]
        started = {name for node in before for name in names_stored(node)} - stored - {*self._indices}
        # A `;` joins no statement that has a body.
        if not hasattr(last, "body"):
            for name in sorted(started & {*names_loaded(loop)} & {*self._assigned}):
                for alternative in self._maxima:
                    if alternative in stored:
                        yield Change("forgotten", last, f"{ast.unparse(last)}; {name} = {alternative}")


def _continued(loop: ast.For | ast.While, before: Sequence[ast.stmt]) -> Iterator[Change]:
    """Begin a loop where the one before it has ended."""
    match loop:
        case ast.For(iter=ast.Call(args=[ast.Constant() as first, _, *_])):
            for node in before:
                match node:
                    case ast.For(iter=ast.Call(args=[_, end, *_])):
                        yield Change("continued", first, ast.unparse(end))


def _is_range(node: ast.expr) -> bool:
    while isinstance(node, ast.Subscript):
        node = node.value
    return isinstance(node, ast.Call) and callee_name(node) == "arange"


def _with_names(node: ast.Compare, names: Iterable[str]) -> str:
    """Return a comparison of two ranges with names in their places."""
    code, waiting = ast.unparse(node), iter(names)
    return RANGE.sub(lambda _: next(waiting), code)


def _sides_below(node: ast.AST) -> list[ast.expr]:
    """Return what a comparison asks to be less than something."""
    match node:
        case ast.Compare(left, [ast.Lt() | ast.LtE()], _) | ast.Compare(_, [ast.Gt() | ast.GtE()], [left]):
            return [left]
    return []


def _outside(node: ast.Call, position: int) -> Iterator[Change]:
    """Yield other values for what is outside."""
    value = argument_of(node, position, "other")
    match value:
        case ast.Constant(int() | float()):
            yield from (Change("outside", value, lowest) for lowest in LOWEST)
        case ast.Call() | ast.UnaryOp():
            yield Change("outside", value, "0.0")


def _signed_parts(node: ast.expr) -> list[tuple[str, ast.expr]]:
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return [*_signed_parts(left), *_signed_parts(right)]
        case ast.BinOp(left, ast.Sub(), right):
            return [*_signed_parts(left), ("-", right)]
    return [("+", node)]


def _outside_of_limits(node: ast.Call) -> Iterator[Change]:
    """Multiply what is limited, not what is to be limited."""
    match node:
        # A function of the script's own may limit as well.
        case ast.Call(function, [ast.BinOp(left, ast.Mult(), right), *rest]) if callee_name(
            node
        ) in LIMITING or isinstance(function, ast.Name):
            for factor, limited in ((left, right), (right, left)):
                replacement = ", ".join(map(ast.unparse, [limited, *rest]))
                yield Change("limit", node, f"({ast.unparse(factor)} * {ast.unparse(function)}({replacement}))")


def _with_limit(node: ast.expr, left: ast.expr, right: ast.expr) -> Iterator[Change]:
    """Limit a whole sum, not its last part."""
    match right:
        case ast.Call(function, [limited, *rest]) if callee_name(right) in LIMITING or isinstance(function, ast.Name):
            inside = ", ".join(map(ast.unparse, [ast.BinOp(left, ast.Add(), limited), *rest]))
            yield Change("limit", node, f"{ast.unparse(function)}({inside})")


def _is_half(node: ast.expr) -> bool:
    """Return whether an expression takes half of the bits of a byte.

    These are >> and &, or // and %.
    """
    signs = ast.RShift | ast.BitAnd | ast.FloorDiv | ast.Mod
    return isinstance(node, ast.BinOp) and isinstance(node.op, signs) and isinstance(node.right, ast.Constant)


def _regrouped(node: ast.BinOp) -> Iterator[Change]:
    """Give a factor to one part of a sum, or to both."""
    match node:
        case ast.BinOp(
            ast.BinOp(left, ast.Add() | ast.Sub() as sign, right), ast.Mult() | ast.Div() as operator, factor
        ):
            operands = [
                ast.BinOp(left, sign, ast.BinOp(right, operator, factor)),
                ast.BinOp(ast.BinOp(left, operator, factor), sign, right),
            ]
        case ast.BinOp(factor, ast.Mult() as operator, ast.BinOp(left, ast.Add() | ast.Sub() as sign, right)):
            operands = [
                ast.BinOp(left, sign, ast.BinOp(right, operator, factor)),
                ast.BinOp(ast.BinOp(left, operator, factor), sign, right),
            ]
        case ast.BinOp(
            ast.BinOp(left, ast.Mult() | ast.Div() as operator, factor), ast.Add() | ast.Sub() as sign, right
        ):
            operands = [ast.BinOp(ast.BinOp(left, sign, right), operator, factor)]
            # Of a product, either factor may be the common one; of a quotient, only its divisor.
            if isinstance(operator, ast.Mult):
                operands.append(ast.BinOp(ast.BinOp(factor, sign, right), operator, left))
        case ast.BinOp(
            left, ast.Add() | ast.Sub() as sign, ast.BinOp(right, ast.Mult() | ast.Div() as operator, factor)
        ):
            operands = [ast.BinOp(ast.BinOp(left, sign, right), operator, factor)]
        case _:
            return
    for operand in operands:
        yield Change("regrouped", node, f"({ast.unparse(operand)})")


def _of_neighbours(body: Sequence[ast.stmt]) -> Iterator[Change]:
    """Exchange the values of two statements in a row."""
    for left, right in pairwise(body):
        match left, right:
            case ast.Assign([ast.Name(first)], value), ast.Assign([ast.Name(second)], another) if first != second:
                operations = _is_operation(value) and _is_operation(another)
                same = set(names_loaded(value)) == set(names_loaded(another)) and ast.dump(value) != ast.dump(another)
                # A call of both may have them in the wrong order, and then each value is what its name says.
                if operations and same and not any(_takes_both(each, first, second) for each in body):
                    yield Change("exchanged", value, ast.unparse(another), also=((another, ast.unparse(value)),))


def _takes_both(statement: ast.stmt, left: str, right: str) -> bool:
    """Return whether a call in a statement has both names as arguments."""
    calls = (node for node in walk(statement) if isinstance(node, ast.Call))
    return any({left, right} <= {each.id for each in call.args if isinstance(each, ast.Name)} for call in calls)


def _is_operation(value: ast.expr) -> bool:
    return isinstance(value, ast.BinOp) or (isinstance(value, ast.Call) and callee_name(value) != "load")


def _overwritten(body: Sequence[ast.stmt]) -> Iterator[Change]:
    """Compute values in a row from the old ones, which they replace."""
    rows = [[*row] for is_assigned, row in groupby(body, lambda node: _target(node) is not None) if is_assigned]
    for row in rows:
        for at, first in enumerate(row):
            name = _target(first)
            users = [number for number in range(at + 1, len(row)) if name in names_loaded(row[number])]
            if users and name in names_loaded(first):
                operands = row[at : users[-1] + 1]
                values = ", ".join(ast.unparse(node.value) for node in operands if isinstance(node, ast.Assign))
                replacement = f"{', '.join(map(str, map(_target, operands)))} = {values}"
                rest = tuple((node, "pass") for node in operands[1:])
                # The line to blame is the first that reads a new value where the old one is needed.
                yield Change("overwritten", first, replacement, also=rest, line=row[users[0]].lineno)
                break


def _target(node: ast.stmt) -> str | None:
    match node:
        case ast.Assign([ast.Name(name)]):
            return name
    return None
