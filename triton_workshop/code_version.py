"""Version of the code that a process would import now.

Results of other code are not used.
"""

from __future__ import annotations

import sysconfig
from importlib.util import find_spec
from pathlib import Path

SPECS = (find_spec("triton_workshop"), find_spec("triton_simulator"))
PACKAGES = tuple(Path(spec.origin).parent for spec in SPECS if spec is not None and spec.origin)
"""The folders of our own code.

The simulator is found and not imported, as the viewer has no use for it.
"""


def code_version() -> tuple[int, list[str]]:
    """Return the last edit of our code, and the installed versions of others.

    The edit is a time in nanoseconds.
    """
    edited = max(file.stat().st_mtime_ns for package in PACKAGES for file in package.rglob("*.py"))
    folders = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    return edited, sorted(file.name for folder in folders for file in Path(folder).glob("*.dist-info"))
