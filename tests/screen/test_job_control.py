"""Ctrl+Z as a person presses it: in a shell, in a terminal, in an app that `uv run` has started."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from triton_workshop.repository import ROOT

if sys.platform == "win32":
    pytest.skip("Windows has no job control", allow_module_level=True)

from tests.processes import dies
from tests.viewer.terminal import Terminal

DECK = Path(__file__).parents[1] / "viewer" / "decks" / "tour.md"
WORKSHOP = [sys.executable, "-c", "from triton_workshop.cli import main; main()"]
CTRL_Z = "\x1a"


@contextmanager
def in_a_shell(folder: Path) -> Iterator[Terminal]:
    """Show the small deck in an app that an interactive shell has started."""
    with Terminal(["bash", "--norc", "-i"], folder, PS1="$ ", HISTFILE="") as terminal:
        terminal.press(f"{shlex.join([*WORKSHOP, 'present', str(DECK)])}\n")
        terminal.wait_for("A small deck", 60)
        yield terminal


def suspend(terminal: Terminal) -> int:
    """Press Ctrl+Z, and return the id of the app's process."""
    process = terminal.foreground()
    terminal.press(CTRL_Z)
    terminal.wait_for("Stopped")
    return process


@pytest.mark.skipif(shutil.which("uv") is None or shutil.which("bash") is None, reason="needs uv and bash")
@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (f"present {DECK}", "A small deck"),
        (f"present {DECK} --notes", "No notes for this slide"),
        ("watch 1", "exercise_1.py"),
    ],
    ids=["slides", "notes", "watch"],
)
def test_the_shell_gets_the_terminal_and_gives_it_back(command: str, shown: str, tmp_path: Path) -> None:
    uv_run = f"uv run --quiet --no-sync --project {ROOT} workshop {command}\n"
    with Terminal(["bash", "--norc", "-i"], tmp_path, PS1="$ ", HISTFILE="") as terminal:
        terminal.press(uv_run)
        terminal.wait_for(shown, 60)
        for _ in range(2):
            terminal.press(CTRL_Z)
            terminal.wait_for("Stopped")
            terminal.press("echo $((40 + 2)) typed\n")
            terminal.wait_for("42 typed")
            terminal.press("bg; fg\n")
            terminal.wait_for(shown)
        terminal.press("q")
        terminal.wait_for("$ ")
        terminal.press("exit\n")
        assert terminal.leave() == 0
        assert terminal.mode() == terminal.mode_before


def test_a_suspended_app_ends_with_its_terminal(tmp_path: Path) -> None:
    with in_a_shell(tmp_path) as terminal:
        process = suspend(terminal)
        terminal.process.send_signal(signal.SIGHUP)
        terminal.hang_up()
        assert dies(process)


def test_a_suspended_app_ends_by_kill(tmp_path: Path) -> None:
    with in_a_shell(tmp_path) as terminal:
        process = suspend(terminal)
        terminal.press("kill %1\n")
        assert dies(process)


def test_a_signal_suspends_as_the_key_does(tmp_path: Path) -> None:
    with in_a_shell(tmp_path) as terminal:
        os.kill(terminal.foreground(), signal.SIGTSTP)
        terminal.wait_for("Stopped")
        terminal.press("fg\n")
        terminal.wait_for("A small deck")
        terminal.press("q")
        terminal.wait_for("$ ")


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["present", str(DECK)], "A small deck"),
        (["present", str(DECK), "--notes"], "No notes for this slide"),
        (["watch"], "exercise_1"),
    ],
    ids=["slides", "notes", "watch"],
)
def test_an_app_without_a_shell_goes_on(arguments: list[str], shown: str, tmp_path: Path) -> None:
    with Terminal([*WORKSHOP, *arguments], tmp_path) as terminal:
        terminal.wait_for(shown)
        terminal.press(CTRL_Z)
        terminal.wait_for("no shell here")
        terminal.press("q")
        assert terminal.leave() == 0
