"""Finds which of our modules a page needs: its own, and all that they import, now or when a function is called."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from importlib.util import resolve_name
from pathlib import Path

from triton_workshop.code_version import PACKAGES


def modules_needed(roots: Iterable[str]) -> dict[str, Path]:
    """The files of these modules and of all that they import of ours, by their paths in a folder of packages."""
    needed, waiting = dict[str, Path](), list(roots)
    while waiting:
        module = waiting.pop()
        file = _file(module)
        if file is None or (path := _path(file)) in needed:
            continue
        needed[path] = file
        package = module if file.name == "__init__.py" else module.rpartition(".")[0]
        waiting += [module.rpartition(".")[0], *_imports(file, package)]
    return needed


def modules_in(package: str) -> list[str]:
    """The names of the modules in a package, without those of its subpackages."""
    file = _file(package)
    assert file is not None, package
    return [f"{package}.{module.stem}" for module in sorted(file.parent.glob("*.py"))]


def _file(module: str) -> Path | None:
    """Where a module of ours lies; None for anything else, such as a function."""
    root, *names = module.split(".")
    package = next((folder for folder in PACKAGES if folder.name == root), None)
    if package is None:
        return None
    place = package.joinpath(*names)
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return file if file.is_file() else None


def _path(file: Path) -> str:
    package = next(folder for folder in PACKAGES if file.is_relative_to(folder))
    return file.relative_to(package.parent).as_posix()


def _imports(file: Path, package: str) -> Iterator[str]:
    """Whatever a file of a package imports anywhere, by absolute names.

    What is only for a type checker does not count, unless it stands in a package's `__init__.py`: those names are
    resolved on first use.
    """
    waiting: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            yield from (module, *(f"{module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif not (_for_types(node) and file.name != "__init__.py"):
            waiting += ast.iter_child_nodes(node)


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
