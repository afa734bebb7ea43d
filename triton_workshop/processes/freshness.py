"""Which code a new process would import: a warm parent that has imported other code is not asked."""

from __future__ import annotations

import sysconfig
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent


def program(code: str) -> str:
    """What runs code of our package by `python -c`: -m would look for modules in the current folder first."""
    return f"import sys; sys.path[0] = {str(PACKAGE.parent)!r}; {code}"


def code_on_disk() -> tuple[int, list[str]]:
    """When our package was last edited, in nanoseconds, and which versions of others are installed."""
    edited = max(file.stat().st_mtime_ns for file in PACKAGE.rglob("*.py"))
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return edited, sorted(file.name for folder in folders for file in Path(folder).glob("*.dist-info"))
