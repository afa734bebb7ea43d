"""Exercise 4: matrix multiplication."""

import torch

from triton_workshop.checking.exercise import Case, Exercise, seeded


def _matrices(m: int, n: int, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = seeded("matmul", m, n, k)
    return torch.randn(m, k, generator=generator), torch.randn(k, n, generator=generator)


def _case(m: int, n: int, k: int) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        a, b = _matrices(m, n, k)
        return a.to(device), b.to(device)

    return Case(f"({m} × {k}) @ ({k} × {n})", arguments)


def _transposed_case(m: int, n: int, k: int) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        a, b = _matrices(m, n, k)
        return a.to(device).t().contiguous().t(), b.to(device).t().contiguous().t()

    return Case(f"({m} × {k}) @ ({k} × {n}), both transposed in memory", arguments)


def _strided_case(m: int, n: int, k: int) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        a, b = _matrices(2 * m, 3 * n, k)
        return a.to(device)[::2], b.to(device)[:, ::3]

    return Case(f"({m} × {k}) @ ({k} × {n}), every 2nd row, every 3rd column", arguments)


def _reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


EXERCISE = Exercise(
    number=4,
    title="multiply two matrices",
    launcher="matmul",
    # K that is no multiple of a block comes early: an unmasked K is the mistake that hides best.
    cases=(
        _case(1, 1, 1),
        _case(64, 64, 32),
        _case(64, 64, 33),
        _case(65, 63, 31),
        _case(17, 130, 100),
        _transposed_case(70, 50, 40),
        _strided_case(50, 70, 40),
    ),
    reference=_reference,
    reduction_length=lambda a, b: int(a.shape[1]),
    hints=(
        "pid_m * BLOCK_SIZE_M plus tl.arange(0, BLOCK_SIZE_M): these are rows of A, and of C.",
        "The same along N, from pid_n: columns of B, and of C.",
        "tl.arange(0, BLOCK_SIZE_K). The loop moves the tiles, so no program id here.",
        "Element (m, k) of A lies at m * stride_am + k * stride_ak. offs_m[:, None] and offs_k[None, :] make a block "
        "of pointers.",
        "Element (k, n) of B lies at k * stride_bk + n * stride_bn, with k down the rows of the block.",
        "tl.zeros((rows, columns), dtype=tl.float32). In float16 the sum would lose its small terms.",
        "The mask: offs_m less than M, and offs_k less than what is left of K, which is K - k. other=0.0 adds nothing.",
        "The mask: offs_k less than K - k down the rows, offs_n less than N along the columns; other=0.0.",
        'tl.dot(a, b, accumulator, input_precision="ieee"). Without it, a float32 tl.dot on a GPU may round its inputs '
        "to TF32, 10 bits of fraction.",
        "One step is BLOCK_SIZE_K elements: a_ptrs moves by BLOCK_SIZE_K * stride_ak, b_ptrs by "
        "BLOCK_SIZE_K * stride_bk.",
        "Pointers from c_ptr, offs_m, offs_n and the two strides of C; the mask keeps both inside M and N.",
        "Two axes: cdiv(M, BLOCK_SIZE_M) first, because axis 0 is pid_m.",
        "matmul_kernel[grid](a, b, c, M, N, K, then the six strides in the kernel's order, then the three block "
        "sizes). a.stride() gives a's two.",
    ),
)
