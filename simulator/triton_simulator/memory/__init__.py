"""Loads, stores and atomics: what they give, what they count, and which results of undefined elements they store."""
