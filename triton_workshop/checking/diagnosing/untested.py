"""Finds the code of a right script that no case has run.

It is a path for sizes, dtypes or layouts that the cases have not, so a verdict says nothing about it. Left out is what
no input would reach, such as a branch of a flag that each launch gives the same value, what depends on the machine, and
code that ends a function early or reports an error.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Set
from dataclasses import dataclass

from triton_simulator.branches import Branch
from triton_workshop.checking.diagnosing.tile_sizes import OPTIONS, bindings_in
from triton_workshop.checking.observing.source import Function, Source, callee_name, nodes_of, parameters_of, stores_in

MACHINE = ("cuda", "device", "is_cuda", "is_available", "is_cpu")
"""Attributes that say where a script runs."""
OF_PROGRAMS = ("program_id", "num_programs", "load")
"""Functions that give each program its own values."""
TELLING = ("print", "device_print", "static_print", "device_assert", "static_assert", "warn", "debug_barrier")
"""Functions whose calls change no result."""
Conditional = ast.If | ast.While | ast.IfExp
Scope = Function | ast.Lambda


@dataclass(frozen=True)
class Untested:
    """Lines that no case has run, and the condition that would run them."""

    first: int
    last: int
    condition: str
    needed: bool
    words: str = ""
    """The code, where it is a part of a line."""


def find_untested_code(source: Source, branches: Set[Branch]) -> Iterator[Untested]:
    """Find the code that did not run in these branches.

    All its conditions went the other way.
    """
    went: dict[tuple[int, str], set[bool]] = {}
    for branch in branches:
        went.setdefault((branch.line, branch.condition), set()).add(branch.taken)
    inputs, launcher = _Inputs(source), source.launcher
    arguments = parameters_of(launcher.args if launcher else None)
    for node, around, scopes in _conditionals(source.tree):
        line = node.test.lineno
        # A branch without a condition has gone this way on its line, whatever the condition was.
        ways = went.get((line, ast.unparse(node.test)), set[bool]()) | went.get((line, ""), set())
        # Of a condition that has not run at all, neither way is the untested one.
        if len(ways) != 1:
            continue
        if not inputs.decide(node.test, scopes):
            continue
        needed = not next(iter(ways))
        code = _code_of(node, needed)
        spared = _is_for_none(node.test, needed, arguments) or _is_option(around)
        if spared:
            continue
        if any(map(_matters, code)):
            snippet = ast.unparse(code[0]) if isinstance(node, ast.IfExp) else ""
            last = code[-1].end_lineno or code[-1].lineno
            yield Untested(code[0].lineno, last, ast.unparse(node.test), needed, snippet)


def _code_of(node: Conditional, needed: bool) -> list[ast.stmt] | list[ast.expr]:
    code = node.body if needed else node.orelse
    return code if isinstance(code, list) else [code]


def _conditionals(
    node: ast.AST, around: ast.AST | None = None, scopes: tuple[Scope, ...] = ()
) -> Iterator[tuple[Conditional, ast.AST | None, tuple[Scope, ...]]]:
    """Yield each conditional, with its context and its functions.

    The context is the keyword or the assignment whose value it is part of.
    """
    if isinstance(node, Conditional):
        yield node, around, scopes
    if isinstance(node, Scope):
        scopes = (*scopes, node)
    for child in ast.iter_child_nodes(node):
        inside = around if isinstance(child, ast.expr) else None
        if isinstance(child, ast.keyword | ast.Assign):
            inside = child
        yield from _conditionals(child, inside, scopes)


def _matters(code: ast.AST) -> bool:
    """Return whether code does more than to end or to print something."""
    match code:
        case ast.Raise() | ast.Assert() | ast.Pass() | ast.Continue() | ast.Break() | ast.Return(value=None):
            return False
        case ast.Expr(ast.Constant()):  # a docstring, or `...`
            return False
        case ast.Expr(ast.Call() as call):
            return callee_name(call) not in TELLING
        case ast.If(body=body, orelse=orelse):
            return any(map(_matters, (*body, *orelse)))
    return True


def _is_for_none(test: ast.expr, needed: bool, arguments: Set[str]) -> bool:
    """Return whether code is for arguments left out, or empty tensors."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_for_none(inner, not needed, arguments)
        case ast.BoolOp(values=values):
            return all(_is_for_none(value, needed, arguments) for value in values)
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]) | ast.Call(func=ast.Name(id="isinstance")):
            return True
        case ast.Compare(left=size, ops=[ast.Eq() | ast.LtE()], comparators=[ast.Constant(value=0)]):
            return needed and _is_size(size, arguments)
        case ast.Compare(left=size, ops=[ast.NotEq() | ast.Gt()], comparators=[ast.Constant(value=0)]):
            return not needed and _is_size(size, arguments)
    # In `if n:`, only an empty tensor gets to the `else`.
    return not needed and _is_size(test, arguments)


def _is_size(value: ast.expr, arguments: Set[str]) -> bool:
    """Return whether a value may be a number of elements.

    It is `numel()`, a part of a shape, or a name for these.
    """
    if isinstance(value, ast.Name):
        # A number that the launcher is given, such as a factor, may be 0 where no tensor is empty.
        return value.id not in arguments
    if isinstance(value, ast.Call):
        return callee_name(value) in ("numel", "len")
    return isinstance(value, ast.Subscript)


def _is_option(around: ast.AST | None) -> bool:
    """Return whether a value goes to the compiler, as a number of warps does."""
    if isinstance(around, ast.keyword):
        return around.arg in OPTIONS
    if not isinstance(around, ast.Assign):
        return False
    names = itertools.chain.from_iterable(nodes_of(target, ast.Name) for target in around.targets)
    return any(name.id in OPTIONS for name in names)


class _Inputs:
    """The values of a script that depend on its inputs, by its text."""

    def __init__(self, source: Source) -> None:
        self._calls = _calls_by_function(source)
        keys = itertools.chain.from_iterable(node.keys for node in source.nodes_of(ast.Dict))
        self._tuned = {key.value for key in keys if isinstance(key, ast.Constant)}
        """Keys of a tuner's configurations or heuristics, and other such keys."""
        self._visited: set[tuple[Scope, str]] = set()
        """Names that depend on each other are asked about once."""

    def decide(self, test: ast.expr, scopes: tuple[Scope, ...]) -> bool:
        """Return whether a condition depends on inputs, not on the machine."""
        attributes = {node.attr for node in nodes_of(test, ast.Attribute)}
        self._visited.clear()
        return attributes.isdisjoint(MACHINE) and self._varies(test, scopes)

    def _varies(self, value: ast.expr | None, scopes: tuple[Scope, ...]) -> bool:
        """Return whether a value may differ between calls, or between programs."""
        if value is None:
            return True
        calls = {callee_name(node) for node in nodes_of(value, ast.Call)}
        if not calls.isdisjoint(OF_PROGRAMS):
            return True
        names = {node.id for node in nodes_of(value, ast.Name)}
        return any(self._name_varies(name, scopes) for name in names)

    def _name_varies(self, name: str, scopes: tuple[Scope, ...]) -> bool:
        # From the inside out, as Python looks a name up.
        for depth in range(len(scopes), 0, -1):
            scope, inside = scopes[depth - 1], scopes[:depth]
            is_parameter = name in parameters_of(scope.args)
            values = [] if is_parameter else list(_values_of(name, scope))
            is_local = is_parameter or bool(values)
            if not is_local:
                continue
            # A loop's variable may depend on itself; what else it depends on has been looked at by then.
            if (scope, name) in self._visited:
                return False
            self._visited.add((scope, name))
            if is_parameter:
                return self._parameter_varies(scope, name)
            return any(self._varies(value, inside) for value in values)
        return False  # one of the module

    def _parameter_varies(self, scope: Scope, name: str) -> bool:
        calls = [] if isinstance(scope, ast.Lambda) else self._calls.get(scope.name, [])
        # With no call known, as of a lambda or the launcher, any value may be passed.
        if not calls:
            return True
        arguments = ((_argument(call, scope.args, name, self._tuned), around) for call, around in calls)
        return any(self._varies(value, around) for value, around in arguments)


def _used_functions(source: Source) -> set[ast.stmt]:
    """Return the functions that the launcher uses, and itself.

    A file may have others beside it.
    """
    named = {node.name: node for node in source.tree.body if isinstance(node, Function)}
    used, coming = set[ast.stmt](), {source.exercise.launcher}
    while coming:
        functions = {named[name] for name in coming if name in named} - used
        used |= functions
        # Any mention counts: a launch subscripts its kernel before it calls it.
        names = itertools.chain.from_iterable(nodes_of(function, ast.Name) for function in functions)
        coming = {name.id for name in names}
    return used


def _calls_by_function(source: Source) -> dict[str, list[tuple[ast.Call, tuple[Scope, ...]]]]:
    """Return the calls that pass inputs on, by the function that they call."""
    calls: dict[str, list[tuple[ast.Call, tuple[Scope, ...]]]] = {}
    used = _used_functions(source)
    for call, scopes in _calls(source.tree):
        # A function that the launcher does not use, such as an earlier attempt, passes no inputs on.
        if scopes and scopes[0] not in used:
            continue
        function = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        if not isinstance(function, ast.Name):
            continue
        # Whoever uses the script calls the launcher, with other values than the script itself.
        if function.id != source.exercise.launcher:
            calls.setdefault(function.id, []).append((call, scopes))
    return calls


def _calls(node: ast.AST, scopes: tuple[Scope, ...] = ()) -> Iterator[tuple[ast.Call, tuple[Scope, ...]]]:
    if isinstance(node, ast.Call):
        yield node, scopes
    inside = (*scopes, node) if isinstance(node, Scope) else scopes
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, inside)


def _argument(call: ast.Call, parameters: ast.arguments, name: str, tuned: Set[object]) -> ast.expr | None:
    """Return the argument for a parameter of a call, or its default.

    It is None if that is not known.
    """
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    names = [parameter.arg for parameter in (*parameters.posonlyargs, *parameters.args)]
    required = len(names) - len(parameters.defaults)
    defaults = dict(zip(names[required:], parameters.defaults, strict=True))
    defaults |= {a.arg: d for a, d in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True) if d is not None}
    stars = [index for index, argument in enumerate(call.args) if isinstance(argument, ast.Starred)]
    if not stars:
        return dict(zip(names, call.args, strict=False)).get(name, defaults.get(name))
    # How many arguments a `*` stands for is not known: as many as there have to be.
    trailing = call.args[stars[-1] + 1 :]
    if not trailing:
        return defaults.get(name)
    # What is passed by keyword or by a tuner is none of those behind the `*`.
    passed = {keyword.arg for keyword in call.keywords} | tuned
    required_names = [parameter for parameter in names[:required] if parameter not in passed]
    last = required_names[-len(trailing) :]
    return dict(zip(last, trailing, strict=False)).get(name, defaults.get(name))


def _values_of(name: str, scope: Scope) -> Iterator[ast.expr | None]:
    """Yield the values that a function assigns to a name.

    One is None where it is not known, as of a loop's.
    """
    values = [value for target, value in bindings_in(scope) if target == name]
    yield from values
    # A loop, a `with` or an operator in place stores to the name, too, but what it stores is not known.
    stores = [store for store in stores_in(scope) if store.id == name]
    yield from [None] * (len(stores) - len(values))
