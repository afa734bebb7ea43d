"""Whether the code that a warm parent has imported is still the code on disk."""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Self

PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Freshness:
    """When our package was last edited, and when a package was last installed or removed, in nanoseconds."""

    package: int
    installed: int

    @classmethod
    def now(cls) -> Self:
        edited = max(file.stat().st_mtime_ns for file in PACKAGE.rglob("*.py"))
        folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        return cls(edited, max(Path(folder).stat().st_mtime_ns for folder in folders))

    def still(self) -> bool:
        """Whether nothing has changed since."""
        try:
            return self == Freshness.now()
        except OSError:  # a file that goes away while we look is a change
            return False
