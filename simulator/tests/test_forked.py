"""What `run_forked` runs is as in a new process, but for torch."""

from __future__ import annotations

from pathlib import Path

import pytest

from .processes import RunPython

SEES = """
import atexit, os, sys
atexit.register(print, "the end")
print(__name__, sys.argv, os.getcwd(), sys.path[:2], sys.stdout.encoding, sys.stdout.isatty())
print(repr(sys.stdin.read()), os.environ["MINE"], sys.modules["__main__"].__dict__ is globals())
print([name for name in ("triton", "triton_simulator", "simulator", "pytest") if name in sys.modules], file=sys.stderr)
"""
ENDS = {"": 0, "sys.exit(7)": 7, "sys.exit('enough')": 1, "1 / 0": 1, "os.kill(os.getpid(), 15)": -15, "os._exit(3)": 3}


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("how", ["-c", "-m", "a file"])
def test_a_fork_sees_what_a_new_process_sees_and_ends_as_it_does(
    how: str, ends: str, run_python: RunPython, run_forked: RunPython, tmp_path: Path
) -> None:
    source = SEES + ends
    file = tmp_path / "script.py"
    file.write_text(source, encoding="utf-8")
    arguments = {"-c": ("-c", source), "-m": ("-m", "script"), "a file": (file,)}[how]
    variables = {"PYTHONPATH": str(tmp_path / "more"), "MINE": "mine"}
    new, forked = (run(*arguments, "--flag", env=variables, cwd=tmp_path) for run in (run_python, run_forked))
    assert forked.stdout == new.stdout
    assert forked.returncode == new.returncode == ENDS[ends]
    assert forked.stderr.splitlines()[-1] == new.stderr.splitlines()[-1]
