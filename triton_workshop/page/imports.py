"""Imports of our modules, followed to every module that a page needs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from importlib.util import resolve_name
from pathlib import Path

from triton_workshop.code_version import PACKAGES


def collect_modules(roots: Iterable[str]) -> dict[str, Path]:
    """Return the files of these modules and of all their imports of ours.

    They are named by their paths in a folder of packages. Imports inside functions count.
    """
    needed, pending = dict[str, Path](), list(roots)
    while pending:
        module = pending.pop()
        file = _module_file(module)
        if file is None:
            continue
        path = _archive_path(file)
        if path in needed:
            continue
        needed[path] = file
        package = module if file.name == "__init__.py" else module.rpartition(".")[0]
        # To import a module runs the `__init__.py` of its packages too.
        pending += [module.rpartition(".")[0], *_imports(file, package)]
    return needed


def modules_in(package: str) -> list[str]:
    """Return the names of the modules in a package, not its subpackages."""
    file = _module_file(package)
    assert file is not None, package
    return [f"{package}.{module.stem}" for module in sorted(file.parent.glob("*.py"))]


def _module_file(module: str) -> Path | None:
    """Return the file of a module of ours; None for anything else."""
    root, *names = module.split(".")
    package = next((folder for folder in PACKAGES if folder.name == root), None)
    if package is None:
        return None
    location = package.joinpath(*names)
    file = location / "__init__.py" if location.is_dir() else location.with_suffix(".py")
    return file if file.is_file() else None


def _archive_path(file: Path) -> str:
    package = next(folder for folder in PACKAGES if file.is_relative_to(folder))
    return file.relative_to(package.parent).as_posix()


def _imports(file: Path, package: str) -> Iterator[str]:
    """Yield the absolute names that a file of a package imports anywhere.

    Imports for a type checker do not count, unless they stand in a package's `__init__.py`: those names are resolved
    on first use.
    """
    pending: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package)
            # A name that is imported from a package may be a module of it.
            yield from (module, *(f"{module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif not (_for_types(node) and file.name != "__init__.py"):
            pending += ast.iter_child_nodes(node)


def _for_types(node: ast.AST) -> bool:
    if not isinstance(node, ast.If):
        return False
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
