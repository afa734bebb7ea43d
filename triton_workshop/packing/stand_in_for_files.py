"""A STAND-IN for triton_workshop.without_library.files, with its interface, until that module is there: delete it then.

In pack.py and in install.py, import that module instead of this one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from triton_workshop.packing import locked


def version() -> str:
    return next(str(package.version) for package in locked.locked().packages if package.name == "triton")


def cache() -> Path:
    """The folder whose `triton` is this user's copy."""
    base = {"win32": os.environ.get("LOCALAPPDATA"), "darwin": str(Path.home() / "Library" / "Caches")}
    found = base.get(sys.platform) or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(found, "triton-workshop", f"triton-{version()}")


def fetch(target: Path) -> None:
    """Fill the folder `target` with a package `triton/`: its Python files."""
    uv = os.environ.get("UV", "uv")
    where = ("--no-deps", "--no-cache", "--python-platform", "x86_64-manylinux_2_28")
    with tempfile.TemporaryDirectory() as folder:
        command = [uv, "pip", "install", "--quiet", *where, "--target", folder, f"triton=={version()}"]
        subprocess.run(command, check=True)
        shutil.copytree(Path(folder, "triton"), target / "triton", ignore=_not_python)


def _not_python(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if Path(folder, name).is_file() and not name.endswith(".py")]
