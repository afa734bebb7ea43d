"""Table of GPUs: what a kernel is compiled for, and what the hardware has.

A `Target` is what the compiler is told, and a `GpuModel` a product with its published rates. To add a GPU, add a row:
`asm --gpu` knows it if it is NVIDIA's; a verdict compiles for `VERDICT_TARGETS` and `EXTRA_TARGETS`.

Limits by compute capability are from NVIDIA's CUDA C++ Programming Guide, "Compute Capabilities", table "Technical
Specifications per Compute Capability". Names of instructions are from NVIDIA's "CUDA Binary Utilities", "Instruction
Set Reference". Each product's rates have their source beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from types import MappingProxyType

REGISTERS = 65_536
"""Registers of an SM, of 4 bytes each, in all of NVIDIA's GPUs here.

A program can have no more.
"""
THREAD_REGISTERS = 255
"""Registers that a thread can have at most.

What has no room in them lies in local memory, which is slow.
"""
WARP_THREADS = 32
SPECIAL_LANES = 16
"""Results of special function units that an SM completes in a cycle.

This, and the lanes of float32: CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
"""
PROGRAM_THREADS = 1024
"""Threads that a program can have at most, in all of these GPUs."""

_MMA = ("HMMA", "IMMA", "DMMA", "BMMA")
WARP_GROUP_MMA = ("HGMMA", "IGMMA", "BGMMA", "QGMMA")
"""Products that four warps run together.

They wait for nothing until the last of them.
"""
_SMALL_FLOAT_MMA = ("QMMA", "OMMA")
TENSOR_MEMORY_MMA = "UTC"
"""Beginning of products whose sums lie in tensor memory.

What waits for them begins like this, too.
"""


@dataclass(frozen=True)
class Target:
    """Architecture that a kernel is compiled for.

    `arch` is what Triton calls it: a compute capability, as 90 for 9.0, or a name of AMD's.
    """

    arch: int | str
    family: str = ""
    products: str = ""
    """GPUs that people have, for sentences."""
    shared_bytes: int | None = None
    """Shared memory that a program can have at most; None if unknown."""
    sm_shared_bytes: int | None = None
    sm_threads: int = 2048
    sm_programs: int = 32
    warp_threads: int = WARP_THREADS
    load_bits: int = 128
    """Bits that Triton lets a thread load or store at once.

    sm_100 and sm_120 have instructions for 256 (PTX ISA, "ld"), which Triton 3.9 does not use.
    """
    float32_lanes: int = 128
    """Multiply-adds of float32 that an SM completes in a cycle."""
    tensor_instructions: tuple[str, ...] = _MMA
    """Beginnings of the names of the tensor cores' instructions."""
    tensor_columns: int = 0
    """Columns of an SM's tensor memory (PTX ISA, "Tensor Memory").

    Products keep their sums there.
    """
    multiplies_tf32: bool = True
    """True if the tensor cores multiply float32, rounded to TF32."""

    @property
    def is_nvidia(self) -> bool:
        """True if it is one of NVIDIA's."""
        return isinstance(self.arch, int)

    @property
    def name(self) -> str:
        """The compilers' name: `sm_90`, `gfx942`."""
        return f"sm_{self.arch}" if self.is_nvidia else str(self.arch)

    def __str__(self) -> str:
        return f"{self.name} ({self.products})" if self.products else self.name


def _nvidia(
    arch: int,
    family: str,
    products: str,
    shared_kib: int,
    *,
    threads: int = 2048,
    programs: int = 32,
    instructions: tuple[str, ...] = (),
) -> Target:
    """Return a row of the table.

    From Ampere on, CUDA keeps 1 KiB of shared memory for itself in each program.
    """
    from_ampere_on = arch >= 80
    return Target(
        arch,
        family,
        products,
        shared_bytes=shared_kib << 10,
        sm_shared_bytes=(shared_kib + from_ampere_on) << 10,
        sm_threads=threads,
        sm_programs=programs,
        float32_lanes=128 if arch > 80 else 64,
        tensor_instructions=(*_MMA, *instructions),
        tensor_columns=512 if TENSOR_MEMORY_MMA in instructions else 0,
        multiplies_tf32=from_ampere_on,
    )


_HOPPER = WARP_GROUP_MMA
_BLACKWELL = (*_SMALL_FLOAT_MMA, TENSOR_MEMORY_MMA)
_ALL = (
    _nvidia(75, "Turing", "T4, RTX 20", 64, threads=1024, programs=16),
    _nvidia(80, "Ampere", "A100", 163),
    _nvidia(86, "Ampere", "", 99, threads=1536, programs=16),
    _nvidia(87, "Ampere", "", 163, threads=1536, programs=16),
    _nvidia(89, "Ada", "", 99, threads=1536, programs=24, instructions=_SMALL_FLOAT_MMA),
    _nvidia(90, "Hopper", "H100, H200", 227, instructions=_HOPPER),
    _nvidia(100, "Blackwell", "Blackwell B200", 227, instructions=_BLACKWELL),
    _nvidia(103, "Blackwell", "", 227, instructions=_BLACKWELL),
    _nvidia(110, "Blackwell", "", 227, threads=1536, programs=24, instructions=_BLACKWELL),
    _nvidia(120, "Blackwell", "Blackwell RTX 50", 99, threads=1536, programs=24, instructions=_SMALL_FLOAT_MMA),
    _nvidia(121, "Blackwell", "", 99, threads=1536, programs=24, instructions=_SMALL_FLOAT_MMA),
    # AMD, "CDNA 3 Instruction Set Architecture" (wavefronts, LDS) and HIP's table of hardware features.
    Target("gfx942", "CDNA 3", "AMD MI300X", 64 << 10, 64 << 10, warp_threads=64, tensor_instructions=("v_mfma",)),
)
TARGETS: Mapping[str, Target] = MappingProxyType({target.name: target for target in _ALL})
"""All rows, by name."""

DEFAULT_TARGET = TARGETS["sm_90"]
"""The target that `asm`, `bench`, `watch` and the front end mean.

It is judged first: what it refuses, older ones hardly take.
"""
VERDICT_TARGETS = (DEFAULT_TARGET, TARGETS["sm_80"], TARGETS["sm_75"])
"""A kernel that compiles for none of these is refused."""
EXTRA_TARGETS = (TARGETS["sm_100"], TARGETS["gfx942"])
"""Targets for which a kernel is compiled last, one for each other family.

Of Blackwell that is sm_100, whose products take a way of their own through the compiler; sm_120's take Ampere's. With
both, the last answer would take twice as long as without any. A GPU of this machine is judged in any case.
"""
OLDEST_CAPABILITY = (7, 5)
"""Oldest compute capability on which Triton's kernels run: Turing's.

PyTorch's CUDA 13 builds have none older (CUDA 13.0 release notes, "Deprecated Architectures").
"""


def judged_with(present: Set[int]) -> tuple[Target, ...]:
    """Return the targets that are judged, and this machine's GPUs.

    `present` has their compute capabilities.
    """
    extra = present - {target.arch for target in VERDICT_TARGETS}
    return (*VERDICT_TARGETS, *(replace(_target(arch), products="the GPU of this machine") for arch in sorted(extra)))


def _target(capability: int) -> Target:
    """Return the row of a compute capability.

    Nothing is known of one that has none.
    """
    return TARGETS.get(f"sm_{capability}", Target(capability))


# Products


@dataclass(frozen=True)
class GpuModel:
    """GPU as its maker publishes it.

    Peak rates are bytes per second and operations per second; a fused multiply-add is two operations.
    """

    name: str
    target: Target
    multiprocessors: int
    bandwidth: float
    """Of the GPU's memory."""
    float32: float
    """Without tensor cores."""
    tensor: Mapping[str, float]
    """Rates of the tensor cores, by what they multiply: tf32, fp16, bf16.

    They are without sparsity, and with sums in float32.
    """

    @property
    def special(self) -> float:
        """Rate of the special function units: of exponentials, logarithms, roots."""
        return self.float32 / (2 * self.target.float32_lanes) * SPECIAL_LANES


# NVIDIA, T4 Tensor Core GPU product brief (PB-09256) and data sheet.
T4 = GpuModel("T4", TARGETS["sm_75"], 40, 320e9, 8.1e12, {"fp16": 65e12})
# NVIDIA, Ada GPU Architecture white paper, table of the GeForce RTX 4090.
RTX_4090 = GpuModel(
    "RTX 4090", TARGETS["sm_89"], 128, 1008e9, 82.6e12, {"tf32": 82.6e12, "fp16": 165.2e12, "bf16": 165.2e12}
)
# NVIDIA, A100 Tensor Core GPU data sheet, 80 GB SXM; SMs: A100 architecture white paper.
A100 = GpuModel("A100", TARGETS["sm_80"], 108, 2039e9, 19.5e12, {"tf32": 156e12, "fp16": 312e12, "bf16": 312e12})
# NVIDIA, H100 Tensor Core GPU data sheet, SXM; SMs: H100 architecture white paper. The data sheets of Hopper give the
# tensor cores' rates with sparsity; these are half.
_HOPPER_TENSOR = {"tf32": 494.5e12, "fp16": 989.5e12, "bf16": 989.5e12}
H100 = GpuModel("H100", TARGETS["sm_90"], 132, 3.35e12, 67e12, _HOPPER_TENSOR)
# NVIDIA, H200 Tensor Core GPU data sheet, SXM.
H200 = GpuModel("H200", TARGETS["sm_90"], 132, 4.8e12, 67e12, _HOPPER_TENSOR)
# NVIDIA, RTX Blackwell GPU Architecture white paper v1.1, Table 3 (pages 46 to 48). It has fp16 with sums in float16
# too, at twice this rate, and everything with sparsity, at twice that.
RTX_5090 = GpuModel(
    "RTX 5090", TARGETS["sm_120"], 170, 1792e9, 104.8e12, {"tf32": 104.8e12, "fp16": 209.5e12, "bf16": 209.5e12}
)
# NVIDIA, Blackwell Architecture Technical Brief, Table 3, HGX B200 (1,000 W), without sparsity. SMs: as CUDA reports
# them (pytorch/ao#4002); by the width and the clock that it reports as well, the memory has 7.7 of the brief's 8 TB/s.
B200 = GpuModel("B200", TARGETS["sm_100"], 148, 8e12, 80e12, {"tf32": 1.1e15, "fp16": 2.25e15, "bf16": 2.25e15})

PUBLISHED = (T4, RTX_4090, A100, H200, RTX_5090, B200)
"""GPUs for which `bench` says how fast a kernel can be."""
