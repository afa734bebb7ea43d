"""An exercise without its check says which lines to put back; nothing else says so."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import Outcome, RunPython, shipped_exercise, warm_process
from triton_workshop import check_reminder
from triton_workshop.exercises import EXERCISES
from triton_workshop.repository import ROOT

USES_US = "from triton_workshop import DEVICE\n"
GUARD = 'if __name__ == "__main__":'
SOLUTION = (ROOT / "solutions/exercise_1.py").read_text(encoding="utf-8")
BLOCK = SOLUTION[SOLUTION.index(GUARD) :]

Script = Callable[..., Outcome]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of one's own, package and its byte code included, in which files may be broken."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("triton_workshop", "exercises", "solutions"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "uv.lock", folder)  # says which Triton's Python files are wanted where there is no wheel
    return folder


@pytest.fixture(scope="module")
def variables(repository: Path) -> dict[str, str]:
    return {"PYTHONPATH": str(repository), "TRITON_INTERPRET": "1"}


@pytest.fixture(scope="module")
def run_as(repository: Path, variables: dict[str, str]) -> Iterator[Script]:
    """Run a text as a file of that checkout, in a process that has imported torch before."""
    with warm_process(**variables) as run_warm:

        def run(text: str, name: str = "exercises/exercise_1.py") -> Outcome:
            return run_warm(written(text, repository / name), cwd=repository)

        yield run


@pytest.fixture
def run_alone(repository: Path, variables: dict[str, str], run_forked: RunPython) -> Script:
    """The same where nothing of ours has been imported, and Python itself ends the process."""

    def run(text: str) -> Outcome:
        file = written(text, repository / "exercises" / "exercise_1.py")
        return run_forked(file, env=variables, cwd=repository)

    return run


def written(text: str, file: Path) -> Path:
    file.write_text(text, encoding="utf-8")
    return file


def test_an_exercise_that_lost_its_check_says_which_lines_to_put_back(run_alone: Script) -> None:
    result = run_alone(shipped_exercise("1").removesuffix(BLOCK))
    assert result.stderr == f"exercise_1.py was not checked: the check at its end is gone. Put it back:\n\n{BLOCK}"
    assert result.returncode == 0


WITHOUT = (
    ("exercises/exercise_3.py", "", 'check_this_script(exercise="3")'),
    ("solutions/exercise_2.py", "", 'check_this_script(exercise="2")'),
    ("solutions/fast/exercise_4.py", "", 'check_this_script(exercise="4")'),
    ("exercises/exercise_5a.py", "", 'check_this_script(exercise="5a")'),
    ("solutions/exercise_6c.py", "", 'check_this_script(exercise="6c")'),
    ("exercises/exercise_1.py", f'{GUARD}\n    pass  # check_this_script(exercise="1")\n', "can stay, above it"),
    ("exercises/exercise_1.py", BLOCK.replace("__main__", "__mian__"), 'check_this_script(exercise="1")'),
    ("exercises/exercise_1.py", "import os\nos.chdir('/')\n", 'check_this_script(exercise="1")'),
)


@pytest.mark.parametrize(("name", "rest", "words"), WITHOUT)
def test_a_script_without_a_check_that_runs_says_so(run_as: Script, name: str, rest: str, words: str) -> None:
    assert words in run_as(USES_US + rest, name).stderr


SILENT = {
    "it is the check's turn": (f"{USES_US}def add(x, y): ...\n{BLOCK}", "exercises/exercise_1.py"),
    "the script ends itself before its check": (f"{USES_US}import sys\nsys.exit()\n{BLOCK}", "exercises/exercise_1.py"),
    "a script beside the exercises": (USES_US, "exercises/mine.py"),
    "an exercise that there is none of": (USES_US, "exercises/exercise_99.py"),
    "a file of that name elsewhere": (USES_US, "exercise_1.py"),
}


@pytest.mark.parametrize(("text", "name"), SILENT.values(), ids=SILENT)
def test_nothing_is_said_of(run_as: Script, text: str, name: str) -> None:
    assert "Put it back" not in run_as(text, name).stderr


def test_nothing_is_said_at_a_prompt(repository: Path, variables: dict[str, str], run_python: RunPython) -> None:
    file = written(USES_US, repository / "exercises" / "exercise_1.py")
    assert "Put it back" not in run_python("-i", file, env=variables, cwd=repository).stderr


@pytest.mark.parametrize("number", EXERCISES)
def test_every_exercise_is_one(number: str) -> None:
    files = (ROOT / folder / f"exercise_{number}.py" for folder in ("exercises", "solutions", "solutions/fast"))
    assert {check_reminder._exercise_of(file) for file in files} == {number}
    assert check_reminder._exercise_of(ROOT / "solutions/standalone.py") is None


def test_a_traceback_stands_alone(run_alone: Script) -> None:
    assert run_alone(f"{USES_US}1 / 0\n").stderr.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_an_exercise_that_is_imported_says_nothing(run_forked: RunPython, repository: Path) -> None:
    written(USES_US, repository / "exercises" / "exercise_1.py")
    env = {"PYTHONPATH": f"{repository}:{repository / 'exercises'}", "TRITON_INTERPRET": "1"}
    assert run_forked("-c", "import exercise_1", env=env).stderr == ""


@pytest.mark.parametrize("number", EXERCISES)
def test_every_script_ends_with_the_lines_that_would_be_put_back(number: str) -> None:
    ours = (ROOT / folder / f"exercise_{number}.py" for folder in ("solutions", "solutions/fast"))
    texts = [shipped_exercise(number), *(file.read_text(encoding="utf-8") for file in ours if file.is_file())]
    assert all(text.endswith("\n\n\n" + BLOCK.replace('exercise="1"', f'exercise="{number}"')) for text in texts)
