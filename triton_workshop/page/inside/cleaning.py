"""Each script begins as if it were the first: what one leaves behind is undone, or noticed."""

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

Changed = list[str]


@contextmanager
def cleaned(work: Path) -> Iterator[Callable[[], Changed]]:
    """An empty folder to work in, and afterwards a process as it was before, as far as that can be.

    After that, the function that this yields says what cannot be undone: this worker should run nothing more then.
    """
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    before, modules, files = _owned(), set(sys.modules), _files()
    environment, path, arguments = dict(os.environ), list(sys.path), list(sys.argv)
    lines, filters, streams = dict(linecache.cache), list(warnings.filters), (sys.stdin, sys.stdout, sys.stderr)
    hooks = sys.excepthook, sys.displayhook, sys.breakpointhook, sys.gettrace(), sys.getprofile()
    os.chdir(work)
    try:
        yield lambda: _differences(before, modules, files)
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
        random.seed()
        sys.modules["torch"].default_generator.seed()


def _owned() -> dict[str, dict[str, object]]:
    """What the modules hold that scripts use."""
    import torch
    import triton
    import triton.language as tl

    owners: list[Any] = [builtins, torch, torch.Tensor, torch.nn.functional, triton, tl, tl.core, tl.math]
    owners += [tl.tensor, tl.dtype, sys.modules["triton_workshop"], sys.modules["numpy"]]
    return {owner.__name__: _names(owner) for owner in owners}


def _names(owner: Any) -> dict[str, object]:
    """Without what the first launches add: modules, and Python's own names."""
    items = vars(owner).items()
    return {
        name: value
        for name, value in items
        if name != "_" and (name[:2] != "__" or callable(value)) and not isinstance(value, ModuleType)
    }


def _files() -> dict[str, tuple[int, int]]:
    """The files of the workshop, with their sizes and when they were changed."""
    # A page looks at two hundred files before and after each run: `Path.rglob` takes three times as long.
    found = (f"{folder}/{name}" for folder, _, names in os.walk(ROOT) for name in names)
    stats = {file: os.stat(file) for file in found if file.endswith((".py", ".toml", ".txt", ".jpeg"))}  # noqa: PTH116
    return {file: (stat.st_size, stat.st_mtime_ns) for file, stat in stats.items()}


def _differences(before: dict[str, dict[str, object]], modules: set[str], files: dict[str, tuple[int, int]]) -> Changed:
    now = _owned()
    changed = [
        f"{owner}.{name}"
        for owner, names in before.items()
        for name in names.keys() | now[owner].keys()
        if names.get(name, now) is not now[owner].get(name, before)
    ]
    changed += sorted(f"the module {name}" for name in modules - set(sys.modules))
    return changed + (["the workshop's files"] if _files() != files else [])
