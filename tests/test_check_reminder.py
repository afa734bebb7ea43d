"""An exercise without its check says which lines to put back; nothing else says so."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome, RunPython, shipped_exercise
from triton_workshop import check_reminder
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.repository import ROOT

USES_US = "from triton_workshop import DEVICE\n"
GUARD = 'if __name__ == "__main__":'
SOLUTION = (ROOT / "solutions/exercise_1.py").read_text(encoding="utf-8")
BLOCK = SOLUTION[SOLUTION.index(GUARD) :]

Script = Callable[..., Outcome]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of one's own, package included, in which files may be broken."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("triton_workshop", "exercises", "solutions"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "uv.lock", folder)  # says which Triton's Python files are wanted where there is no wheel
    return folder


@pytest.fixture
def run_as(repository: Path, run_python: RunPython) -> Script:
    """Run a text as a file of that checkout."""

    def run(text: str, name: str = "exercises/exercise_1.py", *options: str) -> Outcome:
        file = repository / name
        file.write_text(text, encoding="utf-8")
        env = {"PYTHONPATH": str(repository), "TRITON_INTERPRET": "1"}
        return run_python(*options, file, env=env, cwd=repository)

    return run


def test_an_exercise_that_lost_its_check_says_which_lines_to_put_back(run_as: Script) -> None:
    result = run_as(shipped_exercise("1").removesuffix(BLOCK))
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


SILENT = (
    ("it is the check's turn", f"{USES_US}def add(x, y): ...\n{BLOCK}", "exercises/exercise_1.py", ()),
    ("the script ends itself before its check", f"{USES_US}import sys\nsys.exit()\n{BLOCK}", "exercises/exercise_1.py",
     ()),
    ("python -i", USES_US, "exercises/exercise_1.py", ("-i",)),
    ("a script beside the exercises", USES_US, "exercises/mine.py", ()),
    ("an exercise that there is none of", USES_US, "exercises/exercise_99.py", ()),
    ("a file of that name elsewhere", USES_US, "exercise_1.py", ()),
)  # fmt: skip


@pytest.mark.parametrize(("text", "name", "options"), [row[1:] for row in SILENT], ids=[row[0] for row in SILENT])
def test_nothing_is_said_of(run_as: Script, text: str, name: str, options: tuple[str, ...]) -> None:
    assert "Put it back" not in run_as(text, name, *options).stderr


@pytest.mark.parametrize("number", EXERCISES)
def test_every_exercise_is_one(number: str) -> None:
    files = (ROOT / folder / f"exercise_{number}.py" for folder in ("exercises", "solutions", "solutions/fast"))
    assert {check_reminder._exercise_of(file) for file in files} == {number}
    assert check_reminder._exercise_of(ROOT / "solutions/standalone.py") is None


def test_a_traceback_stands_alone(run_as: Script) -> None:
    assert run_as(f"{USES_US}1 / 0\n").stderr.splitlines()[-1] == "ZeroDivisionError: division by zero"


def test_an_exercise_that_is_imported_says_nothing(run_as: Script, run_python: RunPython, repository: Path) -> None:
    run_as(USES_US)
    env = {"PYTHONPATH": f"{repository}:{repository / 'exercises'}", "TRITON_INTERPRET": "1"}
    assert run_python("-c", "import exercise_1", env=env).stderr == ""


@pytest.mark.parametrize("number", EXERCISES)
def test_every_script_ends_with_the_lines_that_would_be_put_back(number: str) -> None:
    ours = (ROOT / folder / f"exercise_{number}.py" for folder in ("solutions", "solutions/fast"))
    texts = [shipped_exercise(number), *(file.read_text(encoding="utf-8") for file in ours if file.is_file())]
    assert all(text.endswith("\n\n\n" + BLOCK.replace('exercise="1"', f'exercise="{number}"')) for text in texts)
