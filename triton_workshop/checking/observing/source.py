"""Text and syntax tree of a script.

They give only clues: what a kernel does shows when it runs.
"""

from __future__ import annotations

import ast
import functools
import itertools
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard, TypeVar

from triton_workshop.exercises.exercise import Exercise
from triton_workshop.exercises.todos import parse_script
from triton_workshop.scripts import read_source

N = TypeVar("N", bound=ast.AST)
Function = ast.FunctionDef | ast.AsyncFunctionDef
Assignment = ast.Assign | ast.AugAssign | ast.AnnAssign
HARMLESS = {"__future__", "collections", "dataclasses", "functools", "itertools", "math", "numpy", "torch", "triton"}
HARMLESS |= {"triton_workshop", "typing"}
"""Modules by which nobody replaces what another one has."""
REFLECTION = re.compile(
    r"\b([gs]et|del)attr\b|\b(vars|globals|locals|exec|eval|compile|patch|mock|swap_tensors)\b|"
    r"\b(sys|os|gc|builtins|importlib|inspect|ctypes|operator|types)\b|__(?!(future|name|main|file|init|call)__)\w+__|"
    r"triton_workshop\.(?!utils_debug|checking import check_this_script)|\btriton_simulator\b"
)
"""Words that a script needs to reach into another module.

It may also do so through one that it may import: `torch.sys`.
"""
MODULES = ("tl", "libdevice", "triton", "math", "torch")
"""Names that a kernel's functions begin with; any other is that of a value with methods."""
LARGEST_FLOAT32 = (2 - 2**-23) * 2.0**127


@dataclass(frozen=True)
class Source:
    """A script as it was when its check began."""

    file: Path
    text: str
    exercise: Exercise
    """The exercise that it is for."""

    @classmethod
    def read(cls, file: Path, exercise: Exercise) -> Source:
        """Read a script as Python does.

        Raises OSError, SyntaxError, UnicodeDecodeError and LookupError.
        """
        return cls(file, read_source(file), exercise)

    @functools.cached_property
    def tree(self) -> ast.Module:
        """Raises SyntaxError if it is not Python."""
        return parse_script(self.text, str(self.file))

    @functools.cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree, as `ast.walk` gives them.

        Raises SyntaxError if the text is not Python.
        """
        return tuple(walk(self.tree))

    def nodes_of(self, kind: type[N]) -> list[N]:
        """Return all nodes of a kind, as `nodes` has them."""
        return [node for node in self.nodes if isinstance(node, kind)]

    @functools.cached_property
    def has_branches(self) -> bool:
        """The script has a condition other than the test of `__name__`.

        Raises SyntaxError if the text is not Python.
        """
        conditions = [node for node in self.nodes if isinstance(node, ast.If | ast.While | ast.IfExp)]
        return any(node not in self.tree.body for node in conditions)

    @functools.cached_property
    def lines(self) -> tuple[str, ...]:
        """As Python counts them: a form feed does not end a line."""
        return tuple(self.text.split("\n"))

    @functools.cached_property
    def kernels(self) -> tuple[Function, ...]:
        """Functions under `@triton.jit`.

        The exercise's own kernel comes first if there is one of that name.
        """
        functions = [node for node in self.nodes if isinstance(node, Function)]
        jitted = [function for function in functions if _is_jitted(function)]
        launched = {node.value.id for node in self.nodes_of(ast.Subscript) if isinstance(node.value, ast.Name)}
        # False comes first, so helpers that nobody launches are last.
        return tuple(sorted(jitted, key=lambda node: (node.name != self.exercise.kernel, node.name not in launched)))

    @functools.cached_property
    def expressions(self) -> tuple[tuple[Function, ast.expr], ...]:
        """Each kernel with the expressions of its body, from top to bottom."""
        pairs: list[tuple[Function, ast.expr]] = []
        for kernel in self.kernels:
            pairs += [(kernel, node) for node in _expressions(kernel)]
        return tuple(pairs)

    @property
    def kernel(self) -> Function | None:
        return self.kernels[0] if self.kernels else None

    @functools.cached_property
    def launcher(self) -> Function | None:
        launchers = (function for function in self._functions if function.name == self.exercise.launcher)
        return next(launchers, None)

    @property
    def _functions(self) -> list[Function]:
        """Functions of the script, without those inside others."""
        return [node for node in self.tree.body if isinstance(node, Function)]

    def line(self, number: int | None) -> str:
        """Return a line by its number, from 1, without indentation.

        It is empty if there is no such line.
        """
        if number is None:
            return ""
        is_in_text = 1 <= number <= len(self.lines)
        return self.lines[number - 1].strip() if is_in_text else ""

    def assignments(self, *names: str) -> list[int]:
        """Return the launcher's lines that assign to these names, in order."""
        return _assignments(self.launcher, set(names))

    def first_assignment(self, name: str, function: Function | None) -> int | None:
        """Return the line of the first value of a name in a function."""
        return next(iter(_assignments(function, {name})), None)

    def beyond_float32(self, function: Function) -> int | None:
        """Return the line of the first number that float32 cannot hold.

        It is finite; None if the function has no such number.
        """
        numbers = [(node.lineno, node.value) for node in nodes_of(function, ast.Constant)]
        floats = [(line, value) for line, value in numbers if isinstance(value, float)]
        large = [line for line, value in floats if LARGEST_FLOAT32 < value < math.inf]
        return min(large, default=None)

    def function_at(self, line: int | None) -> Function | None:
        """Return the outermost function that contains a line."""
        if not line:
            return None
        for function in self._functions:
            last_line = function.end_lineno or 0
            if function.lineno <= line <= last_line:
                return function
        return None

    def statement_at(self, line: int | None) -> ast.stmt | None:
        """Return the outermost statement that begins on a line."""
        return next((node for node in self.nodes_of(ast.stmt) if node.lineno == line), None)

    def has_fixed_grid(self, line: int | None) -> bool:
        """Return whether a line gives a grid in numbers.

        It has one for each axis of the exercise, and more than one program.
        """
        node = self.statement_at(line)
        if not isinstance(node, ast.Assign):
            return False
        if not isinstance(node.targets[0], ast.Name):
            return False
        sizes = node.value.elts if isinstance(node.value, ast.Tuple) else []
        numbers = [size.value for size in sizes if isinstance(size, ast.Constant)]
        return len(numbers) == len(sizes) == len(self.exercise.tiling) and set(numbers) != {1}

    def fixed_programs(self) -> int:
        """Return the least number of programs of a launch.

        It is known by those sizes of its grid that the text gives in numbers.
        """
        assigned = dict(itertools.chain.from_iterable(map(_assigned, self.nodes)))
        grids = [call.func.slice for call in self.launches() if isinstance(call.func, ast.Subscript)]
        programs = []
        for grid in grids:
            value = assigned.get(ast.unparse(grid), grid)
            axes = value.elts if isinstance(value, ast.Tuple) else [value]
            sizes = [getattr(assigned.get(ast.unparse(axis), axis), "value", None) for axis in axes]
            # Along an axis of unknown size there is at least one program, so it is left out of the product.
            programs.append(math.prod(size for size in sizes if isinstance(size, int)))
        return max(programs, default=0)

    def launch_line(self) -> int | None:
        """Return the line of `kernel[grid](…)`."""
        return min((call.lineno for call in self.launches()), default=None)

    def names_its_grid(self, line: int | None) -> bool:
        """Return whether a line launches a kernel on a grid with a name."""
        functions = [call.func for call in self.launches() if call.lineno == line]
        return any(
            isinstance(function, ast.Subscript) and isinstance(function.slice, ast.Name) for function in functions
        )

    def narrow_type(self, line: int | None, right: str) -> str:
        """Return the 16-bit type of a line's statement.

        It is empty if there is none, or if the `right` code has it, too.
        """
        statement = self.statement_at(line)
        # A loop or a branch has other statements in it, whose types are no part of its own line.
        attributes = nodes_of(None if hasattr(statement, "body") else statement, ast.Attribute)
        types = (ast.unparse(attribute) for attribute in attributes if attribute.attr in ("float16", "bfloat16"))
        return next((name for name in types if name not in right), "")

    def launches(self) -> list[ast.Call]:
        """Return the calls `kernel[grid](…)` of the launcher."""
        calls = nodes_of(self.launcher, ast.Call) if self.launcher else self.calls()
        return [call for call in calls if isinstance(call.func, ast.Subscript)]

    def sizes_line(self) -> int | None:
        """Return the line of the block sizes, or else that of the launch."""
        constants = {
            parameter.arg
            for kernel in self.kernels
            for parameter in nodes_of(kernel.args, ast.arg)
            if is_constexpr(parameter)
        }
        # Others need not be sizes: flags are constants, too.
        blocks = sorted(name for name in constants if "BLOCK" in name.upper())
        return next(iter(self.assignments(*blocks)), self.launch_line())

    def bare_call(self) -> int | None:
        """Return the line where the launcher calls a kernel without a grid."""
        names = {kernel.name for kernel in self.kernels}
        calls = (call for call in nodes_of(self.launcher, ast.Call) if isinstance(call.func, ast.Name))
        return next((call.lineno for call in calls if callee_name(call) in names), None)

    def mentions(self, text: str) -> bool:
        """Return whether a name in the code contains this text.

        Comments and docstrings do not count.
        """
        names = [node.id for node in self.nodes_of(ast.Name)]
        names += [node.attr for node in self.nodes_of(ast.Attribute)]
        return any(text in name for name in names)

    @property
    def adds_to_nothing(self) -> bool:
        """The script has atomics, and tensors of uninitialised memory."""
        return self.mentions("empty") and bool(self._atomics)

    @property
    def adds_to_noise(self) -> bool:
        """Its atomics may add to uninitialised memory of NumPy's.

        That holds other numbers in every run.
        """
        if not self.adds_to_nothing:
            return False
        makers = {ast.unparse(call.func) for call in self.calls("empty", "empty_like")}
        return any(maker.startswith(("np.", "numpy.")) for maker in makers)

    def atomic_line(self) -> int | None:
        """Return the line where kernels add by atomics.

        It is None if there are several, as any of them may be meant.
        """
        return self._atomics[0].lineno if len(self._atomics) == 1 else None

    @property
    def _atomics(self) -> list[ast.Call]:
        return [call for call in self.calls() if callee_name(call).startswith("atomic_")]

    def return_line(self) -> int | None:
        """Return the line where the launcher returns.

        It is None if there are several, as any of them may be meant.
        """
        lines = [node.lineno for node in nodes_of(self.launcher, ast.Return)]
        return lines[0] if len(lines) == 1 else None

    def calls(self, *names: str) -> list[ast.Call]:
        """Return the calls of `….name(…)` or `name(…)`, from top to bottom.

        Without a name, these are all calls.
        """
        calls = self.nodes_of(ast.Call)
        if not names:
            return calls
        return [call for call in calls if callee_name(call) in names]

    @functools.cached_property
    def keeps_to_itself(self) -> bool:
        """The script assigns to names of its own only.

        So what it imports, such as PyTorch, stays as it is.
        """
        attributes = self.nodes_of(ast.Attribute)
        if any(node.attr == "__dict__" for node in attributes):
            return False
        if any(not isinstance(node.ctx, ast.Load) for node in attributes):
            return False
        return not self.calls("setattr", "delattr", "vars", "globals", "exec", "eval")

    @functools.cached_property
    def replaces_nothing(self) -> bool:
        """The script has no means to replace what others have."""
        imports = [node for node in self.nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        modules = itertools.chain.from_iterable(map(_modules, imports))
        roots = {module.partition(".")[0] for module in modules}
        if not roots <= HARMLESS:
            return False
        return self.keeps_to_itself and not REFLECTION.search(self.text)

    def is_masked(self, line: int | None) -> bool:
        """Return whether a load or a store on a line has a mask."""
        return any(mask is not None for _, mask in self._accesses(line))

    def only_names_elements(self, line: int | None) -> bool:
        """Return whether a line's load or store has names for address and mask.

        Which elements it means was decided on other lines.
        """
        masked = [(address, mask) for address, mask in self._accesses(line) if mask is not None]
        return any(all(map(_is_named, access)) for access in masked)

    def multiplies_in_address(self, line: int | None) -> bool:
        """Return whether the address of a line's load or store has a product."""
        nodes = itertools.chain.from_iterable(ast.walk(address) for address, _ in self._accesses(line))
        return any(map(is_product, nodes))

    def stores_a_name(self, line: int | None) -> bool:
        """Return whether a line stores a value that another line has computed."""
        stores = [call for call in self.calls("store") if call.lineno == line]
        values = [call.args[1] for call in stores if len(call.args) > 1]
        if not values:
            return False
        return all(isinstance(value, ast.Name) for value in values)

    def _accesses(self, line: int | None) -> list[tuple[ast.expr, ast.expr | None]]:
        """Return the address and the mask of each load and store on a line."""
        pointers_and_values = {"load": 1, "store": 2}
        return [
            (call.args[0], argument_of(call, pointers_and_values[callee_name(call)], "mask"))
            for call in self.calls(*pointers_and_values)
            if call.lineno == line and call.args
        ]

    def unpacks_a_load(self, line: int | None) -> bool:
        """Return whether a line takes several values out of one `tl.load`."""
        nodes = [node for node in self.nodes_of(ast.Assign) if node.lineno == line]
        targets = [node.targets[0] for node in nodes if is_call_of(node.value, "load")]
        return any(isinstance(target, ast.Tuple) for target in targets)


@functools.cache
def resolve_path(file: str) -> Path:
    """Return a path without links.

    It is cached, as a few files are looked up thousands of times.
    """
    return Path(file).resolve()


def nodes_of(tree: ast.AST | None, kind: type[N]) -> Iterator[N]:
    """Yield the nodes of a kind, as `ast.walk` gives them.

    There are none without a tree.
    """
    if tree is None:
        return
    for node in walk(tree):
        if isinstance(node, kind):
            yield node


def walk(tree: ast.AST) -> list[ast.AST]:
    """Return all nodes of a tree, as `ast.walk` gives them.

    It takes half the time: a search for a mistake reads hundreds of texts.
    """
    nodes = [tree]
    # The list grows under the loop, which makes the walk breadth first.
    for node in nodes:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                nodes.append(value)
            elif isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
    return nodes


def stores_in(tree: ast.AST | None) -> list[ast.Name]:
    """Return the names to which a tree assigns, each as often as it does so."""
    return [name for name in nodes_of(tree, ast.Name) if isinstance(name.ctx, ast.Store)]


def parameters_of(function: ast.AST | None) -> set[str]:
    """Return the names of a function's parameters, and of those inside it."""
    return {parameter.arg for parameter in nodes_of(function, ast.arg)}


def names_in(function: Function) -> set[str]:
    """The names that a function has: its parameters, and what it assigns."""
    return names_stored(function) | parameters_of(function)


def names_stored(node: ast.AST) -> set[str]:
    return {name.id for name in stores_in(node)}


def names_loaded(node: ast.AST) -> list[str]:
    """Each as often as it is read."""
    return [name.id for name in nodes_of(node, ast.Name) if isinstance(name.ctx, ast.Load)]


def argument_of(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """Return an argument that is passed in its position or by its name."""
    named = (keyword.value for keyword in call.keywords if keyword.arg == name)
    return call.args[position] if len(call.args) > position else next(named, None)


def operand_of(call: ast.Call) -> ast.expr | None:
    """Return what a call computes on: `x` of `tl.exp(x)` and of `x.exp()`.

    It is None if it is passed by a name.
    """
    if is_method(call):
        assert isinstance(call.func, ast.Attribute)
        return call.func.value
    return call.args[0] if call.args else None


def is_constexpr(parameter: ast.arg) -> bool:
    """Return whether a parameter is declared as `tl.constexpr`."""
    return parameter.annotation is not None and "constexpr" in ast.unparse(parameter.annotation)


def is_method(call: ast.Call) -> bool:
    """Return whether a value's method is called, and no module's function."""
    owner = call.func
    if not isinstance(owner, ast.Attribute):
        return False
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return not isinstance(owner, ast.Name) or owner.id not in MODULES


def callee_name(call: ast.Call) -> str:
    """Return the last part of the called name: `load` for `tl.load(…)`."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def is_call_of(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    """Return whether a node is a call `….name(…)` or `name(…)`."""
    return isinstance(node, ast.Call) and callee_name(node) == name


def is_product(node: ast.AST) -> bool:
    """Return whether a node is a product, in which a factor may be missing."""
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)


def _expressions(kernel: Function) -> list[ast.expr]:
    nodes = itertools.chain.from_iterable(map(walk, kernel.body))
    expressions = (node for node in nodes if isinstance(node, ast.expr))
    return sorted(expressions, key=lambda node: node.lineno)


def _assignments(function: Function | None, names: set[str]) -> list[int]:
    if function is None:
        return []
    assignments = [node for node in ast.walk(function) if isinstance(node, Assignment)]
    return sorted(node.lineno for node in assignments if _targets(node) & names)


def _targets(node: Assignment) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = itertools.chain.from_iterable(nodes_of(target, ast.Name) for target in targets)
    return {name.id for name in names}


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    """Return the modules of which a statement imports something."""
    if module := getattr(node, "module", None):
        return [module]
    return [alias.name for alias in node.names]


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names, as text, to which a statement assigns, and the values."""
    if not isinstance(node, ast.Assign):
        return
    for target in node.targets:
        match target, node.value:
            case ast.Tuple(elts=names), ast.Tuple(elts=values):
                # Not strict, as a starred target takes any number of values.
                yield from zip(map(ast.unparse, names), values, strict=False)
            case _:
                yield ast.unparse(target), node.value


def _is_named(node: ast.expr) -> bool:
    """Return whether an expression has names only, or a sum of some."""
    match node:
        case ast.BinOp(left, ast.Add(), right):
            return _is_named(left) and _is_named(right)
        case ast.Subscript(value):
            return _is_named(value)
    return isinstance(node, ast.Name)


def _is_jitted(node: Function) -> bool:
    return any("jit" in ast.unparse(decorator) for decorator in node.decorator_list)
