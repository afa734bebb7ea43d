"""What the tests share: the repository's root, scripts as processes, and the mark for a GPU."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.unfinished import open_todos
from triton_workshop.device import visible_gpus

# No deadline: machines are slow and noisy. In CI always the same examples; here new ones every time.
settings.register_profile("workshop", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("workshop")

ROOT = Path(__file__).parents[1]
Outcome = subprocess.CompletedProcess[str]
RunPython = Callable[..., Outcome]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what this machine does not have. Where WORKSHOP_NEEDS_PRESENTERM is set, presenterm has to be here."""
    missing = {
        "gpu": None if any(gpu.runs_kernels for gpu in visible_gpus()) else "no NVIDIA GPU on this machine",
        "presenterm": None
        if shutil.which("presenterm") or "WORKSHOP_NEEDS_PRESENTERM" in os.environ
        else "presenterm is not installed; .ci/run installs it where cargo is",
    }
    for item in items:
        for marker, reason in missing.items():
            if reason is not None and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


def shipped_exercise(number: int) -> str:
    """The exercise's text as it is shipped, also where somebody is at work on it: then git has it."""
    file = f"exercises/exercise_{number}.py"
    text = (ROOT / file).read_text(encoding="utf-8")
    if len(open_todos(text)) == len(EXERCISES[number].hints):
        return text
    git = subprocess.run(["git", "show", f"HEAD:{file}"], cwd=ROOT, capture_output=True, check=False)
    return git.stdout.decode() if git.returncode == 0 else text


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def run_python() -> RunPython:
    """Run `python ARGUMENTS…` as a person would: no variable of ours set but those given by `env`."""

    def run(*arguments: str | Path, env: dict[str, str] | None = None, cwd: Path = ROOT) -> Outcome:
        ours = ("TRITON_INTERPRET", "TRITON_INTERPRETER", "TRITON_WORKSHOP_SLIDE", "FORCE_COLOR", "COLUMNS")
        inherited = {name: value for name, value in os.environ.items() if name not in ours}
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            env={**inherited, **(env or {})},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )

    return run
