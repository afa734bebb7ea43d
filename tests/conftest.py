"""What the tests share: the shipped exercises, scripts as processes, and the mark for a GPU."""

from __future__ import annotations

import asyncio
import inspect
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from simulator.tests.processes import Outcome, RunPython, run_forked, run_new_process, run_python  # noqa: F401
from simulator.tests.tables import EVERY
from tests.processes import dies, with_variable
from triton_simulator.without_library import has_library, provide
from triton_workshop.checking import own_errors
from triton_workshop.checking.reporting import progress
from triton_workshop.device import visible_gpus
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises import exercise as exercise_module
from triton_workshop.exercises.todos import open_todos
from triton_workshop.repository import ROOT

# No deadline: machines are slow and noisy. In CI always the same examples; here new ones every time.
settings.register_profile("workshop", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("workshop")

os.environ[own_errors.RAISE] = "1"
# For xdist's workers: matrix products in several threads each would wait for each other's cores.
for library in ("OMP", "OPENBLAS"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

provide()  # test modules import Triton, also where there are only its Python files


PASSED_FILE = "WORKSHOP_WRITES_PASSED"
"""Names a file for the tests that have passed: .ci/run does not run again what has passed on a bare machine."""
LEFT_OUT_FILE = "WORKSHOP_LEAVES_OUT"
"""Names such a file, whose tests are left out."""
passed: list[str] = []
WITHOUT_MARKS = "WORKSHOP_WITHOUT_MARKS"
"""Names the marks whose tests a run of everything leaves out, as they take minutes."""


def pytest_configure(config: pytest.Config) -> None:
    """Leave pages and slow tests out, unless a run asks for something, or for every row."""
    names_something = config.args_source is pytest.Config.ArgsSource.ARGS or config.option.markexpr
    # An update would delete the snapshots of tests that are left out.
    if not names_something and not config.option.update_snapshots and "PYTEST_XDIST_WORKER" not in os.environ:
        os.environ[WITHOUT_MARKS] = "page" if EVERY == 1 else "page slow"  # for xdist's workers
        config.option.warn_unused_snapshots = True  # those of the tests that are left out


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed:
        passed.append(report.nodeid)


def pytest_sessionfinish() -> None:
    if PASSED_FILE in os.environ and "PYTEST_XDIST_WORKER" not in os.environ:
        Path(os.environ[PASSED_FILE]).write_text("\n".join(passed), encoding="utf-8")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip what this machine does not have. WORKSHOP_NEEDS_PRESENTERM and WORKSHOP_NEEDS_BROWSER say that it has to."""
    done, marks = set[str](), os.environ.get(WITHOUT_MARKS, "").split()
    if LEFT_OUT_FILE in os.environ:
        done = {*Path(os.environ[LEFT_OUT_FILE]).read_text(encoding="utf-8").splitlines()}
    left_out = {item for item in items if item.nodeid in done or any(map(item.get_closest_marker, marks))}
    config.hook.pytest_deselected(items=[*left_out])
    items[:] = [item for item in items if item not in left_out]
    missing = {
        "library": None if has_library() else "Triton's compiled library is not installed here",
        "gpu": None if any(gpu.runs_kernels for gpu in visible_gpus()) else "no NVIDIA GPU on this machine",
        "presenterm": None
        if shutil.which("presenterm") or "WORKSHOP_NEEDS_PRESENTERM" in os.environ
        else "presenterm is not installed; .ci/presenterm installs it where cargo is",
        "browser": None
        if "WORKSHOP_NEEDS_BROWSER" in os.environ or (shutil.which("chromium") and find_spec("playwright"))
        else "needs Chromium, and: uv run --extra room --group browser pytest -m browser",
    }
    for item in items:
        for marker, reason in missing.items():
            if reason is not None and item.get_closest_marker(marker):
                item.add_marker(pytest.mark.skip(reason=reason))


PLATFORM = (
    "checking/test_progress.py",
    "attendance/test_commands.py",
    "processes/",
    "screen/test_job_control.py",
    "setup/",
    "test_consent.py",
    "test_our_deck.py",
    "test_package.py",
    "test_saves.py",
    "validating/test_validate.py",
    "viewer/test_live.py",
    "watch/test_checker.py",
    "watch/test_terminal.py",
)
"""Whose tests are marked `platform`."""
BARE = (
    "attendance/",
    "checking/test_progress.py",
    "page/test_bundle.py",
    "page/test_handout",
    "page/test_in_",
    "page/test_parts.py",
    "processes/test_command.py",
    "processes/test_languages.py",
    "room/",
    "setup/",
    "test_consent.py",
    "test_documents.py",
    "test_failures.py",
    "test_images_in_terminals.py",
    "test_our_deck.py",
    "test_package.py",
    "test_presenterm.py",
    "test_saves.py",
    "test_scripts.py",
    "viewer/test_cli.py",
    "viewer/test_start.py",
    "watch/test_editor.py",
    "watch/test_terminal.py",
)
"""Whose tests are marked `bare`: no extra and no program of a developer's, an empty HOME, no identity for git."""
IN_NODE = ("page/test_in_node.py", "page/test_looking.py")
"""Whose tests are marked `page`, beside all that need a browser."""
SLOW = (
    "asm/",
    "bench/",
    "checking/test_blame.py",
    "checking/test_goals",
    "checking/test_remarks.py",
    "checking/test_scripts.py",
    "checking/test_sight.py",
    "checking/test_unfinished.py",
    "look/test_screen.py",
    "page/test_bundle.py",
    "page/test_course.py",
    "processes/test_call.py",
    "processes/test_endings.py",
    "room/test_gpus.py",
    "room/test_guard.py",
    "test_errors.py",
    "test_ship_it.py",
    "test_slide_images.py",
    "test_solution_steps.py",
    "viewer/test_presenting.py",
    "viewer/test_reloading.py",
    "viewer/test_viewer.py",
    "watch/test_watch.py",
)
"""Whose tests are marked `slow`: half of the time that all tests take."""
HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_itemcollected(item: pytest.Item) -> None:
    name = item.path.relative_to(HERE).as_posix()
    if name.startswith(PLATFORM):
        item.add_marker(pytest.mark.platform)
    if name.startswith(BARE):
        item.add_marker(pytest.mark.bare)
    if name.startswith(SLOW):
        item.add_marker(pytest.mark.slow)
    if name.startswith(IN_NODE) or item.get_closest_marker("browser"):
        item.add_marker(pytest.mark.page)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a test that is a coroutine in an event loop of its own, for at most a minute."""
    test = pyfuncitem.obj
    if not inspect.iscoroutinefunction(test):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(test).parameters}
    asyncio.run(asyncio.wait_for(test(**arguments), 60))
    return True


def shipped_exercise(number: str) -> str:
    """The exercise's text as it is shipped, also where somebody is at work on it: then git has it."""
    file = f"exercises/exercise_{number}.py"
    text = (ROOT / file).read_text(encoding="utf-8")
    exercise = EXERCISES[number]
    if len(open_todos(text)) + len(exercise.remaining_bugs(text)) == len(exercise.hints):
        return text
    git = subprocess.run(["git", "show", f"HEAD:{file}"], cwd=ROOT, capture_output=True, check=False)
    return git.stdout.decode() if git.returncode == 0 else text


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Exercises as they are shipped and their solutions, in a folder of their own; progress is kept there too."""
    shutil.copytree(ROOT / "solutions", tmp_path / "solutions", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "exercises").mkdir()
    for number, exercise in EXERCISES.items():
        (tmp_path / "exercises" / f"exercise_{number}.py").write_text(exercise.shipped_text, encoding="utf-8")
    monkeypatch.setattr(exercise_module, "ROOT", tmp_path)
    monkeypatch.setenv(progress.FOLDER_VARIABLE, str(tmp_path / "state"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def run_warm() -> Iterator[RunPython]:
    """The same by `workshop run`, for scripts: in a fork of a process that has imported torch and Triton before.

    It is shared by all tests of this session, and ends with it. A new process is for what a test says of a start.
    """
    with warm_process() as run:
        yield run


@contextmanager
def warm_process(**variables: str) -> Iterator[RunPython]:
    """What runs scripts in forks of one process, which is started with these variables and ends at the end."""
    with tempfile.TemporaryDirectory(prefix="workshop-") as folder:
        ours = {"XDG_RUNTIME_DIR": folder, "TRITON_WORKSHOP_IDLE": str(LEFT_ALONE), **variables}

        def run(*arguments: str | Path, env: dict[str, str] | None = None, cwd: Path = ROOT) -> Outcome:
            return run_new_process("-m", "triton_workshop.processes", *arguments, env=ours | (env or {}), cwd=cwd)

        try:
            yield run
        finally:
            processes = with_variable("XDG_RUNTIME_DIR", folder)
            for process in processes:
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGTERM)
            assert all(map(dies, processes))
            assert with_variable("XDG_RUNTIME_DIR", folder) == []


LEFT_ALONE = 120
"""Seconds after which the shared process leaves by itself, should this one be killed."""
