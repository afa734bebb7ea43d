"""Small changes of a script that put right what people mistype.

A number that is one less, another name of the same kind, two arguments that trade places, a factor more or less.
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from itertools import combinations, product

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.diagnosing.formulas import Formulas
from triton_workshop.checking.diagnosing.loops import changes_of_loops
from triton_workshop.checking.diagnosing.names import MEMORY, OF_TENSORS, Names
from triton_workshop.checking.observing.source import (
    Function,
    argument_of,
    callee_name,
    is_call_of,
    is_method,
    is_product,
    names_loaded,
    names_stored,
    nodes_of,
    operand_of,
    walk,
)

OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.FloorDiv, ast.Div),
    ast.Div: (ast.Mult,),
    ast.FloorDiv: (ast.Mod, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitOr: (ast.BitAnd,),
}
COMPARISONS: tuple[type[ast.cmpop], ...] = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
OPPOSITES = {"minimum": "maximum", "maximum": "minimum"}
REDUCTIONS = ("sum", "max", "min", "argmax", "argmin", "cumsum")
LOOPS = ("range", "static_range")
WITH_A_VALUE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
KEEPING = ("path", "unwrapped", "exchanged", "forgotten", "restarted", "hoisted", "late", "stale", "overwritten")
"""Kinds of changes after which a name may be unread, or none is."""
SMALLEST_TILE = 8
"""Least power of 2 that is a size, and no slip by one."""
AXIS = re.compile(r"(?:\w*_|\w)([a-z])$")
"""A name whose last letter is an axis, such as `nx` or `tiles_x`."""
MOST_IN_ANY_ORDER = 4
"""Of more values in a row, only neighbours trade places."""


def _useful(function: Function, changes: Iterator[Change]) -> Iterator[Change]:
    """Leave out changes after which a name is unread.

    Nobody computes or passes what is not needed, so it belongs where it stands.
    """
    read = Counter(names_loaded(function))
    for change in changes:
        is_useful = change.kind in KEEPING or _preserves_reads(change, read)
        if not is_useful:
            continue
        if change.replacement != ast.unparse(change.node):
            yield change


def _preserves_reads(change: Change, read: Counter[str]) -> bool:
    """Return whether all names are still read after a change."""
    # By words, as a replacement need not be an expression by itself: see "arguments" in `_of_orders`.
    lost = Counter(names_loaded(change.node)) - Counter(re.findall(r"\w+", change.replacement))
    return all(read[name] > lost[name] for name in lost)


def changes_in(
    function: Function, is_kernel: bool, parameters: dict[str, list[str]], coefficients: set[float]
) -> Iterator[Change]:
    """The changes of a kernel or launcher.

    `parameters` are those of the script's kernels, by name, and `coefficients` the solution's numbers with a fraction.
    """
    return _useful(function, _all_in(function, is_kernel, parameters, coefficients))


def _all_in(
    function: Function, is_kernel: bool, parameters: dict[str, list[str]], coefficients: set[float]
) -> Iterator[Change]:
    names = Names(function, is_kernel)
    cdiv = "tl.cdiv" if is_kernel else "triton.cdiv"
    for statement in function.body:
        for node in _editable(statement):
            yield from _of_numbers(node, cdiv)
            yield from _of_coefficients(node, coefficients)
            yield from _of_orders(node, _parameters(node, parameters))
            yield from _of_operators(node)
            yield from _of_names(node, names)
            if is_kernel:
                yield from _of_factors(node, names)
            yield from _of_precision(node)
            yield from _of_axes(node)
        yield from _of_sums(statement)
        yield from _of_paths(statement, names)
        yield from _of_pairs(statement, names)
        yield from _of_strides(statement, names)
        yield from _of_divisors(statement, function)
        match statement:
            case ast.Assign(value=value) if is_kernel and is_product(value):
                yield from (Change("factor", value, f"{ast.unparse(value)} * {size}") for size in names.sizes)
    yield from _of_rounds(function)
    if is_kernel:
        yield from Formulas(function, names).changes()
        yield from changes_of_loops(function, names)


def _editable(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the parts of a statement, but for what keeps a loop going.

    With another name it might not end, or not soon.
    """
    waiting: list[ast.AST] = [] if _is_a_size(statement) else [statement]
    tiles = _tiles_of_steps(statement)
    while waiting:
        node = waiting.pop()
        yield node
        waiting += reversed(_editable_children(node, tiles))


def _editable_children(node: ast.AST, tiles: set[ast.AST]) -> Sequence[ast.AST]:
    """Return the parts of a node that may be changed by themselves."""
    match node:
        case ast.While():
            return [child for child in node.body if not _advances(child, node)]
        case ast.If() | ast.IfExp():
            return _children_of_condition(node)
        case ast.BinOp(op=ast.Sub() | ast.FloorDiv()):
            # A number may be too much as a whole.
            return [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.Constant)]
        case ast.Call() if node in tiles:
            return []  # more elements than a step would do an iteration's work twice
        case ast.Call() if callee_name(node) == "num_programs":
            return []  # of an axis that the grid does not have it is 1, which may do away with anything
        case ast.Call() if callee_name(node) in LOOPS:
            return [child for child in node.args[:2] if not isinstance(child, ast.Name)]
        case ast.Call(ast.Subscript()):  # a launch: sizes again
            values = [node.func, *node.args, *(keyword.value for keyword in node.keywords)]
            return [value for value in values if not isinstance(value, ast.Constant)]
    return list(ast.iter_child_nodes(node))


def _children_of_condition(node: ast.If | ast.IfExp) -> list[ast.AST]:
    """Return the parts of a condition that may be changed by themselves.

    What avoids a path is one change: see `_of_paths`.
    """
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.IfExp):
        children = [child for child in children if not isinstance(child, ast.Constant)]
    if _asks_for_one_value(node.test):
        children = [child for child in children if child is not node.test]
    return children


def _tiles_of_steps(statement: ast.stmt) -> set[ast.AST]:
    """Return the ranges in loops with as many elements as the loop's step."""
    found = set[ast.AST]()
    for loop in walk(statement):
        match loop:
            case ast.For(iter=ast.Call(args=[_, _, ast.Name(step)])):
                ranges = [node for node in walk(loop) if is_call_of(node, "arange")]
                found |= {call for call in ranges if step in map(ast.unparse, call.args[-1:])}
    return found


def _asks_for_one_value(test: ast.expr) -> bool:
    return any(isinstance(node, ast.Eq | ast.NotEq) for node in walk(test))


def _advances(statement: ast.stmt, loop: ast.For | ast.While) -> bool:
    """Return whether a statement assigns what ends a `while` loop."""
    return isinstance(loop, ast.While) and not names_stored(statement).isdisjoint(names_loaded(loop.test))


def _is_a_size(statement: ast.stmt) -> bool:
    """Return whether a statement gives names to sizes.

    In `TILE_HEIGHT, TILE_WIDTH = 4, 64`, any size is right by itself.
    """
    if not isinstance(statement, ast.Assign):
        return False
    values = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
    return all(map(_is_integer, values))


def _is_integer(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, int)


def _of_numbers(node: ast.AST, cdiv: str) -> Iterator[Change]:
    match node:
        case ast.BinOp(left, ast.FloorDiv(), right):
            yield Change("rounded", node, f"{cdiv}({ast.unparse(left)}, {ast.unparse(right)})")
        # `int()` matches True and False as well.
        case ast.Constant(int(value)) if type(value) is int and not _is_tile_size(value):
            yield from (
                Change("number", node, str(alternative)) for alternative in (value + 1, value - 1) if alternative >= 0
            )
        # Whoever counts backwards from a size begins at the last index, which is one less.
        case ast.BinOp(ast.Name(first), ast.Sub(), ast.Name(second)):
            yield Change("number", node, f"({first} - 1 - {second})")
        case ast.Constant(float(value)) if value in (0, 1):
            yield Change("constant", node, str(1 - value))
        case ast.Call(ast.Attribute(of, "numel"), []):  # of one image, row or channel
            yield Change("number", node, f"{ast.unparse(of)}[0].numel()")
        case ast.Call(ast.Name("len"), [of]):
            yield Change("number", node, f"{ast.unparse(of)}.numel()")
        case ast.Call(args=[_, _, ast.Constant() as step]) if callee_name(node) in LOOPS:
            yield Change("number", step, "tl.num_programs(0)")
        case ast.Call() if callee_name(node) in OPPOSITES:
            yield from (Change("number", each, f"{each.id} - 1") for each in node.args if isinstance(each, ast.Name))


def _is_tile_size(value: int) -> bool:
    return value >= SMALLEST_TILE and value & (value - 1) == 0


def _of_rounds(function: Function) -> Iterator[Change]:
    """Make one more iteration.

    That is in the loop, or where its end is computed, if nothing else reads that.
    """
    nodes, read = walk(function), Counter(names_loaded(function))
    pairs = [(node.targets[0], node.value) for node in nodes if isinstance(node, ast.Assign)]
    values = {target.id: value for target, value in pairs if isinstance(target, ast.Name)}
    values = {name: value for name, value in values.items() if read[name] == 1}
    for node in nodes:
        match node:
            case ast.While(test=ast.Compare(left, [ast.Gt() | ast.Lt() as sign], [right]) as test):
                closed = ast.GtE() if isinstance(sign, ast.Gt) else ast.LtE()
                yield Change("rounds", test, ast.unparse(ast.Compare(left, [closed], [right])))
            case ast.Call(args=[_, *_]) if callee_name(node) in LOOPS:
                # The end is the only argument, or the second one of two or three.
                stop = node.args[: len(node.args) // 2 + 1][-1]
                end = values.get(stop.id, stop) if isinstance(stop, ast.Name) else stop
                if not isinstance(end, ast.BinOp):  # of those, a part may be too much
                    yield Change("rounds", end, f"{ast.unparse(end)} + 1")


def _of_paths(statement: ast.stmt, names: Names) -> Iterator[Change]:
    """Leave out a path for some inputs: none or all of them take it.

    A flag is right where it is asked for: whoever gives it chooses the path.
    """
    for node in walk(statement):
        match node:
            case ast.If(test) | ast.IfExp(test) if ast.unparse(test) not in names.constants:
                yield from (Change("path", test, replacement) for replacement in ("False", "True"))


def _of_coefficients(node: ast.AST, right: set[float]) -> Iterator[Change]:
    """Replace a number with one of the solution's, the likest first."""
    match node:
        # ln 2 and log2(e) are each other's reciprocals.
        case ast.Constant(float(value)) if _is_near(value, math.log(2)) or _is_near(value, math.log2(math.e)):
            yield Change("reciprocal", node, repr(1 / value))
        case ast.Constant(float(value)) if value not in right and not value.is_integer():
            # With a cutoff of 0, the two nearest come, however far they are.
            like = get_close_matches(str(value), map(str, sorted(right)), 2, 0)
            yield from (Change("coefficient", node, each) for each in like)
        case ast.Constant(float(value)) if value in right:  # it may be another one's
            alternatives = map(str, sorted(right - {value}))
            yield from (Change("coefficient", node, each, far_fetched=True) for each in alternatives)


def _is_near(value: float, other: float) -> bool:
    return math.isclose(value, other, rel_tol=1e-3)


def _parameters(node: ast.AST, of_kernels: dict[str, list[str]]) -> list[str]:
    """Return the parameters that get a launch's arguments.

    There are none if it is no launch of the script's kernels.
    """
    match node:
        case ast.Call(ast.Subscript(ast.Name(name))):
            return of_kernels.get(name, [])
    return []


def _of_orders(node: ast.AST, parameters: list[str]) -> Iterator[Change]:
    match node:
        # Where limits are numbers, clamp's arguments have their places, and another order would be another function.
        case ast.Call() if callee_name(node) in (*MEMORY, *LOOPS, "clamp"):
            return
        case ast.Call(args=values):
            kind = "arguments"
        case ast.Tuple(values) | ast.List(values):
            kind = "order"
        case _:
            return
    if len(values) < 2:
        return
    if any(isinstance(each, ast.Slice) for each in values):
        kind = "axes"
    # x goes to x_ptr: an argument that has its parameter's name is in its place.
    pairs = enumerate(zip(values, parameters, strict=False))
    placed = [at for at, pair in pairs if _is_named_like(*pair)]
    movable = [at for at in range(len(values)) if at not in placed]
    near = 1 if len(values) > MOST_IN_ANY_ORDER else len(values)
    for first, second in combinations(movable, 2):
        if second - first > near:
            continue
        if ast.dump(values[first]) != ast.dump(values[second]):
            swapped = [values[second], *values[first + 1 : second], values[first]]
            yield Change(kind, _span(values[first : second + 1]), ", ".join(map(ast.unparse, swapped)))
    # Of three values, two orders are no exchange of only two of them.
    if kind == "order" and len(values) == 3:
        for turned in ([*values[1:], values[0]], [values[2], *values[:2]]):
            yield Change(kind, _span(values), ", ".join(map(ast.unparse, turned)))


def _span(values: Sequence[ast.expr]) -> ast.expr:
    """Values in a row, as one node."""
    # A tuple that has no parent in the tree: by that, `text_with_variants` knows that its elements are meant.
    whole = ast.copy_location(ast.Tuple([*values], ast.Load()), values[0])
    whole.end_lineno, whole.end_col_offset = values[-1].end_lineno, values[-1].end_col_offset
    return whole


def _is_named_like(argument: ast.expr, parameter: str) -> bool:
    if not isinstance(argument, ast.Name):
        return False
    if parameter.startswith(argument.id):
        return True
    axis = _axis(argument.id)
    return axis is not None and axis == _axis(parameter)


def _axis(name: str) -> str | None:
    """Return the axis that a name ends in; None if it has none."""
    axis = AXIS.match(name)
    return axis[1] if axis else None


def _of_operators(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.BinOp(left, operator, right):
            for alternative in OPERATORS.get(type(operator), ()):
                yield Change("operator", node, f"({ast.unparse(ast.BinOp(left, alternative(), right))})")
            yield from _closed_later(node)
            yield Change(_kind_without_right(node), node, ast.unparse(left))
            yield Change("part", node, ast.unparse(right))
        case ast.Compare(left, [comparison], [right]):
            if isinstance(comparison, ast.Lt):
                yield Change("lower", node, f"({ast.unparse(node)}) & ({ast.unparse(left)} >= 0)")
            for sign in COMPARISONS:
                if not isinstance(comparison, sign):
                    yield Change("bound", node, ast.unparse(ast.Compare(left, [sign()], [right])))
        case ast.Call(function) if callee_name(node) in OPPOSITES:
            name = callee_name(node)
            replacement = ast.unparse(function).removesuffix(name) + OPPOSITES[name]
            yield Change("operator", function, replacement)


def _closed_later(node: ast.BinOp) -> Iterator[Change]:
    """Close a parenthesis after a sum.

    An example is `sqrt(x + eps)` for `sqrt(x) + eps`.
    """
    match node:
        case ast.BinOp(ast.Call(function, [argument]), ast.Add(), right):
            inside = f"{ast.unparse(argument)} + {ast.unparse(right)}"
            yield Change("inside", node, f"{ast.unparse(function)}({inside})")


def _kind_without_right(node: ast.BinOp) -> str:
    """Return the kind of a change that leaves only the left side."""
    match node:
        case ast.BinOp(_, ast.Sub() | ast.FloorDiv(), ast.Constant()):
            return "whole"
        case ast.BinOp(_, ast.Mult(), ast.Constant()):
            return "multiple"
    return "part"


def _of_names(node: ast.AST, names: Names) -> Iterator[Change]:
    match node:
        case ast.Name(name, ast.Load()):
            kind = _kind_of(name, names)
            for alternative in names.like(name):
                is_derived = name in names.origins.get(alternative, ())
                yield Change(
                    "derived" if is_derived else kind,
                    node,
                    alternative,
                    alternative in names.unread,
                    not is_derived and not names.are_alike(name, alternative),
                )
        case ast.Call(function, [ast.Name(size), ast.Name(block)]) if (
            callee_name(node) == "cdiv" and block in names.constants
        ):
            sizes = [name for name in names.like(size) if name not in names.constants]
            sizes = [name for name in sizes if names.are_alike(size, name)]
            blocks = [name for name in names.constants if name != block]
            for pair in product(sizes, blocks):  # another axis
                yield Change("size", node, f"{ast.unparse(function)}({', '.join(pair)})")
        # Tensors that are given and those that are made are of two kinds in `Names.like`, but not here.
        case ast.Attribute(ast.Name(name), attribute) if attribute in OF_TENSORS:
            for alternative in names.tensors:
                if alternative != name:
                    yield Change("name", node, f"{alternative}.{attribute}")


def _kind_of(name: str, names: Names) -> str:
    if name in names.sizes:
        return "size"
    return "pointer" if name in names.pointers else "name"


def _of_pairs(statement: ast.stmt, names: Names) -> Iterator[Change]:
    """Exchange two names of one kind.

    An example is `x * b + y * a` for `x * a + y * b`.
    """
    for node in walk(statement):
        value = getattr(node, "value", None) if isinstance(node, WITH_A_VALUE) else None
        if not isinstance(value, ast.expr):
            continue
        if _is_launch(value):
            continue  # of its arguments, the order is another question
        once = sorted(name for name, times in Counter(names_loaded(value)).items() if times == 1)
        for one, partner in combinations(once, 2):
            if partner in names.like(one):
                exchanged = {one: partner, partner: one}
                pattern = rf"\b({one}|{partner})\b"
                yield Change("names", value, re.sub(pattern, lambda found: exchanged[found[0]], ast.unparse(value)))  # noqa: B023


def _is_launch(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Subscript)


def _of_strides(statement: ast.stmt, names: Names) -> Iterator[Change]:
    """Take the sizes of another tensor, which nothing reads so far.

    An example is `y * oh + x * ow` for `y * ih + x * iw`: the last letter names the axis.
    """
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.BinOp):
        return
    unread = sorted(names.unread.intersection(names.sizes))
    if len(unread) < 2:
        return
    by_axis = {name[-1]: name for name in unread}
    sizes = [name for name in names_loaded(value) if name in names.sizes]
    by_name = {name: by_axis[name[-1]] for name in sizes if name[-1] in by_axis}
    # A single name is tried in `_of_names`.
    if len(by_name) > 1:
        pattern = rf"\b({'|'.join(by_name)})\b"
        yield Change("strides", value, re.sub(pattern, lambda found: by_name[found[0]], ast.unparse(value)), True)


def _of_divisors(statement: ast.stmt, function: Function) -> Iterator[Change]:
    """Divide by the divisor of the same number's remainder."""
    divisions = [node for node in nodes_of(function, ast.BinOp) if isinstance(node.op, ast.FloorDiv | ast.Mod)]
    for node in walk(statement):
        match node:
            case ast.BinOp(left, ast.FloorDiv() | ast.Mod() as operator, right):
                others = [each for each in divisions if type(each.op) is not type(operator)]
                divisors = {ast.unparse(each.right) for each in others if ast.dump(each.left) == ast.dump(left)}
                # Sorted, as a set of strings has another order in each process.
                for other in sorted(divisors - {ast.unparse(right)}):
                    yield Change("divisor", right, other)


def _of_axes(node: ast.AST) -> Iterator[Change]:
    """Reduce a tile along another axis, or along one instead of as a whole."""
    if not isinstance(node, ast.Call):
        return
    if callee_name(node) not in REDUCTIONS or operand_of(node) is None:
        return
    position = 0 if is_method(node) else 1
    axis = argument_of(node, position, "axis")
    present = axis.value if isinstance(axis, ast.Constant) else None
    for number in (1, 0):
        if number != present:
            yield Change("axis", node, ast.unparse(_along(node, position, ast.Constant(number))))


def _along(node: ast.Call, position: int, axis: ast.expr) -> ast.Call:
    """Return a reduction along another axis, which has this position."""
    operands, others = node.args[:position], node.args[position + 1 :]
    keywords = [keyword for keyword in node.keywords if keyword.arg != "axis"]
    if others:
        return ast.Call(node.func, [*operands, axis, *others], keywords)
    # The axis comes first, as people write it: a hint shows this code.
    return ast.Call(node.func, operands, [ast.keyword("axis", axis), *keywords])


def _of_precision(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Call(function, arguments, keywords) if callee_name(node) == "dot":
            # Triton refuses `allow_tf32`, the older of the two, beside `input_precision`.
            kept = [ast.unparse(each) for each in keywords if each.arg not in ("input_precision", "allow_tf32")]
            inside = ", ".join([*map(ast.unparse, arguments), *kept, "input_precision='ieee'"])
            yield Change("precision", node, f"{ast.unparse(function)}({inside})")
        case ast.Call() if callee_name(node) == "load":
            yield Change("type", node, f"{ast.unparse(node)}.to(tl.float32)")
        case ast.Attribute(ast.Name("tl"), "float16" | "bfloat16" | "int32" | "int64"):
            yield Change("type", node, "tl.float32")


def _of_factors(node: ast.AST, names: Names) -> Iterator[Change]:
    """Add, or move, a factor of a sum or a loop's end."""
    match node:
        case ast.BinOp(left, ast.Add(), right):
            sides = [each for each in (left, right) if not isinstance(each, ast.BinOp | ast.Constant)]
            plain = [each for each in sides if ast.unparse(each) not in names.pointers]
            yield from (Change(kind, node, moved) for kind, moved in _with_a_factor_moved(node))
            yield from (Change("factor", each, f"2 * {each.id}") for each in plain if isinstance(each, ast.Name))
        case ast.BinOp(_, ast.Sub(), ast.Name() as right):
            plain = [right]
        case ast.BinOp(_, ast.Mult(), ast.Name(size) as right) if size in names.constants:  # a program has two blocks
            yield Change("factor", right, f"(2 * {size})")
            return
        case ast.AugAssign(ast.Name(), ast.Add(), ast.Name() as value):  # `pointers += BLOCK`
            plain = [value]
            numbers = [name for name in names.assigned if name not in names.conditions]
            yield from (Change("factor", value, f"{value.id} * {alternative}") for alternative in numbers)
        case ast.Call(args=arguments) if callee_name(node) in LOOPS:
            ends = [each for each in arguments if isinstance(each, ast.Name)]
            ends = [end for end in ends if end.id in names.constants]
            for end, size in product(ends, names.constants):
                yield Change("factor", end, f"{end.id} * {size}")
            return
        case ast.Assign([ast.Name()], ast.Name() as value):  # `start = pid`
            plain = [value]
        case ast.Assign([ast.Name()], ast.Call() as value) if callee_name(value) == "program_id":
            plain = [value]
        case ast.List(elements):
            plain = [each for each in elements if isinstance(each, ast.Name)]
        case _:
            return
    for each in plain:
        for size in names.factors_of(node):
            replacement = f"{ast.unparse(each)} * {size}"
            # A name whose value is a product has a factor already: another one is far-fetched.
            yield Change(
                "factor", each, replacement, size in names.unread, bool({*names_loaded(each)} & names.products)
            )


def _with_a_factor_moved(node: ast.BinOp) -> Iterator[tuple[str, str]]:
    """Yield the kind of a change, and a sum with a factor at another addend.

    An example is `a * c + b` for `a + b * c`. The roles of its factors are exchanged, too. Row and column have traded
    places where both addends are names.
    """
    addends = _addends(node)
    for at, addend in enumerate(addends):
        splits = _splits(addend)
        for number, other in enumerate(addends):
            if number == at:
                continue
            for rest, factor in splits:
                moved = [ast.unparse(each) for each in addends]
                moved[at], moved[number] = ast.unparse(rest), f"{_inside(other)} * {_inside(factor)}"
                are_names = isinstance(rest, ast.Name) and isinstance(other, ast.Name)
                is_turned = are_names and number > 0
                yield "turned" if is_turned else "factor", " + ".join(moved)


def _splits(node: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """Return what is left of a product without each of its factors."""
    match node:
        case ast.BinOp(left, ast.Mult(), right):
            return [(left, right), (right, left)]
    return []


def _addends(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return [*_addends(left), right]
    return [node]


def _is_sum(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)


def _inside(node: ast.expr) -> str:
    """As a factor."""
    return f"({ast.unparse(node)})" if _is_sum(node) else ast.unparse(node)


def _of_sums(statement: ast.stmt) -> Iterator[Change]:
    """Add in a loop that only sets."""
    loops = [node for node in walk(statement) if isinstance(node, ast.For | ast.While)]
    for loop in loops:
        for node in loop.body:
            if _advances(node, loop):
                continue
            match node:
                case ast.Assign([ast.Name(name), *_], value):
                    yield Change("sum", node, f"{name} += {ast.unparse(value)}")
