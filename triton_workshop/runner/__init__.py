"""Runs the code of a slide as a process of its own. No screen: bytes come out, and an outcome."""

from triton_workshop.runner.run import CannotRunError, Outcome, Run, Script, runnable

__all__ = ["CannotRunError", "Outcome", "Run", "Script", "runnable"]
