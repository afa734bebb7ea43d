"""The process of the tests is after a script what it was before, or the script is an error."""

from __future__ import annotations

import linecache
import os
import re
import sys
from pathlib import Path

import pytest
import torch

from triton_workshop.exercises import EXERCISES

from .judging import judge_here

ADD = EXERCISES["1"]


def _script(folder: Path, first_lines: str) -> Path:
    script = folder / "mine.py"
    script.write_text(f"{first_lines}\n{ADD.solution_file.read_text(encoding='utf-8')}", encoding="utf-8")
    return script


def test_what_loading_a_script_changes_is_undone(tmp_path: Path) -> None:
    before, script = (sys.argv, sys.path[:]), _script(tmp_path, "print('hello')")
    assert judge_here(ADD, script).passed
    assert (sys.argv, sys.path) == before
    assert "script_being_checked" not in sys.modules
    assert str(script) not in linecache.cache


LEFT = (
    ("import os; os.environ['LEFT_BEHIND'] = '1'", "the environment"),
    ("import torch; torch.manual_seed(2026)", "random numbers"),
    ("import torch; torch.LEFT_BEHIND = 1", "names of torch"),
    ("import neighbour", "neighbour"),
)


@pytest.mark.parametrize(("line", "what"), LEFT, ids=[what for _, what in LEFT])
def test_a_script_that_leaves_something_behind_is_an_error(line: str, what: str, tmp_path: Path) -> None:
    (tmp_path / "neighbour.py").touch()
    state = torch.get_rng_state()
    try:
        with pytest.raises(AssertionError, match=rf"changes .*{what}"):
            judge_here(ADD, _script(tmp_path, line))
    finally:
        torch.set_rng_state(state)
        os.environ.pop("LEFT_BEHIND", None)
        sys.modules.pop("neighbour", None)
        vars(torch).pop("LEFT_BEHIND", None)


@pytest.mark.parametrize(("number", "line"), [("3", "pixels = tl.load(image_ptr + offsets, mask=mask)"), ("4", None)])
def test_wrong_values_name_the_load_that_leaves_them_undefined(number: str, line: str | None, tmp_path: Path) -> None:
    exercise, script = EXERCISES[number], tmp_path / "mine.py"
    script.write_text(exercise.solution_file.read_text(encoding="utf-8").replace(", other=0.0", ""), encoding="utf-8")
    verdict = judge_here(exercise, script)
    (finding,) = verdict.findings
    assert finding.kind == "wrong-values"
    assert re.search("what it computed from undefined elements of (image|a)_ptr", finding.message)
    assert "tl.load(" in finding.source
    assert line is None or finding.source.strip() == line
    assert finding.hint_name == "no-other"


BACKWARDS = """output = x - y
    tl.store(output_ptr + offsets, output, mask=mask)
    back = pid * BLOCK_SIZE + BLOCK_SIZE - 1 - tl.arange(0, BLOCK_SIZE)
    half = tl.load(output_ptr + back, mask=back < n_elements)
    tl.store(output_ptr + back, half + 2 * tl.load(y_ptr + back, mask=back < n_elements), mask=back < n_elements)
"""


@pytest.mark.parametrize(
    ("change", "kind", "line"),
    [
        (("back, half", "back, half"), "race", "half = tl.load(output_ptr + back, mask=back < n_elements)"),
        (("half + 2", "half + 3"), "wrong-values", None),
    ],
)
def test_threads_that_race_are_told_once_all_else_is_right(
    change: tuple[str, str], kind: str, line: str | None, tmp_path: Path
) -> None:
    solution, script = ADD.solution_file.read_text(encoding="utf-8"), tmp_path / "mine.py"
    store = "output = x + y\n\n    # 7: store them\n    tl.store(output_ptr + offsets, output, mask=mask)\n"
    assert store in solution
    script.write_text(solution.replace(store, BACKWARDS.replace(*change)), encoding="utf-8")
    finding = judge_here(ADD, script).findings[0]
    assert finding.kind == kind
    assert line is None or finding.source.strip() == line
