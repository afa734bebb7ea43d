"""Runs Python in processes of its own: the fixtures `run_python` and `run_forked`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .forked import Forks
from .tables import ROOT

# As on people's machines: a container may forbid to keep bytecode, and then every process that imports torch compiles
# it, which takes longer than all the rest.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

Outcome = subprocess.CompletedProcess[str]
RunPython = Callable[..., Outcome]
CAN_FORK = sys.platform == "linux"  # a Mac can, but a fork that has imported torch is not safe there
OURS = ("PYTEST_", "TRITON_INTERPRET", "TRITON_WORKSHOP_SLIDE", "FORCE_COLOR", "COLUMNS", "CI", "BUILD_NUMBER")
"""How the variables begin that no person has set."""


def run_new_process(*arguments: str | Path, env: dict[str, str] | None = None, cwd: Path = ROOT) -> Outcome:
    """What a new Python does that is given these arguments."""
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=_as_a_person(env or {}),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


@pytest.fixture(scope="session")
def run_python() -> RunPython:
    """Run `python ARGUMENTS…` as a person would: no variable of ours set but those given by `env`."""

    return run_new_process


@pytest.fixture(scope="session")
def run_forked(run_python: RunPython) -> Iterator[RunPython]:
    """The same in a fork of a process that has imported torch, and nothing else, where a system can fork.

    For what says nothing of how torch is imported, nor of Python's own options.
    """
    if not CAN_FORK:
        yield run_python
        return
    with Forks() as forks:

        def run(*arguments: str | Path, env: dict[str, str] | None = None, cwd: Path = ROOT) -> Outcome:
            return forks.run([*map(str, arguments)], _as_a_person(env or {}), cwd)

        yield run


def _as_a_person(env: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(OURS)} | env
