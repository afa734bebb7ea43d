"""Findings on a script, from its text and from its runs."""
