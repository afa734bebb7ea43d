"""What a script says of its own lines is right where its code comes from: no temporary file is named."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.processes import FAULT, Start, finish
from triton_workshop.processes.run import Run
from triton_workshop.processes.runner import Runner
from triton_workshop.processes.script import Origin

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="bash, and file names as POSIX has them")

WRONG_ORDER = """\
import triton
from triton_workshop import DEVICE
print(DEVICE)
"""
SAID = {
    "error": ("python", "x = 1\n1 / 0", 'File "talk.md", line 42, in <module>\n    1 / 0'),
    "error in a function": ("python", "def f():\n    1 / 0\n\n\nf()", 'File "talk.md", line 42, in f'),
    "syntax error": ("python", "x = 1\ny = (", 'File "talk.md", line 42\n    y = ('),
    "warning": ("python", "import warnings\nwarnings.warn('careful')", "talk.md:42: UserWarning: careful"),
    "line by line": ("python", "import sys\nprint(sys._getframe().f_lineno)", "42\n"),
    "source of a function": (
        "python",
        "import inspect\ndef f():\n    return 1\nprint(inspect.getsource(f), inspect.getsourcelines(f)[1])",
        "def f():\n    return 1\n 42",
    ),
    "imports in the wrong order": ("python", WRONG_ORDER, "In talk.md, move line 42 (triton_workshop) above line 41."),
    "error in bash": ("bash", "echo one\nnosuchcommand", "talk.md: line 42: nosuchcommand"),
    "error in sh": ("sh", "echo one\nnosuchcommand", "42: nosuchcommand"),
}


NUMBERS = (None, None, 1, None, 2, 3)
"""Of a block of six lines, as its slide shows it."""
SHOWN = {
    "error": ("python", "\n\nx = 1\n\n\n1 / 0", 'File "block.py", line 3, in <module>\n    1 / 0'),
    "error in a hidden line": ("python", "\n1 / 0", 'File "block.py", a hidden line, in <module>\n    1 / 0'),
    "syntax error": ("python", "\n\nx = (", 'File "block.py", line 1\n    x = ('),
    "warning": ("python", "import warnings\n\nwarnings.warn('careful')", "block.py:1: UserWarning: careful"),
    "warning in a hidden line": (
        "python",
        "import warnings; warnings.warn('a')",
        "block.py: a hidden line: UserWarning",
    ),
    "traceback that the code prints": (
        "python",
        "import traceback\n\ntry:\n    {}[1]\nexcept KeyError:\n    traceback.print_exc()",
        'File "block.py", a hidden line, in <module>',
    ),
    "traceback in colour": (
        "python",
        r"print(f'File \033[35m\"{__file__}\"\033[0m, line \033[35m5\033[0m, in \033[35mf\033[0m')",
        'File \033[35m"block.py"\033[0m, line \033[35m2\033[0m, in \033[35mf\033[0m',
    ),
    "another file": ("python", "print('File \"/other/block.py\", line 3')", 'File "/other/block.py", line 3'),
    "imports in the wrong order": (
        "python",
        f"\n\n\n\n{WRONG_ORDER}",
        "In block.py, move line 3 (triton_workshop) above line 2.",
    ),
    "error in bash": ("bash", "\n\n\n\n\nnosuchcommand", "block.sh: line 3: nosuchcommand"),
    "error in sh": ("sh", "\n\n\n\n\nnosuchcommand", "block.sh: 3: nosuchcommand"),
}


IN_THE_DECK = [(*said, {"origin": Origin("talk.md", 41)}) for said in SAID.values()]
ON_ITS_SLIDE = [(*shown, {"numbers": NUMBERS}) for shown in SHOWN.values()]


@pytest.mark.parametrize(
    ("language", "source", "said", "named"),
    IN_THE_DECK + ON_ITS_SLIDE,
    ids=[*(f"{claim}, in the deck" for claim in SAID), *(f"{claim}, on its slide" for claim in SHOWN)],
)
def test_a_line_has_the_decks_number_or_the_one_that_its_slide_shows(
    start: Start,
    tmp_path: Path,
    language: str,
    source: str,
    said: str,
    named: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A test that resolves the device in this process leaves it set where there is no GPU; then no order is wrong.
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    if WRONG_ORDER in source and start is Run:
        pytest.skip("takes seconds in a new process")
    printed, _ = finish(start, source, tmp_path, language, columns=200, **named)
    assert said in printed
    assert "workshop-" not in printed


@pytest.mark.skipif(sys.platform != "linux", reason="warm processes are forks, on Linux only")
@pytest.mark.parametrize(
    ("named", "line"),
    [
        ({}, "Line 7"),
        ({"origin": Origin("talk.md", 101)}, "Line 107"),
        ({"numbers": (None,) * 4 + (1, 2, 3, 4)}, "Line 3"),
        ({"numbers": (1, 2, 3, 4, None, None, None, 5)}, "A hidden line"),
    ],
)
def test_so_has_a_kernels_fault(warm: Runner, tmp_path: Path, named: dict[str, object], line: str) -> None:
    printed, _ = finish(warm.run, FAULT, tmp_path, **named)
    assert f"  {line}: `tl.store(x_ptr + 4, 1.0)`. Is a mask missing?\n" in printed


@pytest.mark.skipif(sys.platform != "linux", reason="warm processes are forks, on Linux only")
def test_an_error_in_a_kernel_shows_the_scripts_own_lines_and_no_others(warm: Runner, tmp_path: Path) -> None:
    printed, _ = finish(warm.run, FAULT.replace("x_ptr + 4, 1.0", "x_ptr + 4, nothing"), tmp_path)
    assert re.findall(r'File "(?:.*/)?(.*)", line \d+, in (\S+)', printed) == [
        ("block.py", "<module>"),
        ("block.py", "fill_kernel"),
    ]
    assert printed.splitlines()[-1] == "NameError: name 'nothing' is not defined"


def test_a_file_that_a_block_runs_keeps_its_own_numbers(start: Start, tmp_path: Path) -> None:
    (tmp_path / "kernel.py").write_text(FAULT)
    printed, _ = finish(start, "import runpy\nrunpy.run_path('kernel.py')", tmp_path, numbers=(1, 2))
    assert "Line 7: `tl.store" in printed
