"""What to ask about a line that the solution does not have, or has in another place, or without an `if` around it."""

from __future__ import annotations

import ast

from triton_workshop.checking.diagnosing.repair import Culprit
from triton_workshop.checking.observing.source import Source, called

MOVED = (
    "This line itself is right. Does it stand in its place, and only there?",
    "What it reads has to be ready before it, and each time that it runs, it does its work again.",
)
SKIPPED = "Nobody else computes that part. Every program has one of its own, and only its mask leaves something out."
LEFT_OUT = "Each round adds its share to the result, so no round may be left out."


def hints_about(culprit: Culprit, source: Source) -> tuple[str, tuple[str, ...]]:
    """The name and the hints of a culprit that has to go away or elsewhere; empty if other code has to stand there."""
    node = source.statement_at(culprit.line)
    if not culprit.instead or node is None:
        return "", ()
    if isinstance(node, ast.If):
        return "branch", (*_branch(node, source), culprit.instead)
    if culprit.moved:
        return "moved-line", (*MOVED, culprit.instead)
    return "added-line", (*_added(node), culprit.instead)


def overwrites(culprit: Culprit | None, source: Source) -> bool:
    """Whether it is a line too many, which gives a name a value that has nothing to do with the one before."""
    node = source.statement_at(culprit.line) if culprit and culprit.extra else None
    if not isinstance(node, ast.Assign):
        return False
    read = {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
    return read.isdisjoint(_assigned(node))


def _branch(node: ast.If, source: Source) -> tuple[str, str]:
    answer = "true" if isinstance(node.body[-1], ast.Return) else "false"
    function = source.function_at(node.lineno)
    loops = [each for each in ast.walk(function) if isinstance(each, ast.For | ast.While)] if function else []
    if any(loop.lineno < node.lineno <= (loop.end_lineno or 0) for loop in loops):
        return f"In which rounds of the loop is this `if` {answer}, and what do they leave out?", LEFT_OUT
    if function in source.kernels:
        return f"For which programs is this `if` {answer}, and what becomes of their part of the result?", SKIPPED
    return f"For which inputs is this `if` {answer}?", "The launcher does the same for all of them."


def _added(node: ast.stmt) -> tuple[str, ...]:
    match node:
        case ast.Assign() | ast.AugAssign() if names := _assigned(node):
            are, as_before = ("is", "it as it was") if len(names) == 1 else ("are", "them as they were")
            asked = f"What {are} {' and '.join(names)} before this line, and what after it?"
            return asked, f"The lines below need {as_before}."
        case ast.Return():
            return (
                "What does a program do after this line?",
                "Nothing: `return` ends it, and the lines below never run.",
            )
        case ast.Expr(value=ast.Call(func=ast.Subscript())):
            return (
                "What does each launch store, and which one is the last?",
                "A launch replaces what another has stored.",
            )
        case ast.Expr(value=ast.Call() as call) if called(call) == "store":
            return "Which store to these elements is the last?", "It replaces what the others have stored there."
    return ("What does this line change, and for which programs?",)


def _assigned(node: ast.Assign | ast.AugAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
