"""`workshop present --notes`, as it is called."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from triton_workshop.cli import app
from triton_workshop.viewer.notes.channel import CannotListenError, Listener

FOLDER = Path(__file__).parent


def test_into_a_pipe_the_notes_are_plain_text() -> None:
    result = CliRunner().invoke(app, ["present", str(FOLDER / "talk.md"), "--notes"])
    assert result.exit_code == 0
    assert "Greet them." in result.stdout
    assert "echo starting" not in result.stdout, "the slides themselves"


def test_an_address_that_cannot_be_had_is_one_line_that_says_so() -> None:
    with pytest.raises(CannotListenError, match=r"^the notes cannot hear the slides on 192\.0\.2\.1:59419: .*; close"):
        Listener(FOLDER / "talk.md", ("192.0.2.1", 59419))


def test_notes_start_nowhere() -> None:
    result = CliRunner().invoke(app, ["present", str(FOLDER / "talk.md"), "--notes", "--slide", "3"])
    assert result.exit_code == 2
    assert result.stderr.strip() == "--slide cannot be used with --notes: the notes follow the slides"
