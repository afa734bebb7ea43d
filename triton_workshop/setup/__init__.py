"""`uv run setup-check`: what works here, and how to fix the rest.

Facts are gathered once, into a `MachineFacts`; each check is a small function from the machine to one row. Kernels run
in separate processes, on the GPU and on the simulator; this process imports neither torch nor Triton.
"""
