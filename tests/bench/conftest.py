"""Kernels of these tests run in this process: Triton has to be imported with TRITON_INTERPRET=1."""

from __future__ import annotations

import os

import pytest

_before = os.environ.get("TRITON_INTERPRET")
os.environ["TRITON_INTERPRET"] = "1"

from simulator import executors  # noqa: E402, F401  # puts the simulator in place of Triton's interpreter


def pytest_collection_finish() -> None:
    """The test modules of this folder are imported by now: other tests see the environment that they expect."""
    if _before is None:
        os.environ.pop("TRITON_INTERPRET", None)
    else:
        os.environ["TRITON_INTERPRET"] = _before


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")
