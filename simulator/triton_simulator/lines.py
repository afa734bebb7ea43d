"""Lines of a kernel's source: which one runs, and how messages name it."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from types import CodeType

_TRITON = find_spec(
    "triton"
)  # found, not imported: the checker reads faults in processes where Triton's mode is not settled
_LIBRARY_FOLDERS = tuple(str(Path(file).parent) + os.sep for file in (_TRITON and _TRITON.origin, __file__) if file)


def default_line_name(file: str, line: int) -> str:
    try:
        return f"line {line} of {os.path.relpath(file)}"
    except ValueError:  # on another drive of Windows
        return f"line {line} of {file}"


KERNEL_NAME = ".kernel"
"""The name of a rewritten kernel's code in what defines it: a name that no script can have."""

name_of_line: Callable[[str, int], str] = default_line_name
"""Function that returns the name of a line in messages.

It gets the line's file and its number there. Users of the simulator may set another.
"""


@dataclass(frozen=True)
class KernelLine:
    """A line of a kernel's source."""

    file: str
    number: int

    def __str__(self) -> str:
        """Return its name and its code, as the beginning of a sentence."""
        name = name_of_line(self.file, self.number)
        return f"{name[0].upper()}{name[1:]}: `{self.text}`"

    @property
    def text(self) -> str:
        """Source text of the line, without its indentation."""
        return linecache.getline(self.file, self.number).strip()


def is_kernel(code: CodeType) -> bool:
    """Return whether this is the code of a kernel, or of a function that one calls, and not one of Triton's own."""
    name = code.co_qualname.rpartition("<locals>.")[2]
    return name == KERNEL_NAME and not code.co_filename.startswith(_LIBRARY_FOLDERS)


def current_line() -> KernelLine:
    """Return the line of the kernel that is being executed.

    It is that of the innermost frame that is neither Triton's nor ours.
    """
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_LIBRARY_FOLDERS):
        frame = frame.f_back  # type: ignore[assignment]
    return KernelLine(frame.f_code.co_filename, frame.f_lineno)
