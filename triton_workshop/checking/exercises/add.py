"""Exercise 1: vector addition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from triton_workshop.checking.exercise import Axis, Case, Exercise, normal, seeded
from triton_workshop.checking.mistakes import LAST, MASKS, PATTERN_OF_TILES, TENSORS, Mistake, at_call

if TYPE_CHECKING:
    import torch

    from triton_workshop.checking.evidence import Evidence


def _case(n: int, again: str = "") -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        generator = seeded("add", n, again)
        return normal(n, device=device, generator=generator), normal(n, device=device, generator=generator)

    return Case(f"{n:,} element{'s' if n != 1 else ''}{again}", arguments)


def _reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


def _one_operand(evidence: Evidence) -> bool:
    x, y = (argument.double() for argument in evidence.arguments)
    wrong = (x, y, x + x, y + y)
    return evidence.values_only and any(evidence.equals(values) for values in wrong)


def _another_operation(evidence: Evidence) -> bool:
    x, y = (argument.double() for argument in evidence.arguments)
    return evidence.values_only and any(evidence.equals(values) for values in (x - y, y - x, x * y))


MISTAKES = (
    Mistake(
        "one-operand",
        (
            "Which two vectors did each program load, and which of them are in the sum?",
            "The result knows one vector only. y is loaded from y_ptr, and both are in what tl.store is given.",
        ),
        _one_operand,
        todo=5,
        blames=at_call("store"),
    ),
    Mistake(
        "another-operation",
        ("What does the store compute?", "The values are those of another operation. The exercise asks for x + y."),
        _another_operation,
        todo=5,
        blames=at_call("store"),
    ),
)

EXERCISE = Exercise(
    number=1,
    title="add two vectors",
    launcher="add",
    kernel="add_kernel",
    # One program, then several: a mistake shows in the simplest case. Around a block, and a prime far from all.
    cases=(
        *(_case(n) for n in (1000, 1, 1023, 1024, 1025)),
        _case(1025, ", other values"),
        *(_case(n) for n in (2048, 98_317)),
    ),
    gpu_cases=tuple(_case(n) for n in (1, 1025, 5_000_001)),
    reference=_reference,
    reduction_length=lambda x, y: 1,
    tiling=(Axis(0, "BLOCK_SIZE", 1024),),
    sizes_by_name=lambda x, y: {"n_elements": x.numel()},
    inputs_by_name={"x_ptr": 0, "y_ptr": 1},
    bytes_moved=lambda x, y: 3 * x.numel() * x.element_size(),
    operations=lambda x, y: int(x.numel()),
    hints=(
        (
            "Program 0 owns the first BLOCK_SIZE elements. Where do those of program pid start?",
            "Program pid starts at pid * BLOCK_SIZE. tl.arange(0, BLOCK_SIZE) counts its elements: add the two.",
        ),
        (
            "The last program's block may reach past the end. Which offsets are inside?",
            "Compare the offsets with n_elements: the result is a block of true and false.",
        ),
        (
            "Which pointers do the offsets make of x_ptr, and what keeps tl.load inside of x?",
            "x_ptr + offsets is a block of pointers. Give tl.load the mask too, so that nothing outside is read.",
        ),
        ("How was the block of x loaded?", "As for x, from y_ptr."),
        (
            "tl.store wants pointers, values and a mask. Which pointers?",
            "The pointers start at output_ptr, the values are x + y, and the mask is the one of the loads.",
        ),
        (
            "How many blocks of BLOCK_SIZE does it take to cover n_elements, the last one partly filled?",
            "cdiv(n_elements, BLOCK_SIZE) rounds up. A grid is a tuple, even with one number: mind the comma.",
        ),
        (
            "A kernel is launched on a grid, in brackets. Which arguments does it declare, in which order?",
            "add_kernel[grid](...): three tensors, n_elements, and BLOCK_SIZE by name. Triton turns a tensor into its "
            "pointer.",
        ),
    ),
    todos_for={
        "offsets": (1,),
        "mask": (2, 3, 4, 5),
        "load": (3, 4),
        "sum": (5,),
        "store": (5,),
        "grid": (6,),
        "launch": (7,),
        "blocks": (6, 7),
    },
    mistakes=(*TENSORS, *PATTERN_OF_TILES, *MASKS, *MISTAKES, *LAST),
)
