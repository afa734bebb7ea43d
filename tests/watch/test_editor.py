"""The editor is the learner's own, and starts at the line that matters where it can."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.watch import editor

FILE = Path("exercise_1.py")


@pytest.mark.parametrize(
    ("variables", "line", "expected"),
    [
        ({"EDITOR": "vim"}, 7, ["vim", "+7", "exercise_1.py"]),
        ({"EDITOR": "vim", "VISUAL": "nano"}, 7, ["nano", "+7", "exercise_1.py"]),
        ({"EDITOR": "emacs -nw"}, 7, ["emacs", "-nw", "+7", "exercise_1.py"]),
        ({"EDITOR": "hx"}, 7, ["hx", "exercise_1.py:7"]),
        ({"EDITOR": "code --wait"}, 7, ["code", "--wait", "--goto", "exercise_1.py:7"]),
        ({"EDITOR": "/opt/bin/nvim"}, None, ["/opt/bin/nvim", "exercise_1.py"]),
        ({"EDITOR": "unheard-of"}, 7, ["unheard-of", "exercise_1.py"]),
    ],
)
def test_the_editor_is_told_the_line_in_its_own_way(
    variables: dict[str, str], line: int | None, expected: list[str]
) -> None:
    assert editor.command(FILE, line, variables) == expected


@pytest.mark.parametrize(
    ("platform", "installed", "expected"),
    [
        ("linux", {"vi", "vim", "emacs", "nano"}, ["nano", "+3", "exercise_1.py"]),
        ("linux", {"vi", "vim", "hx", "micro"}, ["micro", "+3", "exercise_1.py"]),
        ("linux", {"vi", "nvim", "hx"}, ["hx", "exercise_1.py:3"]),
        ("darwin", {"vi", "vim"}, ["vim", "+3", "exercise_1.py"]),
        ("linux", {"emacs"}, ["emacs", "-nw", "+3", "exercise_1.py"]),
        ("win32", {"vim", "notepad"}, ["notepad", "exercise_1.py"]),
    ],
)
def test_without_a_variable_the_simplest_that_is_installed_is_taken(
    monkeypatch: pytest.MonkeyPatch, platform: str, installed: set[str], expected: list[str]
) -> None:
    monkeypatch.setattr(editor.sys, "platform", platform)
    monkeypatch.setattr(editor.shutil, "which", lambda name: name if name in installed else None)
    assert editor.command(FILE, 3, {}) == expected


def test_without_any_editor_there_is_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editor.shutil, "which", lambda name: None)
    assert editor.command(FILE, 3, {}) == []
