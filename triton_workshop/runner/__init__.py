"""Runs the code of a slide as a process of its own. No screen: bytes come out, and an outcome."""

from triton_workshop.runner.run import FAREWELL, Run
from triton_workshop.runner.script import CannotRunError, Outcome, Script, runnable
from triton_workshop.runner.warm import WarmRunner

__all__ = ["FAREWELL", "CannotRunError", "Outcome", "Run", "Script", "WarmRunner", "runnable"]
