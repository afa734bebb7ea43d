"""Errors that people read: their long lines break between words, where something would break them anyway."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from tests.conftest import RunPython
from triton_workshop.errors import wrapped

FAULT = """\
error: sum_kernel: program 1 and program 0 meet at out_ptr[0]: one loads it
  Line 6: `tl.store(out_ptr, so_far + tl.sum(x))`. Programs run in any order
also: short"""
NARROW = """\
error: sum_kernel: program 1 and program
  0 meet at out_ptr[0]: one loads it
  Line 6: `tl.store(out_ptr, so_far +
    tl.sum(x))`. Programs run in any
    order
also: short"""


def test_long_lines_break_between_words_and_go_on_indented() -> None:
    assert wrapped(FAULT, 40) == NARROW


@pytest.mark.parametrize("columns", [80, None])
def test_lines_that_fit_stay_as_they_are(columns: int | None) -> None:
    assert wrapped(FAULT, columns) == FAULT


@pytest.mark.parametrize("columns", [1, 5, 12])
def test_a_word_is_never_broken_however_narrow(columns: int) -> None:
    assert wrapped(FAULT, columns).split() == FAULT.split()


FAILS = """\
from triton_workshop.errors import WorkshopError
raise WorkshopError("expected a kernel that stores what it has loaded, and found none in this file")
"""


@pytest.mark.parametrize(
    ("variables", "printed"),
    [
        ({}, ["error: expected a kernel that stores what it has loaded, and found none in this file"]),
        (
            {"TRITON_WORKSHOP_SLIDE": "50"},
            ["error: expected a kernel that stores what it has", "  loaded, and found none in this file"],
        ),
        (
            {"COLUMNS": "50"},
            ["error: expected a kernel that stores what it has loaded, and found none in this file"],
        ),
    ],
    ids=["a file", "a slide", "a file, whatever the terminal around it"],
)
def test_an_error_wraps_in_a_slide_and_not_in_a_file(
    run_python: RunPython, tmp_path: Path, variables: dict[str, str], printed: list[str]
) -> None:
    script = tmp_path / "fails.py"
    script.write_text(FAILS)
    assert run_python(script, env=variables).stderr.splitlines() == printed


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals on Windows")
def test_an_error_wraps_in_a_terminal(tmp_path: Path) -> None:
    from tests.viewer.terminal import Terminal

    script = tmp_path / "fails.py"
    script.write_text(FAILS)
    with Terminal([sys.executable, str(script)], tmp_path, columns=50) as terminal:
        terminal.wait_for("in this file")
        lines = terminal.text().splitlines()
    assert lines == ["error: expected a kernel that stores what it has", "  loaded, and found none in this file"]


INTERRUPT = """\
import os, signal; signal.signal(signal.SIGINT, signal.default_int_handler); os.kill(os.getpid(), signal.SIGINT)"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot interrupt itself there")
@pytest.mark.parametrize(
    ("script", "printed"),
    [
        ("from triton_workshop import cdiv; import slow", ""),
        (f"from triton_workshop import cdiv; {INTERRUPT}", "KeyboardInterrupt"),
    ],
    ids=["while it loads", "while it runs"],
)
def test_an_interrupt_shows_a_traceback_only_of_what_runs(
    script: str, printed: str, tmp_path: Path, run_python: RunPython
) -> None:
    (tmp_path / "slow.py").write_text(INTERRUPT)
    outcome = run_python("-c", f"import sys; sys.path.append({str(tmp_path)!r}); {script}")
    assert outcome.returncode == -signal.SIGINT
    assert outcome.stderr.strip().splitlines()[-1:] == ([printed] if printed else [])


LOST = f"""
class Lost:
    def __del__(self):
        {INTERRUPT}
Lost()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot interrupt itself there")
def test_an_interrupt_in_a_callback_is_not_lost(run_python: RunPython) -> None:
    outcome = run_python("-c", f"import triton_workshop.interruption\n{LOST}\nimport time; time.sleep(9)")
    assert outcome.returncode == -signal.SIGINT
    assert "ignored" not in outcome.stderr
