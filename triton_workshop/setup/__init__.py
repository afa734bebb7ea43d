"""`uv run setup-check`: what works on this machine, and how to fix what does not.

Facts are gathered once, into a `MachineFacts`; each check is a small function from the machine to one row. Kernels
run in separate processes, on the GPU and on the simulator; this process imports neither torch nor Triton.
"""
