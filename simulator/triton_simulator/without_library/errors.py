"""What goes wrong where Triton has no wheel."""

from __future__ import annotations


class NoTritonError(Exception):
    """Triton's Python files cannot be had. The message says why, and what to do."""
