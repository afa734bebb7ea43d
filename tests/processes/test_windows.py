"""What Windows does in its own way. These tests run everywhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

import pytest

from triton_workshop.processes import process
from triton_workshop.processes.languages import resolve_program, write_file
from triton_workshop.processes.process import INTERRUPT, NewProcess
from triton_workshop.processes.script import Script


class WithoutConsole:
    """A process on Windows that nothing can interrupt."""

    def send_signal(self, _: int) -> None:
        raise OSError(6, "The handle is invalid")


def test_a_process_without_a_console_cannot_be_interrupted_and_that_is_no_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(process, "WINDOWS", True)
    started = NewProcess.__new__(NewProcess)
    started._process = cast(Any, WithoutConsole())
    started.signal_group(INTERRUPT)


@pytest.mark.parametrize(
    ("language", "written"), [("bash", b"one\ntwo\n"), ("python", b"one\ntwo\n"), ("cmd", b"one\r\ntwo\r\n")]
)
def test_a_script_has_the_line_ends_that_its_language_reads(language: str, written: bytes, tmp_path: Path) -> None:
    assert write_file(Script(language, "one\ntwo\n", tmp_path), tmp_path).read_bytes() == written


def test_a_program_is_the_first_one_in_path(tmp_path: Path) -> None:
    program = tmp_path / ("tool.cmd" if os.name == "nt" else "tool")
    program.touch(mode=0o755)
    assert Path(resolve_program(["tool", "x"], {"PATH": str(tmp_path)})[0]).stem == "tool"
    assert Path(resolve_program(["tool", "x"], {"PATH": str(tmp_path)})[0]).parent == tmp_path
    assert resolve_program(["none", "x"], {"PATH": str(tmp_path)}) == ["none", "x"]
