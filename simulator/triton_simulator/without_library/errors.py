"""Exceptions for machines that Triton has no wheel for."""

from __future__ import annotations


class NoTritonError(Exception):
    """Triton's Python files cannot be had.

    The message says why, and what to do.
    """
