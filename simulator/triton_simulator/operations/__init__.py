"""Triton's operations: what its semantics call for all programs of a group at once."""
