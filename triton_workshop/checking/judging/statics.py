"""Findings on a script's text, before anything runs."""

from __future__ import annotations

import ast
import itertools
import re
import traceback
from dataclasses import replace
from pathlib import Path

from triton_workshop.checking.diagnosing.alignment import is_begun
from triton_workshop.checking.judging.explanations import explanation_named
from triton_workshop.checking.judging.habits import suggest_triton_code
from triton_workshop.checking.judging.verdict import Finding, FindingKind
from triton_workshop.checking.observing.source import (
    Function,
    Source,
    callee_name,
    is_constexpr,
    names_in,
    nodes_of,
    stores_in,
)
from triton_workshop.checking.own_errors import reraise_in_tests
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.todos import open_todos
from triton_workshop.hints import sentence, table
from triton_workshop.import_order import lines_to_exchange
from triton_workshop.scripts import lines_of, reason

HOST_PACKAGES = frozenset({"torch", "numpy", "random", "time", "triton_workshop"})
"""Packages whose functions no kernel can call."""
MAX_MESSAGE_CHARACTERS = 400


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


def unreadable_finding(error: Exception) -> Finding:
    """Report a file that is not Python text at all."""
    hints = () if isinstance(error, OSError) else explanation_named("unreadable").hints
    message = sentence("messages.unreadable", reason=reason(error))
    return Finding(FindingKind.CRASH, message, hints, hint_name="unreadable")


def checker_failure(error: Exception) -> Finding:
    """Report an error of the checker's own; raise it for tests."""
    reraise_in_tests(error)
    message = sentence("messages.checker-failed", error=f"{type(error).__name__}: {error}")[:MAX_MESSAGE_CHARACTERS]
    frames = traceback.extract_tb(error.__traceback__)
    if frames:
        file, line = Path(frames[-1].filename).name, frames[-1].lineno
        message = sentence("messages.checker-failed-at", message=message, file=file, line=line)
    hints = explanation_named("checker-failed").hints
    return Finding(FindingKind.CHECKER_FAILED, message, hints, hint_name="checker-failed")


def _syntax(source: Source) -> Finding | None:
    try:
        source.tree  # noqa: B018  # parsing is what can fail
    except SyntaxError as error:
        return _syntax_error(source, error)
    except ValueError as error:  # null bytes
        return unreadable_finding(error)
    except (RecursionError, MemoryError):  # that of Python's parser, not of the machine
        finding = unreadable_finding(ValueError(sentence("messages.nested-too-deeply")))
        return replace(finding, hints=explanation_named("too-deep").hints, hint_name="too-deep")
    return None


def _syntax_error(source: Source, error: SyntaxError) -> Finding:
    line = min(error.lineno, len(lines_of(source.text))) if error.lineno else None
    message, code = f"{type(error).__name__}: {error.msg}", source.line(line)
    if isinstance(error, IndentationError):
        return _explained(source, line, message, "indentation")
    hints = table("syntax").items()  # the last one fits any line
    hint = next(hint for pattern, hint in hints if re.search(pattern, message) or re.search(pattern, code))
    return Finding(FindingKind.CRASH, message, (hint,), line, code, hint_name="syntax-error")


def _another_text(source: Source) -> Finding | None:
    """Find an empty file, and one with another exercise's text."""
    message = _another_text_message(source)
    if not message:
        return None
    hint = sentence("todos.restore", number=source.exercise.number)
    return Finding(FindingKind.ANOTHER_TEXT, message, (hint,), hint_name="another-text")


def _another_text_message(source: Source) -> str:
    number, launcher = source.exercise.number, source.exercise.launcher
    if not source.tree.body:
        return sentence("messages.empty-file")
    exercises = [exercise for exercise in EXERCISES.values() if exercise.number != number]
    for exercise in exercises:
        if source.text == exercise.shipped_text:
            return sentence("messages.another-exercise", number=exercise.number)
    functions = {node.name for node in source.tree.body if isinstance(node, Function)}
    if launcher in functions:
        return ""
    for exercise in exercises:
        if (defined := exercise.launcher) in functions:
            return sentence("messages.another-launcher", number=exercise.number, defined=defined, launcher=launcher)
    return ""


def _unfinished(source: Source) -> Finding | None:
    exercise, todos = source.exercise, open_todos(source.text)
    if not todos:
        return None
    todo, count = todos[0], len(exercise.hints)
    number = todo.number or 0
    if 1 <= number <= count:
        name = "todos.next-begun" if is_begun(source, number) else "todos.next"
        message = sentence(name, number=number, count=count, task=todo.task)
        hints = exercise.todo_hints(number)
    else:
        message, hints = sentence("todos.placeholder"), (sentence("todos.put-code"),)
    code = todo.source.partition("#")[0].rstrip()  # the message has the comment's text
    return Finding(FindingKind.UNFINISHED, message, hints, todo.line, code, hint_name="todo")


def _import_order(source: Source) -> Finding | None:
    """Find a wrong import order.

    Triton is set up when it is imported, so triton_workshop must come first.
    """
    lines = lines_to_exchange(source.tree)
    if lines is None:
        return None
    line, above = lines
    message = sentence("messages.import-order", line=line, above=above)
    return _explained(source, above, message, "wrong-import-order")


def _host_function(source: Source) -> Finding | None:
    """Find a call, in a kernel, of a function that only the host has.

    On the simulator it may work, or fail in strange ways.
    """
    imports = itertools.chain.from_iterable(map(_imports, source.tree.body))
    host_names = {name for name, package in imports if package in HOST_PACKAGES}
    for kernel, node in source.expressions:
        if not isinstance(node, ast.Call):
            continue
        # `print_if` works on the simulator; the compiler finds one that was left in.
        if callee_name(node) == "print_if":
            continue
        root = _root(node.func)
        if root in host_names and root not in names_in(kernel):
            return _host_call(source, node)
    return None


def _host_call(source: Source, call: ast.Call) -> Finding:
    message = sentence("messages.python-in-kernel", function=ast.unparse(call.func))
    finding = _explained(source, call.lineno, message, "python-function-in-kernel")
    code = source.line(call.lineno)
    # By its library first; a function that was imported by its name looks like an undefined one.
    suggestion = suggest_triton_code("", code) or suggest_triton_code(f"name '{callee_name(call)}' is not defined", "")
    return replace(finding, hints=(suggestion, *finding.hints[1:])) if suggestion else finding


def _imports(node: ast.stmt) -> list[tuple[str, str]]:
    """Return the names that a statement imports, with their packages."""
    match node:
        case ast.Import(names=names):
            return list(map(_module_import, names))
        case ast.ImportFrom(module=str(module), names=names):
            package = module.partition(".")[0]
            return [(alias.asname or alias.name, package) for alias in names]
    return []


def _module_import(alias: ast.alias) -> tuple[str, str]:
    """Return the name that `import a.b` defines, with its package."""
    package = alias.name.partition(".")[0]
    return alias.asname or package, package


def _block_of_python(source: Source) -> Finding | None:
    """Find Python's range, except in the head of a loop.

    A block is wanted elsewhere.
    """
    heads = [node.iter for node in source.nodes if isinstance(node, ast.For | ast.comprehension)]
    loops = list(itertools.chain.from_iterable(map(ast.walk, heads)))
    for _, node in source.expressions:
        match node:
            case ast.Call(func=ast.Name(id="range")) if node not in loops:
                message = sentence("messages.python-range", call=ast.unparse(node))
                return _explained(source, node.lineno, message, "no-kernel-value")
    return None


def _division_by_zero(source: Source) -> Finding | None:
    """Find a division of integers by 0, which is silent on a GPU.

    That of floats gives inf, as people may want.
    """
    for kernel, node in source.expressions:
        match node:
            case ast.BinOp(op=ast.FloorDiv() | ast.Mod(), right=number) if _is_zero(number, kernel):
                message = sentence("messages.divides-by-zero", expression=ast.unparse(node))
                return _explained(source, node.lineno, message, "divides-by-zero")
    return None


def _is_zero(number: ast.expr, kernel: Function) -> bool:
    """Return whether a number is 0, or a name that is always 0."""
    if not isinstance(number, ast.Name):
        return _is_literal_zero(number)
    stores = [name.id for name in stores_in(kernel)]
    # A name with several values may be another number here.
    if stores.count(number.id) != 1:
        return False
    values = [node.value for node in nodes_of(kernel, ast.Assign) if number.id == ast.unparse(node.targets[0])]
    return any(map(_is_literal_zero, values))


def _is_literal_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 0


def _misused_pointer(source: Source) -> Finding | None:
    """Find a pointer used as an array while TODOs are open.

    Once all are done, a run says more.
    """
    if not open_todos(source.text):
        return None
    for kernel, node in source.expressions:
        pointers = {a.arg for a in _parameters(kernel) if a.arg.endswith(("_ptr", "_ptrs"))}
        match node:
            case ast.Subscript(value=ast.Name(id=name)) if name in pointers:
                message = sentence("messages.pointer-subscript", expression=ast.unparse(node), name=name)
                return _explained(source, node.lineno, message, "brackets")
            case (
                ast.Attribute(value=ast.Name(id=name), attr="shape" | "size" | "numel")
                | ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)])
            ) if name in pointers:
                message = sentence("messages.pointer-size", expression=ast.unparse(node), name=name)
                return _explained(source, node.lineno, message, "no-sizes-in-kernels")
    return None


def _explained(source: Source, line: int | None, message: str, name: str) -> Finding:
    """Return a finding with the same hints as the error that it would cause."""
    return Finding(FindingKind.CRASH, message, explanation_named(name).hints, line, source.line(line), hint_name=name)


def _no_constexpr(source: Source) -> Finding | None:
    """Find sizes of blocks and loops that the compiler cannot know."""
    calls = itertools.chain.from_iterable(nodes_of(kernel, ast.Call) for kernel in source.kernels)
    helpers = set(map(callee_name, calls))
    for kernel, node in source.expressions:
        if kernel.name in helpers:
            continue  # an argument of a helper stays a constexpr, however the helper declares it
        if not isinstance(node, ast.Call) or _root(node.func) != "tl":
            continue
        sizes = {"arange": node.args, "static_range": node.args, "zeros": node.args[:1], "full": node.args[:1]}
        for size in sizes.get(callee_name(node), ()):
            for name in nodes_of(size, ast.Name):
                if name.id in _run_time_names(kernel):
                    return _run_time_size(source, node, name.id)
    return None


def _run_time_size(source: Source, call: ast.Call, name: str) -> Finding:
    message = sentence("messages.run-time-size", function=callee_name(call), name=name)
    shipped = Source(source.file, source.exercise.shipped_text, source.exercise)
    # A run-time parameter of the shipped kernel has lost no annotation: it is a size of a tensor.
    is_tensor_size = shipped.kernel is not None and name in _run_time_names(shipped.kernel)
    finding = _explained(source, call.lineno, message, "size-of-a-tensor" if is_tensor_size else "missing-constexpr")
    return replace(finding, hints=tuple(hint.replace("NAME", name) for hint in finding.hints))


def _run_time_names(kernel: Function) -> set[str]:
    """Return the parameters that are not known when the kernel is compiled."""
    return {parameter.arg for parameter in _parameters(kernel) if not is_constexpr(parameter)}


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _parameters(function: Function) -> list[ast.arg]:
    return [child for child in ast.walk(function.args) if isinstance(child, ast.arg)]
