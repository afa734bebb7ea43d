"""Triton's operations for all programs of a group at once.

Triton's semantics call them.
"""
