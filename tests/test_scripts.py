"""What stands in a script's place may be anything: it is told in a sentence, at once, wherever a script is read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from triton_workshop.checking.check import source_or_verdict
from triton_workshop.checking.judging.verdict import Verdict
from triton_workshop.checking.reporting.progress import Status, entries
from triton_workshop.checking.reporting.reset import is_shipped, reset
from triton_workshop.cli import main
from triton_workshop.exercises import EXERCISES
from triton_workshop.scripts import MAX_BYTES, lines_of, read_source, read_text

ADD = EXERCISES["1"]
TOO_LARGE = "too large for a script, which may have 250 kB at most"


def one_line(file: Path) -> None:
    file.write_bytes(b"DATA = [" + b"1, " * 5_000_000 + b"]\n")


def many_lines(file: Path) -> None:
    file.write_bytes(b"x = 1\n" * 100_000)


def folder(file: Path) -> None:
    (file / "inside").mkdir(parents=True)


def pipe(file: Path) -> None:
    os.mkfifo(file)


def device(file: Path) -> None:
    file.symlink_to("/dev/zero")


Make = Callable[[Path], None]
PLACES = {
    "one line": (one_line, TOO_LARGE),
    "many lines": (many_lines, TOO_LARGE),
    "a folder": (folder, "expected a script, found a folder"),
    "a pipe": (pipe, "expected a script, found a pipe"),
    "a device": (device, "expected a script, found a device"),
}
if sys.platform == "win32":
    del PLACES["a pipe"], PLACES["a device"]
everything = pytest.mark.parametrize(("make", "told"), PLACES.values(), ids=PLACES)


@pytest.fixture
def place(desk: Path) -> Path:
    """Where exercise 1 was."""
    ADD.exercise_file.unlink()
    return ADD.exercise_file


@everything
def test_a_check_tells_what_it_cannot_read(place: Path, make: Make, told: str) -> None:
    make(place)
    verdict = source_or_verdict(ADD, place, 0.0)
    assert isinstance(verdict, Verdict)
    assert verdict.findings[0].message == f"the file cannot be read: {told}"


@everything
def test_the_list_has_it_as_changed_and_a_reset_keeps_it(place: Path, make: Make, told: str) -> None:
    make(place)
    assert entries()[0].status in (Status.CHANGED, Status.BEGUN)
    assert not is_shipped(ADD)
    backup = reset(ADD)
    assert is_shipped(ADD)
    assert backup is not None
    assert os.path.lexists(backup)


@everything
@pytest.mark.parametrize("command", ["check", "asm", "hint"])
def test_each_command_tells_it_in_a_sentence(
    place: Path, command: str, make: Make, told: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    make(place)
    monkeypatch.setattr(sys, "argv", ["workshop", command, "1"])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as ended:
        main()
    printed = "".join(capfd.readouterr())
    assert command == "hint" or told in printed
    assert "Traceback" not in printed
    assert ended.value.code in (1, 2) or command == "hint"


def test_a_script_of_the_largest_size_is_read_as_python_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_bytes(b"\xef\xbb\xbfx = 1\r\n".ljust(MAX_BYTES, b"#"))
    assert read_source(file).startswith("x = 1\n#")
    file.write_bytes(b"# coding: latin-1\n\xe9")
    assert read_source(file)[-1] == "é"
    assert read_text(file)[-1] == "\N{REPLACEMENT CHARACTER}"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_to_run_it_python_reads_what_is_no_ordinary_script() -> None:
    import subprocess

    read, write = os.pipe()
    with os.fdopen(write, "w") as script:
        script.write("print('read once')")
    run = [sys.executable, "-m", "triton_workshop.processes", f"/dev/fd/{read}"]
    result = subprocess.run(run, pass_fds=[read], capture_output=True, text=True, timeout=60, check=True)
    os.close(read)
    assert result.stdout == "read once\n"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a\n\nb\n", ["a", "", "b"]),
        ("a\r\nb", ["a", "b"]),
        ("a\f\v\x1c\x85\u2028\nb\n", ["a\f\v\x1c\x85\u2028", "b"]),
    ],
)
def test_lines_are_those_that_python_counts(text: str, lines: list[str]) -> None:
    assert lines_of(text) == lines
