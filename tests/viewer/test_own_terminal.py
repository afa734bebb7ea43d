"""A +acquire_terminal block gets the presenter's terminal, and the slides get it back, however the block ends."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.processes import dies

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

from .terminal import Terminal
from .test_terminal import RUN, WORKSHOP, assert_restored

INTERRUPT, SLEEP = "\x03", "\x1a"
ENDINGS = [
    # what the block does, the text that shows it has begun, the keys that it gets, what its slide says then
    ('read -p "na""me? " name; echo "<$name>" > name', "name?", "Ada\r", "✓"),
    ("echo mes''sage; exit 3", "✗ exit 3 · press Enter", "\r", "✗ exit 3"),
    (
        "stty raw -echo; printf '\\033[?1049h\\033[?25l'; kill -9 $$",
        "killed by SIGKILL · press Enter",
        "\r",
        "by SIGKILL",
    ),
    ("echo rea''dy; sleep 600", "ready", INTERRUPT, "■ stopped"),
    ("echo rea''dy; sleep 600", "ready", SLEEP, "■ stopped"),
    ('test -z "$TRITON_WORKSHOP_SLIDE" && stty size > size', "", "", "✓"),
]


def slide(number: int, source: str) -> str:
    return f"Slide {number}\n===\n\n```bash +acquire_terminal\n{source}\n```\n"


def test_a_block_gets_the_terminal_and_gives_it_back_however_it_ends(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    slides = [slide(number, source) for number, (source, *_) in enumerate(ENDINGS, 1)]
    deck.write_text("\n<!-- end_slide -->\n\n".join(slides))
    with Terminal([*WORKSHOP, "-x", str(deck)], tmp_path) as terminal:
        for number, (_, begun, keys, said) in enumerate(ENDINGS, 1):
            terminal.wait_for(f"Slide {number}")
            terminal.press(RUN)
            terminal.wait_for(begun)
            if keys:
                terminal.press(keys)
            terminal.wait_for(said)
            terminal.press("n" if number < len(ENDINGS) else "q")
        assert terminal.leave() == 0
        assert_restored(terminal)
    assert (tmp_path / "name").read_text() == "<Ada>\n"
    assert (tmp_path / "size").read_text() == "24 80\n"


def test_a_signal_ends_the_viewer_while_a_block_has_the_terminal(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.write_text(slide(1, "echo $$ > pid; echo rea''dy; sleep 600"))
    with Terminal([*WORKSHOP, "-x", str(deck)], tmp_path) as terminal:
        terminal.wait_for("Slide 1")
        terminal.press(RUN)
        terminal.wait_for("ready")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.leave() == 1
        assert_restored(terminal)
    assert dies(int((tmp_path / "pid").read_text()))
