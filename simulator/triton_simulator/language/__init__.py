"""Triton's language on the simulator.

It is what Python does with a kernel's source, and with values that all programs hold at once.
"""
