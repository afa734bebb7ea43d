"""A script goes to a parent whose children run it as a new process would, or to none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processes import Start
from triton_workshop import device
from triton_workshop.processes.modes import Mode, has_slow_imports, parent_for
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Script

OURS_FIRST = "from triton_workshop import DEVICE\nimport triton\n"


@pytest.mark.parametrize(
    ("source", "environment", "without_gpu", "with_gpu"),
    [
        ("print(1)", {}, Mode.SIMULATOR, Mode.CUDA),
        ("import torch", {}, Mode.SIMULATOR, Mode.CUDA),
        (OURS_FIRST, {}, Mode.SIMULATOR, Mode.CUDA),
        (OURS_FIRST, {"TRITON_INTERPRET": "1"}, Mode.SIMULATOR, Mode.SIMULATOR),
        (OURS_FIRST, {"TRITON_INTERPRET": "0"}, Mode.SIMULATOR, Mode.CUDA),
        ("import triton_workshop.utils_debug\nimport triton", {}, Mode.SIMULATOR, Mode.SIMULATOR),
        ("from triton_workshop.utils_debug import print_if", {}, Mode.SIMULATOR, Mode.SIMULATOR),
        ("from triton_workshop import utils_debug", {}, Mode.SIMULATOR, Mode.SIMULATOR),
        ("import os\nos.environ['TRITON_INTERPRET'] = '1'\nimport triton", {}, Mode.SIMULATOR, Mode.SIMULATOR),
        # Triton before our package, or without it: an error, or no driver, which a warm simulator would hide.
        ("import triton\nfrom triton_workshop import DEVICE", {}, None, Mode.CUDA),
        ("import torchvision\nfrom triton_workshop import DEVICE", {}, None, Mode.CUDA),
        ("import triton\nimport triton_workshop.utils_debug", {}, None, None),
        ("import triton", {}, None, Mode.CUDA),
        ("import triton", {"TRITON_INTERPRET": "1"}, Mode.SIMULATOR, Mode.SIMULATOR),
        # Read when torch or CUDA load.
        ("import os\nos.environ['OMP_NUM_THREADS'] = '1'\nimport torch", {}, None, None),
        ("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = ''", {}, None, None),
        ("print('TORCH is hot')", {}, Mode.SIMULATOR, Mode.CUDA),
        ("no python at all", {}, Mode.SIMULATOR, Mode.CUDA),
    ],
)
def test_a_script_finds_its_parent(
    monkeypatch: pytest.MonkeyPatch,
    source: str,
    environment: dict[str, str],
    without_gpu: Mode | None,
    with_gpu: Mode | None,
) -> None:
    class Gpu:
        runs_kernels = True

    monkeypatch.setattr(device, "visible_gpus", lambda environ: ())
    assert parent_for(source, environment) == without_gpu
    monkeypatch.setattr(device, "visible_gpus", lambda environ: (Gpu(),))
    assert parent_for(source, environment) == with_gpu


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import torch", True),
        ("def f():\n    from triton import jit", True),
        ("from triton_workshop import cdiv", True),
        ("import os, json", False),
        ("import torchlike", False),
        ("not python", False),
    ],
)
def test_heavy_scripts_import_what_takes_seconds(source: str, expected: bool) -> None:
    assert has_slow_imports(source) is expected


@pytest.mark.gpu
def test_on_a_gpu_a_spare_child_has_cuda_ready(warm: Runner, tmp_path: Path) -> None:
    source = "import os, torch\nprint(torch.cuda.is_initialized(), torch.cuda.memory_allocated(), os.getpid())"
    processes = set()
    for _ in range(3):
        with warm.run(Script("python", source, tmp_path)) as run:
            initialised, allocated, process = b"".join(run.output()).decode().split()
        assert (initialised, allocated) == ("True", "0")
        processes.add(process)
    assert len(processes) == 3


@pytest.mark.gpu
def test_on_a_gpu_kernels_run_warm_and_within_a_memory_limit(warm: Runner, tmp_path: Path) -> None:
    source = "from triton_workshop.setup.kernel import DEVICE, add_is_correct\nprint(DEVICE, add_is_correct())"
    with warm.run(Script("python", source, tmp_path, memory_limit=32 << 30)) as run:
        assert b"".join(run.output()) == b"cuda True\n"


@pytest.mark.gpu
def test_on_a_gpu_debug_mode_runs_on_the_simulator(warm: Runner, tmp_path: Path) -> None:
    source = "import triton_workshop.utils_debug\nfrom triton_workshop import DEVICE\nprint(DEVICE)"
    with warm.run(Script("python", source, tmp_path)) as run:
        assert b"".join(run.output()) == b"cpu\n"


@pytest.mark.gpu
def test_on_a_gpu_random_numbers_differ_from_run_to_run(start: Start, tmp_path: Path) -> None:
    source = (
        "import random, numpy, torch\nprint(random.random(), numpy.random.rand(), torch.rand(1, device='cuda').item())"
    )
    printed = []
    for _ in range(2):
        with start(Script("python", source, tmp_path)) as run:
            printed += b"".join(run.output()).split()
    assert len(set(printed)) == 6
