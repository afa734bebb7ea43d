"""Kernels of these tests run in this process: Triton has to be imported with TRITON_INTERPRET=1."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# No deadline: machines are slow and noisy. In CI always the same examples; here new ones every time.
settings.register_profile("simulator", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("simulator")

# As on people's machines: a container may forbid to keep bytecode, and then every process that imports torch compiles
# it, which takes longer than all the rest.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

_before = os.environ.get("TRITON_INTERPRET")
os.environ["TRITON_INTERPRET"] = "1"

import torch  # noqa: E402
import triton  # noqa: E402

from triton_simulator.without_library import has_library  # noqa: E402

from .processes import RunPython, run_forked, run_python  # noqa: E402, F401

# isort: split
from . import executors  # noqa: E402, F401  # puts the simulator in place of Triton's interpreter

PLATFORM = ("test_plain_python.py", "test_takeover.py", "test_threads.py", "test_uninstall.py", "without_library/")
"""Whose tests are marked `platform`."""
BARE = ("without_library/",)
"""Whose tests are marked `bare`."""
HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    name = item.path.relative_to(HERE).as_posix()
    if name.startswith(PLATFORM):
        item.add_marker(pytest.mark.platform)
    if name.startswith(BARE):
        item.add_marker(pytest.mark.bare)
    if item.get_closest_marker("library") and not has_library():
        item.add_marker(pytest.mark.skip(reason="Triton's compiled library is not installed here"))


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
def with_torch(run_forked: RunPython) -> Run:  # noqa: F811
    """What a process prints that runs this code in a folder; it may have imported torch before."""

    def run_it(code: str, folder: Path) -> str:
        ran = run_forked("-c", code, env={"TRITON_INTERPRET": "1", "PYTHONPATH": ""}, cwd=folder)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    return run_it
