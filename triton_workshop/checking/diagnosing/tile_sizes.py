"""Runs a right script with other tile sizes.

Sizes that are mixed up show only where they differ. A size is an integer literal of the launcher, a power of two, that
a launch passes for a constexpr or that the launcher divides by, directly or by a name that has no other value. So the
grid and the kernel change together. Sizes that are computed, tuned or asserted are left as they are, and so are those
that the task gives.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Function, Source, callee_name, nodes_of
from triton_workshop.exercises.cases import Case
from triton_workshop.scripts import lines_of

SMALLEST_LITERAL = 4
"""A smaller literal is rarely a size."""
SMALLEST_DOT = 16
"""The smallest size that tl.dot takes."""
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
"""Options of the compiler at a launch: their numbers are no sizes."""


Changes = Sequence[tuple[ast.expr | ast.stmt, str]]
"""Nodes of a script, and what to write in their places."""


@dataclass(frozen=True)
class TileSize:
    """A tile size of a script: its name, value and literals."""

    name: str
    value: int
    literals: tuple[ast.Constant, ...]

    def alternatives(self, sizes: Sequence[TileSize]) -> Iterator[int]:
        """Yield other values to try.

        The first is the smallest that tl.dot takes, or twice as much, the second is larger than all other sizes.
        """
        yield SMALLEST_DOT if self.value > SMALLEST_DOT else self.value * 2
        rest = [size.value for size in sizes if size is not self]
        if rest:
            yield 2 * max(rest)

    def changes_to(self, value: int) -> Changes:
        return [(literal, str(value)) for literal in self.literals]


@dataclass(frozen=True)
class Mixed:
    """A line that names one size where another one makes the script right."""

    line: int
    name: str
    meant: str


@dataclass(frozen=True)
class OtherSize:
    """With which other size a right script goes wrong, and what it does then."""

    with_this: str
    """With what it is right, in words."""
    not_with: str
    case: str
    seen: Observation
    mixed: Mixed | None = None


TOO_SMALL = "arange's end argument must be greater"
"""Triton's message about an empty block.

An example is a block whose size was divided by a larger number.
"""
TOO_LARGE = "exceeds triton maximum tensor numel"
"""Of a block, in the words of Triton's ValueError."""


def other_size_of(
    source: Source,
    cases: Sequence[Case],
    observe: Callable[[str, Case], Observation | None],
    right: Callable[[str, Case], bool],
) -> OtherSize | None:
    """Find a tile size that cannot be changed.

    `observe` runs a text on a case, or returns None if time is up.
    """
    sizes = sizes_of(source)
    multiples = list(_multiples(source, sizes))
    pairs = [
        (size, value)
        for size in sizes
        for value in size.alternatives(sizes)
        # A loop over parts that do not divide the whole goes wrong in right scripts, too, which says nothing.
        if all(dividend % divisor == 0 for dividend, divisor in _with_value(multiples, size, value))
    ]
    for broken, value in pairs:
        text = with_changes(source, broken.changes_to(value))
        for case in cases:
            observation = observe(text, case)
            if observation is None or is_refused(observation, text):
                break
            if not right(text, case):
                # One line that names the wrong size would be right with each of the changes, not with this one only.
                changes = [size.changes_to(value) for size, value in pairs]
                mixed = _find_mixed_line(source, changes, broken, partial(_right_in, case, right))
                return OtherSize(f"{broken.name} = {broken.value}", str(value), case.name, observation, mixed)
    return None


def _multiples(source: Source, sizes: Sequence[TileSize]) -> Iterator[tuple[TileSize, TileSize]]:
    """Yield pairs of sizes of which the first is a multiple of the second.

    The script divides the first into parts of the second.
    """
    named = {size.name: size for size in sizes}
    # A kernel may know a size by another name than the launcher.
    for name, value in _constexpr_arguments(source):
        if isinstance(value, ast.Name) and value.id in named:
            named[name] = named[value.id]
    for node in source.nodes:
        match node:
            case ast.Call(args=[*bounds, ast.Name(divisor)]) if callee_name(node) in ("range", "static_range", "cdiv"):
                names = itertools.chain.from_iterable(nodes_of(bound, ast.Name) for bound in bounds)
                dividends = [name.id for name in names]
            case ast.BinOp(ast.Name(dividend), ast.FloorDiv() | ast.Mod(), ast.Name(divisor)):
                dividends = [dividend]
            case _:
                continue
        yield from ((named[dividend], named[divisor]) for dividend in dividends if {dividend, divisor} <= named.keys())


def _with_value(
    multiples: Sequence[tuple[TileSize, TileSize]], size: TileSize, value: int
) -> Iterator[tuple[int, int]]:
    for dividend, divisor in multiples:
        whole = value if dividend is size else dividend.value
        part = value if divisor is size else divisor.value
        yield whole, part


def _right_in(case: Case, right: Callable[[str, Case], bool], text: str) -> bool:
    return right(text, case)


def sizes_of(source: Source) -> list[TileSize]:
    """Return the tile sizes of a script that can be changed."""
    candidates = _find_sizes(source)
    tile_values = {size.value for size in candidates}
    # A number that is compared or divided by may be a size in disguise: it would keep its value, and then not fit.
    unrelated = set(_unrelated_numbers(source)).difference(source.exercise.fixed_sizes)

    def is_unambiguous(size: TileSize) -> bool:
        # A size of several literals has all of the launcher's with its value, so none of them stays behind.
        if len(size.literals) > 1:
            return True
        # With tiles of 256, `n // 2048` may mean eight of them, unless 2048 is a tile size itself.
        multiples = {number for number in unrelated if number % size.value == 0}
        return size.value not in multiples and multiples <= tile_values

    sizes = [size for size in candidates if size.value not in source.exercise.fixed_sizes]
    return [size for size in sizes if is_unambiguous(size)]


def _find_sizes(source: Source) -> Collection[TileSize]:
    """Find the tile sizes of a script."""
    values = _constant_sizes(source)
    sizes_by_key: dict[str, TileSize] = {}
    passed = _constexpr_arguments(source)
    arguments = [argument for _, argument in passed]
    for parameter, argument in passed:
        match argument:
            case ast.Name(name) if name in values:
                literal = values[name]
                sizes_by_key[name] = TileSize(name, int(ast.unparse(literal)), (literal,))
            case ast.Constant() if _is_size(argument):
                equal = _equal_literals(source, argument)
                # Only where the grid has the number too does it stand for one size.
                is_single = all(literal in arguments for literal in equal)
                key, literals = (parameter, (argument,)) if is_single else (ast.unparse(argument), equal)
                sizes_by_key.setdefault(key, TileSize(parameter, int(ast.unparse(argument)), literals))
    for name in _divisors(source):
        if name in values:
            literal = values[name]
            sizes_by_key.setdefault(name, TileSize(name, int(ast.unparse(literal)), (literal,)))
    return sizes_by_key.values()


def _unrelated_numbers(source: Source) -> Iterator[int]:
    """Yield the launcher's numbers that may stand for a size, or a product.

    Examples are `if N <= 32: BLOCK = 32` and `n // 2048`.
    """
    for node in nodes_of(source.launcher, ast.expr):
        match node:
            case ast.Compare() | ast.BinOp():
                operands = ast.iter_child_nodes(node)
            case ast.Call() if callee_name(node) == "cdiv":
                operands = ast.iter_child_nodes(node)
            case _:
                continue
        values = [operand.value for operand in operands if isinstance(operand, ast.Constant)]
        integers = (value for value in values if type(value) is int)
        # 0 would be a multiple of every size.
        yield from filter(None, integers)


def _divisors(source: Source) -> Iterator[str]:
    """Yield the names by which the launcher divides.

    These are sizes, even if no launch passes them.
    """
    for node in nodes_of(source.launcher, ast.expr):
        match node:
            case ast.Call(ast.Name("cdiv") | ast.Attribute(_, "cdiv"), [_, ast.Name(name)]):
                yield name
            case ast.BinOp(_, ast.FloorDiv(), ast.Name(name)):
                yield name


def _launches(source: Source) -> Iterator[tuple[ast.Call, Function]]:
    kernels = {kernel.name: kernel for kernel in source.kernels}
    for call in source.calls():
        match call.func:
            case ast.Subscript(value=ast.Name(id=name)) if name in kernels:
                if len(kernels[name].decorator_list) == 1:  # a tuner or a heuristic would be another one
                    yield call, kernels[name]


def _constexpr_arguments(source: Source) -> list[tuple[str, ast.expr]]:
    arguments: list[tuple[str, ast.expr]] = []
    for call, kernel in _launches(source):
        arguments += _constexprs(call, kernel)
    return arguments


def _constexprs(call: ast.Call, kernel: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yield what a launch passes for each constexpr.

    Where a `*` stands for several arguments, count from the end.
    """
    parameters = [argument.arg for argument in kernel.args.args]
    constexprs = _constexpr_parameters(kernel)
    named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    plain = [parameter for parameter in parameters if parameter not in named]
    stars = [index for index, argument in enumerate(call.args) if isinstance(argument, ast.Starred)]
    # Before the first `*` and after the last one, arguments have a known position.
    first, last = (stars[0], len(call.args) - 1 - stars[-1]) if stars else (len(call.args), 0)
    pairs = [*zip(plain, call.args[:first], strict=False)]
    if last:
        pairs += zip(plain[-last:], call.args[-last:], strict=True)
    yield from ((name, value) for name, value in (*pairs, *named.items()) if name in constexprs)


def _constexpr_parameters(kernel: Function) -> set[str]:
    """Return the names of a kernel's constexpr parameters."""
    annotations = {argument.arg: argument.annotation for argument in kernel.args.args if argument.annotation}
    return {name for name, annotation in annotations.items() if "constexpr" in ast.unparse(annotation)}


def _constant_sizes(source: Source) -> dict[str, ast.Constant]:
    """Return the names that get a size once, and nothing else ever.

    They are the launcher's and the module's.
    """
    statements = [*source.tree.body, *(source.launcher.body if source.launcher else ())]
    assignments = _values_by_name(statements)
    # A name that is stored again anywhere, as in a branch, has no one size.
    stored = [name.id for name in source.nodes_of(ast.Name) if not _is_read(name)]
    once = {name: values[0] for name, values in assignments.items() if len(values) == 1}
    constants = {name: value for name, value in once.items() if isinstance(value, ast.Constant)}
    sizes = {name: value for name, value in constants.items() if _is_size(value)}
    return {name: value for name, value in sizes.items() if stored.count(name) == 1}


def _values_by_name(statements: Sequence[ast.stmt]) -> dict[str, list[ast.expr]]:
    """Return for each name the values that these statements assign to it."""
    values: dict[str, list[ast.expr]] = {}
    for statement in statements:
        if isinstance(statement, ast.Assign | ast.AnnAssign):
            for name, value in bindings_in(statement):
                values.setdefault(name, []).append(value)
    return values


def bound_by(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that an assignment binds, each with its value."""
    if isinstance(target, ast.Name):
        yield target.id, value
    if not isinstance(target, ast.Tuple):
        return
    if not isinstance(value, ast.Tuple):
        return
    for name, item in zip(target.elts, value.elts, strict=False):
        if isinstance(name, ast.Starred):
            return  # it may take any number of items, so those that follow are at other positions
        yield from bound_by(name, item)


def bindings_in(tree: ast.AST) -> list[tuple[str, ast.expr]]:
    """Return the names to which assignments give values, each with its own."""
    bindings: list[tuple[str, ast.expr]] = []
    for node in nodes_of(tree, ast.Assign):
        for target in node.targets:
            bindings += bound_by(target, node.value)
    for annotated in nodes_of(tree, ast.AnnAssign):
        if annotated.value is not None:
            bindings += bound_by(annotated.target, annotated.value)
    return bindings


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _is_size(node: ast.expr) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    if type(value) is not int:
        return False
    return value >= SMALLEST_LITERAL and value & (value - 1) == 0


def _equal_literals(source: Source, like: ast.Constant) -> tuple[ast.Constant, ...]:
    """Return the literals of the launcher with the same value.

    A size that has no name stands in the grid, too.
    """
    options = [node.value for node in nodes_of(source.launcher, ast.keyword) if node.arg in OPTIONS]
    equal = [node for node in nodes_of(source.launcher, ast.Constant) if node.value == like.value]
    # 64.0 equals 64, but is no size.
    integers = (node for node in equal if type(node.value) is int)
    return tuple(node for node in integers if node not in options)


def is_refused(observation: Observation, text: str) -> bool:
    """Return whether Triton or the script refuses a size of a block.

    Triton has no room for it, or the script has an assertion or raises an error.
    """
    failure = observation.failure
    if failure is None or failure.line is None:
        return False
    is_of_triton = any(message in failure.message for message in (TOO_LARGE, TOO_SMALL))
    if is_of_triton:
        return True
    line = lines_of(text)[failure.line - 1].strip()
    return line.startswith(("raise", "assert")) or "static_assert" in line


def _find_mixed_line(
    source: Source, changes: Sequence[Changes], broken: TileSize, right: Callable[[str], bool]
) -> Mixed | None:
    """Find the one line that names the wrong size.

    With another name, the script would be right with each of these changes.
    """
    fixes = [
        Mixed(use.lineno, use.id, name)
        for use, name in _alternative_names(source, broken)
        if all(right(with_changes(source, [*change, (use, name)])) for change in changes)
    ]
    lines = {fix.line for fix in fixes}
    return fixes[0] if len(lines) == 1 else None


def _alternative_names(source: Source, broken: TileSize) -> Iterator[tuple[ast.Name, str]]:
    """Yield each use of a size's name, with another name to try there.

    One of the two is the broken size's. A line that is the solution's is right: of two that do not fit together, the
    other one is wrong.
    """
    names = {name for name, _ in _constexpr_arguments(source)} | _constant_sizes(source).keys()
    solution_lines = {line.strip() for line in source.exercise.solution.splitlines()}
    unmixable = set[ast.expr]().union(*itertools.starmap(_distinct_arguments, _launches(source)))
    uses = [node for node in _names_read(source) if node.id in names]
    for use in uses:
        if use in unmixable or source.line(use.lineno) in solution_lines:
            continue
        alternatives = names - {use.id} if use.id == broken.name else {broken.name}
        # The order of a set of strings changes from run to run.
        yield from ((use, name) for name in sorted(alternatives))


def _names_read(source: Source) -> Iterator[ast.Name]:
    """Yield the names that the kernels read, and then the launcher's."""
    for function in (*source.kernels, source.launcher):
        yield from filter(_is_read, nodes_of(function, ast.Name))


def _distinct_arguments(call: ast.Call, kernel: Function) -> list[ast.expr]:
    """Return the constexprs of a launch, if it passes no size twice.

    Then none takes the place of another one.
    """
    values = [value for _, value in _constexprs(call, kernel)]
    names = [value.id for value in values if isinstance(value, ast.Name)]
    return values if len(set(names)) == len(names) else []


def with_changes(source: Source, changes: Changes) -> str:
    """Return the script's text with other code in place of these nodes.

    Each node is on one line.
    """
    lines = [line.encode() for line in source.lines]
    # From right to left, so that the columns of the others stay valid. Python counts columns in bytes.
    for node, code in sorted(changes, key=lambda change: -change[0].col_offset):
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + code.encode() + line[node.end_col_offset :]
    return b"\n".join(lines).decode()
