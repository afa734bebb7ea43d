"""Launch hooks.

Whoever uses the simulator may add to these lists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from triton_simulator.faults import KernelFaults

Listener = Callable[[Any, dict[str, Any], dict[str, Any], set[str]], None]
"""Function that is called with each launch.

It gets the kernel, its arguments by name, the launch's other options, and the names of the arguments that are numbers,
but turned out to be addresses.
"""

listeners: list[Listener] = []
"""Each is told of every launch that ended without an error."""

error_listeners: list[Listener] = []
"""Each is told of every launch whose kernel raised an error of its own.

What a listener raises takes the place of that error.
"""

dry_run = False
"""True if launches do not run, but only call listeners.

It is enough to find out what is launched, at any size.
"""

strict_views = False
"""True if an access outside a view is a fault even inside its storage, for launches that nobody records, too."""

load_hooks: list[Callable[[], None]] = []
"""Functions that are called before a kernel loads a block.

What they raise ends the launch, if it is no `Exception`.
"""

fault_listeners: list[Callable[[KernelFaults], None]] = []
"""Functions that are called with the faults of a launch.

They are called before the launch raises them.
"""
