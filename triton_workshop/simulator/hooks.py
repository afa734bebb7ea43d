"""What whoever uses the simulator may set: how faults name a line, and who hears of launches."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from triton_workshop.simulator.faults import KernelFaults


def _line_of_file(_: str, line: int) -> str:
    return f"line {line}"


name_of_line: Callable[[str, int], str] = _line_of_file
"""How faults speak of a line of a kernel's source, given its file and its number there."""

Listener = Callable[[Any, dict[str, Any], dict[str, Any], set[str]], None]
"""Is told of a launch: the kernel, its arguments by name, the launch's other options, and the names of the arguments
that are numbers, but turned out to be addresses."""

listeners: list[Listener] = []
"""Each is told of every launch that ended without an error."""

raised: list[Callable[[KernelFaults], None]] = []
"""Each is told of every launch that raises what it did wrong, before it does."""
