"""A wrong kernel never crashes the process."""

from __future__ import annotations

import ast

from .processes import RunPython
from .tables import EVERY

KERNELS = 200 if EVERY == 1 else 40


def test_corrupted_kernels_leave_the_process_alive(run_forked: RunPython) -> None:
    """What must be found is planted, as chance depends on all kernels there are; by hand, it takes any number."""
    run = run_forked("-m", "simulator.tests.corruptions", str(KERNELS), env={"TRITON_INTERPRET": "1"})
    assert run.returncode == 0, run.stderr
    found = ast.literal_eval(run.stdout)
    assert {"right", "another result"} <= found.keys()
    assert sum(found.values()) == KERNELS + 3
    planted = {name: count for name, count in found.items() if name.startswith("planted")}
    assert planted == {"planted out-of-bounds-load": 1, "planted out-of-bounds-store": 1, "planted race": 1}
