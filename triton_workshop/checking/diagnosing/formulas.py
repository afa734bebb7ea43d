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
from itertools import chain, groupby, pairwise, permutations, product

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.diagnosing.names import Names
from triton_workshop.checking.observing.source import (
    Function,
    argument_of,
    callee_name,
    is_call_of,
    is_product,
    names_loaded,
    names_stored,
    nodes_of,
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
            for node in nodes_of(statement, ast.expr):
                if not isinstance(node, ast.Constant):
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
        return [node for node in nodes_of(self.kernel, ast.stmt) if not hasattr(node, "body")]

    @cached_property
    def _bodies(self) -> list[list[ast.stmt]]:
        bodies: list[list[ast.stmt]] = []
        for node in nodes_of(self.kernel, ast.stmt):
            bodies += [getattr(node, "body", []), getattr(node, "orelse", [])]
        return [body for body in bodies if body]

    @cached_property
    def _loops(self) -> list[tuple[ast.For | ast.While, list[ast.stmt]]]:
        """The loops, with the statements before each."""
        loops: list[tuple[ast.For | ast.While, list[ast.stmt]]] = []
        for body in self._bodies:
            for at, node in enumerate(body):
                if isinstance(node, LOOPS):
                    loops.append((node, body[:at]))
        return loops

    @cached_property
    def _assigned(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        for node in self._statements:
            match node:
                case ast.Assign([ast.Name(name), *_], value):
                    found.setdefault(name, []).append(value)
        return found

    @cached_property
    def _maxima(self) -> list[str]:
        """Names of maxima, and of what they become."""
        found = {name for name, values in self._assigned.items() if any(map(_has_maximum, values))}
        copies = set[str]()
        for name, values in self._assigned.items():
            copied = {value.id for value in values if isinstance(value, ast.Name)}
            if copied & found:
                copies.add(name)
        return sorted(found | copies)

    @cached_property
    def _factors(self) -> list[str]:
        """Names of powers of differences, by which sums are rescaled."""
        return [name for name, values in self._assigned.items() if any(map(self._is_factor, values))]

    def _is_factor(self, value: ast.expr) -> bool:
        """Return whether a value is a power of a difference of maxima."""
        if not isinstance(value, ast.Call):
            return False
        operand = operand_of(value)
        if not isinstance(operand, ast.BinOp):
            return False
        return callee_name(value) in POWERS and not {*self._maxima}.isdisjoint(names_loaded(operand))

    @cached_property
    def _power(self) -> str:
        """The power of a difference of maxima, as the kernel computes it."""
        powers = [call for call in nodes_of(self.kernel, ast.Call) if callee_name(call) in POWERS]
        for node in powers:
            for operand in walk(node):
                match operand:
                    case ast.BinOp(ast.Name(left), ast.Sub(), ast.Name(right)) if {left, right} <= {*self._maxima}:
                        # What stands around the difference, such as a scale, stays in the template.
                        return ast.unparse(node).replace(ast.unparse(operand), "{} - {}")
        return ""

    @cached_property
    def _indices(self) -> list[str]:
        """Names that are made of program ids, ranges and loops."""
        targets = [loop.target for loop in nodes_of(self.kernel, ast.For)]
        found = {target.id for target in targets if isinstance(target, ast.Name)}
        for name, values in self._assigned.items():
            for value in values:
                if _is_index(value, found):
                    found.add(name)
        # What compares indices is made of them, too, but is a mask.
        return sorted(found - self.names.conditions)

    @cached_property
    def _masks(self) -> list[str]:
        """The masks of loads, as they are written, and the names of others."""
        loads = [node for node in walk(self.kernel) if is_call_of(node, "load")]
        keywords = chain.from_iterable(load.keywords for load in loads)
        masks = [keyword.value for keyword in keywords if keyword.arg == "mask"]
        written = dict.fromkeys(ast.unparse(value) for value in masks if isinstance(value, ast.Compare))
        return [*sorted(self.names.conditions), *written]

    @cached_property
    def _sums(self) -> list[tuple[ast.expr, list[tuple[str, ast.expr]]]]:
        """The sums that names stand for, with their parts and signs."""
        values = chain.from_iterable(self._assigned.values())
        parts = [(value, _signed_parts(value)) for value in values]
        return [(value, operands) for value, operands in parts if len(operands) > 1]

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
        if isinstance(node, ast.Assign | ast.AugAssign):
            yield from self._masked(node, node.value)
            yield from self._beyond(node.value)
        match node:
            case ast.Assign([ast.Name(name), *_]):
                yield from self._twins(name, node.value)

    def _twins(self, name: str, value: ast.expr) -> Iterator[Change]:
        """Yield what is alike among the other values of a name."""
        code = ast.unparse(value)
        codes = {ast.unparse(alternative) for alternative in self._assigned[name]}
        # Sorted, as a set of strings has another order in each process.
        for twin in sorted(codes - {code}):
            if SequenceMatcher(None, code, twin).ratio() >= TWIN:
                yield Change("twin", value, twin)

    def _strides_of(self, pointer: str) -> list[str]:
        """Return the strides along which the addresses of a pointer begin."""
        nodes = chain.from_iterable(map(walk, self._assigned.get(pointer, ())))
        factors = [{*names_loaded(node)} for node in nodes if is_product(node)]
        of_indices = [names for names in factors if names & {*self._indices}]
        strides = set[str]().union(*of_indices)
        return [size for size in self.names.sizes if size in strides]

    def _beyond(self, value: ast.expr) -> Iterator[Change]:
        """Leave out of a maximum, and of powers, what lies beyond the end."""
        has_dot = any(is_call_of(node, "dot") for node in walk(value))
        if not has_dot:
            return
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
        if not isinstance(target, ast.Name):
            return
        if target.id in self.names.conditions:
            yield from self._bounded(value)
        # An index of a masked lane is never used, whatever it is.
        elif target.id not in self._indices:
            yield from self._zeroed(value)

    def _bounded(self, value: ast.expr) -> Iterator[Change]:
        """Compare in a mask another index, or the other end of one."""
        replacement = ast.unparse(value)
        sizes = [size for size in self.names.sizes if size not in self.names.constants]
        sides_below = chain.from_iterable(map(_sides_below, walk(value)))
        below = set(map(ast.unparse, sides_below))
        for index in self._indices:
            if index not in names_loaded(value):
                yield from self._with_another_index(value, index, sizes)
            elif index not in below:  # only its other end is compared
                for size in sizes:
                    yield Change("end", value, f"({replacement}) & ({index} < {size})")

    def _with_another_index(self, value: ast.expr, index: str, sizes: Iterable[str]) -> Iterator[Change]:
        replacement = ast.unparse(value)
        origins = [self.names.origins.get(name, set()) for name in names_loaded(value)]
        for size in sizes:
            within = f"({replacement}) & ({index} >= 0) & ({index} < {size})"
            # A row's length belongs to the columns that are added to its rows.
            is_column = any({index, size} <= names for names in origins)
            yield Change("end" if is_column else "mask", value, within, far_fetched=not is_column)

    def _zeroed(self, value: ast.expr) -> Iterator[Change]:
        """Put 0 in the masked lanes of a value."""
        # Lanes that were loaded as 0 are still 0 in a product.
        if is_product(value):
            return
        if any(map(_needs_no_mask, nodes_of(value, ast.Call))):
            return
        for mask in self._masks:
            if mask not in names_loaded(value):
                yield Change("where", value, f"tl.where({mask}, {ast.unparse(value)}, 0.0)")

    def _of_expression(self, node: ast.expr) -> Iterator[Change]:
        match node:
            case ast.Call():
                yield from self._of_call(node)
                yield from _outside_of_limits(node)
            case ast.BinOp():
                yield from _regrouped(node)
                yield from self._of_operation(node)
            case ast.Compare(left, _, [right]):
                for side in (left, right):
                    yield from self._moved(side)
                yield from self._counted_twice(left, right)
                # Two ranges compare places in blocks, where those in whole rows may be meant.
                if _is_range(left) and _is_range(right):
                    for names in permutations(self._indices, 2):
                        yield Change("moved", node, _with_names(node, names))

    def _of_operation(self, node: ast.BinOp) -> Iterator[Change]:
        left, right = node.left, node.right
        match node.op:
            case ast.Div():
                yield _with_sides_exchanged(node)
            case ast.Sub():
                yield _with_sides_exchanged(node)
                # In uint8, as the bytes are, half of a byte less 8 would wrap around.
                if _is_half(left):
                    yield Change("early", node, f"(({ast.unparse(left)}).to(tl.int32) - {ast.unparse(right)})")
                yield from self._of_ones(right)
            case ast.Add():
                yield from _with_limit(node, left, right)
                yield from self._of_ones(right)
            # A weight of 4 bits is stored as n from 0 to 15, which stands for n - 8.
            case ast.RShift() | ast.BitAnd() if isinstance(right, ast.Constant):
                yield Change("part-of-byte", node, f"(({ast.unparse(node)}).to(tl.int32) - 8)")

    def _of_ones(self, node: ast.expr) -> Iterator[Change]:
        match node:
            case ast.Constant(float()):
                others = {*self._indices, *self.names.conditions, *self.names.constants}
                for name in (*self.names.assigned, *self.names.sizes):
                    if name not in others:
                        yield Change("constant", node, name, far_fetched=True)

    def _counted_twice(self, index: ast.expr, bound: ast.expr) -> Iterator[Change]:
        """Compare a place in the row with the whole row, not with its rest."""
        match bound:
            case ast.BinOp(whole, ast.Sub(), ast.Name(start)):
                origins = [self.names.origins.get(name, ()) for name in names_loaded(index)]
                # The index counts from the row's start already, so its bound has to as well.
                if start in chain.from_iterable(origins):
                    yield Change("twice", bound, ast.unparse(whole))

    def _moved(self, node: ast.expr) -> Iterator[Change]:
        """Yield a place in the row for one in the block."""
        while isinstance(node, ast.Subscript):
            node = node.value
        is_range = is_call_of(node, "arange")
        is_index = isinstance(node, ast.Name) and node.id in self._indices
        if not is_range and not is_index:
            return
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
        match name:
            case _ if name in POWERS:
                yield from self._shifted(node)
            case "log" | "log2":
                # The logarithm of a sum of shifted powers lacks the maximum that was subtracted.
                for maximum in self._maxima:
                    yield Change("unshifted", node, f"({maximum} + {ast.unparse(node)})")
            case "sum":
                yield from self._rescaled(operand_of(node))
            case "store":
                yield from self._divided(node)
            case "load":
                yield from _outside(node, 2)
                yield from self._offset(operand_of(node))
            case "where":
                yield from _outside(node, 2)

    def _shifted(self, node: ast.Call) -> Iterator[Change]:
        """Subtract a maximum from the operand of a power."""
        operand = operand_of(node)
        if operand is None:
            return
        for maximum in self._maxima:
            if maximum not in names_loaded(node):
                # A row's maximum fits a tile as it is or as a column. The operand of a method needs parentheses.
                for column in COLUMN:
                    yield Change("unshifted", operand, f"({ast.unparse(operand)} - {maximum}{column})")

    def _divided(self, node: ast.Call) -> Iterator[Change]:
        """Divide what is stored by a sum."""
        value = argument_of(node, 1, "value")
        if not isinstance(value, ast.Name):
            return
        divisors = [name for name in self._updated_names if name != value.id]
        for name, column in product(divisors, COLUMN):
            yield Change("divided", value, f"({value.id} / {name}{column})")

    @cached_property
    def _updated_names(self) -> list[str]:
        """The names that loops change, but for counters and pointers."""
        stored = _names_stored_in(loop for loop, _ in self._loops)
        started = _names_stored_in(chain.from_iterable(before for _, before in self._loops))
        return sorted((stored & started) - {*self._indices} - {*self.names.pointers})

    def _offset(self, node: ast.expr | None) -> Iterator[Change]:
        """Read another element than the first one of a tensor."""
        match node:
            case ast.Name(name) if name in self.names.pointers:
                for index in self._indices:
                    yield Change("offset", node, f"{name} + {index}")

    def _like_its_sibling(self) -> Iterator[Change]:
        """Add to a sum what another one has, along another axis."""
        sizes = {*self.names.sizes}
        for value, operands in self._sums:
            own = {ast.unparse(operand) for _, operand in operands}
            longer_sums = [longer for _, longer in self._sums if len(longer) == len(operands) + 1]
            for sign, operand in chain.from_iterable(longer_sums):
                addend = ast.unparse(operand)
                if addend in own:
                    continue
                # What is made of sizes only, such as `K // 2`, may belong to either axis.
                if {*names_loaded(operand)} <= sizes:
                    yield Change("addend", value, f"({ast.unparse(value)} {sign} {addend})")

    def _rescaled(self, node: ast.expr | None) -> Iterator[Change]:
        """Multiply what lanes have summed by what brings it to a common maximum."""
        if not isinstance(node, ast.Name):
            return
        if not self._power:
            return
        if len(self._maxima) <= MOST:
            for left, right in permutations(self._maxima, 2):
                yield Change("rescaled", node, f"({node.id} * {self._power.format(left, right)})")

    def _updated(self, loop: ast.For | ast.While, before: Sequence[ast.stmt]) -> Iterator[Change]:
        """Rescale a sum in a loop, or keep what it has computed."""
        for node in nodes_of(loop, ast.Assign):
            match node.targets[0]:
                case ast.Name(target):
                    own = [name for name in nodes_of(node.value, ast.Name) if name.id == target]
                    factors = [factor for factor in self._factors if factor not in names_loaded(node)]
                    for factor, name, column in product(factors, own, COLUMN):
                        yield Change("rescaled", name, f"({target} * {factor}{column})")
        last = loop.body[-1]
        # A `;` joins no statement that has a body.
        if hasattr(last, "body"):
            return
        stored = names_stored(loop)
        started = _names_stored_in(before) - stored - {*self._indices}
        kept = sorted(started & {*names_loaded(loop)} & {*self._assigned})
        maxima = [maximum for maximum in self._maxima if maximum in stored]
        for target, maximum in product(kept, maxima):
            yield Change("forgotten", last, f"{ast.unparse(last)}; {target} = {maximum}")


def _names_stored_in(nodes: Iterable[ast.AST]) -> set[str]:
    return set[str]().union(*map(names_stored, nodes))


def _has_maximum(value: ast.expr) -> bool:
    return any(callee_name(call) in MAXIMA for call in nodes_of(value, ast.Call))


def _is_index(value: ast.expr, indices: set[str]) -> bool:
    """Return whether a value is made of program ids, ranges or indices."""
    calls = {callee_name(call) for call in nodes_of(value, ast.Call)}
    if calls & {"arange", "program_id"}:
        return True
    # Other calls, such as a load, make no index of one.
    if calls - {"cdiv", "minimum", "min"}:
        return False
    return not indices.isdisjoint(names_loaded(value))


def _needs_no_mask(call: ast.Call) -> bool:
    """Return whether a call's result has a mask, or needs none."""
    # A helper may have summed up the lanes, of which none is left to be masked.
    return callee_name(call) in WITHOUT_MASK or isinstance(call.func, ast.Name)


def _with_sides_exchanged(node: ast.BinOp) -> Change:
    return Change("sides", node, f"({ast.unparse(ast.BinOp(node.right, node.op, node.left))})")


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
    return is_call_of(node, "arange")


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
    match node:
        case ast.BinOp(_, ast.RShift() | ast.BitAnd() | ast.FloorDiv() | ast.Mod(), ast.Constant()):
            return True
    return False


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
                if not _are_exchangeable(value, another):
                    continue
                # A call of both may have them in the wrong order, and then each value is what its name says.
                has_call_of_both = any(_takes_both(each, first, second) for each in body)
                if not has_call_of_both:
                    yield Change("exchanged", value, ast.unparse(another), also=((another, ast.unparse(value)),))


def _takes_both(statement: ast.stmt, left: str, right: str) -> bool:
    """Return whether a call in a statement has both names as arguments."""
    for call in nodes_of(statement, ast.Call):
        names = {argument.id for argument in call.args if isinstance(argument, ast.Name)}
        if {left, right} <= names:
            return True
    return False


def _are_exchangeable(value: ast.expr, another: ast.expr) -> bool:
    """Return whether two values are different operations on the same names."""
    if not all(map(_is_operation, (value, another))):
        return False
    if set(names_loaded(value)) != set(names_loaded(another)):
        return False
    return ast.dump(value) != ast.dump(another)


def _is_operation(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        return callee_name(value) != "load"
    return isinstance(value, ast.BinOp)


def _overwritten(body: Sequence[ast.stmt]) -> Iterator[Change]:
    """Compute values in a row from the old ones, which they replace."""
    rows = [[*row] for is_assigned, row in groupby(body, lambda node: _target(node) is not None) if is_assigned]
    for row in rows:
        for at, first in enumerate(row):
            name = _target(first)
            if name not in names_loaded(first):
                continue
            users = [number for number in range(at + 1, len(row)) if name in names_loaded(row[number])]
            if users:
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
