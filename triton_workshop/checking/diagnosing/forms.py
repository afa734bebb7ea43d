"""Forms of a script's values: what kind of numbers, in which shape.

A name is taken for another one only if both have the same form; with any other, the script would not even run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.observing.source import nodes_of

if TYPE_CHECKING:
    from triton_simulator import Launch

Form = tuple[str, tuple[int, ...], float | None]
"""A kind of numbers, a shape, and the value of an argument that is a number."""
Forms = Mapping[tuple[str, str], Form]
"""The form of each name of a function: the function first, then the name."""
NAME = re.compile(r"[A-Za-z_]\w*")
OF_INDICES = ("factor", "limited", "moved")
"""Kinds of changes of numbers that count elements."""
MIXED: Form = "mixed", (-1,), None
"""The form of a name with different ones in different calls."""


def forms_of(launches: Iterable[Launch]) -> Forms:
    """Return the forms of all names that these launches have computed."""
    found: dict[tuple[str, str], Form] = {}
    for launch in launches:
        for name, value in launch.arguments.items():
            form = _form_of_argument(value)
            if form is not None:
                _add(found, (launch.kernel, name), form)
        if launch.steps is None:
            continue
        for step in launch.steps.all:
            if step.name and not step.value.parts:
                _add(found, (step.function, step.name), (_kind(step.value.dtype), step.value.shape, None))
    return found


def _add(found: dict[tuple[str, str], Form], key: tuple[str, str], form: Form) -> None:
    old = found.get(key, form)
    if old[:2] != form[:2]:
        found[key] = MIXED
    else:
        # An argument with two values is still a number of its kind.
        found[key] = form if old == form else (form[0], form[1], None)


def _form_of_argument(value: object) -> Form | None:
    match value:
        # Before the numbers, as a bool is an int to Python.
        case bool():
            return None
        case float():
            return "float", (), float(value)
        case int():
            return "int", (), float(value)
    return ("pointer", (), None) if hasattr(value, "data_ptr") else None


def _kind(dtype: str) -> str:
    if dtype.startswith("pointer"):
        return "pointer"
    if dtype == "int1":
        return "truth"
    return "float" if dtype.startswith(("fp", "bf")) else "int"


def is_possible(change: Change, function: str, forms: Forms) -> bool:
    """Return whether a change of a function may run, and change anything.

    One that puts a name for another may not, if that has another form or the same value. Only indices have factors.
    """
    if change.kind in OF_INDICES:
        return _is_possible_for_indices(change, function, forms)
    if change.kind == "names":
        return _is_possible_exchange(change, function, forms)
    if not isinstance(change.node, ast.Name):
        return True
    old, new = _forms_of_names([change.node.id, change.replacement], function, forms)
    # A form that is unknown, or not always the same, excludes nothing.
    if MIXED in (old, new):
        return True
    if old[:2] != new[:2]:
        return False
    # Of two arguments with the same value, either gives the same results: the change would show nothing.
    return old[2] is None or old[2] != new[2]


def _is_possible_for_indices(change: Change, function: str, forms: Forms) -> bool:
    read = _names_in(change.node)
    added = [name for name in NAME.findall(change.replacement) if name not in read]
    of_added = _forms_of_names(added, function, forms)
    # What multiplies or limits is a single number, but a tile can also be moved by a tile.
    if change.kind != "moved" and not _are_single_numbers(of_added):
        return False
    of_read = _forms_of_names(read, function, forms)
    return "float" not in [form[0] for form in of_added + of_read]


def _is_possible_exchange(change: Change, function: str, forms: Forms) -> bool:
    before = _forms_of_names(_names_in(change.node), function, forms)
    after = _forms_of_names(_names_in(ast.parse(change.replacement)), function, forms)
    # Only names differ, so they come in the same order in both trees.
    pairs = list(zip(before, after, strict=True))
    return all(_agree(old[0], new[0]) for old, new in pairs)


def _agree(kind: str, another: str) -> bool:
    """Return whether two kinds are the same, as far as they are known."""
    return kind == another or "mixed" in (kind, another)


def _are_single_numbers(forms: Iterable[Form]) -> bool:
    return all(form[1] == () for form in forms if form is not MIXED)


def _forms_of_names(names: Iterable[str], function: str, forms: Forms) -> list[Form]:
    return [forms.get((function, name), MIXED) for name in names]


def _names_in(node: ast.AST) -> list[str]:
    return [name.id for name in nodes_of(node, ast.Name)]


def counts(change: Change, function: str, forms: Forms) -> bool:
    """Return whether a change is of a name for a single integer.

    There are few of them.
    """
    match change.node:
        case ast.Name(name):
            return forms.get((function, name), MIXED)[:2] == ("int", ())
    return False


def computes_values(change: Change, function: str, forms: Forms) -> bool:
    """Return whether a change is of what is stored, and not of where."""
    if isinstance(change.node, ast.stmt):  # another order of statements
        return False
    kinds = [form[0] for form in _forms_of_names(_names_in(change.node), function, forms)]
    if "float" in kinds:
        return True
    return any(type(constant.value) is float for constant in nodes_of(change.node, ast.Constant))
