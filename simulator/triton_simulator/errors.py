"""Exceptions for mistakes of the simulator's user, and a warning."""

from __future__ import annotations


class SimulatorError(Exception):
    """Mistake in how the simulator, or a kernel, is used.

    Its message says what was expected and what to do.
    """


class NotSimulatedError(NotImplementedError):
    """Feature that only a GPU can run.

    A kernel that has it may be correct.
    """


class UndefinedResult(UserWarning):
    """Warning of a stored result of undefined elements.

    A kernel has combined defined elements with undefined ones, and stored the result.
    """
