"""`workshop present` as a person starts it: a process in a terminal."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image

from tests.processes import dies, eventually

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from .terminal import KITTY, Terminal

DECKS = Path(__file__).parent / "decks"
WORKSHOP = [sys.executable, "-c", "from triton_workshop.cli import main; main()", "present"]
RIGHT, LEFT, RUN = "\x1b[C", "\x1b[D", "\x05"
SHOW_CURSOR, MAIN_SCREEN = b"\x1b[?25h", b"\x1b[?1049l"


def assert_restored(terminal: Terminal) -> None:
    assert SHOW_CURSOR in terminal.written
    assert MAIN_SCREEN in terminal.written
    assert terminal.mode() == terminal.mode_before


def test_the_slides_come_back_from_the_shell() -> None:
    job = ["bash", "-c", 'set -m; "$@"; echo in the shell; fg', "bash", *WORKSHOP, str(DECKS / "tour.md")]
    with Terminal(job, DECKS) as terminal:
        terminal.wait_for("A small deck")
        terminal.press("\x1a")
        terminal.wait_for("in the shell")
        terminal.wait_for("A small deck")
        terminal.press("q")
        assert terminal.leave() == 0


def test_a_presenter_walks_through_the_deck_and_back() -> None:
    with Terminal([*WORKSHOP, "tour.md"], DECKS) as terminal:
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


WAITS = """\
Wait
===

```python +exec
import os, pathlib, time
pathlib.Path('pid').write_text(str(os.getpid()))
print('rea' + 'dy')
time.sleep(600)
```
"""


@contextmanager
def running(folder: Path, **variables: str) -> Iterator[tuple[Terminal, int]]:
    """A deck from elsewhere whose block runs: the terminal, and the block's process, which is dead in the end."""
    deck = folder / "deck.md"
    deck.write_text(WAITS)
    with Terminal([*WORKSHOP, "-x", str(deck)], folder, **variables) as terminal:
        terminal.wait_for("Wait")
        terminal.press(RUN)
        terminal.wait_for("ready")
        process = int((folder / "pid").read_text())
        yield terminal, process
    assert dies(process)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_viewer_and_what_it_runs(number: signal.Signals, tmp_path: Path) -> None:
    with running(tmp_path) as (terminal, _):
        terminal.process.send_signal(number)
        assert terminal.leave() == 1
        assert_restored(terminal)


def test_quitting_ends_what_runs(tmp_path: Path) -> None:
    with running(tmp_path) as (terminal, _):
        terminal.press("q")
        assert terminal.leave() == 0
        assert_restored(terminal)


def test_the_viewer_ends_with_its_terminal(tmp_path: Path) -> None:
    with running(tmp_path) as (terminal, _):
        terminal.hang_up()
        assert terminal.process.wait(60) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no /proc in which to find what was left")
def test_a_viewer_that_is_killed_takes_along_what_it_runs(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with running(tmp_path, TMPDIR=str(temporary)) as (terminal, process):
        assert list(temporary.glob("workshop-*"))
        terminal.process.kill()
        assert dies(process)
        assert eventually(lambda: not list(temporary.glob("workshop-*"))), "its temporary files are gone"


def test_a_crash_gives_the_terminal_back() -> None:
    crash = "import triton_workshop.viewer.app as app; app.Viewer.action_index = lambda _: 1 / 0"
    command = [sys.executable, "-c", f"{crash}; from triton_workshop.cli import main; main()", "present", "tour.md"]
    with Terminal(command, DECKS) as terminal:
        terminal.wait_for("A small deck")
        terminal.press("\x10")
        assert terminal.leave() == 1
        assert_restored(terminal)
        assert "ZeroDivisionError" in terminal.text()


@pytest.mark.parametrize(("answer", "then"), [("v\ny\n", "ready"), ("\n", "restart with -x")])
def test_code_from_elsewhere_runs_after_a_yes(tmp_path: Path, answer: str, then: str) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text(WAITS)
    with Terminal([*WORKSHOP, str(deck)], tmp_path) as terminal:
        terminal.wait_for("Enter no: ")
        assert "deck.md:5 · python · on Ctrl+E" in terminal.text()
        terminal.press(answer)
        terminal.wait_for("1 / 1")
        terminal.press(RUN)
        terminal.wait_for(then)
        terminal.press("q")
        assert terminal.leave() == 0


@pytest.mark.parametrize("words", [["tour.md"], ["tour.md", "--notes"]], ids=["slides", "notes"])
def test_without_a_keyboard_the_viewer_does_not_start(words: list[str]) -> None:
    without_input = ["bash", "-c", '"$@" < /dev/null', "bash", *WORKSHOP, *words]
    with Terminal(without_input, DECKS) as terminal:
        assert terminal.leave() == 2
        said = " ".join(terminal.text().split())
        assert said.startswith("present needs a terminal also for standard input, where your keys come from")
        assert terminal.mode() == terminal.mode_before


@pytest.mark.parametrize("words", [["tour.md"], ["tour.md", "--notes"]], ids=["slides", "notes"])
def test_in_a_terminal_that_cannot_be_drawn_on_the_viewer_does_not_start(words: list[str]) -> None:
    with Terminal([*WORKSHOP, *words], DECKS, TERM="dumb") as terminal:
        assert terminal.leave() == 2
        assert " ".join(terminal.text().split()).endswith(f"here, use: workshop present {' '.join(words)} | cat")
        assert b"\x1b" not in terminal.written


def test_what_was_wrong_breaks_between_words() -> None:
    with Terminal([*WORKSHOP, "tour.md", "--notes", "--share"], DECKS, columns=40) as terminal:
        assert terminal.leave() == 2
        assert terminal.text().splitlines() == [
            "--share cannot be used with --notes;",
            "  give it to the slides",
        ]
