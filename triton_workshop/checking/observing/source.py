"""A script's text: read once, looked at by its syntax tree. Clues only: what a kernel does is seen when it runs."""

from __future__ import annotations

import ast
import functools
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Function = ast.FunctionDef | ast.AsyncFunctionDef
Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class Source:
    """A script as it was when its check began."""

    file: Path
    text: str
    kernel_name: str
    launcher_name: str

    @classmethod
    def read(cls, file: Path, kernel: str, launcher: str) -> Source:
        """As Python reads it: a byte order mark and a coding comment are honoured.

        Raises OSError, and SyntaxError or UnicodeDecodeError for what is no text in the encoding that it claims.
        """
        with tokenize.open(file) as text:
            return cls(file, text.read(), kernel, launcher)

    @functools.cached_property
    def tree(self) -> ast.Module:
        """Raises SyntaxError for what is not Python."""
        return ast.parse(self.text, str(self.file))

    @functools.cached_property
    def lines(self) -> tuple[str, ...]:
        """As Python counts them: a form feed ends no line."""
        return tuple(self.text.split("\n"))

    @functools.cached_property
    def kernels(self) -> tuple[Function, ...]:
        """The functions under `@triton.jit`, the exercise's own kernel first where there is one of its name."""
        jitted = [node for node in ast.walk(self.tree) if isinstance(node, Function) and _is_jitted(node)]
        nodes = (node for node in ast.walk(self.tree) if isinstance(node, ast.Subscript))
        launched = {node.value.id for node in nodes if isinstance(node.value, ast.Name)}
        return tuple(sorted(jitted, key=lambda node: (node.name != self.kernel_name, node.name not in launched)))

    @property
    def kernel(self) -> Function | None:
        return self.kernels[0] if self.kernels else None

    @functools.cached_property
    def launcher(self) -> Function | None:
        found = (node for node in self.tree.body if isinstance(node, Function) and node.name == self.launcher_name)
        return next(found, None)

    def line(self, number: int | None) -> str:
        """A line by its number, from 1, without indentation; empty where there is none."""
        return self.lines[number - 1].strip() if number is not None and 1 <= number <= len(self.lines) else ""

    def calls(self, name: str) -> list[ast.Call]:
        """The calls `….name(…)` or `name(…)` in kernels, from top to bottom."""
        return [node for node in self._in_kernels(ast.Call) if called(node) == name]

    def assignments(self, *names: str) -> list[int]:
        """Where a kernel or the launcher gives a value to one of these names: line numbers, from top to bottom."""
        functions = [*self.kernels, *([self.launcher] if self.launcher else [])]
        lines = [
            node.lineno
            for function in functions
            for node in ast.walk(function)
            if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and _targets(node) & set(names)
        ]
        return sorted(lines)

    def function_at(self, line: int | None) -> Function | None:
        """The outermost function that a line belongs to."""
        functions = [node for node in self.tree.body if isinstance(node, Function)]
        return next((node for node in functions if line and node.lineno <= line <= (node.end_lineno or 0)), None)

    def launch_line(self) -> int | None:
        """Where `kernel[grid](…)` stands."""
        return min((call.lineno for call in self._launches()), default=None)

    def bare_call(self) -> int | None:
        """Where the launcher calls a kernel as if it were a function, without a grid in brackets."""
        names = {kernel.name for kernel in self.kernels}
        nodes = ast.walk(self.launcher) if self.launcher else iter(())
        calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
        return next((call.lineno for call in calls if call.func.id in names), None)  # type: ignore[attr-defined]

    def rounds_down(self) -> bool:
        """Whether the launcher divides and drops the rest."""
        text = ast.unparse(self.launcher) if self.launcher else ""
        return "//" in text or re.search(r"\bint\(", text) is not None

    def mentions(self, word: str) -> bool:
        """Whether a name in the code contains this word; comments and docstrings do not count."""
        nodes = (node for node in ast.walk(self.tree) if isinstance(node, ast.Name | ast.Attribute))
        names = (node.id if isinstance(node, ast.Name) else node.attr for node in nodes)
        return any(word in name for name in names)

    def kernel_text(self) -> str:
        """The kernels without their comments."""
        return "\n".join(ast.unparse(kernel) for kernel in self.kernels)

    def addresses(self) -> str:
        """What kernels load from and store to, the names in it spelt out."""
        calls = [*self.calls("load"), *self.calls("store")]
        return " ; ".join(self.text_of(call.args[0]) for call in calls if call.args)

    def grid_line(self) -> int | None:
        """Where the grid is made; else where the kernel is launched."""
        return next(iter(self.assignments("grid")), None) or self.launch_line()

    def return_line(self) -> int | None:
        nodes = ast.walk(self.launcher) if self.launcher else iter(())
        return max((node.lineno for node in nodes if isinstance(node, ast.Return)), default=None)

    def call_at(self, line: int) -> ast.Call | None:
        """The load, store or other call of `tl` that the line belongs to."""
        around = [node for node in self._in_kernels(ast.Call) if node.lineno <= line <= (node.end_lineno or 0)]
        return next((node for node in around if called(node) in ("load", "store", "dot")), None)

    def mask_of(self, call: ast.Call) -> ast.expr | None:
        """The mask of a tl.load or tl.store; what a name stands for where the mask is a name."""
        position = 1 if called(call) == "load" else 2
        given = next((keyword.value for keyword in call.keywords if keyword.arg == "mask"), None)
        if given is None and len(call.args) > position:
            given = call.args[position]
        return None if isinstance(given, ast.Constant) and given.value is None else given

    def text_of(self, node: ast.AST | None, depth: int = 4) -> str:
        """An expression with the names in it replaced by what kernels assign to them: enough to search for a word."""
        if node is None:
            return ""
        text = ast.unparse(node)
        if depth == 0:
            return text
        names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
        more = [self.text_of(value, depth - 1) for name in sorted(names) for value in self._values.get(name, [])]
        return " ; ".join([text, *more])

    def compares_with(self, operator: type[ast.cmpop]) -> list[int]:
        """The lines of kernels on which something is compared so."""
        nodes = self._in_kernels(ast.Compare)
        return [node.lineno for node in nodes if any(isinstance(each, operator) for each in node.ops)]

    def unpacks_a_load(self, line: int | None) -> bool:
        """Whether a line takes several values out of one `tl.load`."""
        nodes = [node for node in self._in_kernels(ast.Assign) if node.lineno == line]
        loads = [node for node in nodes if isinstance(node.value, ast.Call) and called(node.value) == "load"]
        return any(isinstance(node.targets[0], ast.Tuple) for node in loads)

    def comparisons(self) -> list[ast.Compare]:
        """The comparisons in kernels, from top to bottom."""
        return list(self._in_kernels(ast.Compare))

    def made_from(self, function: str) -> set[str]:
        """The names in kernels whose values come from a call of `tl.FUNCTION`, by however many steps."""
        made: set[str] = set()
        statements = list(self._in_kernels(ast.Assign))
        while True:
            more = {
                name
                for node in statements
                if function in ast.unparse(node.value) or any(_mentions(node.value, name) for name in made)
                for name in _targets(node)
            }
            if more <= made:
                return made
            made |= more

    def one_name_for_blocks(self) -> bool:
        """Whether the launcher counts its grid with the very names that it hands to the kernel as sizes of blocks."""
        nodes = list(ast.walk(self.launcher)) if self.launcher else []
        grids = [node.value for node in nodes if isinstance(node, ast.Assign) and "grid" in _targets(node)]
        values = ((*call.args, *(keyword.value for keyword in call.keywords)) for call in self._launches())
        handed = [value for each in values for value in each]
        counted, given = ({name for part in parts for name in _block_names(part)} for parts in (grids, handed))
        return bool(counted) and counted <= given

    def program_axes(self) -> list[tuple[int, int]]:
        """The axes that kernels ask `tl.program_id` for, with their lines."""
        found = []
        for call in self.calls("program_id"):
            value = next((keyword.value for keyword in call.keywords if keyword.arg == "axis"), None)
            value = value or (call.args[0] if call.args else None)
            if isinstance(value, ast.Constant) and isinstance(value.value, int):
                found.append((value.value, call.lineno))
        return found

    def _launches(self) -> list[ast.Call]:
        nodes = ast.walk(self.launcher or self.tree)
        return [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript)]

    @functools.cached_property
    def _values(self) -> dict[str, list[ast.expr]]:
        """By name: what kernels assign to it that is not made from its own earlier value."""
        values: dict[str, list[ast.expr]] = {}
        for node in self._in_kernels(ast.Assign):
            for name in _targets(node):
                if not _mentions(node.value, name):
                    values.setdefault(name, []).append(node.value)
        return values

    def _in_kernels(self, kind: type[Node]) -> Iterator[Node]:
        return (node for node in self._nodes_of_kernels if isinstance(node, kind))

    @functools.cached_property
    def _nodes_of_kernels(self) -> tuple[ast.AST, ...]:
        """From top to bottom. One walk through a kernel is enough for the many questions about it."""
        found = dict.fromkeys(node for kernel in self.kernels for node in ast.walk(kernel))
        return tuple(sorted(found, key=_position))


def names_in(function: Function) -> set[str]:
    """The names that a function has: its parameters, and what it assigns."""
    parts = list(ast.walk(function))
    stored = {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    return stored | {part.arg for part in parts if isinstance(part, ast.arg)}


def called(call: ast.Call) -> str:
    """The last part of what is called: `load` for `tl.load(…)`."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _block_names(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and "BLOCK" in part.id.upper()}


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _mentions(node: ast.expr, name: str) -> bool:
    return any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(node))


def _targets(node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> set[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}


def _is_jitted(node: Function) -> bool:
    return any("jit" in ast.unparse(decorator) for decorator in node.decorator_list)
