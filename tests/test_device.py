"""Which GPUs a process may see."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pynvml
import pytest

from tests.conftest import RunPython
from triton_workshop import device
from triton_workshop.device import (
    Driver,
    Gpu,
    driver,
    installed_gpus,
    misspelt_interpret,
    resolve_device,
    select_visible,
    simulated,
    visible_gpus,
)

A, B = (
    Gpu(index, f"GPU {index}", 80 << 30, (9, 0), uuid) for index, uuid in enumerate(("GPU-aaaa1111", "GPU-abbb2222"))
)

SELECTIONS = (
    (None, (A, B)), ("0", (A,)), ("1,0", (B, A)), (" 1 ", (B,)), ("", ()), ("-1", ()), ("0,-1,1", (A,)),
    ("0,7,1", (A,)), ("GPU-abbb", (B,)), ("GPU-a", ()), ("NoDevFiles", ()), ("MIG-GPU-aaaa1111/1/0", (A,)),
)  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), SELECTIONS)
def test_cuda_visible_devices_is_read_as_cuda_reads_it(value: str | None, expected: tuple[Gpu, ...]) -> None:
    assert select_visible((A, B), value) == expected


@pytest.mark.parametrize(
    ("capability", "runs"), [((6, 1), False), ((7, 0), False), ((7, 5), True), ((9, 0), True), ((12, 0), True)]
)
def test_only_turing_and_newer_run_kernels(capability: tuple[int, int], runs: bool) -> None:
    assert Gpu(0, "GPU", 1, capability, "GPU-0").runs_kernels is runs


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("true", True), ("ON", True), ("0", False), ("", False)])
def test_triton_interpret_is_read_as_triton_reads_it(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: bool
) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", value)
    assert simulated() is expected


def test_the_right_spelling_draws_no_warning() -> None:
    assert misspelt_interpret({"TRITON_INTERPRET": "1"}) is None


@pytest.fixture
def a_gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(device, "visible_gpus", lambda environ: (A,))
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    device._resolve_once.cache_clear()
    yield
    device._resolve_once.cache_clear()


@pytest.mark.usefixtures("a_gpu")
@pytest.mark.parametrize(("before", "after"), [(None, "1"), ("0", "0")])
def test_on_a_gpu_triton_fuses_and_need_not_ask(
    monkeypatch: pytest.MonkeyPatch, before: str | None, after: str
) -> None:
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "")  # brought back afterwards
    if before is None:
        del os.environ["TRITON_DEFAULT_FP_FUSION"]
    else:
        os.environ["TRITON_DEFAULT_FP_FUSION"] = before
    assert resolve_device() == "cuda"
    assert os.environ["TRITON_DEFAULT_FP_FUSION"] == after


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """What the driver says of three GPUs, of which one has no memory of its own, and one has fallen off the bus."""

    def answers(handle: int) -> SimpleNamespace:
        if handle == 1:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return SimpleNamespace(total=141 << 30)

    def reached(index: int) -> int:
        if index == 2:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)
        return index

    functions: dict[str, Callable[..., object]] = {
        "Init": lambda: None,
        "Shutdown": lambda: None,
        "SystemGetDriverVersion": lambda: "580.65.06",
        "SystemGetCudaDriverVersion_v2": lambda: 13010,
        "DeviceGetCount": lambda: 3,
        "DeviceGetHandleByIndex": reached,
        "DeviceGetName": lambda handle: f"GPU {handle}",
        "DeviceGetUUID": lambda handle: f"GPU-{handle}",
        "DeviceGetMemoryInfo": answers,
        "DeviceGetCudaComputeCapability": lambda handle: (9, handle),
    }
    for name, function in functions.items():
        monkeypatch.setattr(pynvml, f"nvml{name}", function)
    monkeypatch.setattr(device, "_has_library", lambda _: True)
    device.installed_gpus.cache_clear()
    device.driver.cache_clear()
    yield pynvml
    device.installed_gpus.cache_clear()
    device.driver.cache_clear()


def test_gpus_are_described_as_far_as_the_driver_reaches_them(nvml: ModuleType) -> None:
    assert installed_gpus() == (Gpu(0, "GPU 0", 141 << 30, (9, 0), "GPU-0"), Gpu(1, "GPU 1", 0, (9, 1), "GPU-1"))
    assert driver() == Driver("580.65.06", (13, 1))


@pytest.mark.parametrize(
    ("failing", "asked", "answer"),
    [
        ("Init", installed_gpus, ()),
        ("Init", driver, None),
        ("DeviceGetCount", installed_gpus, ()),
        ("SystemGetDriverVersion", driver, None),
    ],
)
def test_a_driver_that_does_not_answer_is_none(
    nvml: ModuleType, monkeypatch: pytest.MonkeyPatch, failing: str, asked: Callable[[], object], answer: object
) -> None:
    def fail() -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)

    monkeypatch.setattr(pynvml, f"nvml{failing}", fail)
    assert asked() == answer


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere NVML itself looks for the driver")
def test_without_the_library_of_a_driver_nvml_is_not_asked(nvml: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(device, "_has_library", {"libnvidia-ml.so.1": False}.__getitem__)
    assert (installed_gpus(), driver()) == ((), None)


@pytest.mark.gpu
def test_nvml_describes_the_gpu_that_torch_sees() -> None:
    import torch

    gpu, seen = visible_gpus()[0], torch.cuda.get_device_properties(0)
    assert (gpu.name, gpu.compute_capability) == (seen.name, (seen.major, seen.minor))
    assert gpu.memory_bytes >= seen.total_memory
    assert driver() is not None


def test_without_a_gpu_tritons_driver_speaks_for_the_cpu(run_python: RunPython, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from triton_workshop import DEVICE\n"
        "import torch\n"
        "import triton\n"
        "driver = triton.runtime.driver.active\n"
        "device = driver.get_active_torch_device()\n"
        "print(device, driver.get_current_target().arch, triton.testing.do_bench(lambda: None, 1, 1) >= 0)\n",
        encoding="utf-8",
    )
    ran = run_python(str(script), env={"CUDA_VISIBLE_DEVICES": ""})
    assert ran.stdout == "cpu 90 True\n", ran.stderr
