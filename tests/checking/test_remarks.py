"""What the checker remarks on scripts that are right."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.checking.check import check
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.exercise import Exercise

SQUARE = "BLOCK_SIZE_K = 64, 128, 16", "BLOCK_SIZE_K = 64, 64, 32"
"""With tiles of 64 × 64, M and N can be mixed up."""
STORE = "tl.store(c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn, accumulator, mask=c_mask)"
REMARKS = {
    # Work that is done twice, or for nothing
    "pixels-of-the-next-row": (
        "2",
        [("(rows[:, None] < height) & (cols[None, :] < width)", "offsets < height * width")],
        "tiles overlap, and several programs compute the same element",
    ),
    "third-axis": (
        "2",
        [("cdiv(width, BLOCK_SIZE_W))", "cdiv(width, BLOCK_SIZE_W), 3)")],
        "a grid of (4, 2, 3) has 24 programs for 8 tiles",
    ),
    "store-in-the-loop": (
        "4",
        [
            (
                "        a_ptrs += ",
                f"        c_mask = (offs_m[:, None] < M) & (offs_n[None, :] < N)\n        {STORE}\n        a_ptrs += ",
            )
        ],
        "the store on line 46 runs in each turn of its loop",
    ),
    "scaled-by-pytorch": (
        "1b",
        [("    axpy_kernel[grid](a, x,", "    scaled = a * x\n    axpy_kernel[grid](1.0, scaled,")],
        "reads x_ptr (98,317 elements) from a tensor that PyTorch made in axpy",
    ),
    "padded-by-pytorch": (
        "3",
        [("conv2d_kernel[grid](\n        image,", "conv2d_kernel[grid](\n        image.clone(),")],
        "reads image_ptr (1,254 elements) from a tensor that PyTorch made in conv2d",
    ),
    "added-again": ("1", [("    return output", "    return x + y")], "add returns another tensor than the one"),
    "a-copy": ("2", [("    return output", "    return output.clone()")], "sepia returns another tensor than the one"),
    # Sizes that are mixed up
    "rows-by-columns": (
        "4",
        [SQUARE, ("BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)", "BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_N)")],
        "Right with BLOCK_SIZE_M = 64, but not with 32: AssertionError: accumulator shape is incompatible ((70 × 40) @ "
        "(40 × 50), both transposed in memory). Line 25 names BLOCK_SIZE_N where BLOCK_SIZE_M is meant.",
    ),
    "start-by-columns": (
        "4",
        [SQUARE, ("program_id(axis=0) * BLOCK_SIZE_M", "program_id(axis=0) * BLOCK_SIZE_N")],
        "Line 25 names BLOCK_SIZE_N where BLOCK_SIZE_M is meant.",
    ),
    "square-zeros": (
        "4",
        [SQUARE, ("tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N)", "tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_M)")],
        "Line 32 names BLOCK_SIZE_M where BLOCK_SIZE_N is meant.",
    ),
    "grid-by-columns": (
        "4",
        [SQUARE, ("cdiv(M, BLOCK_SIZE_M)", "cdiv(M, BLOCK_SIZE_N)")],
        "Line 68 names BLOCK_SIZE_N where BLOCK_SIZE_M is meant.",
    ),
    "launched-twice-the-same": (
        "4",
        [
            SQUARE,
            ("BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K,\n    )", "BLOCK_SIZE_M, BLOCK_SIZE_M, BLOCK_SIZE_K,\n    )"),
        ],
        "Line 71 names BLOCK_SIZE_M where BLOCK_SIZE_N is meant.",
    ),
    "grid-of-smaller-blocks": (
        "2",
        [("cdiv(width, BLOCK_SIZE_W)", "cdiv(width, BLOCK_SIZE_H)")],
        "Line 59 names BLOCK_SIZE_H where BLOCK_SIZE_W is meant.",
    ),
    "square-tiles-of-an-image": (
        "3",
        [("= 8, 32", "= 16, 16"), ("program_id(axis=1) * BLOCK_SIZE_H", "program_id(axis=1) * BLOCK_SIZE_W")],
        "Line 28 names BLOCK_SIZE_W where BLOCK_SIZE_H is meant.",
    ),
    # Nothing to say
    "any-block": ("1", [("BLOCK_SIZE = 1024", "BLOCK_SIZE = 256")], ""),
    "asserted-to-be-square": (
        "4",
        [
            SQUARE,
            (
                "    accumulator = tl.zeros",
                "    tl.static_assert(BLOCK_SIZE_M == BLOCK_SIZE_N)\n    accumulator = tl.zeros",
            ),
        ],
        "",
    ),
    "derived": ("2", [("BLOCK_SIZE_W = 16, 64", "BLOCK_SIZE_W = 16, 16 * 4")], ""),
    "literals-in-grid-and-launch": (
        "2",
        [
            ("cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W)", "cdiv(height, 16), cdiv(width, 64)"),
            ("height, width, BLOCK_SIZE_H, BLOCK_SIZE_W", "height, width, 16, 64, num_warps=4"),
        ],
        "",
    ),
    "weights-of-pytorch": ("3", [("    output = ", "    weight = weight.clone()\n    output = ")], ""),
    "part-of-a-larger-buffer": (
        "1",
        [("torch.empty_like(x)", "torch.empty(x.numel() + 5, dtype=x.dtype, device=x.device)[2:-3]")],
        "",
    ),
}


@pytest.mark.parametrize(("number", "changes", "words"), REMARKS.values(), ids=REMARKS)
def test_a_right_script_hears_what_is_to_be_said(
    number: str, changes: list[tuple[str, str]], words: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    exercise = EXERCISES[number]
    text = exercise.solution
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    script = tmp_path / "mine.py"
    script.write_text(text, encoding="utf-8")
    verdict = check(exercise, script, compiler=None)
    assert verdict.passed, verdict.findings[0].message
    assert [words in remark for remark in verdict.remarks] == ([True] if words else []), verdict.remarks


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_nothing_is_to_be_said_of_a_solution(exercise: Exercise, capfd: pytest.CaptureFixture[str]) -> None:
    verdict = check(exercise, exercise.solution_file, compiler=None)
    assert verdict.passed
    assert not verdict.remarks
