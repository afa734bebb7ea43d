"""Which GPUs a process may see."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from triton_workshop import device
from triton_workshop.device import Gpu, misspelt_interpret, resolve_device, select_visible, simulated

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


@pytest.mark.gpu
def test_nvml_describes_the_gpu_that_torch_sees() -> None:
    import torch

    from triton_workshop.device import driver, visible_gpus

    gpu, seen = visible_gpus()[0], torch.cuda.get_device_properties(0)
    assert (gpu.name, gpu.compute_capability) == (seen.name, (seen.major, seen.minor))
    assert gpu.memory_bytes >= seen.total_memory
    assert driver() is not None
