"""Lines of a kernel's source: which one runs, and how messages name it."""

from __future__ import annotations

import ast
import functools
import itertools
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import CodeType
from typing import NamedTuple

_TRITON = find_spec(
    "triton"
)  # found, not imported: the checker reads faults in processes where Triton's mode is not settled
_LIBRARY_FOLDERS = tuple(str(Path(file).parent) + os.sep for file in (_TRITON and _TRITON.origin, __file__) if file)


def default_line_name(file: str, line: int) -> str:
    try:
        return f"line {line} of {os.path.relpath(file)}"
    except ValueError:  # on another drive of Windows
        return f"line {line} of {file}"


KERNEL_NAME = ".kernel"
"""The name of a rewritten kernel's code in what defines it: a name that no script can have."""

name_of_line: Callable[[str, int], str] = default_line_name
"""Function that returns the name of a line in messages.

It gets the line's file and its number there. Users of the simulator may set another.
"""


class KernelLine(NamedTuple):
    """A line of a kernel's source.

    Each access to memory makes one and looks it up, so it is a tuple, which takes half the time of a dataclass.
    """

    file: str
    number: int

    def __str__(self) -> str:
        """Return its name and its code, as the beginning of a sentence."""
        return f"{self.name[0].upper()}{self.name[1:]}: `{self.text}`"

    @property
    def name(self) -> str:
        """Name of the line in the middle of a sentence: `line 8 of add.py`."""
        return name_of_line(self.file, self.number)

    @property
    def text(self) -> str:
        """Source text of the line, without its indentation.

        A statement of several lines is joined to one.
        """
        return statement_text(linecache.getlines(self.file), self.number)


MAX_STATEMENT = 100
"""Characters of a statement over several lines that are quoted."""


def statement_text(lines: Sequence[str], number: int) -> str:
    """Return the text of a line, or of its statement of several lines.

    Of a long one, what the line begins.
    """
    line = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    statement = next(reversed([*_around(_parse("".join(lines)), number)]), None) if line else None
    if statement is None:
        return line
    if _end_of_head(statement) == statement.lineno:
        return line
    text = _unparse(statement)
    is_cut = len(text) > MAX_STATEMENT and number > statement.lineno
    if is_cut:
        # Its beginning would not show the line that is meant.
        expressions = (node for node in ast.walk(statement) if isinstance(node, ast.expr))
        parts = (expression for expression in expressions if expression.lineno == number)
        text = f"… {max(map(ast.unparse, parts), key=len, default=line)}"
    return text if len(text) <= MAX_STATEMENT else f"{text[: MAX_STATEMENT - 1]}…"


@functools.lru_cache(maxsize=16)
def _parse(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError):
        return None


def _around(tree: ast.Module | None, number: int) -> Iterator[ast.stmt]:
    """Yield the statements that a line belongs to, the innermost last."""
    pending: list[ast.AST] = [tree] if tree is not None else []
    while pending:
        node = pending.pop()
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.stmt):
                # These are no statements, but have statements in them.
                if isinstance(child, ast.ExceptHandler | ast.match_case):
                    pending.append(child)
                continue
            last = child.end_lineno or child.lineno
            if child.lineno <= number <= last:
                yield child
                pending.append(child)


def _end_of_head(statement: ast.stmt) -> int:
    """Return the last line of a statement, or that before its first block."""
    if not hasattr(statement, "body"):
        return statement.end_lineno or statement.lineno
    children = (child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt))
    parts = itertools.chain.from_iterable(map(ast.walk, children))
    ends = (part.end_lineno for part in parts if isinstance(part, ast.expr | ast.arg))
    return max([statement.lineno, *filter(None, ends)])


def _unparse(statement: ast.stmt) -> str:
    text = ast.unparse(statement)
    return text.split("\n")[0] if hasattr(statement, "body") else text


def is_kernel(code: CodeType) -> bool:
    """Return whether this is the code of a kernel.

    The functions that it calls count, Triton's own do not.
    """
    # `closures` defines each kernel inside another function, whose name comes before its own.
    name = code.co_qualname.rpartition("<locals>.")[2]
    return name == KERNEL_NAME and not _is_library(code.co_filename)


@functools.lru_cache(maxsize=1024)
def _is_library(file: str) -> bool:
    """Return whether a file is one of Triton's or ours."""
    return file.startswith(_LIBRARY_FOLDERS)


def error_line(error: BaseException) -> KernelLine | None:
    """Return the innermost line of a kernel at which an error was raised.

    If another one caused it, that one's line counts.
    """
    # A script can set `__cause__`, so that the chain may be a circle.
    seen: set[int] = set()
    while error.__cause__ is not None and id(error) not in seen:
        seen.add(id(error))
        error = error.__cause__
    frames = traceback.walk_tb(error.__traceback__)
    kernels = [KernelLine(frame.f_code.co_filename, number) for frame, number in frames if is_kernel(frame.f_code)]
    return kernels[-1] if kernels else None


def current_line() -> KernelLine:
    """Return the line of the kernel that is being executed.

    It is that of the innermost frame that is neither Triton's nor ours.
    """
    frame = sys._getframe(1)
    while frame is not None and _is_library(frame.f_code.co_filename):
        frame = frame.f_back  # type: ignore[assignment]
    return KernelLine(frame.f_code.co_filename, frame.f_lineno)
