"""Cleaning of the process between scripts.

Each script begins as if it were the first: changes by others are undone, or noticed.
"""

from __future__ import annotations

import builtins
import linecache
import os
import random
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from triton_workshop.repository import ROOT

Changes = list[str]


@contextmanager
def clean_process(work: Path) -> Iterator[Callable[[], Changes]]:
    """Run a script in an empty folder, and undo its changes afterwards.

    Afterwards, the function that this yields returns the changes that cannot be undone: then this worker should run
    nothing more.
    """
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    original, modules, files = _snapshot(), set(sys.modules), _file_stamps()
    environment, path, arguments = dict(os.environ), list(sys.path), list(sys.argv)
    lines, filters, streams = dict(linecache.cache), list(warnings.filters), (sys.stdin, sys.stdout, sys.stderr)
    hooks = sys.excepthook, sys.displayhook, sys.breakpointhook, sys.gettrace(), sys.getprofile()
    os.chdir(work)
    try:
        yield lambda: _differences(original, modules, files)
    finally:
        os.chdir(work.parent)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:], sys.argv[:], warnings.filters[:] = path, arguments, filters  # type: ignore[index]
        linecache.cache.clear()
        linecache.cache.update(lines)
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.excepthook, sys.displayhook, sys.breakpointhook = hooks[:3]
        sys.settrace(hooks[3])
        sys.setprofile(hooks[4])
        sys.modules.pop("script_being_checked", None)
        # A script may have seeded them: the next one's numbers should not be the same.
        random.seed()
        sys.modules["torch"].default_generator.seed()


def _snapshot() -> dict[str, dict[str, object]]:
    """Return the names in modules that scripts use."""
    import torch
    import triton
    import triton.language as tl

    owners: list[Any] = [builtins, torch, torch.Tensor, torch.nn.functional, triton, tl, tl.core, tl.math]
    owners += [tl.tensor, tl.dtype, sys.modules["triton_workshop"], sys.modules["numpy"]]
    return {owner.__name__: _script_names(owner) for owner in owners}


def _script_names(owner: Any) -> dict[str, object]:
    """Return the names of an object that a launch does not add.

    The first launches add modules, and Python's own names.
    """
    return {name: value for name, value in vars(owner).items() if _is_of_script(name, value)}


def _is_of_script(name: str, value: object) -> bool:
    if name == "_":
        return False
    if isinstance(value, ModuleType):
        return False
    return name[:2] != "__" or callable(value)


def _file_stamps() -> dict[str, tuple[int, int]]:
    """Return size and time of the workshop's files."""
    # A page looks at two hundred files before and after each run: `Path.rglob` takes three times as long.
    paths = (f"{folder}/{name}" for folder, _, names in os.walk(ROOT) for name in names)
    stats = {file: os.stat(file) for file in paths if file.endswith((".py", ".toml", ".txt", ".jpeg"))}  # noqa: PTH116
    return {file: (stat.st_size, stat.st_mtime_ns) for file, stat in stats.items()}


def _differences(
    original: dict[str, dict[str, object]], modules: set[str], files: dict[str, tuple[int, int]]
) -> Changes:
    current = _snapshot()
    changed = [
        f"{owner}.{name}"
        for owner, names in original.items()
        for name in names.keys() | current[owner].keys()
        # Two defaults that differ: a name on one side only is a change.
        if names.get(name, current) is not current[owner].get(name, original)
    ]
    changed += sorted(f"the module {name}" for name in modules - set(sys.modules))
    return changed + (["the workshop's files"] if _file_stamps() != files else [])
