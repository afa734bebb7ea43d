"""Kernels of these tests run in this process: Triton has to be imported with TRITON_INTERPRET=1."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from triton_simulator.without_library import has_library

from .processes import Outcome, RunPython, run_forked, run_python  # noqa: F401

# No deadline: machines are slow and noisy. In CI always the same examples; here new ones every time.
settings.register_profile("simulator", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("simulator")

PLATFORM = ("test_plain_python.py", "test_installation.py", "test_threads.py", "test_uninstall.py", "without_library/")
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


_before: list[str | None] = []
"""What TRITON_INTERPRET was before the first of these files was collected."""


def pytest_collect_file() -> None:
    """Settle how kernels run before a test module imports Triton.

    Not when this file is imported: xdist's workers inherit the environment of a process that only imports it.
    """
    if not _before:
        _before.append(os.environ.get("TRITON_INTERPRET"))
        os.environ["TRITON_INTERPRET"] = "1"
        importlib.import_module(".executors", __package__)  # puts the simulator in place of Triton's interpreter


def pytest_collection_finish() -> None:
    """The test modules of this folder are imported by now: other tests see the environment that they expect."""
    if _before and _before[0] is None:
        os.environ.pop("TRITON_INTERPRET", None)
    elif _before:
        os.environ["TRITON_INTERPRET"] = str(_before[0])


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_INTERPRET", "1")


@pytest.fixture(autouse=True)
def _with_memory_for_descriptors() -> None:
    import torch
    import triton

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


RunPytest = Callable[..., Outcome]
PLUGIN = "triton_simulator.pytest_plugin"


@pytest.fixture
def run_pytest(run_forked: RunPython, tmp_path: Path) -> RunPytest:  # noqa: F811
    """Run pytest in this folder, as somebody does who has neither a GPU nor our settings, and no plugin but xdist."""

    def run(*options: str, plugin: bool) -> Outcome:
        early = ["-p", PLUGIN] if plugin else []
        command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "xdist", *early, *options]
        return run_forked(*command, env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, cwd=tmp_path)

    return run
