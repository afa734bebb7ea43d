"""Runs the code of a slide as a process of its own. No screen: bytes come out, and an outcome."""

from triton_workshop.runner.run import FAREWELL, CannotRunError, Outcome, Run, Script, runnable

__all__ = ["FAREWELL", "CannotRunError", "Outcome", "Run", "Script", "runnable"]
