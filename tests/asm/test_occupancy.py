"""How many programs fit on an SM: what CUDA's own occupancy header says, which Triton's wheel has."""

from __future__ import annotations

import importlib.util
import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from triton_simulator.gpus import TARGETS, Target
from triton_workshop.costs.summary import occupancy

LIMITS = {"threads": 0x01, "registers": 0x02, "shared memory": 0x04, "programs": 0x08}
"""As the header numbers them: OCC_LIMIT_WARPS and so on. It knows one more, of 0x10, which never binds alone here."""
UNKNOWN_DEVICE = 2
REGISTERS = (8, 16, 24, 26, 32, 33, 40, 54, 64, 65, 96, 128, 168, 170, 204, 235, 255)
SHARED_BYTES = (0, 128, 1000, 4096, 12288, 24576, 49152, 65536, 101376, 147456, 166912, 196640, 232448)
NVIDIA = [target for target in TARGETS.values() if target.is_nvidia]
WARPS = (1, 2, 4, 8, 16, 32)


@pytest.mark.library
def test_it_agrees_with_cudas_header(tmp_path: Path) -> None:
    if (compiler := shutil.which("g++")) is None:
        pytest.skip("CUDA's header is C++, and there is no g++")
    spec = importlib.util.find_spec("triton")
    assert spec is not None
    assert spec.origin is not None
    headers = Path(spec.origin).parent / "backends" / "nvidia" / "include"
    program = tmp_path / "occupancy"
    source = Path(__file__).with_name("occupancy.cpp")
    subprocess.run([compiler, "-I", headers, source, "-o", program], check=True)
    questions = [*itertools.product(NVIDIA, REGISTERS, SHARED_BYTES, WARPS)]
    lines = [_question(*question) for question in questions]
    told = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True).stdout
    for (target, registers, shared, warps), answer in zip(questions, told.splitlines(), strict=True):
        error, programs, limits = map(int, answer.split())
        if error == UNKNOWN_DEVICE and int(target.arch) > 90:  # an older header
            continue
        ours = occupancy(target, registers, shared, warps)
        assert (error, ours.programs) == (0, programs), (target.name, registers, shared, warps)
        if programs:
            assert sum(LIMITS[limit] for limit in ours.limits) == limits & 0x0F, (target.name, registers, shared, warps)


def _question(target: Target, registers: int, shared: int, warps: int) -> str:
    reserved = 1024 if int(target.arch) >= 80 else 0
    device = f"{target.arch} {target.sm_threads} {target.sm_shared_bytes} {target.shared_bytes} {reserved}"
    return f"{device} {registers} {shared} {warps}"


def test_tensor_memory_limits_programs_on_blackwell_only() -> None:
    blackwell, hopper = (occupancy(TARGETS[name], 32, 0, 4, tensor_columns=300) for name in ("sm_100", "sm_90"))
    assert (blackwell.programs, blackwell.limits) == (1, ("tensor memory",))
    assert "tensor memory" not in hopper.limits
