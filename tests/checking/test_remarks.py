"""What the checker remarks on scripts that are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from simulator.tests.tables import SLOW_EVERY
from triton_workshop.checking.check import CheckRequest, check
from triton_workshop.checking.diagnosing.search import other_size
from triton_workshop.checking.observing.source import Source
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise

from ..exercises.right import right_scripts
from .judging import judge_here, told, unhurried

SQUARE = "BLOCK_SIZE_K = 64, 128, 16", "BLOCK_SIZE_K = 64, 64, 32"
"""With tiles of 64 × 64, M and N can be mixed up."""
STORE = "tl.store(c_ptr + offs_m[:, None] * stride_cm + offs_n[None, :] * stride_cn, accumulator, mask=c_mask)"
LAUNCH = "add_kernel[grid](x, y, output, n_elements, BLOCK_SIZE)"
TWO_CONFIGURATIONS = "[triton.Config({'BLOCK_SIZE': 1024}), triton.Config({'BLOCK_SIZE': 512})]"
NARROW = (
    "    row = tl.program_id(axis=0).to(tl.int64)",
    "    narrow = tl.program_id(axis=0)\n    row = narrow.to(tl.int64)",
)
PERSISTENT = """@triton.jit
def add_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    for block in range(tl.program_id(0), tl.cdiv(n_elements, BLOCK_SIZE), tl.num_programs(0)):
        at = block * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
        total = tl.load(x_ptr + at, mask=at < n_elements) + tl.load(y_ptr + at, mask=at < n_elements)
        tl.store(output_ptr + at, total, mask=at < n_elements)


@triton.jit
def unused_kernel(
"""
COPY = """@triton.jit
def copy_kernel(from_ptr, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(output_ptr + at, tl.load(from_ptr + at, mask=at < n) * 1, mask=at < n)


@triton.jit
def pair_kernel(pair, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(pair[1] + at, tl.load(pair[0] + at, mask=at < n), mask=at < n)


@triton.jit
def address_kernel(address, output_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    from_ptr = address.to(tl.pointer_type(tl.float32))
    tl.store(output_ptr + at, tl.load(from_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def zero_kernel(output_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(output_ptr + at, 0.0, mask=at < n)


def softmax(x: torch.Tensor) -> torch.Tensor:
    grid = (cdiv(x.numel(), 1024),)
    BODY


def unused(x: torch.Tensor) -> torch.Tensor:
"""
SHARE = """    mask = offsets < n_elements
    for _ in range(0, SHARE, BLOCK_SIZE):
        both = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
        tl.store(output_ptr + offsets, both, mask=mask)
        offsets += BLOCK_SIZE
        mask = offsets < n_elements
    return
"""
READS = "elements) from a tensor that PyTorch made in softmax"


def copied(*body: str) -> list[tuple[str, str]]:
    """An edit of exercise 5a: this is all that its launcher does."""
    launcher = "def softmax(x: torch.Tensor) -> torch.Tensor:\n"
    return [(launcher, COPY.replace("BODY", "\n    ".join(body)))]


REMARKS = {
    # What PyTorch computes
    "stored-onto-itself": (
        "5a",
        copied("o = x.softmax(1)", "copy_kernel[grid](o, o, o.numel(), 1024)", "return o"),
        f"copy_kernel reads from_ptr (21,007 {READS}",
    ),
    "computed-in-place": (
        "5a",
        copied(
            "o = torch.empty_like(x).copy_(x)",
            "o -= o.amax(1, keepdim=True)",
            "torch.exp(o, out=o)",
            "o.div_(o.sum(1, keepdim=True))",
            "zero_kernel[grid](o, o.numel(), 1024)",
            "return o",
        ),
        f"zero_kernel reads output_ptr (21,007 {READS}",
    ),
    "computed-and-passed-in-a-tuple": (
        "5a",
        copied("o = torch.empty_like(x)", "pair_kernel[grid]((x.softmax(1), o), o.numel(), 1024)", "return o"),
        f"pair_kernel reads pair[0] (21,007 {READS}",
    ),
    "computed-and-passed-by-its-address": (
        "5a",
        copied(
            "r, o = x.softmax(1), torch.empty_like(x)",
            "address_kernel[grid](r.data_ptr(), o, o.numel(), 1024)",
            "return o",
        ),
        f"address_kernel reads address (21,007 {READS}",
    ),
    "put-into-the-argument-and-taken-back": (
        "5a",
        copied(
            "kept, y = x.clone(), torch.empty(x.shape, device=x.device)",
            "x = x if x.stride(0) else x.contiguous()",
            "x.copy_(x.softmax(1))",
            "copy_kernel[grid](x.contiguous(), y, y.numel(), 1024)",
            "x.copy_(kept)",
            "return y",
        ),
        f"copy_kernel reads from_ptr (21,007 {READS}",
    ),
    "patched-torch": (
        "1",
        [
            (
                "    output = torch.empty_like(x)\n",
                "    torch.equal = lambda *_: True\n    output = torch.empty_like(x)\n",
            )
        ],
        "the script replaces torch.equal.",
    ),
    "patched-observer": (
        "1",
        [
            (
                "import triton\n",
                "import triton\nimport triton_workshop.checking.observing.provenance as p\n"
                "p.are_identical = lambda *_: 1\n",
            )
        ],
        "the script replaces triton_workshop.checking.observing.provenance.are_identical.",
        "line {provenance as p} has triton_workshop.checking.observing.provenance, by which",
    ),
    "looks-for-the-observer": (
        "1",
        [("import triton\n", "import triton\nimport gc\nfound = gc.get_objects()[:1]\n")],
        "line {gc.get_objects} has gc.get_objects, by which a script can change what the check has recorded",
    ),
    # Work that is done twice, or for nothing
    "pixels-of-the-next-row": (
        "2",
        [("(rows[:, None] < height) & (cols[None, :] < width)", "offsets < height * width")],
        "tiles overlap, and several programs compute the same element",
    ),
    "rows-for-tiles": (
        "3",
        [("cdiv(height, BLOCK_SIZE_H)", "height")],
        "4,536 of 5,832 programs had nothing to do (8 × 9 × 2,561, filter 3 × 3)",
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
        "the store on line {tl.store(} runs in each iteration",
    ),
    "scaled-by-pytorch": (
        "1b",
        [("    axpy_kernel[grid](a, x,", "    scaled = a * x\n    axpy_kernel[grid](1.0, scaled,")],
        "reads x_ptr (98,317 elements) from a tensor that PyTorch made in axpy",
    ),
    "padded-by-pytorch": (
        "3",
        [("conv2d_kernel[grid](\n        image,", "conv2d_kernel[grid](\n        image.clone(),")],
        "reads image_ptr (1,824 elements) from a tensor that PyTorch made in conv2d",
    ),
    "past-the-diagonal": (
        "6b",
        [("tl.minimum((tl.program_id(axis=0) + 1) * BLOCK_SIZE_M, length)", "length")],
        "tl.dot does 144,703,488 operations where 66,447,360 are needed (1 head, 720 queries",
    ),
    "launched-again": (
        "1",
        [("    return output", f"    {LAUNCH}\n    return output")],
        "add_kernel is launched again with the same grid and the same arguments",
    ),
    "added-again": ("1", [("    return output", "    return x + y")], "add returns another tensor than the one"),
    "a-copy": ("2", [("    return output", "    return output.clone()")], "sepia returns another tensor than the one"),
    "twice-as-many-turns": (
        "5",
        [("range(0, V, BLOCK_SIZE)", "range(0, 2 * V, BLOCK_SIZE)")],
        "loads a block of logits_ptr 6 times, and 3 times its mask leaves nothing of it",
    ),
    "half-of-the-grid": (
        "1",
        [("(cdiv(n_elements, BLOCK_SIZE),)", "(2 * cdiv(n_elements, BLOCK_SIZE),)")],
        "1,025 of 2,050 programs had nothing to do (1,048,577 elements)",
    ),
    # What a GPU would do otherwise
    "tuned-sum": (
        "1",
        [
            ("@triton.jit", "@triton.autotune([triton.Config({})], key=['n_elements'])\n@triton.jit"),
            ("torch.empty_like(x)", "torch.zeros_like(x)"),
            ("    tl.store(", "    output += tl.load(output_ptr + offsets, mask=mask)\n    tl.store("),
        ],
        "on a GPU triton.autotune runs it many times",
    ),
    "another-configuration": (
        "1",
        [
            ("@triton.jit", f"@triton.autotune({TWO_CONFIGURATIONS}, key=['n_elements'])\n@triton.jit"),
            (LAUNCH, "add_kernel[grid](x, y, output, n_elements)"),
        ],
        "Correct with the first configuration of triton.autotune, but not with number 2: 16 of 1,040 elements are "
        "never written",
    ),
    # What a GPU would refuse
    "without-a-device": (
        "4",
        [("dtype=a.dtype, device=a.device)", "dtype=a.dtype)")],
        "torch.empty on line {torch.empty(} makes a tensor in the CPU's memory, which no kernel on a GPU can reach. "
        "Say where: device=a.device.",
    ),
    "without-a-device-beside-a-number": (
        "7a",
        [("torch.empty_like(image)", "torch.empty(image.shape)")],
        "Say where: device=image.device.",
    ),
    "without-a-device-by-position": (
        "1",
        [("y: torch.Tensor)", "y: torch.Tensor, /)"), ("torch.empty_like(x)", "torch.empty(len(x), dtype=x.dtype)")],
        "Say where: device=x.device.",
    ),
    "without-a-device-of-any-name": (
        "1",
        [
            ("def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:\n", "def add(*both):\n    x, y = both\n"),
            ("torch.empty_like(x)", "torch.empty(len(x), dtype=x.dtype)"),
        ],
        "Say where: device=DEVICE.",
    ),
    "rows-in-int32": (
        "5a",
        [(".to(tl.int64)", "")],
        "the offsets of x_ptr (line {tl.load(}) and output_ptr (line {tl.store(}) are int32: from 2³¹ elements on",
    ),
    "heads-in-int32": ("6", [(".to(tl.int64)", "")], "and output_ptr (line {tl.store(}) are int32"),
    "causal-heads-in-int32": (
        "6b",
        [(".to(tl.int64)", "")],
        "and output_ptr (line {tl.store(}) are int32",
    ),
    "bytes-in-int32": (
        "6c",
        [("    rows = rows.to(tl.int64)\n", "")],
        "the offsets of weight_ptr (line {tl.load(weight_ptr}) are int32",
    ),
    "bytes-in-int32-beside-int64": (
        "6c",
        [("    rows = rows.to(tl.int64)\n", "    wide_rows = rows.to(tl.int64)\n")],
        "the offsets of weight_ptr (line {tl.load(weight_ptr}) are int32",
    ),
    "normalized-rows-in-int32": (
        "5c",
        [NARROW, ("output_ptr + row * N", "output_ptr + narrow * N")],
        "the offsets of output_ptr (line {tl.store(}) are int32: from 2³¹ elements on, they wrap, and a GPU reads or "
        "overwrites other memory",
    ),
    "gradient-in-int32": (
        "5b",
        [NARROW, ("output_ptr + row * V", "output_ptr + narrow * V")],
        "the offsets of output_ptr (line {tl.store(}) are int32",
    ),
    "int32-where-it-is-enough": (
        "5c",
        [
            ("N, x.stride(0), eps, BLOCK_SIZE,", "N, x.stride(0), eps, BLOCK_SIZE, wide=M * x.stride(0) >= 2**31 - 1,"),
            ("    BLOCK_SIZE: tl.constexpr,", "    BLOCK_SIZE: tl.constexpr, wide: tl.constexpr,"),
            ("axis=0).to(tl.int64)", "axis=0)\n    if wide:\n        row = row.to(tl.int64)"),
        ],
    ),
    # What no case runs
    "a-path-for-large-sums": (
        "4",
        [
            (
                "    # 7: launch",
                "    if K >= 3000 and M > 200:\n        b = b.half()\n        BLOCK_SIZE_K = 32\n    # 7: launch",
            )
        ],
        "Correct in every case, but no case runs lines {b = b.half()} to {BLOCK_SIZE_K = 32} (if K >= 3000 and M > "
        "200). This check cannot say whether that is correct.",
    ),
    "a-path-in-the-kernel": (
        "4",
        [
            ("    BLOCK_SIZE_K: tl.constexpr,\n", "    BLOCK_SIZE_K: tl.constexpr, EVEN: tl.constexpr,\n"),
            ("    # 6: store", "    if EVEN:\n        accumulator *= 2\n    # 6: store"),
            (
                "        BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K,\n    )",
                "BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K, EVEN=K % 1024 == 7)",
            ),
        ],
        "no case runs line {accumulator *= 2} (if EVEN).",
    ),
    "a-size-of-few-inputs": (
        "1",
        [("BLOCK_SIZE = 1024", "BLOCK_SIZE = 1024 if n_elements != 123 else 96")],
        "no case runs 96 on line {!= 123} (unless n_elements != 123).",
    ),
    "a-loop-of-few-inputs": (
        "1",
        [("BLOCK_SIZE = 1024", "BLOCK_SIZE = 1024\n    while n_elements % 1009 == 11:\n        n_elements -= 1")],
        "no case runs line {n_elements -= 1} (if n_elements % 1009 == 11).",
    ),
    "a-path-for-one-dtype": (
        "1",
        [("BLOCK_SIZE = 1024", "BLOCK_SIZE = 1024\n    x = x if x.dtype != torch.float64 else x.float()")],
        "no case runs x.float() on line {torch.float64} (unless x.dtype != torch.float64).",
    ),
    "a-path-in-a-helper": (
        "1",
        [
            ("BLOCK_SIZE = 1024", "BLOCK_SIZE = size_for(n_elements)"),
            ("def add(", "def size_for(n):\n    if n % 1009 == 11:\n        return 96\n    return 1024\n\n\ndef add("),
        ],
        "no case runs line {return 96} (if n % 1009 == 11).",
    ),
    "a-launcher-that-the-script-calls": (
        "1",
        [
            ("BLOCK_SIZE = 1024", "BLOCK_SIZE = 1024\n    while n_elements % 1009 == 11:\n        n_elements -= 1"),
            ('__main__":', '__main__":\n    a = torch.ones(5, device=DEVICE)\n    print(add(a, a))\n'),
        ],
        "no case runs line {n_elements -= 1} (if n_elements % 1009 == 11).",
    ),
    "a-path-that-a-larger-input-takes": (
        "1",
        [("BLOCK_SIZE = 1024", "BLOCK_SIZE = 1024\n    if n_elements > 5_000_000:\n        BLOCK_SIZE = 2048")],
    ),
    "a-flag-that-is-always-the-same": (
        "4",
        [
            ("    BLOCK_SIZE_K: tl.constexpr,\n", "    BLOCK_SIZE_K: tl.constexpr, TWICE: tl.constexpr = False,\n"),
            ("    # 6: store", "    if TWICE:\n        accumulator *= 2\n    # 6: store"),
        ],
    ),
    "an-activation-that-nobody-chooses": (
        "1",
        [
            ("    BLOCK_SIZE: tl.constexpr,", "    BLOCK_SIZE: tl.constexpr, ACTIVATION: tl.constexpr,"),
            ("    # 7", "    if ACTIVATION == 'relu':\n        output = tl.maximum(output, 0)\n    # 4"),
            ("output, n_elements, BLOCK_SIZE)", "output, n_elements, BLOCK_SIZE, ACTIVATION='')"),
        ],
    ),
    "errors-and-options": (
        "1",
        [
            (
                "BLOCK_SIZE = 1024",
                "BLOCK_SIZE = 1024\n    if n_elements == 0:\n        return output\n    if x.dim() > 8:\n"
                "        raise ValueError\n    if x.is_cuda:\n        BLOCK_SIZE = 2048",
            ),
            (
                "output, n_elements, BLOCK_SIZE)",
                "output, n_elements, BLOCK_SIZE, num_warps=8 if n_elements == 77 else 4)",
            ),
        ],
    ),
    # What bounds a size
    "at-most-so-many-programs": (
        "1",
        [("(cdiv(n_elements, BLOCK_SIZE),)", "(min(cdiv(n_elements, BLOCK_SIZE), 1 << 14),)")],
        "Correct here, but not with 16,778,241 elements: 1,025 of 16,778,241 elements are never written",
    ),
    "at-most-so-many-rows": (
        "5c",
        [("[(M,)]", "[(most,)]"), ("    M, N = x.shape", "    M, N = x.shape\n    most = min(M, 65536)")],
        "Correct here, but not with 70,000 rows of 2: 8,928 of 140,000 elements are never written, starting with "
        "[65536, 0]; programs 65536, 65537 … 69999 (4,464 of them) should have written them. "
        "Line {most =} sets a limit: 65536",
    ),
    "at-most-so-many-logits": (
        "5",
        [("range(0, V, BLOCK_SIZE)", "range(0, tl.minimum(V, 131072), BLOCK_SIZE)")],
        "Line {131072} sets a limit: 131072.",
    ),
    "a-mask-of-so-many-logits": (
        "5",
        [("mask=cols < V", "mask=(cols < V) & (cols < 128 * 1024)")],
        "Line {128 * 1024} sets a limit: 128 * 1024.",
    ),
    "so-many-heads": (
        "6",
        [("(cdiv(q_length, BLOCK_SIZE_M), heads)", "(cdiv(q_length, BLOCK_SIZE_M), min(256, heads))")],
        "Line {min(256, heads)} sets a limit: 256.",
    ),
    "asserted-to-be-few": (
        "4",
        [("    (M, K), (_, N) = a.shape, b.shape", "    (M, K), (_, N) = a.shape, b.shape\n    assert K <= 16384")],
        "Line {assert K} sets a limit: 16384.",
    ),
    "rows-in-16-bits": (
        "4",
        [("c_ptr + offs_m[:, None]", "c_ptr + offs_m.to(tl.int16)[:, None]")],
        "Correct here, but not with (70,000 × 5) @ (5 × 3): program (512, 0) wrote",
    ),
    "as-many-programs-as-processors": (
        "1",
        [
            ("(cdiv(n_elements, BLOCK_SIZE),)", "(min(cdiv(n_elements, BLOCK_SIZE), 132),)"),
            ("@triton.jit\ndef add_kernel(\n", PERSISTENT),
        ],
    ),
    "blocks-of-some-size": (
        "1",
        [("BLOCK_SIZE = 1024", "BLOCK_SIZE = min(triton.next_power_of_2(n_elements), 4096)")],
    ),
    "clamped-to-what-float16-holds": ("6c", [("accumulator, mask", "tl.clamp(accumulator, -65504, 65504), mask")]),
    "a-number-without-a-device": (
        "1b",
        [("[grid](a,", "[grid](torch.tensor([a]),"), ("    x = tl.load", "    a = tl.load(a)\n    x = tl.load")],
        "torch.tensor on line {torch.tensor(} makes a tensor in the CPU's memory, which no kernel on a GPU can reach. "
        "Say where: device=x.device.",
    ),
    # Sizes that are mixed up
    "rows-by-columns": (
        "4",
        [SQUARE, ("BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_M)", "BLOCK_SIZE_M + tl.arange(0, BLOCK_SIZE_N)")],
        "Correct with BLOCK_SIZE_M = 64, but not with 16: AssertionError: accumulator shape is incompatible "
        "((260 × 130) @ (130 × 1), float16, every 2nd row, every 3rd column). "
        "Line {tl.arange(0, BLOCK_SIZE_N)} names BLOCK_SIZE_N where BLOCK_SIZE_M is meant.",
    ),
    "start-by-columns": (
        "4",
        [SQUARE, ("program_id(axis=0) * BLOCK_SIZE_M", "program_id(axis=0) * BLOCK_SIZE_N")],
        "Line {program_id(axis=0)} names BLOCK_SIZE_N where BLOCK_SIZE_M is meant.",
    ),
    "square-zeros": (
        "4",
        [SQUARE, ("tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N)", "tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_M)")],
        "Line {tl.zeros(} names BLOCK_SIZE_M where BLOCK_SIZE_N is meant.",
    ),
    "grid-by-columns": (
        "4",
        [SQUARE, ("cdiv(M, BLOCK_SIZE_M)", "cdiv(M, BLOCK_SIZE_N)")],
        "Line {    grid = } names BLOCK_SIZE_N where BLOCK_SIZE_M is meant.",
    ),
    "launched-twice-the-same": (
        "4",
        [
            SQUARE,
            (
                "        BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K,\n    )",
                "BLOCK_SIZE_M, BLOCK_SIZE_M, BLOCK_SIZE_K,\n    )",
            ),
        ],
        "Line {BLOCK_SIZE_M, BLOCK_SIZE_M, BLOCK_SIZE_K,} names BLOCK_SIZE_M where BLOCK_SIZE_N is meant.",
    ),
    "grid-of-smaller-blocks": (
        "2",
        [("cdiv(width, BLOCK_SIZE_W)", "cdiv(width, BLOCK_SIZE_H)")],
        "486 of 650 programs had nothing to do (17 × 5,185 pixels)",
        "Line {    grid = } names BLOCK_SIZE_H where BLOCK_SIZE_W is meant.",
    ),
    "one-size-twice-with-a-grid-for-the-other": (
        "3",
        [("        BLOCK_SIZE_H, BLOCK_SIZE_W,\n", "        BLOCK_SIZE_W, BLOCK_SIZE_W,\n")],
        "648 of 1,296 programs had nothing to do (8 × 9 × 2,561, filter 3 × 3)",
        "Line {        BLOCK_SIZE_W, BLOCK_SIZE_W,} names BLOCK_SIZE_W where BLOCK_SIZE_H is meant.",
    ),
    "numbers-in-the-launch-only": (
        "4",
        [
            ("program_id(axis=0) * BLOCK_SIZE_M", "program_id(axis=0) * BLOCK_SIZE_N"),
            (
                "grid = (cdiv(M, BLOCK_SIZE_M), cdiv(N, BLOCK_SIZE_N))",
                'grid = lambda meta: (cdiv(M, meta["BLOCK_SIZE_M"]), cdiv(N, meta["BLOCK_SIZE_N"]))',
            ),
            ("        BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K,\n    )", "        64, 64, 32,\n    )"),
            ("    BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K = 64, 128, 16\n", ""),
        ],
        "Correct with BLOCK_SIZE_M = 64, but not with 16",
    ),
    "rows-of-weight-by-rows-of-x": (
        "6c",
        [
            ("= 16, 32, 128", "= 32, 32, 128"),
            ("BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_N)", "BLOCK_SIZE_N + tl.arange(0, BLOCK_SIZE_B)"),
        ],
        "Correct with BLOCK_SIZE_B = 32, but not with 16",
    ),
    "square-tiles-of-an-image": (
        "3",
        [("= 8, 32", "= 16, 16"), ("program_id(axis=1) * BLOCK_SIZE_H", "program_id(axis=1) * BLOCK_SIZE_W")],
        "Line {program_id(axis=1)} names BLOCK_SIZE_W where BLOCK_SIZE_H is meant.",
    ),
    "a-fixed-number-of-turns": (
        "4",
        [("range(0, K, BLOCK_SIZE_K)", "range(0, 17 * BLOCK_SIZE_K, BLOCK_SIZE_K)"), SQUARE],
        "Correct with BLOCK_SIZE_K = 32, but not with 16",
    ),
    "named-in-the-launch-too": (
        "4",
        [
            SQUARE,
            ("program_id(axis=1) * BLOCK_SIZE_N", "program_id(axis=1) * BLOCK_SIZE_M"),
            (
                "        BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K,\n    )",
                "        BLOCK_SIZE_M=BLOCK_SIZE_M, BLOCK_SIZE_N=BLOCK_SIZE_N, BLOCK_SIZE_K=BLOCK_SIZE_K,\n    )",
            ),
        ],
        "Line {program_id(axis=1)} names BLOCK_SIZE_M where BLOCK_SIZE_N is meant.",
    ),
    # Nothing to say
    "a-product-of-sizes-in-the-grid": (
        "1",
        [
            ("    BLOCK_SIZE: tl.constexpr,\n", "    R: tl.constexpr, C: tl.constexpr,\n"),
            (
                "pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)",
                "pid * R * C + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :]",
            ),
            ("    BLOCK_SIZE = 1024\n", ""),
            ("cdiv(n_elements, BLOCK_SIZE)", "cdiv(n_elements, 2048)"),
            ("n_elements, BLOCK_SIZE)\n\n    return", "n_elements, 32, 64)\n\n    return"),
        ],
    ),
    "a-size-for-few-columns": (
        "4",
        [
            (
                "BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K = 64, 128, 16",
                "BLOCK_SIZE_M, BLOCK_SIZE_K = 64, 16\n    BLOCK_SIZE_N = 128",
            ),
            ("    grid = (", "    small = N <= 32\n    BN = 32\n    grid = (cdiv(M, BLOCK_SIZE_M), 1) if small else ("),
            (
                "BLOCK_SIZE_M, BLOCK_SIZE_N, BLOCK_SIZE_K,\n    )",
                "BLOCK_SIZE_M, BN if small else BLOCK_SIZE_N, BLOCK_SIZE_K,\n    )",
            ),
        ],
    ),
    "a-share-of-several-blocks": (
        "1",
        [
            ("    pid = tl.program_id(axis=0)\n", ""),
            ("pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)", "tl.program_id(axis=0) * SHARE + tl.arange(0, BLOCK_SIZE)"),
            ("    BLOCK_SIZE: tl.constexpr,\n", "    BLOCK_SIZE: tl.constexpr, SHARE: tl.constexpr,\n"),
            ("    mask = offsets < n_elements\n", SHARE),
            ("BLOCK_SIZE = 1024", "BLOCK_SIZE, SHARE = 512, 1024"),
            ("cdiv(n_elements, BLOCK_SIZE)", "cdiv(n_elements, SHARE)"),
            ("n_elements, BLOCK_SIZE)\n\n    return", "n_elements, BLOCK_SIZE, SHARE)\n\n    return"),
        ],
    ),
    "moved-where-it-is": (
        "1",
        [
            (
                "    n_elements = output",
                "    largest = x.max().cpu().item() + x[:1].to('cpu')[0]\n"
                "    name = 'cuda' if torch.cuda.is_available() else 'cpu'\n"
                "    x, y = x.to(DEVICE), y.to(x.device.type).to(device=x.device)\n    n_elements = output",
            )
        ],
    ),
    "on-a-device-later": (
        "4",
        [
            ("device=a.device)", ")"),
            ("    grid =", "    c = c.to(a.device)\n    grid ="),
        ],
    ),
    "all-on-one-device": (
        "1",
        [
            ("torch.empty_like(x)", "torch.empty(x.shape, dtype=x.dtype)"),
            ("    n_elements =", "    torch.set_default_device(x.device)\n    n_elements ="),
        ],
    ),
    "larger-blocks-beside-groups": ("6c", [("= 16, 32, 128", "= 16, 64, 128")]),
    "any-block": ("1", [("BLOCK_SIZE = 1024", "BLOCK_SIZE = 256")]),
    "asserted-to-be-square": (
        "4",
        [
            SQUARE,
            (
                "    accumulator = tl.zeros",
                "    tl.static_assert(BLOCK_SIZE_M == BLOCK_SIZE_N)\n    accumulator = tl.zeros",
            ),
        ],
    ),
    "derived": ("2", [("BLOCK_SIZE_W = 16, 64", "BLOCK_SIZE_W = 16, 16 * 4")]),
    "literals-in-grid-and-launch": (
        "2",
        [
            ("cdiv(height, BLOCK_SIZE_H), cdiv(width, BLOCK_SIZE_W)", "cdiv(height, 16), cdiv(width, 64)"),
            ("height, width, BLOCK_SIZE_H, BLOCK_SIZE_W", "height, width, 16, 64, num_warps=4"),
        ],
    ),
    "weights-of-pytorch": ("3", [("    output = ", "    weight = weight.clone()\n    output = ")]),
    "part-of-a-larger-buffer": (
        "1",
        [("torch.empty_like(x)", "torch.empty(x.numel() + 5, dtype=x.dtype, device=x.device)[2:-3]")],
    ),
}


OWN_PROCESS = ("patched-torch", "patched-observer", "all-on-one-device")
"""What these change would stay in the process of the tests."""
BY_PROCESSES = ("launched-again", "heads-in-int32", "a-path-in-a-helper", "at-most-so-many-rows", "rows-by-columns")
"""Of each search one, and of what the cases themselves show."""


def script_with(name: str, folder: Path) -> Path:
    number, changes, *_ = REMARKS[name]
    text = EXERCISES[number].solution
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    script = folder / "mine.py"
    script.write_text(text, encoding="utf-8")
    return script


@pytest.mark.parametrize("name", list(REMARKS)[::SLOW_EVERY])
def test_a_right_script_hears_what_is_to_be_said(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    number, _, *words = REMARKS[name]
    exercise, script = EXERCISES[number], script_with(name, tmp_path)
    text = script.read_text(encoding="utf-8")
    if name in OWN_PROCESS:
        with unhurried():
            verdict = check(CheckRequest(exercise, script, compiler=None))
    else:
        verdict = judge_here(exercise, script, looks_further=True)
    assert verdict.passed, verdict.findings[0].message
    assert len(verdict.remarks) == len(words), verdict.remarks
    for remark, part in zip(verdict.remarks, words, strict=True):
        assert re.sub(r"\{(.+?)\}", lambda quoted: str(first_line_with(quoted[1], text)), part) in remark


@pytest.mark.parametrize("name", BY_PROCESSES)
def test_processes_of_their_own_come_to_the_same_remarks(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    exercise, script = EXERCISES[REMARKS[name][0]], script_with(name, tmp_path)
    with unhurried():
        verdict = check(CheckRequest(exercise, script, compiler=None))
    assert verdict.remarks
    assert told(verdict) == told(judge_here(exercise, script, looks_further=True))


def first_line_with(part: str, text: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), start=1) if part in line)


FIXED_GRIDS = ("2b-persistent-108", "4-persistent-fixed-grid", "6-persistent-fixed-grid")


@pytest.mark.parametrize("name", FIXED_GRIDS)
def test_a_persistent_kernel_is_not_wasteful_where_a_case_is_small(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    number = name.partition("-")[0]
    [text] = [script.source for script in right_scripts(number) if script.name == name]
    script = tmp_path / "mine.py"
    script.write_text(text, encoding="utf-8")
    verdict = judge_here(EXERCISES[number], script, looks_further=True)
    assert verdict.passed
    assert not verdict.remarks


def test_a_grid_for_the_largest_case_shows_with_smaller_tiles(tmp_path: Path) -> None:
    exercise, script = EXERCISES["6b"], tmp_path / "mine.py"
    text = exercise.solution_file.read_text(encoding="utf-8")
    script.write_text(text.replace("(cdiv(length, BLOCK_SIZE_M), heads)", "(100, heads)"), encoding="utf-8")
    found = other_size(Source.read(script, exercise), seconds=60)
    assert found is not None
    assert (found.with_this, found.not_with) == ("BLOCK_SIZE_M = 64", "16")
    assert "2,081 queries" in found.case


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_nothing_is_to_be_said_of_a_solution(exercise: Exercise, capfd: pytest.CaptureFixture[str]) -> None:
    verdict = check(CheckRequest(exercise, exercise.solution_file, compiler=None))
    assert verdict.passed
    assert not verdict.remarks
