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
    is_method,
    is_product,
    names_loaded,
    names_stored,
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
        # By words, as a replacement need not be an expression by itself: see "arguments" in `_of_orders`.
        lost = Counter(names_loaded(change.node)) - Counter(re.findall(r"\w+", change.replacement))
        useful = change.kind in KEEPING or all(read[name] > lost[name] for name in lost)
        if useful and change.replacement != ast.unparse(change.node):
            yield change


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
        if is_kernel and isinstance(statement, ast.Assign) and is_product(statement.value):
            yield from (Change("factor", statement.value, f"{ast.unparse(statement.value)} * {s}") for s in names.sizes)
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
        inside = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.While):
            inside = [child for child in node.body if not _keeps_going(child, node)]
        elif isinstance(node, ast.If | ast.IfExp):  # what avoids a path is one change: see `_of_paths`
            numbers = isinstance(node, ast.IfExp)
            inside = [child for child in inside if not (numbers and isinstance(child, ast.Constant))]
            inside = [child for child in inside if child is not node.test or not _asks_for_one_value(child)]
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.FloorDiv):
            inside = [child for child in inside if not isinstance(child, ast.Constant)]  # it may be too much as a whole
        elif node in tiles:
            inside = []  # more elements than a step would do an iteration's work twice
        elif isinstance(node, ast.Call) and callee_name(node) == "num_programs":
            inside = []  # of an axis that the grid does not have it is 1, which may do away with anything
        elif isinstance(node, ast.Call) and callee_name(node) in LOOPS:
            inside = [child for child in node.args[:2] if not isinstance(child, ast.Name)]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):  # a launch: sizes again
            values = (child.value if isinstance(child, ast.keyword) else child for child in inside)
            inside = [value for value in values if not isinstance(value, ast.Constant)]
        waiting += reversed(inside)


def _tiles_of_steps(statement: ast.stmt) -> set[ast.AST]:
    """Return the ranges in loops with as many elements as the loop's step."""
    found = set[ast.AST]()
    for loop in walk(statement):
        match loop:
            case ast.For(iter=ast.Call(args=[_, _, ast.Name(step)])):
                calls = [node for node in walk(loop) if isinstance(node, ast.Call) and callee_name(node) == "arange"]
                found |= {call for call in calls if call.args and ast.unparse(call.args[-1]) == step}
    return found


def _asks_for_one_value(test: ast.expr) -> bool:
    comparisons = [node for node in walk(test) if isinstance(node, ast.Compare)]
    return any(isinstance(each, ast.Eq | ast.NotEq) for node in comparisons for each in node.ops)


def _keeps_going(statement: ast.stmt, loop: ast.While) -> bool:
    """Return whether a statement assigns what ends the loop."""
    return not names_stored(statement).isdisjoint(names_loaded(loop.test))


def _is_a_size(statement: ast.stmt) -> bool:
    """Return whether a statement gives names to sizes.

    In `TILE_HEIGHT, TILE_WIDTH = 4, 64`, any size is right by itself.
    """
    if not isinstance(statement, ast.Assign):
        return False
    values = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
    return all(isinstance(value, ast.Constant) and isinstance(value.value, int) for value in values)


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
    if isinstance(node, ast.Call) and callee_name(node) in OPPOSITES:
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
    for node in nodes:
        match node:
            case ast.While(test=ast.Compare(left, [ast.Gt() | ast.Lt() as sign], [right]) as test):
                closed = ast.GtE() if isinstance(sign, ast.Gt) else ast.LtE()
                yield Change("rounds", test, ast.unparse(ast.Compare(left, [closed], [right])))
        if isinstance(node, ast.Call) and callee_name(node) in LOOPS and node.args:
            # The end is the only argument, or the second one of two or three.
            stop = node.args[: len(node.args) // 2 + 1][-1]
            end = values.get(stop.id, stop) if isinstance(stop, ast.Name) and read[stop.id] == 1 else stop
            if not isinstance(end, ast.BinOp):  # of those, a part may be too much
                yield Change("rounds", end, f"{ast.unparse(end)} + 1")


def _of_paths(statement: ast.stmt, names: Names) -> Iterator[Change]:
    """Leave out a path for some inputs: none or all of them take it.

    A flag is right where it is asked for: whoever gives it chooses the path.
    """
    for node in walk(statement):
        is_flag = isinstance(node, ast.If | ast.IfExp) and ast.unparse(node.test) in names.constants
        if isinstance(node, ast.If | ast.IfExp) and not is_flag:
            yield from (Change("path", node.test, replacement) for replacement in ("False", "True"))


def _of_coefficients(node: ast.AST, right: set[float]) -> Iterator[Change]:
    """Replace a number with one of the solution's, the likest first."""
    match node:
        # ln 2 and log2(e) are each other's reciprocals.
        case ast.Constant(float(value)) if _is_near(value, math.log(2)) or _is_near(value, math.log2(math.e)):
            yield Change("reciprocal", node, repr(1 / value))
        case ast.Constant(float(value)) if right and value not in right and not value.is_integer():
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
    values = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple | ast.List) else []
    # Where limits are numbers, clamp's arguments have their places, and another order would be another function.
    fixed = isinstance(node, ast.Call) and callee_name(node) in (*MEMORY, *LOOPS, "clamp")
    if fixed or len(values) < 2:
        return
    kind = "arguments" if isinstance(node, ast.Call) else "order"
    kind = "axes" if any(isinstance(each, ast.Slice) for each in values) else kind
    # x goes to x_ptr: an argument that has its parameter's name is in its place.
    placed = [_is_named_like(*pair) for pair in zip(values, parameters, strict=False)]
    movable = [at for at in range(len(values)) if at >= len(placed) or not placed[at]]
    near = 1 if len(values) > MOST_IN_ANY_ORDER else len(values)
    for first, second in combinations(movable, 2):
        if second - first <= near and ast.dump(values[first]) != ast.dump(values[second]):
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
    axes = AXIS.match(argument.id), AXIS.match(parameter)
    return parameter.startswith(argument.id) or bool(axes[0] and axes[1] and axes[0][1] == axes[1][1])


def _of_operators(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.BinOp(left, operator, right):
            for alternative in OPERATORS.get(type(operator), ()):
                yield Change("operator", node, f"({ast.unparse(ast.BinOp(left, alternative(), right))})")
            # A parenthesis closed too early: `sqrt(x) + eps` for `sqrt(x + eps)`.
            if isinstance(left, ast.Call) and len(left.args) == 1 and isinstance(operator, ast.Add):
                argument = f"{ast.unparse(left.args[0])} + {ast.unparse(right)}"
                yield Change("inside", node, f"{ast.unparse(left.func)}({argument})")
            less = isinstance(operator, ast.Sub | ast.FloorDiv) and isinstance(right, ast.Constant)
            times = isinstance(operator, ast.Mult) and isinstance(right, ast.Constant)
            yield Change("whole" if less else "multiple" if times else "part", node, ast.unparse(left))
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


def _of_names(node: ast.AST, names: Names) -> Iterator[Change]:
    match node:
        case ast.Name(name, ast.Load()):
            kind = "size" if name in names.sizes else "pointer" if name in names.pointers else "name"
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
            sizes = [name for name in names.like(size) if name not in names.constants and names.are_alike(size, name)]
            blocks = [name for name in names.constants if name != block]
            for pair in product(sizes, blocks):  # another axis
                yield Change("size", node, f"{ast.unparse(function)}({', '.join(pair)})")
        # Tensors that are given and those that are made are of two kinds in `Names.like`, but not here.
        case ast.Attribute(ast.Name(name), attribute) if attribute in OF_TENSORS:
            for alternative in (tensor for tensor in names.tensors if tensor != name):
                yield Change("name", node, f"{alternative}.{attribute}")


def _of_pairs(statement: ast.stmt, names: Names) -> Iterator[Change]:
    """Exchange two names of one kind.

    An example is `x * b + y * a` for `x * a + y * b`.
    """
    for node in walk(statement):
        value = getattr(node, "value", None) if isinstance(node, WITH_A_VALUE) else None
        if not isinstance(value, ast.expr) or (isinstance(value, ast.Call) and isinstance(value.func, ast.Subscript)):
            continue  # of the arguments of a launch, the order is another question
        once = sorted(name for name, times in Counter(names_loaded(value)).items() if times == 1)
        for one, partner in combinations(once, 2):
            if partner in names.like(one):
                exchanged = {one: partner, partner: one}
                pattern = rf"\b({one}|{partner})\b"
                yield Change("names", value, re.sub(pattern, lambda found: exchanged[found[0]], ast.unparse(value)))  # noqa: B023


def _of_strides(statement: ast.stmt, names: Names) -> Iterator[Change]:
    """Take the sizes of another tensor, which nothing reads so far.

    An example is `y * oh + x * ow` for `y * ih + x * iw`: the last letter names the axis.
    """
    value = getattr(statement, "value", None)
    unread = sorted(names.unread.intersection(names.sizes))
    if not isinstance(value, ast.BinOp) or len(unread) < 2:
        return
    by_axis = {name[-1]: name for name in unread}
    used = [name for name in names_loaded(value) if name in names.sizes and name[-1] in by_axis]
    by_name = {name: by_axis[name[-1]] for name in used}
    # A single name is tried in `_of_names`.
    if len(by_name) > 1:
        pattern = rf"\b({'|'.join(by_name)})\b"
        yield Change("strides", value, re.sub(pattern, lambda found: by_name[found[0]], ast.unparse(value)), True)


def _of_divisors(statement: ast.stmt, function: Function) -> Iterator[Change]:
    """Divide by the divisor of the same number's remainder."""
    divisions = [node for node in walk(function) if isinstance(node, ast.BinOp)]
    for node in walk(statement):
        match node:
            case ast.BinOp(left, ast.FloorDiv() | ast.Mod(), right):
                divisors = {
                    ast.unparse(each.right)
                    for each in divisions
                    if isinstance(each.op, ast.FloorDiv | ast.Mod)
                    and not isinstance(each.op, type(node.op))
                    and ast.dump(each.left) == ast.dump(left)
                }
                yield from (Change("divisor", right, other) for other in divisors - {ast.unparse(right)})


def _of_axes(node: ast.AST) -> Iterator[Change]:
    """Reduce a tile along another axis, or along one instead of as a whole."""
    if not isinstance(node, ast.Call) or callee_name(node) not in REDUCTIONS or operand_of(node) is None:
        return
    position = 0 if is_method(node) else 1
    axis = argument_of(node, position, "axis")
    operands, others = node.args[:position], node.args[position + 1 :]
    keywords = [keyword for keyword in node.keywords if keyword.arg != "axis"]
    for number in (1, 0):
        if axis is None or not (isinstance(axis, ast.Constant) and axis.value == number):
            changed = ast.Call(node.func, [*operands, ast.Constant(number), *others], keywords)
            if not others:
                # The axis comes first, as people write it: a hint shows this code.
                changed = ast.Call(node.func, operands, [ast.keyword("axis", ast.Constant(number)), *keywords])
            yield Change("axis", node, ast.unparse(changed))


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
            ends = [each for each in arguments if isinstance(each, ast.Name) and each.id in names.constants]
            yield from (Change("factor", e, f"{e.id} * {size}") for e in ends for size in names.constants)
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
        if isinstance(addend, ast.BinOp) and isinstance(addend.op, ast.Mult):
            for alternative in range(len(addends)):
                for rest, factor in ((addend.left, addend.right), (addend.right, addend.left)):
                    moved = [ast.unparse(each) for each in addends]
                    moved[at], moved[alternative] = (
                        ast.unparse(rest),
                        f"{_inside(addends[alternative])} * {_inside(factor)}",
                    )
                    if alternative != at:
                        is_turned = isinstance(rest, ast.Name) and isinstance(addends[alternative], ast.Name)
                        yield "turned" if is_turned and alternative > 0 else "factor", " + ".join(moved)


def _addends(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return [*_addends(node.left), node.right]
    return [node]


def _is_sum(node: ast.expr) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub)


def _inside(node: ast.expr) -> str:
    """As a factor."""
    return f"({ast.unparse(node)})" if _is_sum(node) else ast.unparse(node)


def _of_sums(statement: ast.stmt) -> Iterator[Change]:
    """Add in a loop that only sets."""
    for loop in walk(statement):
        for node in loop.body if isinstance(loop, ast.For | ast.While) else ():
            if isinstance(loop, ast.While) and _keeps_going(node, loop):
                continue
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                yield Change("sum", node, f"{node.targets[0].id} += {ast.unparse(node.value)}")
