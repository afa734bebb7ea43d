"""Run by Python alone: what Triton's own launches and tuners do, on a GPU that is not there.

    python -m simulator.tests.launches_of_triton

It prints JSON: for each case of `launch_cases`, the type of the error, or what the launch did.
"""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

os.environ.pop("TRITON_INTERPRET", None)
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"

from triton.backends.compiler import GPUTarget
from triton.runtime import driver

from . import launch_cases


class Launcher:
    """Launches nothing, and refuses the grids that CUDA refuses."""

    def __init__(self, *_: Any) -> None: ...

    def __call__(self, x: int, y: int, z: int, *_: Any) -> None:
        if any(not -(2**31) <= operator.index(size) < 2**31 for size in (x, y, z)):
            raise TypeError("no C integer")
        if min(x, y, z) > 0 and max(y, z) > 65_535:
            raise RuntimeError("Triton Error [CUDA]: invalid argument")


class Driver:
    """That of an H100."""

    launcher_cls = Launcher
    utils = SimpleNamespace(
        get_device_properties=lambda _: {"max_shared_mem": 227 << 10, "multiprocessor_count": 132},
        load_binary=lambda *_: (object(), object(), 10, 0, 1024),
        unload_module=lambda _: None,
    )

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, _: int) -> int:
        return 0

    def get_benchmarker(self) -> Callable[..., list[float]]:
        def run_once(launch: Callable[[], None], quantiles: Any) -> list[float]:
            launch()
            return [1.0, 1.0, 1.0]

        return run_once


if __name__ == "__main__":
    driver.set_active(Driver())
    print(json.dumps({name: launch_cases.outcome(case) for name, case in launch_cases.CASES.items()}))
