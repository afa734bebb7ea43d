"""What can be seen without running a script: syntax, open TODOs, and what looks wrong while TODOs are open."""

from __future__ import annotations

import ast
import re
import traceback
from dataclasses import replace
from pathlib import Path

from triton_workshop.checking.diagnosing.alignment import is_begun
from triton_workshop.checking.judging.explanations import explanation_named
from triton_workshop.checking.judging.habits import in_triton
from triton_workshop.checking.judging.verdict import Finding, FindingKind
from triton_workshop.checking.observing.source import Function, Source, called, names_in
from triton_workshop.checking.own_errors import let_tests_see
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.todos import open_todos
from triton_workshop.import_order import lines_to_exchange
from triton_workshop.scripts import reason

TOO_DEEP = "an expression or a block in it is nested too deeply for Python"
HOST = frozenset({"torch", "numpy", "random", "time", "triton_workshop"})
"""Packages whose functions no kernel can call."""


def static_finding(source: Source) -> Finding | None:
    """Return the first thing that is already wrong before anything runs."""
    return (
        _syntax(source)
        or _another_text(source)
        or _host_function(source)
        or _block_of_python(source)
        or _division_by_zero(source)
        or _misused_pointer(source)
        or _unfinished(source)
        or _import_order(source)
        or _no_constexpr(source)
    )


def unreadable(error: Exception) -> Finding:
    """Report a file that is not Python text at all."""
    hints = () if isinstance(error, OSError) else explanation_named("unreadable").hints
    return Finding(FindingKind.CRASH, f"the file cannot be read: {reason(error)}", hints, hint_name="unreadable")


def own_error(error: Exception) -> Finding:
    """Report an error of the checker's own. Raises it where tests want to see it."""
    let_tests_see(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    message = f"the checker itself has failed on this script: {type(error).__name__}: {error}"[:400]
    hints = explanation_named("checker-failed").hints
    return Finding(FindingKind.CHECKER_FAILED, f"{message}{where}", hints, hint_name="checker-failed")


def _syntax(source: Source) -> Finding | None:
    try:
        source.tree  # noqa: B018  # parsing is what can fail
    except SyntaxError as error:
        line = min(error.lineno, len(source.text.splitlines())) if error.lineno else None
        message = f"{type(error).__name__}: {error.msg}"
        if isinstance(error, IndentationError):
            return _explained(source, line, message, "indentation")
        told = (message, source.line(line))
        hint = next(hint for pattern, hint in SYNTAX_HINTS if any(re.search(pattern, text) for text in told))
        return Finding(FindingKind.CRASH, message, (hint,), line, source.line(line), hint_name="syntax-error")
    except ValueError as error:  # null bytes
        return unreadable(error)
    except (RecursionError, MemoryError):  # that of Python's parser, not of the machine
        return replace(
            unreadable(ValueError(TOO_DEEP)), hints=explanation_named("too-deep").hints, hint_name="too-deep"
        )
    return None


def _another_text(source: Source) -> Finding | None:
    """Find an empty file, and one with another exercise's text."""
    number, launcher = source.exercise.number, source.exercise.launcher
    functions = {node.name for node in source.tree.body if isinstance(node, Function)}
    others = [other for other in EXERCISES.values() if other.number != number]
    if not source.tree.body:
        message = "the file is empty"
    elif other := next((other for other in others if source.text == other.shipped_text), None):
        message = f"this is the text of exercise {other.number}"
    elif launcher not in functions and (other := next((each for each in others if each.launcher in functions), None)):
        message = f"this is the text of exercise {other.number}: it defines {other.launcher}, and not {launcher}"
    else:
        return None
    hint = f"uv run workshop reset {number} restores exercise {number}, and keeps this file as a backup."
    return Finding(FindingKind.ANOTHER_TEXT, message, (hint,), hint_name="another-text")


SYNTAX_HINTS = (
    (
        "invalid (non-printable )?character",
        "This line has a character that Python does not know, such as a curly quotation mark or a space that is not an "
        "ordinary one. Was it pasted? Type it instead.",
    ),
    (
        "was never closed",
        "The bracket that opens here is never closed. Count the brackets up to the end of this statement.",
    ),
    ("unterminated string", "The text that begins on this line has no closing quotation mark."),
    (r"&&|\|\|", "Python has no && and ||: masks are joined with a single & or |, each comparison in parentheses."),
    (r"<<<", "This is how CUDA launches a kernel. In Triton the grid goes in brackets: kernel[grid](arguments)."),
    (r"\w(\+\+|--)(?!\w)", "Python has no ++ and --: write `+= 1` or `-= 1`."),
    (r"^\s*//|;\s*//", "A comment begins with # in Python, not with //."),
    (
        r"\d\.?\d*\s+[A-Za-z_]\w*(?!\s*(if|else|for|and|or|in|is)\b)",
        "Is a * missing? Python writes 0.5 * red, not 0.5 red.",
    ),
    ("", "Python cannot read this line. Look for a missing bracket, comma or colon, here or on the line before."),
)
"""What to look for on a line that Python cannot read: a pattern for what Python says or for the line, and a hint."""


def _unfinished(source: Source) -> Finding | None:
    exercise, todos = source.exercise, open_todos(source.text)
    if not todos:
        return None
    first = todos[0]
    number = first.number or 0
    if 1 <= number <= len(exercise.hints):
        message = f"TODO {number} of {len(exercise.hints)} is next: {first.task}"
        if is_begun(source, number):
            message += "; its `...` is still there"
        hints = exercise.todo_hints(number)
    else:
        message, hints = "a `...` still has no code in its place", ("Put code in its place.",)
    code = first.source.partition("#")[0].rstrip()  # the message has the comment's words
    return Finding(FindingKind.UNFINISHED, message, hints, first.line, code, hint_name="todo")


def _import_order(source: Source) -> Finding | None:
    """Report a wrong import order: Triton is set up when it is imported, so triton_workshop must come first."""
    lines = lines_to_exchange(source.tree)
    if lines is None:
        return None
    message = f"Triton is imported before triton_workshop: move line {lines[0]} above line {lines[1]}"
    return _explained(source, lines[1], message, "wrong-import-order")


def _host_function(source: Source) -> Finding | None:
    """Find a call, in a kernel, of what only the host has. On the simulator it may work, or fail in strange ways."""
    imported = {name for node in source.tree.body for name, package in _imports(node) if package in HOST}
    for kernel, node in source.expressions:
        # `print_if` works on the simulator; the compiler finds what was left in.
        if not isinstance(node, ast.Call) or called(node) == "print_if":
            continue
        root = _root(node.func)
        if root in imported and root not in names_in(kernel):
            message = f"a kernel calls {ast.unparse(node.func)}, which is Python: Triton does not compile it"
            found = _explained(source, node.lineno, message, "python-function-in-kernel")
            instead = in_triton("", source.line(node.lineno)) or in_triton(f"name '{called(node)}' is not defined", "")
            return replace(found, hints=(instead, *found.hints[1:])) if instead else found
    return None


def _imports(node: ast.stmt) -> list[tuple[str, str]]:
    """The names that a statement gives to what it imports, each with the package that this comes from."""
    match node:
        case ast.Import(names=names):
            return [(alias.asname or alias.name.partition(".")[0], alias.name.partition(".")[0]) for alias in names]
        case ast.ImportFrom(module=str(module), names=names):
            return [(alias.asname or alias.name, module.partition(".")[0]) for alias in names]
    return []


def _block_of_python(source: Source) -> Finding | None:
    """Find Python's range where a block is wanted: anywhere except in the head of a loop."""
    heads = [node.iter for node in source.nodes if isinstance(node, ast.For | ast.comprehension)]
    loops = [node for head in heads for node in ast.walk(head)]
    for _, node in source.expressions:
        if isinstance(node, ast.Call) and node not in loops and ast.unparse(node.func) == "range":
            text = ast.unparse(node)
            return _explained(source, node.lineno, f"{text} is Python's, not a block of numbers", "no-kernel-value")
    return None


def _division_by_zero(source: Source) -> Finding | None:
    """Find a division of whole numbers by 0, which is silent on a GPU. That of floats gives inf, as people may want."""
    for kernel, node in source.expressions:
        match node:
            case ast.BinOp(op=ast.FloorDiv() | ast.Mod(), right=number) if _is_zero(number, kernel):
                message = f"{ast.unparse(node)} divides by zero"
                return _explained(source, node.lineno, message, "divides-by-zero")
    return None


def _is_zero(number: ast.expr, kernel: Function) -> bool:
    """Whether a number is 0 as it is written, or a name that a kernel gives this value and no other."""
    if not isinstance(number, ast.Name):
        return isinstance(number, ast.Constant) and number.value == 0
    parts = list(ast.walk(kernel))
    stored = [part for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    makers = [node for node in parts if isinstance(node, ast.Assign) and number.id == ast.unparse(node.targets[0])]
    once = [part.id for part in stored].count(number.id) == 1
    return once and any(isinstance(node.value, ast.Constant) and node.value.value == 0 for node in makers)


def _misused_pointer(source: Source) -> Finding | None:
    """Find a pointer used as an array while TODOs are open: once all are done, a run says more."""
    if not open_todos(source.text):
        return None
    for kernel, node in source.expressions:
        pointers = {a.arg for a in _parameters(kernel) if a.arg.endswith(("_ptr", "_ptrs"))}
        match node:
            case ast.Subscript(value=ast.Name(id=name)) if name in pointers:
                message = f"{ast.unparse(node)}: {name} is a pointer, and brackets do not read from it"
                return _explained(source, node.lineno, message, "brackets")
            case (
                ast.Attribute(value=ast.Name(id=name), attr="shape" | "size" | "numel")
                | ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)])
            ) if name in pointers:
                message = f"{ast.unparse(node)}: {name} is a pointer, and has no sizes"
                return _explained(source, node.lineno, message, "no-sizes-in-kernels")
    return None


def _explained(source: Source, line: int | None, message: str, name: str) -> Finding:
    """Return a finding with the same hints as the error that it would cause."""
    return Finding(FindingKind.CRASH, message, explanation_named(name).hints, line, source.line(line), hint_name=name)


def _no_constexpr(source: Source) -> Finding | None:
    """Find sizes of blocks and of unrolled loops that are not known when a kernel is compiled."""
    helpers = {called(node) for kernel in source.kernels for node in ast.walk(kernel) if isinstance(node, ast.Call)}
    for kernel, node in source.expressions:
        if kernel.name in helpers or not isinstance(node, ast.Call) or _root(node.func) != "tl":
            continue  # what a kernel passes to a function that it calls stays a constexpr, however it is declared
        sizes = {"arange": node.args, "static_range": node.args, "zeros": node.args[:1], "full": node.args[:1]}
        parts = [part for size in sizes.get(called(node), ()) for part in ast.walk(size)]
        names = [part.id for part in parts if isinstance(part, ast.Name) and part.id in _run_time_names(kernel)]
        if names:
            return _run_time_size(source, node, names[0])
    return None


def _run_time_size(source: Source, call: ast.Call, name: str) -> Finding:
    message = f"tl.{called(call)} needs a size that is fixed when the kernel is compiled; {name} is not"
    shipped = Source(source.file, source.exercise.shipped_text, source.exercise)
    of_a_tensor = shipped.kernel is not None and name in _run_time_names(shipped.kernel)
    found = _explained(source, call.lineno, message, "size-of-a-tensor" if of_a_tensor else "missing-constexpr")
    return replace(found, hints=tuple(hint.replace("NAME", name) for hint in found.hints))


def _run_time_names(kernel: Function) -> set[str]:
    """The parameters that are not known when the kernel is compiled."""
    return {a.arg for a in _parameters(kernel) if not (a.annotation and "constexpr" in ast.unparse(a.annotation))}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _parameters(function: Function) -> list[ast.arg]:
    return [part for part in ast.walk(function.args) if isinstance(part, ast.arg)]
