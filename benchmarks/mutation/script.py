"""The parts of a script that may be edited, and where they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

HINTS = ("num_warps", "num_stages", "cache_modifier", "eviction_policy")
GUARDS = ("check_tensors_gpu_ready", "print", "assume", "debug_barrier", "multiple_of", "max_contiguous")
OTHER_TEXTS = {"ieee": ("tf32",)}


@dataclass(frozen=True, order=True)
class Edit:
    """What replaces the bytes from `start` to `end` of a script."""

    start: int
    end: int
    new: str
    operator: str
    """The kind of edit."""


@dataclass(frozen=True)
class Script:
    """A script, and where its parts are: Python counts columns in bytes."""

    text: str

    @cached_property
    def data(self) -> bytes:
        return self.text.encode()

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line starts."""
        starts = [0]
        for line in self.data.split(b"\n"):
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @cached_property
    def functions(self) -> list[ast.FunctionDef]:
        """Without kernels that nothing calls."""
        tree = ast.parse(self.text)
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        read = names_read(tree)
        return [node for node in functions if node.name in read or not is_kernel(node)]

    def start(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt | ast.keyword) -> int:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._lines[node.end_lineno - 1] + node.end_col_offset

    def part(self, start: int, end: int) -> str:
        return self.data[start:end].decode()

    def code(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        return self.part(self.start(node), self.end(node))

    def lines_around(self, start: int, end: int) -> tuple[int, int]:
        """From the start of the first line to the end of the last one."""
        last = self.data.find(b"\n", end)
        return self.data.rfind(b"\n", 0, start) + 1, len(self.data) if last < 0 else last

    def edited(self, *edits: Edit) -> str:
        """Raises ValueError if two edits overlap."""
        data, before = self.data, len(self.data) + 1
        for edit in sorted(edits, reverse=True):
            if edit.end > before:
                raise ValueError("these edits overlap")
            data = data[: edit.start] + edit.new.encode() + data[edit.end :]
            before = edit.start
        return data.decode()


def is_kernel(function: ast.FunctionDef) -> bool:
    return any("jit" in ast.dump(decorator) for decorator in function.decorator_list)


def names_read(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def parts(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Return what may be edited in a function, outermost first.

    Values that nothing reads are left out.
    """
    read = names_read(function)
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        if not left_alone(node, read):
            yield node
            waiting += reversed(list(ast.iter_child_nodes(node)))


def left_alone(node: ast.AST, read: set[str]) -> bool:
    if isinstance(node, ast.Assign) and read.isdisjoint(names(node.targets[0])):
        return True
    if isinstance(node, ast.keyword) and node.arg in HINTS:
        return True
    if isinstance(node, ast.If) and all(isinstance(statement, ast.Raise) for statement in node.body):
        return True
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Call) and name_of(node.func) in GUARDS:
        return True
    if isinstance(node, ast.Attribute) and node.attr == "device":
        return True
    text = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in OTHER_TEXTS
    return text or isinstance(node, ast.Assert | ast.Raise | ast.JoinedStr)


def names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def name_of(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def statements(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    """The statements of the function, and of each loop and branch in it."""
    read = names_read(function)
    for node in (function, *parts(function)):
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield [statement for statement in block if not left_alone(statement, read)]
