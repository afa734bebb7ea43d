"""Exercise 1: vector addition."""

import torch

from triton_workshop.checking.exercise import Case, Exercise, seeded


def _case(n: int) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        generator = seeded("add", n)
        return tuple(torch.randn(n, generator=generator).to(device) for _ in range(2))

    return Case(f"{n:,} element{'s' if n != 1 else ''}", arguments)


def _reference(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


EXERCISE = Exercise(
    number=1,
    title="add two vectors",
    launcher="add",
    # Around a block of 1024 and a multiple of it; then a prime, far from both.
    cases=tuple(_case(n) for n in (1, 1000, 1023, 1024, 1025, 2048, 98_317)),
    reference=_reference,
    reduction_length=lambda x, y: 1,
    hints=(
        "Program pid owns BLOCK_SIZE elements, from pid * BLOCK_SIZE on. tl.arange(0, BLOCK_SIZE) counts them: "
        "add the two.",
        "Compare the offsets with n_elements. The last program's block may reach past the end.",
        "tl.load takes pointers: x_ptr plus the offsets. Give it the mask, so that nothing outside is read.",
        "As for x, from y_ptr.",
        "tl.store(pointers, values, mask=mask): the pointers start at output_ptr, the values are x + y.",
        "One program for each block: cdiv(n_elements, BLOCK_SIZE) of them. A grid is a tuple, even with one number: "
        "mind the comma.",
        "add_kernel[grid](...): three tensors, n_elements, and BLOCK_SIZE by name. Triton turns a tensor into its "
        "pointer.",
    ),
)
