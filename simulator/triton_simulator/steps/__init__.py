"""Steps of a launch: every value of every program, at every line.

- `statements` finds in a kernel's source which line assigns what, inside which loops.
- `recorder` follows the kernel by Python's own tracing, and collects the steps.
- `steps` is what a recording gives: steps, and one program's view of them.
"""
