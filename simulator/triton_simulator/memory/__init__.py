"""Loads, stores and atomics.

This covers what they give, what they count, and which results of undefined elements they store.
"""
