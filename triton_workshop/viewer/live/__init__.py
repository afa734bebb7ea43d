"""Blocks of a slide that run, with their output and their editor."""
