"""Kernels of these tests run in this process: Triton has to be imported with TRITON_INTERPRET=1."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import RunPython

_before = os.environ.get("TRITON_INTERPRET")
os.environ["TRITON_INTERPRET"] = "1"

import torch  # noqa: E402
import triton  # noqa: E402

from . import executors  # noqa: E402, F401  # puts the simulator in place of Triton's interpreter


def _restore() -> None:
    if _before is None:
        os.environ.pop("TRITON_INTERPRET", None)
    else:
        os.environ["TRITON_INTERPRET"] = _before


def pytest_collection_finish() -> None:
    """The test modules of this folder are imported by now: other tests see the environment that they expect."""
    _restore()


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")


@pytest.fixture(autouse=True)
def _with_memory_for_descriptors() -> None:
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8))


Run = Callable[[str, Path], str]


@pytest.fixture
def with_torch(run_forked: RunPython) -> Run:
    """What a process prints that runs this code in a folder; it may have imported torch before."""

    def run_it(code: str, folder: Path) -> str:
        ran = run_forked("-c", code, env={"TRITON_INTERPRET": "1", "PYTHONPATH": ""}, cwd=folder)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run_it
