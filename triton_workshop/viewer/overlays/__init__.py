"""Screens over a slide: lists, search, and the output of a block."""
