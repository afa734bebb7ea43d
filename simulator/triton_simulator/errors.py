"""What the simulator raises where its user is at fault."""

from __future__ import annotations


class SimulatorError(Exception):
    """A mistake in how the simulator, or a kernel, is used. Its message says what was expected and what to do."""


class NotSimulatedError(NotImplementedError):
    """What only a GPU can run. A kernel that has it may be correct."""
