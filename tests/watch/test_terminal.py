"""`workshop watch` as a person starts it: a process in a terminal, a real check at every save."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import dies
from triton_workshop.exercises import EXERCISES
from triton_workshop.processes.process import CAN_FORK
from triton_workshop.repository import ROOT

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from tests.viewer.terminal import Terminal

WORKSHOP = [sys.executable, "-c", "from triton_workshop.cli import main; main()", "watch"]
SHOW_CURSOR, MAIN_SCREEN = b"\x1b[?25h", b"\x1b[?1049l"


KEEPER = """
from triton_workshop.processes.modes import Mode
from triton_workshop.processes.runner import Runner
with Runner() as runner:
    for mode in (Mode.SIMULATOR, Mode.COMPILER): runner.warm_up(mode)
    input()
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy to work in: the package with its byte code, whose warm parents stay from test to test where there are any,
    as they do while somebody has the slides open beside it.
    """
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("triton_workshop", "solutions"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "uv.lock", folder)  # says which Triton's Python files are wanted where there is no wheel
    (folder / "slides").mkdir()
    shutil.copy(ROOT / "slides" / "poseidon_triton.jpeg", folder / "slides")
    if not CAN_FORK:
        yield folder
        return
    variables = {**os.environ, "PYTHONPATH": str(folder)}
    with subprocess.Popen([sys.executable, "-c", KEEPER], cwd=folder, env=variables, stdin=subprocess.PIPE) as keeper:
        yield folder
        keeper.communicate(b"\n")


@pytest.fixture
def repository(checkout: Path) -> Path:
    """That copy, with exercises as they are shipped and nobody's progress."""
    for folder in ("exercises", ".workshop"):
        shutil.rmtree(checkout / folder, ignore_errors=True)
    (checkout / "exercises").mkdir()
    for exercise in EXERCISES.values():
        (checkout / "exercises" / f"{exercise.name}.py").write_text(exercise.shipped_text, encoding="utf-8")
    return checkout


def watch(repository: Path, *arguments: str, **variables: str) -> Terminal:
    return Terminal([*WORKSHOP, *arguments], repository, PYTHONPATH=str(repository), **variables)


def assert_restored(terminal: Terminal) -> None:
    assert SHOW_CURSOR in terminal.written
    assert MAIN_SCREEN in terminal.written
    assert terminal.mode() == terminal.mode_before


def test_a_learner_solves_an_exercise_and_goes_on(repository: Path) -> None:
    mine = repository / "exercises" / "exercise_1.py"
    solution = (repository / "solutions" / "exercise_1.py").read_text()
    with watch(repository) as terminal:
        terminal.wait_for("0 of 9 TODOs filled in")
        mine.write_text(solution.replace("pid * BLOCK_SIZE + ", ""))
        terminal.wait_for("Part of the result is never written", 90)
        terminal.press("h")
        terminal.wait_for("hint 1 of 3")
        mine.write_text(solution)
        terminal.wait_for("All 12 cases are right")
        terminal.press("n")
        terminal.wait_for("an image in sepia")
        terminal.wait_for("0 of 4 TODOs filled in")
        terminal.press("q")
        assert terminal.leave() == 0
        assert_restored(terminal)


def test_an_editor_borrows_the_terminal_and_what_it_saves_is_checked(repository: Path, tmp_path: Path) -> None:
    solution = repository / "solutions" / "exercise_1.py"
    editor = tmp_path / "editor"
    editor.write_text(f'#!/bin/sh\nstty -a | grep -o " icanon"\ncp {solution} "$1"\n')
    editor.chmod(0o755)
    with watch(repository, EDITOR=str(editor), VISUAL="") as terminal:
        terminal.wait_for("0 of 9 TODOs filled in")
        terminal.press("e")
        terminal.wait_for("icanon")
        terminal.wait_for("All 12 cases are right", 90)
        terminal.press("q")
        assert terminal.leave() == 0
        assert_restored(terminal)


def test_an_editor_that_is_not_there_does_not_keep_the_terminal(repository: Path) -> None:
    with watch(repository, EDITOR="/nowhere/vim", VISUAL="") as terminal:
        terminal.wait_for("0 of 9 TODOs filled in")
        terminal.press("e")
        terminal.wait_for("/nowhere/vim: cannot be started")
        terminal.press("q")
        assert terminal.leave() == 0
        assert_restored(terminal)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_the_script_that_it_checks(
    repository: Path, number: signal.Signals, tmp_path: Path
) -> None:
    mine, pid = repository / "exercises" / "exercise_1.py", tmp_path / "pid"
    solution = (repository / "solutions" / "exercise_1.py").read_text()
    waits = f"    import os; open({str(pid)!r}, 'w').write(str(os.getpid()))\n    while True:\n        pass\n"
    mine.write_text(solution.replace("    output = torch", f"{waits}    output = torch"))
    os.mkfifo(pid)
    with watch(repository) as terminal:
        process = int(pid.read_text())  # waits until the script has written it
        terminal.process.send_signal(number)
        assert terminal.leave() == 1
        assert_restored(terminal)
    assert dies(process)


def test_it_ends_with_its_terminal(repository: Path) -> None:
    with watch(repository) as terminal:
        terminal.wait_for("0 of 9 TODOs filled in")
        terminal.hang_up()
        terminal.process.send_signal(signal.SIGHUP)
        assert terminal.process.wait(30) == 1


def test_without_a_terminal_it_says_what_to_do(repository: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(repository)}
    done = subprocess.run(WORKSHOP, cwd=repository, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 2
    assert done.stderr.decode().strip() == "watch needs a terminal; without one, use: workshop check"


def test_in_a_terminal_that_cannot_be_drawn_on_it_says_what_to_do(repository: Path) -> None:
    with watch(repository, TERM="dumb") as terminal:
        assert terminal.leave() == 2
        assert " ".join(terminal.text().split()).endswith("(TERM=dumb); here, use: workshop check")
        assert b"\x1b" not in terminal.written
