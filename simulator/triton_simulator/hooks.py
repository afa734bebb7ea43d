"""Launch hooks.

Whoever uses the simulator may add to these lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from triton_simulator.faults import KernelFaults

Listener = Callable[[Any, dict[str, Any], dict[str, Any], set[str]], None]
"""Is told of a launch: the kernel, its arguments by name, the launch's other options, and the names of the arguments
that are numbers, but turned out to be addresses."""

listeners: list[Listener] = []
"""Each is told of every launch that ended without an error."""

dry_run = False
"""Whether launches do not run, but only listeners are told: enough for whoever asks what is launched, at any size."""

load_hooks: list[Callable[[], None]] = []
"""Each is called before a kernel loads a block. What it raises ends the launch, if it is no `Exception`."""

fault_listeners: list[Callable[[KernelFaults], None]] = []
"""Each is told of every launch that raises what it did wrong, before it does."""
