"""Runs a right script again with other tile sizes: sizes that are mixed up show only where they differ.

A size is an integer literal of the launcher, a power of two, that a launch passes for a constexpr or that the launcher
divides by, directly or by a name that has no other value. So the grid and the kernel change together. Sizes that are
computed, tuned or asserted are left as they are, and so are those that the task gives.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from triton_workshop.checking.observing.observe import Observation
from triton_workshop.checking.observing.source import Function, Source, called
from triton_workshop.exercises.cases import Case

SMALLEST_LITERAL = 4
"""A smaller literal is rarely a size."""
SMALLEST_DOT = 16
"""The smallest size that tl.dot takes."""
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")
"""What a launch tells the compiler: their numbers are no sizes."""


Changes = Sequence[tuple[ast.expr | ast.stmt, str]]
"""Nodes of a script, and what to write in their places."""


@dataclass(frozen=True)
class TileSize:
    """A tile size of a script: what it is called, its value, and the literals that give it."""

    name: str
    value: int
    literals: tuple[ast.Constant, ...]

    def others(self, sizes: Sequence[TileSize]) -> Iterator[int]:
        """The smallest that tl.dot takes, or twice as much; and one that is larger than all others."""
        yield SMALLEST_DOT if self.value > SMALLEST_DOT else self.value * 2
        if beside := [size.value for size in sizes if size is not self]:
            yield 2 * max(beside)

    def changed(self, value: int) -> Changes:
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
"""What Triton says of an empty block, as that of a size divided by a larger number."""
TOO_LARGE = "exceeds triton maximum tensor numel"
"""Of a block, in the words of Triton's ValueError."""


def other_size_of(
    source: Source,
    cases: Sequence[Case],
    observe: Callable[[str, Case], Observation | None],
    right: Callable[[str, Case], bool],
) -> OtherSize | None:
    """Find a size that cannot be changed. `observe` runs a text on a case, or returns None if time is up."""
    sizes = sizes_of(source)
    multiples = list(_multiples(source, sizes))
    pairs = [
        (size, other)
        for size in sizes
        for other in size.others(sizes)
        if all(whole % part == 0 for whole, part in _with_value(multiples, size, other))
    ]
    for broken, other in pairs:
        text = with_changes(source, broken.changed(other))
        for case in cases:
            seen = observe(text, case)
            if seen is None or is_refused(seen, text):
                break
            if not right(text, case):
                changes = [size.changed(value) for size, value in pairs]
                mixed = _mixed(source, changes, broken, partial(_right_in, case, right))
                return OtherSize(f"{broken.name} = {broken.value}", str(other), case.name, seen, mixed)
    return None


def _multiples(source: Source, sizes: Sequence[TileSize]) -> Iterator[tuple[TileSize, TileSize]]:
    """The sizes of which one is divided into parts of another: it has to be a multiple."""
    named = {size.name: size for size in sizes}
    for call, kernel in _launches(source):
        pairs = _constexprs(call, kernel)
        named |= {name: named[value.id] for name, value in pairs if isinstance(value, ast.Name) and value.id in named}
    for node in source.nodes:
        match node:
            case ast.Call(args=[*bounds, ast.Name(part)]) if called(node) in ("range", "static_range", "cdiv"):
                wholes = [each.id for bound in bounds for each in ast.walk(bound) if isinstance(each, ast.Name)]
            case ast.BinOp(ast.Name(whole), ast.FloorDiv() | ast.Mod(), ast.Name(part)):
                wholes = [whole]
            case _:
                continue
        yield from ((named[whole], named[part]) for whole in wholes if {whole, part} <= named.keys())


def _with_value(
    multiples: Sequence[tuple[TileSize, TileSize]], size: TileSize, value: int
) -> Iterator[tuple[int, int]]:
    for whole, part in multiples:
        yield value if whole is size else whole.value, value if part is size else part.value


def _right_in(case: Case, right: Callable[[str, Case], bool], text: str) -> bool:
    return right(text, case)


def sizes_of(source: Source) -> list[TileSize]:
    """The tile sizes of a script that can be changed."""
    values = _assigned(source)
    found: dict[str, TileSize] = {}
    passed = [pair for call, kernel in _launches(source) for pair in _constexprs(call, kernel)]
    for parameter, argument in passed:
        if isinstance(argument, ast.Name) and argument.id in values:
            literal = values[argument.id]
            found[argument.id] = TileSize(argument.id, int(ast.unparse(literal)), (literal,))
        elif isinstance(argument, ast.Constant) and _is_size(argument):
            equal = _equal_literals(source, argument)
            # Only where the grid has the number too does it stand for one size.
            alone = all(any(literal is other for _, other in passed) for literal in equal)
            key, literals = (parameter, (argument,)) if alone else (ast.unparse(argument), equal)
            found.setdefault(key, TileSize(parameter, int(ast.unparse(argument)), literals))
    for name in _divisors(source):
        if name in values and name not in found:
            found[name] = TileSize(name, int(ast.unparse(values[name])), (values[name],))
    others = set(_other_numbers(source)).difference(source.exercise.fixed_sizes)
    known = {size.value for size in found.values()}

    def stands_alone(size: TileSize) -> bool:
        return not any(n % size.value == 0 and (n == size.value or n not in known) for n in others)

    sizes = [size for size in found.values() if size.value not in source.exercise.fixed_sizes]
    return [size for size in sizes if len(size.literals) > 1 or stands_alone(size)]


def _other_numbers(source: Source) -> Iterator[int]:
    """Numbers in the launcher that may stand for a size or a product of them: `if N <= 32: BLOCK = 32`, `n // 2048`."""
    for node in ast.walk(source.launcher) if source.launcher else ():
        if isinstance(node, ast.Compare | ast.BinOp) or (isinstance(node, ast.Call) and called(node) == "cdiv"):
            parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.Constant)]
            yield from (part.value for part in parts if type(part.value) is int and part.value)


def _divisors(source: Source) -> Iterator[str]:
    """The names by which the launcher divides: sizes, even if no launch passes them."""
    for node in ast.walk(source.launcher) if source.launcher else ():
        match node:
            case ast.Call(ast.Name("cdiv") | ast.Attribute(_, "cdiv"), [_, ast.Name(name)]):
                yield name
            case ast.BinOp(_, ast.FloorDiv(), ast.Name(name)):
                yield name


def _launches(source: Source) -> Iterator[tuple[ast.Call, Function]]:
    kernels = {kernel.name: kernel for kernel in source.kernels}
    for call in source.calls():
        name = (
            call.func.value.id if isinstance(call.func, ast.Subscript) and isinstance(call.func.value, ast.Name) else ""
        )
        if name in kernels and len(kernels[name].decorator_list) == 1:  # a tuner or a heuristic would be another one
            yield call, kernels[name]


def _constexprs(call: ast.Call, kernel: Function) -> Iterator[tuple[str, ast.expr]]:
    """What a launch passes for each constexpr. Where a `*` stands for several arguments, count from the end."""
    parameters = [argument.arg for argument in kernel.args.args]
    constexprs = {a.arg for a in kernel.args.args if a.annotation and "constexpr" in ast.unparse(a.annotation)}
    named = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    plain = [parameter for parameter in parameters if parameter not in named]
    stars = [place for place, argument in enumerate(call.args) if isinstance(argument, ast.Starred)]
    first, last = (stars[0], len(call.args) - 1 - stars[-1]) if stars else (len(call.args), 0)
    pairs = [*zip(plain, call.args[:first], strict=False)]
    if last:
        pairs += zip(plain[-last:], call.args[-last:], strict=True)
    yield from ((name, value) for name, value in (*pairs, *named.items()) if name in constexprs)


def _assigned(source: Source) -> dict[str, ast.Constant]:
    """Names of the launcher and the module that get a size once, and nothing else ever."""
    bodies = [*source.tree.body, *(source.launcher.body if source.launcher else ())]
    found: dict[str, list[ast.expr]] = {}
    for node in bodies:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                for name, value in bound_by(target, node.value):
                    found.setdefault(name, []).append(value)
    stored = [node.id for node in source.nodes if isinstance(node, ast.Name) and not _is_read(node)]
    once = {name: values[0] for name, values in found.items() if len(values) == 1 and stored.count(name) == 1}
    return {name: value for name, value in once.items() if isinstance(value, ast.Constant) and _is_size(value)}


def bound_by(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names to which an assignment gives values, each with its own."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for name, each in zip(target.elts, value.elts, strict=False):
            yield from bound_by(name, each)


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _is_size(node: ast.expr) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return type(value) is int and value >= SMALLEST_LITERAL and value & (value - 1) == 0


def _equal_literals(source: Source, like: ast.Constant) -> tuple[ast.Constant, ...]:
    """The literals of the launcher with this value: a size that has no name stands in the grid, too."""
    nodes = [*ast.walk(source.launcher)] if source.launcher else []
    options = [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg in OPTIONS]
    equal = (node for node in nodes if isinstance(node, ast.Constant) and node.value == like.value)
    return tuple(node for node in equal if type(node.value) is int and node not in options)


def is_refused(seen: Observation, text: str) -> bool:
    """Whether Triton has no room for blocks of such a size, or the script refuses it: by an assertion or an error."""
    if seen.failure is None or seen.failure.line is None:
        return False
    if any(words in seen.failure.message for words in (TOO_LARGE, TOO_SMALL)):
        return True
    line = text.splitlines()[seen.failure.line - 1].strip()
    return line.startswith(("raise", "assert")) or "static_assert" in line


def _mixed(source: Source, changes: Sequence[Changes], broken: TileSize, right: Callable[[str], bool]) -> Mixed | None:
    """Find the one line with which, if it named another size, the script would be right with each of these changes."""
    fixes = [
        Mixed(use.lineno, use.id, name)
        for use, name in _other_names(source, broken)
        if all(right(with_changes(source, [*change, (use, name)])) for change in changes)
    ]
    return fixes[0] if len({fix.line for fix in fixes}) == 1 else None


def _other_names(source: Source, broken: TileSize) -> Iterator[tuple[ast.Name, str]]:
    """Each use of a size's name with another name, where one of the two is the broken size's.

    A line that is the solution's is right: of two that do not fit together, the other one is wrong.
    """
    passed = {name for call, kernel in _launches(source) for name, _ in _constexprs(call, kernel)}
    names = passed | _assigned(source).keys()
    given = {line.strip() for line in source.exercise.solution.splitlines()}
    functions = [function for function in (*source.kernels, source.launcher) if function is not None]
    apart = {value for call, kernel in _launches(source) for value in _passed_apart(call, kernel)}
    for node in (node for function in functions for node in ast.walk(function)):
        if (
            node not in apart
            and isinstance(node, ast.Name)
            and node.id in names
            and _is_read(node)
            and source.line(node.lineno) not in given
        ):
            others = names - {node.id} if node.id == broken.name else {broken.name}
            yield from ((node, name) for name in sorted(others))


def _passed_apart(call: ast.Call, kernel: Function) -> list[ast.expr]:
    """What a launch passes for constexprs, if no size is passed twice: then none takes another one's place."""
    values = [value for _, value in _constexprs(call, kernel)]
    names = [value.id for value in values if isinstance(value, ast.Name)]
    return values if len(set(names)) == len(names) else []


def with_changes(source: Source, changes: Changes) -> str:
    """The script's text with other words in the place of these nodes, each of which is on one line."""
    lines = [line.encode() for line in source.lines]
    for node, words in sorted(changes, key=lambda change: -change[0].col_offset):
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + words.encode() + line[node.end_col_offset :]
    return b"\n".join(lines).decode()
