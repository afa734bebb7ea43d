"""Bytes of the tensors.

This covers what an argument may touch, which elements an access names, and how a change is undone.
"""
