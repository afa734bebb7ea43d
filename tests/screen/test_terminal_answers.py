"""The terminal is asked what it can show, and believed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from tests.viewer.terminal import KITTY, PLAIN, SIXEL, Terminal

ASK = """
from triton_workshop.terminal import query_terminal
terminal = query_terminal()
print()
print(terminal.graphics, *terminal.cell, "tmux" if terminal.through_tmux else "direct")
"""
NAMED_ITERM2 = PLAIN | {b"\x1b[>0q": b"\x1bP>|iTerm2 3.5.0\x1b\\"}
NAMED_TMUX = PLAIN | {b"\x1b[>0q": b"\x1bP>|tmux 3.4\x1b\\"}
CELLS = PLAIN | {b"\x1b[16t": b"\x1b[6;40;18t"}
TMUX = {"TMUX": "/tmp/tmux-0/default,1,0"}


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TERM_PROGRAM", "LC_TERMINAL", "TMUX", "STY"):
        monkeypatch.delenv(name, raising=False)


def tmux(folder: Path, answer: str) -> dict[str, str]:
    """A `tmux` that answers so to what its formats are asked for."""
    (folder / "tmux").write_text(f"#!/bin/sh\nprintf '{answer}'\n")
    (folder / "tmux").chmod(0o755)
    return TMUX | {"PATH": f"{folder}:/usr/bin:/bin"}


@pytest.mark.parametrize(
    ("answers", "variables", "expected"),
    [
        pytest.param(KITTY, {}, "kitty 10 20 direct", id="kitty"),
        pytest.param(SIXEL, {}, "sixel 10 20 direct", id="sixel"),
        pytest.param(KITTY | SIXEL, {}, "sixel 10 20 direct", id="wezterm and konsole"),
        pytest.param(NAMED_ITERM2, {}, "iTerm2 10 20 direct", id="iTerm2 by its name"),
        pytest.param(SIXEL, {"TERM_PROGRAM": "iTerm.app"}, "iTerm2 10 20 direct", id="iTerm2 by a variable"),
        pytest.param(PLAIN, {}, "None 10 20 direct", id="no pictures"),
        pytest.param(CELLS, {}, "None 18 40 direct", id="large letters"),
        pytest.param({}, {}, "None 10 20 direct", id="no answer"),
        pytest.param(KITTY, {"TERM": "dumb"}, "None 10 20 direct", id="dumb"),
        pytest.param(PLAIN, {"TERM_PROGRAM": "iTerm.app", **TMUX}, "None 10 20 direct", id="iTerm2 behind tmux"),
        pytest.param(SIXEL, TMUX, "sixel 10 20 direct", id="tmux that knows sixels"),
        pytest.param(KITTY, {"STY": "1"}, "None 10 20 direct", id="screen"),
    ],
)
def test_the_best_way_is_found(
    tmp_path: Path, answers: dict[bytes, bytes], variables: dict[str, str], expected: str
) -> None:
    with Terminal([sys.executable, "-c", ASK], tmp_path, answers=answers, **variables) as terminal:
        assert terminal.leave() == 0
        assert terminal.text().split("\r\n")[-2] == expected
        assert terminal.mode() == terminal.mode_before


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("1\\nxterm-kitty kitty(0.42.1)\\n", "kitty 10 20 tmux"),
        ("1\\nxterm-256color ghostty 1.2.0\\n", "kitty 10 20 tmux"),
        ("0\\nxterm-kitty kitty(0.42.1)\\n", "None 10 20 direct"),
        ("1\\nxterm-256color iTerm2 3.5.0\\n", "None 10 20 direct"),
        ("unknown format\\n", "None 10 20 direct"),
    ],
)
def test_tmux_is_passed_where_it_allows_it(tmp_path: Path, answer: str, expected: str) -> None:
    variables = tmux(tmp_path, answer)
    with Terminal([sys.executable, "-c", ASK], tmp_path, **variables) as terminal:
        assert terminal.leave() == 0
        assert terminal.text().split("\r\n")[-2] == expected
        assert b"\x1b_G" not in terminal.written, "tmux would take it for a window's title"


@pytest.mark.parametrize("name", ["tmux-256color", "screen", "screen.xterm-256color"])
def test_a_multiplexer_on_another_machine_is_known_by_its_name(tmp_path: Path, name: str) -> None:
    with Terminal([sys.executable, "-c", ASK], tmp_path, TERM=name) as terminal:
        assert terminal.leave() == 0
        assert b"\x1b_G" not in terminal.written, "it would become a window's title"


def test_a_multiplexer_that_hides_its_name_is_known_by_its_answer(tmp_path: Path) -> None:
    """As by ssh from inside of tmux, where TERM is often xterm's and TMUX is not set."""
    with Terminal([sys.executable, "-c", ASK], tmp_path, answers=NAMED_TMUX) as terminal:
        assert terminal.leave() == 0
        assert terminal.text().split("\r\n")[-2] == "None 10 20 direct"
        assert b"\x1b_G" not in terminal.written, "it would become a window's title"
