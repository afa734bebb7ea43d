"""Exercise 4: matrix multiplication."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from triton_workshop.checking.exercise import GIVEN, Axis, Case, Exercise, normal, seeded
from triton_workshop.checking.mistakes import (
    LAST,
    MASKS,
    PATTERN_OF_TILES,
    TENSORS,
    Mistake,
    at,
    at_call,
    at_grid,
    mask_at_fault,
    out_of_bounds,
    outside_load,
    unwritten,
)

if TYPE_CHECKING:
    import torch

    from triton_workshop.checking.evidence import Evidence


def _matrices(m: int, n: int, k: int, device: str, again: str) -> tuple[torch.Tensor, torch.Tensor]:
    generator = seeded("matmul", m, n, k, again)
    return normal(m, k, device=device, generator=generator), normal(k, n, device=device, generator=generator)


def _case(m: int, n: int, k: int, again: str = "") -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        return _matrices(m, n, k, device, again)

    return Case(f"({m:,} × {k:,}) @ ({k:,} × {n:,}){again}", arguments)


def _transposed_case(m: int, n: int, k: int) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        a, b = _matrices(m, n, k, device, "transposed")
        return a.t().contiguous().t(), b.t().contiguous().t()

    return Case(f"({m:,} × {k:,}) @ ({k:,} × {n:,}), both transposed in memory", arguments)


def _strided_case(m: int, n: int, k: int) -> Case:
    def arguments(device: str) -> tuple[torch.Tensor, ...]:
        a, b = _matrices(2 * m, 3 * n, k, device, "strided")
        return a[::2], b[:, ::3]

    return Case(f"({m:,} × {k:,}) @ ({k:,} × {n:,}), every 2nd row, every 3rd column", arguments)


def _reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


# What wrong kernels compute


def _tile(memory: torch.Tensor, start: int, rows: tuple[int, int], columns: tuple[int, int]) -> torch.Tensor:
    """Elements start + row * stride + column * stride of flat memory, zeros outside; (count, stride) for each."""
    import torch

    down, right = (torch.arange(count) * stride for count, stride in (rows, columns))
    index = start + down[:, None] + right[None, :]
    inside = (index >= 0) & (index < len(memory))
    return torch.where(inside, memory[index.clamp(0, len(memory) - 1)], torch.zeros((), dtype=memory.dtype))


def _flat(matrix: torch.Tensor) -> torch.Tensor:
    """The memory from a matrix's first element to its last, float64."""
    extent = 1 + sum((size - 1) * stride for size, stride in zip(matrix.shape, matrix.stride(), strict=True))
    return matrix.as_strided((extent,), (1,)).double()


def _blocked(
    evidence: Evidence,
    *,
    strides: tuple[int, ...] | None = None,
    steps: tuple[int, int] | None = None,
    masked: bool = True,
) -> torch.Tensor:
    """The product as the solution computes it, block by block along K, with other strides or steps."""
    a, b = evidence.arguments
    (m, k), n, block = a.shape, b.shape[1], _block_k(evidence)
    am, ak, bk, bn = strides or (*a.stride(), *b.stride())
    step_a, step_b = steps or (block * ak, block * bk)
    flat_a, flat_b = _flat(a), _flat(b)
    total = flat_a.new_zeros((m, n))
    for turn, done in enumerate(range(0, k, block)):
        left = min(block, k - done) if masked else block
        total += _tile(flat_a, turn * step_a, (m, am), (left, ak)) @ _tile(flat_b, turn * step_b, (left, bk), (n, bn))
    return total


def _block_k(evidence: Evidence) -> int:
    size = evidence.launch.numbers.get("BLOCK_SIZE_K", 32) if evidence.launch else 32
    return size if isinstance(size, int) and size > 0 else 32


def _on_cpu(evidence: Evidence) -> bool:
    return evidence.values_only and evidence.output.device.type == "cpu"


def _swapped_strides(evidence: Evidence) -> bool:
    if not _on_cpu(evidence):
        return False
    a, b = evidence.arguments
    sides_a, sides_b = (itertools.permutations(matrix.stride()) for matrix in (a, b))
    wrong = [_blocked(evidence, strides=(*am_ak, *bk_bn)) for am_ak, bk_bn in itertools.product(sides_a, sides_b)]
    m, n = evidence.expected.shape
    back = evidence.expected.t().reshape(m, n) if m != n else evidence.expected.t()
    return any(evidence.equals(values) for values in (*wrong, back))


def _stored_with_swapped_strides(evidence: Evidence) -> bool:
    calls = evidence.source.calls("store")
    text = " ; ".join(evidence.source.text_of(call.args[0]) for call in calls if call.args)
    swapped = "offs_m[:, None] * stride_cn" in text or "offs_n[None, :] * stride_cm" in text
    return swapped and (evidence.values_only or unwritten(evidence) or out_of_bounds(evidence))


def _wrong_stride(evidence: Evidence) -> bool:
    """Contiguous matrices taken for granted, or steps along K that know no stride."""
    if not _on_cpu(evidence):
        return False
    a, b = evidence.arguments
    k, n, block = a.shape[1], b.shape[1], _block_k(evidence)
    ak, bk = a.stride(1), b.stride(0)
    steps = [(x, y) for x in (block * ak, block) for y in (block * bk, block)]
    wrong = [_blocked(evidence, steps=each) for each in steps[1:]]
    plain = [(k, 1, *b.stride()), (*a.stride(), n, 1), (k, 1, n, 1)]
    return any(evidence.equals(values) for values in (*wrong, *(_blocked(evidence, strides=each) for each in plain)))


def _not_advanced(evidence: Evidence) -> bool:
    if not _on_cpu(evidence):
        return False
    a, b = evidence.arguments
    block = _block_k(evidence)
    steps = ((0, 0), (0, block * b.stride(0)), (block * a.stride(1), 0))
    return any(evidence.equals(_blocked(evidence, steps=each)) for each in steps)


def _part_of_k(evidence: Evidence, first: int, last: int) -> torch.Tensor:
    a, b = (matrix.double() for matrix in evidence.arguments)
    return a[:, first:last] @ b[first:last]


def _only_the_last_block(evidence: Evidence) -> bool:
    k, block = evidence.arguments[0].shape[1], _block_k(evidence)
    return evidence.values_only and evidence.equals(_part_of_k(evidence, (k - 1) // block * block, k))


def _whole_blocks_only(evidence: Evidence) -> bool:
    k, block = evidence.arguments[0].shape[1], _block_k(evidence)
    return evidence.values_only and evidence.equals(_part_of_k(evidence, 0, k // block * block))


def _k_not_masked(evidence: Evidence) -> bool:
    if evidence.values_only:
        return _on_cpu(evidence) and evidence.equals(_blocked(evidence, masked=False))
    if not outside_load(evidence):
        return False
    mask = mask_at_fault(evidence) or ""
    bound_by_m_or_n = "offs_m" in mask or "offs_n" in mask
    return bound_by_m_or_n and "<=" not in mask and not _right_k_mask(evidence, mask)


def _right_k_mask(evidence: Evidence, mask: str) -> bool:
    """What is left of K shrinks from turn to turn, and `k` counts elements."""
    moves = "K - k" in mask or "+ k" in mask or "k +" in mask
    loops = evidence.source.calls("cdiv")
    return moves and not loops


def _rounds_to_tf32(evidence: Evidence) -> bool:
    import torch

    if not evidence.values_only or "float16" in evidence.source.kernel_text():
        return False
    a, b = evidence.arguments
    if a.dtype != torch.float32:
        return False
    return any(evidence.equals(_to_tf32(a, even).double() @ _to_tf32(b, even).double()) for even in (True, False))


def _to_tf32(matrix: torch.Tensor, even: bool) -> torch.Tensor:
    """Rounded to 10 bits of fraction: half to even, or away from zero as `cvt.rna.tf32.f32` does (PTX ISA)."""
    import torch

    bits = matrix.contiguous().view(torch.int32)
    half = 0xFFF + (bits >> 13 & 1) if even else 0x1000
    return ((bits + half) & ~0x1FFF).view(torch.float32)


def _rounds_to_sixteen_bits(evidence: Evidence) -> bool:
    import torch

    kinds = (torch.float16, torch.bfloat16)
    products = (evidence.arguments[0].to(kind).double() @ evidence.arguments[1].to(kind).double() for kind in kinds)
    return evidence.values_only and any(evidence.equals(product) for product in products)


def _sums_in_sixteen_bits(evidence: Evidence) -> bool:
    """Near the right values on the whole, and too far from nearly all of them, as if digits were cut."""
    if not evidence.values_only or "float16" not in evidence.source.kernel_text():
        return False
    error = (evidence.output.double() - evidence.expected).abs()
    return bool((error <= 0.02 * (1 + evidence.expected.abs())).all())


def _pid_split(evidence: Evidence) -> bool:
    """One axis of programs, taken apart by `//` and `%`."""
    import ast

    divides = {
        type(node.op) for kernel in evidence.source.kernels for node in ast.walk(kernel) if isinstance(node, ast.BinOp)
    }
    return unwritten(evidence) and len(evidence.grid) == 1 and {ast.FloorDiv, ast.Mod} <= divides


def _grid_counts_k(evidence: Evidence) -> bool:
    from triton_workshop.tensors import cdiv

    if not unwritten(evidence) or len(evidence.grid) != 2:
        return False
    k = evidence.arguments[0].shape[1]
    pairs = zip(evidence.grid, evidence.wanted_grid, evidence.blocks, strict=True)
    wrong = [has for has, wants, _ in pairs if has != wants]
    counts = {cdiv(k, block) for block in (*evidence.blocks, _block_k(evidence))}
    grid = evidence.source.line(evidence.source.grid_line())
    return bool(wrong) and all(has in counts for has in wrong) and "K" in grid.replace("BLOCK", "").replace("_K", "")


def _output_has_another_shape(evidence: Evidence) -> bool:
    launch = evidence.launch
    if not out_of_bounds(evidence) or launch is None or evidence.fault is None:
        return False
    tensor = launch.tensors.get(evidence.fault.argument or "")
    return tensor is not None and tensor.stored > 0 and tensor.shape != tuple(evidence.expected.shape)


MISTAKES = (
    Mistake(
        "tf32",
        (
            "How many digits of the inputs does the product use?",
            'A float32 tl.dot may round its inputs to TF32, 10 bits of fraction. input_precision="ieee" keeps all 23.',
        ),
        _rounds_to_tf32,
        todo=9,
        blames=at_call("dot"),
    ),
    Mistake(
        "accumulator-overwritten",
        (
            "What is left of the first blocks of K when the loop has ended?",
            "Only the last block is in the result. Each product is added to the sum so far.",
        ),
        _only_the_last_block,
        todo=9,
        blames=lambda evidence: max(evidence.source.assignments("accumulator"), default=None),
    ),
    Mistake(
        "k-floor",
        (
            "How many blocks does the loop take along K, and how long is the last one?",
            "The end of K is left out. range(0, K, BLOCK_SIZE_K) goes through all of it, its last block partly filled; "
            "`//` rounds down.",
        ),
        _whole_blocks_only,
        todo=GIVEN,
        blames=lambda evidence: next((call.lineno for call in evidence.source.calls("range")), None),
    ),
    Mistake(
        "k-not-advanced",
        (
            "Which elements of A and B does the second turn of the loop load?",
            "a_ptrs and b_ptrs both have to move along K, or a turn loads again what the one before has loaded.",
        ),
        _not_advanced,
        todo=10,
        blames=at("a_ptrs", "b_ptrs"),
    ),
    Mistake(
        "k-not-masked",
        (
            "What lies beyond the last column of A, in memory?",
            "Behind a row comes the next row: where the block reaches beyond K, that is garbage in the sum. Mask it: "
            "offs_k less than what is left of K.",
        ),
        _k_not_masked,
        todo=7,
        blames=at_call("load"),
    ),
    Mistake(
        "swapped-strides",
        (
            "What does one step along M, along K, along N cost in memory?",
            "Two strides have changed places. In stride_am the second letter says along what: m down, k to the right.",
        ),
        _swapped_strides,
        todo=4,
        blames=at("a_ptrs"),
    ),
    Mistake(
        "wrong-stride",
        (
            "What if a row of A is not contiguous, or B is a transposed view?",
            "A step along K is stride_ak elements of A, and stride_bk of B: the matrices may lie in memory in any way.",
        ),
        _wrong_stride,
        todo=10,
        blames=at("a_ptrs"),
    ),
    Mistake(
        "accumulator-not-float32",
        (
            "In which dtype are the products summed?",
            "16 bits keep three digits. Leave the tiles as they are, and sum in float32.",
        ),
        lambda evidence: _rounds_to_sixteen_bits(evidence) or _sums_in_sixteen_bits(evidence),
        todo=6,
        blames=at("accumulator"),
    ),
)
SHAPES = (
    Mistake(
        "wrong-shape",
        (
            "How many rows and columns has C?",
            "A is (M, K), B is (K, N): C is (M, N). The kernel stores to a tensor of another shape.",
        ),
        _output_has_another_shape,
        blames=at("c"),
    ),
)
GRIDS = (
    Mistake(
        "grid-over-k",
        (
            "Which of M, N and K do the programs share out among them?",
            "Each program makes a tile of C, so the grid divides M and N. K is what each of them loops over.",
        ),
        _grid_counts_k,
        todo=12,
        blames=at_grid,
    ),
    Mistake(
        "pid-split",
        (
            "Number the tiles of C row by row. In which row is tile 5, when a row has 3?",
            "With n tiles along N, program pid is in row pid // n, column pid % n.",
        ),
        _pid_split,
        blames=at("pid_m"),
    ),
)
STORES = (
    Mistake(
        "swapped-strides",
        (
            "Where in C does the element of row m, column n lie?",
            "At m * stride_cm + n * stride_cn: rows go with stride_cm, columns with stride_cn.",
        ),
        _stored_with_swapped_strides,
        todo=11,
        blames=at("c_ptrs"),
    ),
)

EXERCISE = Exercise(
    number=4,
    title="multiply two matrices",
    launcher="matmul",
    kernel="matmul_kernel",
    # K that is no multiple of a block comes early: an unmasked K is the mistake that hides best.
    cases=(
        _case(24, 24, 17),
        _case(1, 1, 1),
        _case(64, 64, 32),
        _case(64, 64, 33),
        _case(65, 63, 31),
        _case(65, 63, 31, ", other values"),
        _case(17, 130, 20),
        _case(33, 18, 100),
        _transposed_case(70, 50, 40),
        _strided_case(50, 70, 40),
    ),
    gpu_cases=(
        _case(65, 63, 31),
        _case(4096, 4096, 4096),
        _case(1000, 4097, 2047),
        _transposed_case(1023, 513, 1025),
        _strided_case(300, 700, 400),
    ),
    reference=_reference,
    reduction_length=lambda a, b: int(a.shape[1]),
    tiling=(Axis(0, "BLOCK_SIZE_M", 64), Axis(1, "BLOCK_SIZE_N", 64)),
    sizes_by_name=lambda a, b: {
        "M": a.shape[0],
        "N": b.shape[1],
        "K": a.shape[1],
        "stride_am": a.stride(0),
        "stride_ak": a.stride(1),
        "stride_bk": b.stride(0),
        "stride_bn": b.stride(1),
    },
    inputs_by_name={"a_ptr": 0, "b_ptr": 1},
    bytes_moved=lambda a, b: (a.numel() + b.numel() + a.shape[0] * b.shape[1]) * a.element_size(),
    operations=lambda a, b: 2 * a.shape[0] * a.shape[1] * b.shape[1],
    hints=(
        (
            "A tile of C needs whole rows of A. Which rows?",
            "pid_m * BLOCK_SIZE_M plus tl.arange(0, BLOCK_SIZE_M): these are rows of A, and of C.",
        ),
        (
            "And which columns of B?",
            "The same along N, from pid_n: columns of B, and of C.",
        ),
        (
            "Where along K does every program start?",
            "At 0: tl.arange(0, BLOCK_SIZE_K). The loop moves the tiles, so no program id here.",
        ),
        (
            "Where in memory does element (m, k) of A lie?",
            "At m * stride_am + k * stride_ak. offs_m[:, None] and offs_k[None, :] make a block of pointers.",
        ),
        (
            "And element (k, n) of B? Which of the two runs down the block?",
            "At k * stride_bk + n * stride_bn, with k down the rows of the block.",
        ),
        (
            "What does the sum start from, and how many digits does it need?",
            "tl.zeros((rows, columns), dtype=tl.float32). In float16 the sum would lose its small terms.",
        ),
        (
            "In which two directions can the tile of A stick out?",
            "The mask: offs_m less than M, and offs_k less than what is left of K, which is K - k. other=0.0 adds "
            "nothing.",
        ),
        (
            "And the tile of B?",
            "The mask: offs_k less than K - k down the rows, offs_n less than N along the columns; other=0.0.",
        ),
        (
            "Which function multiplies two blocks, and what becomes of the sum so far?",
            'tl.dot(a, b, accumulator, input_precision="ieee") returns the accumulator plus the product: keep what '
            "it returns, and add nothing else. Without input_precision a GPU may round float32 inputs to TF32, 10 bits "
            "of fraction.",
        ),
        (
            "How far is it, in memory, to the next block along K?",
            "One step is BLOCK_SIZE_K elements: a_ptrs moves by BLOCK_SIZE_K * stride_ak, b_ptrs by "
            "BLOCK_SIZE_K * stride_bk.",
        ),
        (
            "Where in C does the tile belong, and where does C end?",
            "Pointers from c_ptr, offs_m, offs_n and the two strides of C; the mask keeps both inside M and N. The "
            "accumulator is stored as it is: tl.store converts it to C's dtype.",
        ),
        (
            "How many tiles has C along M, how many along N? Which of them is axis 0?",
            "Two axes: cdiv(M, BLOCK_SIZE_M) first, because axis 0 is pid_m.",
        ),
        (
            "Which arguments does matmul_kernel declare, in which order?",
            "Three matrices, M, N, K, then the six strides in the kernel's order, then the three block sizes. "
            "a.stride() gives a's two.",
        ),
    ),
    todos_for={
        "offsets": (1, 2, 3, 4, 5, 10),
        "mask": (7, 8, 11),
        "load": (7, 8),
        "sum": (6, 9),
        "store": (11,),
        "grid": (12,),
        "launch": (13,),
        "blocks": (12, 13),
    },
    mistakes=(*TENSORS, *SHAPES, *STORES, *GRIDS, *PATTERN_OF_TILES, *MISTAKES, *MASKS, *LAST),
)
