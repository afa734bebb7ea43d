"""The editor is the learner's own, and starts at the line that matters where it can."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.watch import editor

FILE = Path("exercise_1.py")


def _called(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], line: int | None) -> list[str]:
    """The command that is run for a line of the file."""
    called: list[list[str]] = []
    monkeypatch.setattr(editor.subprocess, "run", lambda command, check: called.append(command))
    assert editor.run_editor(editor.choose_editor(variables)[0], FILE, line) == ""
    return called[0]


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
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], line: int | None, expected: list[str]
) -> None:
    assert _called(monkeypatch, variables, line) == expected


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
    assert editor.choose_editor({})[1], "how to leave it is told"
    assert _called(monkeypatch, {}, 3) == expected


def test_without_any_editor_the_variable_to_set_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(editor.shutil, "which", lambda name: None)
    with pytest.raises(ValueError, match=r"set \$EDITOR"):
        editor.choose_editor({})


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (r'"C:\Program Files\Vim\gvim.exe" -y', [r"C:\Program Files\Vim\gvim.exe", "-y", "exercise_1.py"]),
        ("code --wait", [r"C:\bin\code.CMD", "--wait", "exercise_1.py"]),
    ],
)
def test_on_windows_a_path_may_have_spaces_and_a_command_may_be_a_script(
    monkeypatch: pytest.MonkeyPatch, command: str, words: list[str]
) -> None:
    monkeypatch.setattr(editor.sys, "platform", "win32")
    monkeypatch.setattr(editor.shutil, "which", {"code": r"C:\bin\code.CMD"}.get)
    assert _called(monkeypatch, {"EDITOR": command}, None) == words
