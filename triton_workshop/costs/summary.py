"""Figures of a kernel: instructions by operation, and occupancy."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from triton_simulator.compiler.jobs import Answer, Assembly, CompileJob
from triton_simulator.compiler.report import join_names
from triton_simulator.gpus import REGISTERS, WARP_THREADS, Target
from triton_workshop.costs.assembly import (
    ASYNCHRONOUS,
    BULK,
    Argument,
    Instruction,
    Ir,
    Operation,
    instructions,
)
from triton_workshop.scripts import lines_of

RECORDED = Path(__file__).parent / "recorded.json"
"""Summaries of the solutions, for machines without a compiler.

`python -m benchmarks.asm_summaries` writes them.
"""


@dataclass(frozen=True)
class LineSummary:
    """The operations of one kind on one line, and what became of them.

    `widths`: bits for each thread → how many instructions move as many; only of loads and stores. `elements`: how many
    a program loads, stores, multiplies or reduces there at once. `why`: why an instruction is narrow, if one is.
    """

    kind: str
    line: int
    source: str
    operations: int
    instructions: tuple[tuple[str, int], ...]
    widths: tuple[tuple[int, int], ...] = ()
    elements: int = 0
    asynchronous: bool = False
    dtype: str = ""
    precision: str = ""
    why: str = ""

    @property
    def moves(self) -> dict[str, int]:
        """Instructions of a load or store, by the bits that they move.

        Those that move a whole tile are counted by their name.
        """
        tiles = {opcode: number for opcode, number in self.instructions if opcode.startswith(BULK)}
        return {f"{bits} bit": number for bits, number in self.widths} | tiles


@dataclass(frozen=True)
class Conversion:
    """A block that changes its layout: which thread holds which element.

    `stores`: through shared memory, or with 0 not.
    """

    line: int
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    stores: int


@dataclass(frozen=True)
class Occupancy:
    """Programs that an SM runs at the same time.

    `limits` allow no more: registers, shared memory, threads, programs.
    """

    programs: int
    limits: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """A kernel for one kind of GPU.

    `shared_bytes`, `warps` and `stages` are a program's, `registers` a thread's.
    """

    kernel: str
    target: Target
    lines: tuple[LineSummary, ...]
    conversions: tuple[Conversion, ...]
    instructions: int
    """Count of all instructions, however often they run."""
    registers: int
    stack_bytes: int
    spill_stores: int
    spill_loads: int
    shared_bytes: int
    warps: int
    stages: int
    occupancy: Occupancy
    file: str = ""
    """The name of the kernel's file, if it is not the script that launches it."""

    def as_json(self) -> dict[str, object]:
        return asdict(self) | {"target": self.target.name}


def source_of(assembly: Assembly, script: Path, text: str) -> tuple[str, list[str]]:
    """Return the name of a kernel's file, and its lines.

    The name is empty if that is the script itself.
    """
    file = Path(Ir(assembly.ttir).file)
    if file.resolve() != script.resolve():
        with suppress(OSError, UnicodeDecodeError):
            return file.name, lines_of(file.read_text(encoding="utf-8"))
    # The script's own text is the one that was launched: its file may have been saved again since.
    return "", lines_of(text)


def summaries_of(answers: Iterable[Answer], script: Path, text: str) -> list[Summary]:
    """Return the summaries of the kernels that were compiled.

    A script with this text has launched them.
    """
    return [
        _summary_of(answer.job, answer.job.target, answer.assembly, *source_of(answer.assembly, script, text))
        for answer in answers
        if answer.assembly is not None and answer.job.target is not None
    ]


def _summary_of(job: CompileJob, target: Target, assembly: Assembly, file: str, source: Sequence[str]) -> Summary:
    """Summarize a kernel.

    `source` has the lines of the kernel's file, which `file` names if it is not the script's own.
    """
    ir, gpu_ir = Ir(assembly.ttir), Ir(assembly.ttgir)
    sass = instructions(assembly.sass, ir)
    resources = {name: int(value) for name, value in re.findall(r"\b([A-Z]+):(\d+)", assembly.resources)}
    narrowed = _narrowed(assembly, sass, target)
    reasons = Reasons(ir, dict(job.kernel.numbers), assembly.warps * target.warp_threads, narrowed, target.load_bits)
    # A line may both load and compute: each kind of operation is summarized by itself.
    keys = sorted({(operation.line, operation.kind) for operation in ir.operations})
    lines = tuple(
        _line(
            [operation for operation in ir.operations if (operation.line, operation.kind) == key],
            [instruction for instruction in sass if instruction.line == key[0] and instruction.does(key[1])],
            # The file may have been saved since, with fewer lines.
            source[key[0] - 1].strip() if key[0] <= len(source) else "",
            reasons,
        )
        for key in keys
    )
    return Summary(
        file=file,
        kernel=job.kernel.name,
        target=target,
        lines=lines,
        conversions=tuple(
            _conversion(operation, sass)
            for operation in gpu_ir.operations
            if operation.kind == "conversion" and operation.shape
        ),
        instructions=len(sass),
        registers=resources.get("REG", 0),
        stack_bytes=resources.get("STACK", 0),
        spill_stores=sum(instruction.name == "STL" for instruction in sass),
        spill_loads=sum(instruction.name == "LDL" for instruction in sass),
        shared_bytes=assembly.shared_bytes,
        warps=assembly.warps,
        stages=assembly.stages,
        occupancy=occupancy(
            target, resources.get("REG", 0), assembly.shared_bytes, assembly.warps, assembly.tensor_columns
        ),
    )


def _narrowed(assembly: Assembly, sass: Sequence[Instruction], target: Target) -> int:
    """Count the loads that ask for 128 bits in PTX and for fewer in SASS."""
    wide = len(re.findall(r"\bld\.global\S*\.v4\.[bf]32\b", assembly.ptx))
    return wide - sum(instruction.name == "LDG" and instruction.bits == target.load_bits for instruction in sass)


def _line(operations: Sequence[Operation], sass: Sequence[Instruction], source: str, reasons: Reasons) -> LineSummary:
    first = operations[0]
    accesses: list[Instruction] = []
    if first.kind in ("load", "store"):
        # A bulk copy moves a whole tile, so it has no width for each thread.
        accesses = [instruction for instruction in sass if instruction.name not in BULK]
    widths = Counter(access.bits for access in accesses)
    narrowest = min(widths, default=reasons.widest)
    why = ""
    if narrowest < reasons.widest:
        narrow = sum(access.bits < reasons.widest for access in accesses)
        why = next(filter(None, (reasons.of(operation, narrowest, narrow) for operation in operations)), "")
    return LineSummary(
        kind=first.kind,
        line=first.line,
        source=source,
        operations=len(operations),
        instructions=tuple(Counter(instruction.opcode for instruction in sass).most_common()),
        widths=tuple(sorted(widths.items(), reverse=True)),
        elements=sum(operation.elements for operation in operations),
        asynchronous=any(instruction.name in (ASYNCHRONOUS, *BULK) for instruction in sass),
        dtype=first.dtype,
        precision=first.precision,
        why=why,
    )


def _conversion(operation: Operation, sass: Sequence[Instruction]) -> Conversion:
    on_line = (instruction.name for instruction in sass if instruction.line == operation.line)
    stores = sum(name in ("STS", "STSM") for name in on_line)
    return Conversion(
        operation.line, operation.shape, operation.dtype, operation.elements * operation.bits // 8, stores
    )


# Why an access is narrow


@dataclass(frozen=True)
class Reasons:
    """Reasons why accesses of a kernel are narrow.

    Memory answers best to 16 bytes for each thread. The reasons are read off what the compiler states, and never off
    how a value came about. `numbers` are the arguments of the launch that are numbers.
    """

    ir: Ir
    numbers: Mapping[str, int | float]
    threads: int
    narrowed: int
    """Count of loads that are wide in PTX and narrow in SASS."""
    widest: int
    """Bits that the compiler has a thread access at once at most."""

    def of(self, operation: Operation, narrowest: int, narrow: int) -> str:
        """Return why so many instructions of an access have so few bits.

        Empty if that is all there is to move.
        """
        share = operation.elements * operation.bits // self.threads
        if not operation.shape or narrowest >= self.widest:
            return ""
        # The order of these matters: the first that is true explains the access by itself.
        if share <= narrowest:
            return self._small_block(operation, share)
        if operation.kind == "load" and narrow <= self.narrowed:
            return "PTX asks for 128 bits, and ptxas loads only the values that are used"
        if odd := [
            self._named(argument) for argument in self.ir.arguments if argument.may_align and not argument.aligned
        ]:
            return f"not known to the compiler as {'multiples' if odd[1:] else 'a multiple'} of 16: {join_names(odd)}"
        side_by_side = min(self.widest, share) // operation.bits
        return (
            f"the compiler cannot tell that {side_by_side} elements lie side by side, "
            f"from a multiple of {side_by_side * operation.bits // 8} bytes on"
        )

    def _small_block(self, operation: Operation, share: int) -> str:
        elements, share_elements = operation.elements, share // operation.bits
        has = f"{share_elements} element{'s' * (share_elements > 1)}" if share_elements else "less than one element"
        return f"a block of {elements:,} has {has} for each of {self.threads} threads"

    def _named(self, argument: Argument) -> str:
        value = self.numbers.get(argument.name)
        return argument.name if value is None else f"{argument.name} = {value:,}"


# Occupancy, by the same rules as in `cuda_occupancy.h`, which is in Triton's wheel

_PARTS = 4
"""An SM has four parts with a quarter of its registers each."""
_REGISTERS_AT_ONCE = 256
"""A warp gets as many registers as are a multiple of this."""


def occupancy(target: Target, registers: int, shared_bytes: int, warps: int, tensor_columns: int = 0) -> Occupancy:
    """Return the occupancy of a program that takes these resources.

    `registers` are those of one thread.
    """
    limits = {
        "registers": _by_registers(registers, warps),
        "shared memory": _by_shared_memory(target, shared_bytes),
        "threads": target.sm_threads // target.warp_threads // warps,
        "programs": target.sm_programs,
    }
    if tensor_columns and target.tensor_columns:
        # A program gets a power of two, 32 at least (PTX ISA, "tcgen05.alloc"). CUDA's header does not count them.
        limits["tensor memory"] = target.tensor_columns // max(32, 1 << (tensor_columns - 1).bit_length())
    programs = min(limits.values())
    return Occupancy(programs, tuple(name for name, limit in limits.items() if limit == programs))


def _by_registers(registers: int, warps: int) -> int:
    """Return how many programs the registers of an SM are enough for."""
    of_a_warp = _rounded_up(registers * WARP_THREADS, _REGISTERS_AT_ONCE)
    # Warps are dealt out to the four parts, so a part may have one more than the average.
    if of_a_warp * _rounded_up(warps, _PARTS) > REGISTERS:
        return 0
    return REGISTERS // _PARTS // max(of_a_warp, 1) * _PARTS // warps


def _by_shared_memory(target: Target, shared_bytes: int) -> int:
    """Return how many programs the shared memory of an SM is enough for."""
    assert target.shared_bytes is not None, f"nothing is known of {target}"
    assert target.sm_shared_bytes is not None
    reserved = target.sm_shared_bytes - target.shared_bytes
    step = 128 if reserved else 256  # where CUDA keeps nothing for itself, as on Turing, it rounds more
    used = _rounded_up(shared_bytes + reserved, step)
    # A program that uses none is not limited by it: any number larger than the other limits will do.
    return target.sm_shared_bytes // used if used else REGISTERS


def _rounded_up(value: int, step: int) -> int:
    return -(-value // step) * step


# Recorded


@cache
def _recorded() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return data


def recorded_with() -> str:
    """The version of Triton that compiled them."""
    return str(_recorded()["triton"])


def recorded_key(exercise: str, variant: str, target: Target, size: tuple[int, ...] = ()) -> str:
    """Return the key of a solution's recorded summaries for a GPU.

    It names the size, if that is not the one that `bench` counts.
    """
    return " ".join([exercise, variant, target.name, *map(str, size)])


def recorded_summaries(exercise: str, variant: str, target: Target, size: tuple[int, ...] = ()) -> list[Summary]:
    """Return the recorded summaries of a solution's kernels for a GPU.

    There may be none.
    """
    return [
        _summary(figures, target)
        for figures in _recorded()["summaries"].get(recorded_key(exercise, variant, target, size), [])
    ]


def _summary(recorded: dict[str, Any], target: Target) -> Summary:
    data = _with_tuples(recorded) | {"target": target}
    data["lines"] = tuple(LineSummary(**line) for line in data["lines"])
    data["conversions"] = tuple(Conversion(**conversion) for conversion in data["conversions"])
    data["occupancy"] = Occupancy(**data["occupancy"])
    return Summary(**data)


def _with_tuples(value: Any) -> Any:
    """JSON has lists in the place of tuples."""
    if isinstance(value, dict):
        return {name: _with_tuples(item) for name, item in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value
