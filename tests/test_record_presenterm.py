"""The command that records what presenterm answers: whom it asks, what it shows, what it writes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are POSIX's", allow_module_level=True)

import record_presenterm
from deck.dialect import CASES
from deck.recording import RECORD, RECORDING, VERSION


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each case answered with a word, in place of presenterm."""
    monkeypatch.setattr(record_presenterm, "presenterm", lambda: "presenterm")
    monkeypatch.setattr(record_presenterm, "answers", lambda program, flags: {name: ["word"] for name in CASES})


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(record_presenterm, "RECORDING", tmp_path / RECORDING.name)
    return tmp_path / RECORDING.name


def test_another_version_is_not_asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "presenterm"
    program.write_text("#!/bin/sh\necho presenterm 0.1.0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=rf"expected presenterm {VERSION}, got 'presenterm 0.1.0'.*@{VERSION}"):
        record_presenterm.main([])


def test_without_presenterm_one_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=f"cargo install --locked presenterm@{VERSION}"):
        record_presenterm.main(["--check"])


@pytest.mark.usefixtures("answers")
def test_a_recording_that_was_just_written_is_right(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record_presenterm.main([])
    record_presenterm.main(["--check"])
    assert "answers as recorded" in capsys.readouterr().out
    assert list(recording.parent.iterdir()) == [recording]


@pytest.mark.usefixtures("answers")
def test_check_shows_the_lines_that_differ_and_writes_nothing(
    recording: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record_presenterm.main([])
    was = recording.read_text(encoding="utf-8").replace('["word"]', '["sword"]', 1)
    recording.write_text(was, encoding="utf-8")
    capsys.readouterr()
    with pytest.raises(SystemExit, match=RECORD):
        record_presenterm.main(["--check"])
    shown = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("-{", "+{"))]
    assert [('["sword"]' in line, line[0]) for line in shown] == [(True, "-"), (False, "+")]
    assert recording.read_text(encoding="utf-8") == was
