"""Runs in a tab, in a worker's Python: `worker` has what the page asks for, and nothing here starts a process."""
