"""Finding the TODOs that are left."""

from __future__ import annotations

import pytest

from triton_workshop.exercises.todos import OpenTodo, open_todos

OPEN = (
    ("x = ...  # TODO 3: load x", OpenTodo(1, "x = ...  # TODO 3: load x", 3, "load x")),
    ("...  # TODO 12: store", OpenTodo(1, "...  # TODO 12: store", 12, "store")),
    ("a, b = ...  # TODO 1", OpenTodo(1, "a, b = ...  # TODO 1", 1, "")),
    ("a += ...", OpenTodo(1, "a += ...", None, "")),
    ("\f# \x85 \u2028\nx = ...  # TODO 3: load x", OpenTodo(2, "x = ...  # TODO 3: load x", 3, "load x")),
)


@pytest.mark.parametrize(("source", "todo"), OPEN)
def test_a_placeholder_is_an_open_todo(source: str, todo: OpenTodo) -> None:
    assert open_todos(source) == (todo,)


@pytest.mark.parametrize(
    "source", ["y = x[..., None]", "x = 1  # TODO 1: kept the comment", "f(...)", 's = "..."', "def f(x=...): return x"]
)
def test_code_is_no_open_todo(source: str) -> None:
    assert open_todos(source) == ()


def test_todos_come_in_the_order_of_the_file() -> None:
    source = "def f():\n    x = ...  # TODO 2: b\ny = ...  # TODO 1: a\n"
    assert [todo.line for todo in open_todos(source)] == [2, 3]
