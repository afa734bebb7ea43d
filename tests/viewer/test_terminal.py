"""`workshop present` as a person starts it: a process in a terminal."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest
from PIL import Image
from processes import dies

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from .terminal import KITTY, Terminal

DECKS = Path(__file__).parent / "decks"
WORKSHOP = [sys.executable, "-c", "from triton_workshop.cli import main; main()", "present"]
RIGHT, LEFT, RUN = "\x1b[C", "\x1b[D", "\x05"
SHOW_CURSOR, MAIN_SCREEN = b"\x1b[?25h", b"\x1b[?1049l"


def present(deck: str, columns: int = 80, rows: int = 24) -> Terminal:
    return Terminal([*WORKSHOP, str(DECKS / deck)], DECKS, columns, rows)


def assert_restored(terminal: Terminal) -> None:
    assert SHOW_CURSOR in terminal.written
    assert MAIN_SCREEN in terminal.written
    assert terminal.mode() == terminal.mode_before


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (200, 50)])
def test_a_presenter_walks_through_the_deck_and_back(columns: int, rows: int) -> None:
    with present("tour.md", columns, rows) as terminal:
        terminal.wait_for("A small deck")
        for key, expected in [
            ("n", "First steps"),
            ("s", "three"),
            (RIGHT, "Highlights"),
            ("n", "Side by side"),
            (RIGHT, "Said by somebody."),
            (" ", "Part two"),
            (" ", "Nothing follows."),
            ("h", "Part two"),
            (LEFT, "Side by side"),
            ("gg", "for tests"),
        ]:
            terminal.press(key)
            terminal.wait_for(expected)
        terminal.press("q")
        assert terminal.leave() == 0
        assert_restored(terminal)


def test_a_terminal_that_shows_pictures_gets_them_and_keeps_none(tmp_path: Path) -> None:
    Image.new("RGB", (160, 80), "red").save(tmp_path / "picture.png")
    (tmp_path / "deck.md").write_text("A picture\n===\n\n![](picture.png)\n\nBelow it.\n")
    with Terminal([*WORKSHOP, "deck.md"], tmp_path, answers=KITTY, TERM_PROGRAM="", TMUX="", STY="") as terminal:
        terminal.wait_for("\U0010eeee")
        number = re.search(rb"a=p,U=1,i=(\d+)", terminal.written)
        assert number
        terminal.press("q")
        assert terminal.leave() == 0
        assert b"a=d,d=I,i=" + number[1] in terminal.written
        assert_restored(terminal)


def test_a_live_block_runs_in_its_slide() -> None:
    with present("live.md") as terminal:
        terminal.wait_for("Live blocks")
        terminal.press("n")
        terminal.wait_for("Run it")
        terminal.press(RUN)
        terminal.wait_for("says hidden")
        terminal.wait_for("✓")
        terminal.press("\x03")
        assert terminal.leave() == 0
        assert_restored(terminal)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_viewer_and_what_it_runs(number: signal.Signals, tmp_path: Path) -> None:
    source = (
        "import os, pathlib, time\n"
        "pathlib.Path('pid').write_text(str(os.getpid()))\n"
        "print('rea' + 'dy')\n"
        "time.sleep(600)"
    )
    deck = tmp_path / "deck.md"
    deck.write_text(f"Wait\n===\n\n```python +exec\n{source}\n```\n")
    with Terminal([*WORKSHOP, "-x", str(deck)], tmp_path) as terminal:
        terminal.wait_for("Wait")
        terminal.press(RUN)
        terminal.wait_for("ready")
        terminal.process.send_signal(number)
        assert terminal.leave() == 1
        assert_restored(terminal)
    assert dies(int((tmp_path / "pid").read_text()))


def test_quitting_ends_what_runs(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    source = (
        "import os, pathlib, time\n"
        "pathlib.Path('pid').write_text(str(os.getpid()))\n"
        "print('rea' + 'dy')\n"
        "time.sleep(600)"
    )
    deck.write_text(f"Wait\n===\n\n```python +exec\n{source}\n```\n")
    with Terminal([*WORKSHOP, "-x", str(deck)], tmp_path) as terminal:
        terminal.wait_for("Wait")
        terminal.press(RUN)
        terminal.wait_for("ready")
        terminal.press("q")
        assert terminal.leave() == 0
        assert_restored(terminal)
    assert dies(int((tmp_path / "pid").read_text()))


def test_presenterm_is_not_asked_for_what_it_cannot_do() -> None:
    with Terminal([*WORKSHOP, "tour.md", "--viewer", "presenterm", "--slide", "3"], DECKS) as terminal:
        assert terminal.leave() == 2
        assert "--slide works with our own viewer" in terminal.text()


def test_without_presenterm_one_line_says_how_to_get_it(tmp_path: Path) -> None:
    command = [*WORKSHOP, str(DECKS / "tour.md"), "--viewer", "presenterm"]
    with Terminal(command, DECKS, PATH=str(tmp_path)) as terminal:
        assert terminal.leave() == 2
        assert (
            terminal.text().strip() == "presenterm is not installed; to install it: cargo install presenterm --locked"
        )


def test_presenterm_gets_the_deck_and_leave_to_run_its_code(tmp_path: Path) -> None:
    presenterm = tmp_path / "presenterm"
    presenterm.write_text('#!/bin/sh\necho "called with $@"\n')
    presenterm.chmod(0o755)
    command = [*WORKSHOP, "tour.md", "--viewer", "presenterm"]
    with Terminal(command, DECKS, PATH=f"{tmp_path}:{os.environ['PATH']}") as terminal:
        assert terminal.leave() == 0
        assert re.search(r"called with -x --config-file \S+presenterm.yaml tour.md", terminal.text())
