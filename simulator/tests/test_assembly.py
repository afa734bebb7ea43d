"""Inline assembly: instructions give what a GPU gives, and what is not simulated says so."""

from __future__ import annotations

import struct

import numpy as np
import pytest
import torch
import triton
import triton.language as tl

from triton_simulator.errors import NotSimulatedError
from triton_simulator.values import ptx

MANY = 2**64 - 1
"""A register with all bits set."""
NAN = 0x7FFFFFFF
TINY = 0x00000001
"""The smallest float32 number, which is subnormal."""


def f32(number: float) -> int:
    """The bits of a float32."""
    return int.from_bytes(struct.pack("<f", number), "little")


def f64(number: float) -> int:
    return int.from_bytes(struct.pack("<d", number), "little")


def result(instruction: str, operands: tuple[int, ...]) -> int:
    """What an instruction leaves, for operands that are given as bits."""
    registers = {f"${number}": np.array([bits], np.uint64) for number, bits in enumerate(operands, start=1)}
    with np.errstate(all="ignore"):
        ptx.run(f"{instruction} $0, {', '.join(registers)};", registers)
    return int(registers["$0"][0])


BYTES = (0x33221100, 0x77665544)
SMALLEST, LARGEST = f32(-(2.0**-126)), f32(2.0**127)
ONE_AND_LESS = (f32(1.0), f32(-(2.0**-60)))

RESULTS: list[tuple[str, tuple[int, ...], int]] = [
    # Each mode of `prmt` reads the two lowest bits of the selector only.
    ("prmt.b32", (*BYTES, 0x7531), 0x77553311),
    ("prmt.b32.f4e", (*BYTES, 7), 0x66554433),
    ("prmt.b32.b4e", (*BYTES, 1), 0x66770011),
    ("prmt.b32.rc8", (*BYTES, 2), 0x22222222),
    ("prmt.b32.ecl", (*BYTES, 1), 0x33221111),
    ("prmt.b32.ecr", (*BYTES, 1), 0x11111100),
    ("prmt.b32.rc16", (*BYTES, 3), 0x33223322),
    # Integers
    ("add.sat.s32", (0x7FFFFFFF, 1), 0x7FFFFFFF),
    ("sub.sat.s32", (0x80000000, 1), 0x80000000),
    ("mad.hi.sat.s32", (0x7FFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF), 0x7FFFFFFF),
    ("max.relu.s32", (2**32 - 5, 2**32 - 9), 0),
    ("div.u64", (MANY, 3), MANY // 3),
    ("rem.u64", (MANY, 10), MANY % 10),
    ("div.s64", (2**63, 3), 2**64 - 2**63 // 3),
    ("rem.s64", (2**63, 3), 2**64 - 2**63 % 3),
    ("bfe.u64", (MANY, 60, 8), 0xF),
    ("bfe.u64", (MANY, 0, 63), MANY >> 1),
    ("bfe.u64", (MANY, 0, 64), MANY),
    ("bfe.u64", (MANY, 64, 8), 0),
    ("bfe.s64", (MANY, 0, 64), MANY),
    ("bfe.s64", (2**63, 60, 8), MANY - 7),
    ("bfi.b64", (MANY, 0, 0, 64), MANY),
    ("bfi.b64", (MANY, 0, 64, 1), 0),
    ("bfi.b64", (MANY, 0, 60, 8), 0xF << 60),
    # The smaller and the larger of two floats
    ("min.f32", (NAN, f32(1.0)), f32(1.0)),
    ("min.NaN.f32", (NAN, f32(1.0)), NAN),
    ("max.NaN.f32", (f32(1.0), NAN), NAN),
    ("min.f32", (f32(0.0), f32(-0.0)), f32(-0.0)),
    ("max.f32", (f32(-0.0), f32(0.0)), f32(0.0)),
    ("min.xorsign.abs.f32", (f32(-3.0), f32(2.0)), f32(-2.0)),
    ("max.xorsign.abs.f32", (f32(-3.0), f32(-2.0)), f32(3.0)),
    # Results rounded up, down and towards zero, from the exact sum, product or quotient
    ("add.f32", ONE_AND_LESS, f32(1.0)),
    ("add.rm.f32", ONE_AND_LESS, 0x3F7FFFFF),
    ("add.rz.f32", ONE_AND_LESS, 0x3F7FFFFF),
    ("sub.rp.f32", ONE_AND_LESS, 0x3F800001),
    ("add.rz.f64", (f64(1.0), f64(-(2.0**-70))), f64(1.0 - 2.0**-53)),
    ("add.rp.f64", (f64(1.0), f64(2.0**-70)), f64(1.0 + 2.0**-52)),
    ("mul.rp.f64", (f64(1.0 + 2.0**-52),) * 2, f64(1.0 + 3 * 2.0**-52)),
    ("div.rp.f64", (f64(1.0), f64(3.0)), f64(1.0 / 3.0) + 1),
    ("div.rz.f32", (f32(2.0), f32(3.0)), f32(2.0 / 3.0) - 1),
    ("rcp.rm.f64", (f64(3.0),), f64(1.0 / 3.0)),
    ("sqrt.rp.f64", (f64(3.0),), f64(3.0**0.5) + 1),
    ("fma.rz.f64", (f64(1.0 + 2.0**-52), f64(1.0 + 2.0**-52), f64(2.0**-110)), f64(1.0 + 2.0**-51)),
    ("fma.rp.f64", (f64(1.0 + 2.0**-52), f64(1.0 + 2.0**-52), f64(2.0**-110)), f64(1.0 + 3 * 2.0**-52)),
    ("cvt.rz.f32.s64", (2**63 - 1,), 0x5EFFFFFF),
    ("cvt.rp.f64.u64", (MANY,), f64(2.0**64)),
    # `.ftz` makes zeros of subnormal operands, not of results only.
    ("add.ftz.f32", (SMALLEST, TINY), SMALLEST),
    ("mul.ftz.f32", (TINY, LARGEST), 0),
    ("lg2.approx.ftz.f32", (TINY,), f32(float("-inf"))),
    ("lg2.approx.f32", (TINY,), f32(-149.0)),
    ("max.ftz.f32", (TINY, f32(-1.0)), 0),
    ("setp.eq.ftz.f32", (TINY, 0), 1),
    ("setp.eq.f32", (TINY, 0), 0),
    ("mul.ftz.f16", (0x0001, 0x7000), 0),
    ("mul.ftz.f16", (0x0400, 0x3800), 0),
    ("cvt.rn.ftz.f16.f32", (f32(2.0**-20),), 0x0010),
    # Other modifiers
    ("add.sat.f32", (NAN, 0), 0),
    ("add.sat.f16x2", (0x3C00BC00, 0x3C003800), 0x3C000000),
    ("fma.rn.relu.f16", (0x3C00, 0xBC00, 0), 0),
    ("div.approx.f32", (f32(1.0), LARGEST), 0),
    ("div.full.f32", (f32(1.0), LARGEST), f32(2.0**-127)),
    ("cvt.rzi.s32.f64", (0x7FF8 << 48,), MANY - 0x7FFFFFFF),
    ("cvt.rzi.u64.f32", (NAN,), 1 << 63),
    ("cvt.rzi.s32.f32", (NAN,), 0),
    # From here on, what an H200 gives. `.relu` makes 0 of -0.
    ("cvt.rn.relu.bf16.f32", (0x80000000,), 0),
    ("cvt.rn.relu.f16.f32", (0x80000000,), 0),
    ("cvt.rn.relu.tf32.f32", (0x80000000,), 0),
    ("cvt.rn.relu.f16x2.f32", (0x17518711, 0x80000000), 0),
    ("cvt.rn.satfinite.relu.e4m3x2.f16x2", (0x6BC88000,), 0x7E00),
    ("cvt.rn.relu.f16x2.e5m2x2", (0xC080,), 0),
    ("fma.rn.ftz.relu.f16", (0xD9F8, 0x155, 0x8000), 0),
    ("fma.rn.relu.bf16x2", (0x80005053, 0x40705050, 0x8000C070), 0x612B),
    # Signed results of `cvt` fill a wider register with their sign.
    ("cvt.rni.sat.s8.f32", (0xC39B9DA3,), MANY - 0x7F),
    ("cvt.rzi.s8.f16", (0xD6AA,), MANY - 0x69),
    ("cvt.rni.sat.u8.f32", (0xC39B9DA3,), 0),
    ("cvt.sat.s16.s64", (0x9657B8DAB88FDAF8,), MANY - 0x7FFF),
    ("cvt.s16.u16", (0xAB7B,), MANY - 0x5484),
    # Division by 0
    ("div.s16", (2, 0), 0xFFFF),
    ("rem.u16", (2, 0), 0xFFFF),
    ("div.u32", (0x1BE449E4, 0), 0xFFFFFFFF),
    ("rem.s64", (0x7FFF, 0), MANY),
    # Places of fields in 64 bits are numbers of 32 bits, and in 32 bits, of 8.
    ("bfe.u64", (0x24F3EB4B5F3FBE62, 0x21, 0x10001), 0x1279F5A5),
    ("bfe.s64", (0x1BFA4F91C, 0x108, 0x10), 0),
    ("bfi.b64", (0xBDBF989DD72635E9, 0x3DBF989DD72635EB, 0x17, 0x108), 0x4EEB931AF4A635EB),
    ("bfe.u32", (0xABCD, 0x108, 8), 0xAB),
    # Of two numbers, the lower ones decide.
    ("setp.eq.bf16x2", (0x3BEA39E1, 0xC28E39E1), 1),
    ("setp.lt.bf16x2", (0x148D4524, 0x41F34521), 0),
    ("setp.eq.ftz.f16x2", (0x3C000001, 0x40000000), 1),
    # Products that float64 does not hold
    ("fma.rn.f64", (0x7FEFFFFFFFFFFFFF, 0xBF871B87FB1426DD, 0x7F871B87FB1426DA), 0xFC52391E013AF649),
    ("fma.rz.f64", (0x7FEFFFFFFFFFFFFF, 0xBF871B87FB1426DD, 0x7F871B87FB1426DA), 0xFC52391E013AF648),
    ("mad.rn.f64", (0x7F670576EA3AB244, 0x405A000000000000, 0xFFD2B4709E4FB0D7), 0x7C70000000000000),
    ("fma.rn.f64", (0x20E7255F1F0836A5, 0x8004E6D3B59422AD, 0), 1 << 63),
    ("fma.rm.f64", (0x800233E7EF14F152, 0xC0AD7C744A717BA0, 0x80A03CDAA590355C), 0x443),
    # Where `.ftz` does nothing, and where it comes before the rounding
    ("cvt.rm.ftz.f16.f32", (0x807042F3,), 0x8001),
    ("cvt.rp.ftz.f16.f32", (3,), 1),
    ("fma.rn.ftz.f16", (0x800, 0x8803, 0x400), 0),
    ("mul.ftz.f16", (0x408, 0x3BF0), 0x400),
    ("mul.ftz.f32", (0x00800000, 0x3F7FFFFF), 0),
    ("mul.f32", (0x00800000, 0x3F7FFFFF), 0x00800000),
    ("mul.rp.ftz.f32", (0x00800010, 0x3F7FFFDF), 0),
    ("fma.rn.ftz.f32", (0x045C387F, 0x3B94CBD3, 0), 0),
    # Kinds of NaN
    ("cvt.rna.tf32.f32", (NAN,), 0x7FFFE000),
    ("cvt.rna.tf32.f32", (0x7F800001,), 0x7F800000),
    ("cvt.rn.tf32.f32", (0x7FC00001,), 0x7FFFE000),
    ("cvt.rz.tf32.f32", (0x7F800001,), 0x7FFFE000),
    ("cvt.rn.f16.f32", (0x7F800001,), 0x7FFF),
    ("cvt.rni.f32.f32", (0x7F800001,), NAN),
    ("cvt.f32.f32", (0x7F800001,), 0x7F800001),
    ("cvt.f32.bf16", (0xFF81,), 0xFF810000),
    ("cvt.rn.satfinite.e4m3x2.f32", (0xFFC00001, 0x49742400), 0x7F7E),
]  # fmt: skip
LITERALS = {
    "mov.f32 $0, 0d3FB999999999999A": 0x3DCCCCCD,
    "mov.f32 $0, 0f3DCCCCCD": 0x3DCCCCCD,
    "mov.f32 $0, -1.5": f32(-1.5),
    "mov.f64 $0, 0f3DCCCCCD": 0x3DCCCCCD,
    "mov.f64 $0, 1e3": f64(1000.0),
    "mov.b32 $0, 0f3F800000": f32(1.0),
}


@pytest.mark.parametrize(("instruction", "operands", "expected"), RESULTS)
def test_an_instruction_gives_the_bits_of_a_gpu(instruction: str, operands: tuple[int, ...], expected: int) -> None:
    assert hex(result(instruction, operands)) == hex(expected)


@pytest.mark.parametrize("instruction", LITERALS)
def test_a_literal_is_a_number_of_the_type(instruction: str) -> None:
    registers: ptx.Registers = {}
    ptx.run(f"{instruction};", registers)
    assert hex(int(registers["$0"][0])) == hex(LITERALS[instruction])


@triton.jit
def quantize(x_ptr, out_ptr, TYPE: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    whole = tl.inline_asm_elementwise("cvt.rni.sat.s8.f32 $0, $1;", "=r,f", [x], dtype=TYPE, is_pure=True, pack=1)
    tl.store(out_ptr + at, whole)


@pytest.mark.parametrize(("dtype", "kind"), [(torch.int32, tl.int32), (torch.int8, tl.int8)])
def test_quantized_numbers_keep_their_sign(dtype: torch.dtype, kind: tl.dtype) -> None:
    out = torch.zeros(4, dtype=dtype)
    quantize[(1,)](torch.tensor([-1.0, -2.5, -300.0, 126.7]), out, kind, 4)
    assert out.tolist() == [-1, -2, -128, 127]


@pytest.mark.parametrize(
    ("instruction", "operands"),
    [
        ("add.cc.u32", 2), ("add.sat.u32", 2), ("add.sat.f64", 2), ("add.f32.f16", 2), ("add.rz.bf16", 2),
        ("min.s16x2", 2), ("min.abs.f32", 2), ("min.f32", 3), ("mul.hi.u64", 2), ("div.rm.s32", 2),
        ("shl.wrap.b32", 2), ("mov.volatile.b32", 1), ("lop3.or.b32", 4), ("prmt.b32.f8e", 3), ("fma.rn.oob.f16", 3),
        ("setp.lt.and.f32", 3), ("rcp.approx.ftz.f64", 1), ("rsqrt.approx.ftz.f64", 1), ("ex2.rn.f32", 1),
        ("cvt.rn.satfinite.tf32.f32", 1), ("cvt.rp.tf32.f32", 1), ("cvt.rna.f16.f32", 1),
        ("cvt.rn.bf16.s64", 1), ("cvt.rn.f32.f32", 2),
        # ptxas takes none of these.
        ("and.f32", 2), ("not.f16x2", 1), ("popc.f32", 1), ("lop3.f32", 4), ("bfe.s8", 3), ("bfi.s8", 4),
        ("sub.pred", 2), ("clz.pred", 1), ("add.b32", 2), ("mul.tf32", 2), ("mul.s32", 2), ("shl.u32", 2),
        ("mov.f16", 1), ("abs.u32", 1),
        ("div.f32", 2), ("fma.f32", 3), ("fma.rn.relu.f32", 3), ("sqrt.f64", 1), ("ex2.f32", 1), ("ex2.approx.bf16", 1),
        ("mad.lo.sat.s32", 3), ("max.relu.s64", 2), ("setp.lo.f32", 2), ("setp.ltu.s32", 2), ("setp.lt.b32", 2),
        ("cvt.s32.f32", 1), ("cvt.f16.f32", 1), ("cvt.f32.s32", 1), ("cvt.rni.b32.f32", 1), ("cvt.rn.s32.u32", 1),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused(instruction: str, operands: int) -> None:
    with pytest.raises(NotSimulatedError, match=f"cannot run `{instruction}`"):
        result(instruction, (1,) * operands)


@pytest.mark.parametrize("bits", [32, 64])
def test_fields_of_bits_are_those_of_the_isa_at_every_edge(bits: int) -> None:
    number, edges = 0xA5C3_9617_8E2D_B4F1 >> 64 - bits, (0, 1, bits - 1, bits, bits + 1, 255)
    for start in edges:
        for length in edges:
            end = min(start + length, bits)
            field = [number >> place & 1 for place in range(start, end)]
            sign = number >> min(start + length, bits) - 1 & 1 if length else 0
            unsigned = sum(bit << place for place, bit in enumerate(field))
            signed = unsigned + sum(sign << place for place in range(len(field), bits))
            replaced = sum((number >> place & 1) << start + place for place in range(len(field)))
            assert result(f"bfe.u{bits}", (number, start, length)) == unsigned, (start, length)
            assert result(f"bfe.s{bits}", (number, start, length)) == signed, (start, length)
            assert result(f"bfi.b{bits}", (number, 0, start, length)) == replaced, (start, length)
