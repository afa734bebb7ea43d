"""Runs a launch on the CPU. Today that is Triton's own interpreter: one program after the other."""

from triton_workshop.simulator.install import install

__all__ = ["install"]
