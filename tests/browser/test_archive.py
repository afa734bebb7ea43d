"""What of our own goes into a page."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

from triton_workshop.browser import archive
from triton_workshop.checking.exercises import EXERCISES

PACKAGE = archive.ROOT / "triton_workshop"


def test_the_list_names_each_file_once_and_all_are_there() -> None:
    listed = list(archive.listed())
    assert len(listed) == len(set(listed))
    assert all(file.is_file() for file in listed)
    assert {exercise.solution_file for exercise in EXERCISES.values()} <= set(listed)


def test_nothing_of_the_terminal_or_of_a_learner_goes_in() -> None:
    names = {file.relative_to(archive.ROOT).as_posix() for file in archive.listed()}
    rooms = ("viewer", "watch", "web", "classroom", "screen", "bench", "cli")
    assert not [name for name in names if name.startswith(tuple(f"triton_workshop/{room}/" for room in rooms))]
    assert not [name for name in names if name.startswith("exercises/")]


def test_what_a_listed_module_imports_when_it_is_imported_is_listed_too() -> None:
    """Otherwise nothing runs in a page at all, and only a page would show it."""
    modules = {file for file in archive.listed() if file.suffix == ".py" and file.is_relative_to(PACKAGE)}
    missing = [(file.name, name) for file in modules for name in _imported(file) if not _files(name) & modules]
    assert not missing


def _imported(file: Path) -> Iterator[str]:
    """The modules of our own that a module imports at its top, wherever it runs."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == PACKAGE.name:
            yield node.module or ""


def _files(module: str) -> set[Path]:
    path = PACKAGE.parent.joinpath(*module.split("."))
    return {path.with_suffix(".py"), path / "__init__.py"}


def test_the_names_of_pytorch_are_those_that_are_installed() -> None:
    import torch

    names = json.loads(archive.names_of_torch())
    assert set(names) == set(archive.OWNERS)
    assert {"fft", "sum"} <= set(names["torch"]) <= set(dir(torch))
    assert "cauchy_" in names["torch.Tensor"]
