"""Values of all programs at once.

This room knows blocks, and computes with numbers of every format.
"""
