"""Sizes of queries, keys and values: those of attention without a mask."""

from triton_workshop.exercises.attention.workload import WORKLOAD

__all__ = ["WORKLOAD"]
