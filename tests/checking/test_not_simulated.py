"""What the simulator cannot run gets a verdict that says so: the kernel may be correct."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.checking.judging.verdict import FindingKind
from triton_workshop.exercises import EXERCISES

from .judging import judge_here

ADD = EXERCISES["1"]
SUM = "x + y"
ASSEMBLY = 'tl.inline_asm_elementwise("{}", "=f,f,f", [x.to(tl.float32), y.to(tl.float32)], tl.float32, True, 1)'


def _script(folder: Path, instructions: str) -> Path:
    text = ADD.solution_file.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.endswith(f"= {SUM}"))
    script = folder / "mine.py"
    script.write_text(text.replace(line, line.replace(SUM, ASSEMBLY.format(instructions))), encoding="utf-8")
    return script


@pytest.mark.parametrize(
    ("instructions", "named"),
    [
        ("dp4a.s32.s32 $0, $1, $2, 0;", "`dp4a.s32.s32`"),
        ("mov.u32 $0, %tid.x;", "`mov.u32`"),
        ("ld.global.f32 $0, [$1];", "`ld.global.f32`"),
    ],
)
def test_an_instruction_that_only_a_gpu_runs_is_no_crash(tmp_path: Path, instructions: str, named: str) -> None:
    [finding] = judge_here(ADD, _script(tmp_path, instructions)).findings
    assert finding.kind is FindingKind.NOT_SIMULATED
    assert named in finding.message
    assert finding.message.endswith("The kernel may be correct")
    assert "inline_asm" in finding.source


def test_instructions_that_compute_are_run(tmp_path: Path) -> None:
    assert judge_here(ADD, _script(tmp_path, "add.f32 $0, $1, $2;")).passed
    assert not judge_here(ADD, _script(tmp_path, "sub.f32 $0, $1, $2;")).passed
