"""Python in a page's worker: `worker` has its functions.

Nothing here starts a process.
"""
