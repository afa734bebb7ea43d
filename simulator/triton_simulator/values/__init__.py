"""Values of all programs at once.

It has what a block holds, and how numbers of every format are computed.
"""
