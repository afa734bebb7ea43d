"""The command line: plain text into a pipe, and one clear line for every mistake."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from triton_workshop import cli

DECKS = Path(__file__).parent / "decks"
WORKSHOP = [sys.executable, "-c", "from triton_workshop.cli import main; main()"]
Command = Callable[..., Result]


@pytest.fixture
def workshop(monkeypatch: pytest.MonkeyPatch) -> Command:
    """`workshop` in this process, called in a folder."""

    def run(*arguments: str, folder: Path = DECKS) -> Result:
        monkeypatch.chdir(folder)
        return CliRunner().invoke(cli.app, arguments)

    return run


def test_into_a_pipe_the_deck_is_plain_text_from_the_slide_that_was_asked_for(workshop: Command) -> None:
    whole, rest = workshop("present", "tour.md"), workshop("present", "tour.md", "--slide", "5")
    assert (whole.exit_code, rest.exit_code, whole.stderr) == (0, 0, "")
    assert "\x1b" not in whole.stdout
    assert whole.stdout.startswith("── 1 / 6 ")
    for words in ("First steps\n===========", "• three", "    return 2 * x", "4096  9 ms", "| Said by", "Part two"):
        assert words in whole.stdout
    assert rest.stdout.startswith("── 5 / 6 ")
    assert whole.stdout.endswith(rest.stdout)


def test_a_reader_that_has_seen_enough_is_no_error() -> None:
    command = [*WORKSHOP, "present", "tour.md"]
    with subprocess.Popen(command, cwd=DECKS, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    ("deck", "line"),
    [
        (b"Title\n===\n\n<!-- nosuchcommand -->\n", "deck.md:4: "),
        (b"Title\n===\n\n![](missing.png)\n", "deck.md:4: "),
        (b"\xff\xfe\x00", "deck.md"),
    ],
)
def test_a_mistake_in_the_deck_is_one_line_with_its_place(
    workshop: Command, tmp_path: Path, deck: bytes, line: str
) -> None:
    (tmp_path / "deck.md").write_bytes(deck)
    result = workshop("present", "deck.md", folder=tmp_path)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(line)
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["present", "nosuch.md"], "nosuch.md: expected a Markdown deck, found no such file"),
        (["present", "."], ".: expected a Markdown deck, found a folder"),
        (
            ["present", "../test_cli.py"],
            "../test_cli.py: expected a Markdown deck, found a Python script; to run it: uv run ../test_cli.py",
        ),
        (["validate", "../test_cli.py"], "to run it: uv run ../test_cli.py"),
        (["present", "tour.md", "--slide", "0"], "--slide"),
        (["present", "tour.md", "--slide", "7"], "tour.md: no slide 7; it has 6"),
        (["nosuchcommand"], "nosuchcommand"),
    ],
)
def test_a_mistake_on_the_command_line_is_named(workshop: Command, arguments: list[str], message: str) -> None:
    result = workshop(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_the_workshops_deck_is_found_from_a_folder_below_it(workshop: Command, tmp_path: Path) -> None:
    slides = tmp_path / "slides"
    below = tmp_path / "exercises" / "deep"
    slides.mkdir()
    below.mkdir(parents=True)
    (slides / "triton-workshop.md").write_text("Found\n===\n")
    assert "Found" in workshop("present", folder=below).stdout


def test_the_help_says_what_there_is(workshop: Command) -> None:
    assert "present" in workshop("--help").stdout
    assert "Ctrl+E" in workshop("present", "--help").stdout


def test_neither_the_command_nor_the_viewer_imports_torch() -> None:
    """Nor does the command import the app, before there is something to show."""
    imported = "[m for m in ('torch', 'triton', 'textual') if m in sys.modules]"
    code = f"import sys, triton_workshop.cli; print({imported}); import triton_workshop.viewer.app; print({imported})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n['textual']\n"
