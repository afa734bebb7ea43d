"""Triton's own compiler, on a machine without a GPU.

It says whether a kernel that was launched on the simulator compiles.

`launches` notes what a launch asks of the compiler, `pickling` takes a kernel to another process, `front_end` and
`pipeline` compile it there, and `compilation` starts that process, ends it in time and collects what it says.
"""
