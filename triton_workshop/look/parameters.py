"""Parameters of a kernel, at their lines."""

from __future__ import annotations

import ast
from functools import lru_cache

from triton_simulator.steps.text import value_text
from triton_workshop.look.timeline import Line, Note, Position


def argument_notes(position: Position) -> dict[Line, Note]:
    """Return the numbers that the kernel gets, at the lines of its parameters."""
    values = {step.step.name: value_text(step.value) for step in position.track.arguments if not step.value.is_pointer}
    if not values:
        return {}
    first = position.track.arguments[0].step.line
    texts: dict[int, list[str]] = {}
    for name, line in _parameters("".join(position.recording.sources.get(first.file, ())), first.number):
        if name in values:
            texts.setdefault(line, []).append(f"{name} {values[name]}")
    return {(first.file, line): Note((", ".join(parts),)) for line, parts in texts.items()}


@lru_cache(maxsize=64)
def _parameters(text: str, first: int) -> list[tuple[str, int]]:
    """Return the parameters of the function at a line, each with its line."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef):
            continue
        # A function's code may begin at its first decorator or at its `def`.
        if first in range(first_line(node), node.lineno + 1):
            arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            return [(argument.arg, argument.lineno) for argument in arguments]
    return []


def first_line(node: ast.FunctionDef) -> int:
    """Return the first line of a function, its decorators included."""
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
