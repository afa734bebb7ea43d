"""Forms of a script's values: what kind of numbers, in which shape.

A name is taken for another one only if both have the same form; with any other, the script would not even run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from triton_workshop.checking.diagnosing.change import Change
from triton_workshop.checking.observing.source import walk

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
        for step in launch.steps.all if launch.steps is not None else ():
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
    # Before the numbers, as a bool is an int to Python.
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return "float" if isinstance(value, float) else "int", (), float(value)
    return ("pointer", (), None) if hasattr(value, "data_ptr") else None


def _kind(dtype: str) -> str:
    if dtype.startswith("pointer"):
        return "pointer"
    return "truth" if dtype == "int1" else "float" if dtype.startswith(("fp", "bf")) else "int"


def is_possible(change: Change, function: str, forms: Forms) -> bool:
    """Return whether a change of a function may run, and change anything.

    One that puts a name for another may not, if that has another form or the same value. Only indices have factors.
    """
    read = [node.id for node in walk(change.node) if isinstance(node, ast.Name)]
    if change.kind in OF_INDICES:
        added = [forms.get((function, name), MIXED) for name in NAME.findall(change.replacement) if name not in read]
        # What multiplies or limits is a single number, but a tile can also be moved by a tile.
        whole = change.kind == "moved" or all(form[1] == () for form in added if form is not MIXED)
        return whole and "float" not in [form[0] for form in added] + [
            forms.get((function, name), MIXED)[0] for name in read
        ]
    if change.kind == "names":
        # Only names differ, so they come in the same order in both trees.
        pairs = zip(
            read, [node.id for node in walk(ast.parse(change.replacement)) if isinstance(node, ast.Name)], strict=True
        )
        kinds = [[forms.get((function, name), MIXED)[0] for name in pair] for pair in pairs]
        return all(one == other or "mixed" in (one, other) for one, other in kinds)
    if not isinstance(change.node, ast.Name):
        return True
    old, new = forms.get((function, change.node.id), MIXED), forms.get((function, change.replacement), MIXED)
    # A form that is unknown, or not always the same, excludes nothing.
    if MIXED in (old, new):
        return True
    # Of two arguments with the same value, either gives the same results: the change would show nothing.
    return old[:2] == new[:2] and (old[2] is None or old[2] != new[2])


def counts(change: Change, function: str, forms: Forms) -> bool:
    """Return whether a change is of a name for a single integer.

    There are few of them.
    """
    return isinstance(change.node, ast.Name) and forms.get((function, change.node.id), MIXED)[:2] == ("int", ())


def computes_values(change: Change, function: str, forms: Forms) -> bool:
    """Return whether a change is of what is stored, and not of where."""
    if isinstance(change.node, ast.stmt):  # another order of statements
        return False
    nodes = walk(change.node)
    names = (forms.get((function, node.id), MIXED)[0] for node in nodes if isinstance(node, ast.Name))
    return "float" in names or any(isinstance(node, ast.Constant) and type(node.value) is float for node in nodes)
