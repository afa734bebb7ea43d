"""Tells the code that a process would import now, so that what was made with other code is not used."""

from __future__ import annotations

import sysconfig
from pathlib import Path

PACKAGE = Path(__file__).parent


def code_on_disk() -> tuple[int, list[str]]:
    """When our package was last edited, in nanoseconds, and the installed versions of others."""
    edited = max(file.stat().st_mtime_ns for file in PACKAGE.rglob("*.py"))
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return edited, sorted(file.name for folder in folders for file in Path(folder).glob("*.dist-info"))
