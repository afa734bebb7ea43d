"""A kernel in figures: what each operation of its source became, and what a program takes on a GPU."""

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
from triton_simulator.gpus import Target
from triton_workshop.asm.assembly import ASYNCHRONOUS, BULK, Argument, Instruction, Ir, Operation, instructions
from triton_workshop.asm.occupancy import Occupancy, occupancy

RECORDED = Path(__file__).parent / "recorded.json"
"""Summaries of the solutions, for machines without a compiler: `python -m benchmarks.asm_summaries` writes them."""


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
        """How many instructions of a load or store move so many bits or, by their name, a whole tile."""
        tiles = {opcode: number for opcode, number in self.instructions if opcode.startswith(BULK)}
        return {f"{bits} bit": number for bits, number in self.widths} | tiles


@dataclass(frozen=True)
class Conversion:
    """A block that changes its layout: which thread holds which element. `stores`: through shared memory, or with 0
    not."""

    line: int
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    stores: int


@dataclass(frozen=True)
class Summary:
    """A kernel for one kind of GPU. `shared_bytes`, `warps` and `stages` are a program's, `registers` a thread's."""

    kernel: str
    target: Target
    lines: tuple[LineSummary, ...]
    conversions: tuple[Conversion, ...]
    instructions: int
    """How many there are, each counted once, however often it runs."""
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
    """The lines of the file in which a kernel stands, and its name if that is another one than the script."""
    file = Path(Ir(assembly.ttir).file)
    if file.resolve() != script.resolve():
        with suppress(OSError, UnicodeDecodeError):
            return file.name, file.read_text(encoding="utf-8").splitlines()
    return "", text.splitlines()


def summaries_of(answers: Iterable[Answer], script: Path, text: str) -> list[Summary]:
    """The summaries of the kernels that were compiled, which a script with this text has launched."""
    return [
        _summary_of(answer.job, answer.job.target, answer.assembly, *source_of(answer.assembly, script, text))
        for answer in answers
        if answer.assembly is not None and answer.job.target is not None
    ]


def _summary_of(job: CompileJob, target: Target, assembly: Assembly, file: str, source: Sequence[str]) -> Summary:
    """`source` has the lines of the kernel's file, which `file` names if it is not the script's own."""
    ir, gpu_ir = Ir(assembly.ttir), Ir(assembly.ttgir)
    found = instructions(assembly.sass, ir)
    taken = {name: int(value) for name, value in re.findall(r"\b([A-Z]+):(\d+)", assembly.resources)}
    narrowed = _narrowed(assembly, found, target)
    reasons = Reasons(ir, dict(job.kernel.numbers), assembly.warps * target.warp_threads, narrowed, target.load_bits)
    places = sorted({(each.line, each.kind) for each in ir.operations})
    lines = tuple(
        _line(
            [each for each in ir.operations if (each.line, each.kind) == place],
            [each for each in found if each.line == place[0] and each.does(place[1])],
            source[place[0] - 1].strip() if place[0] <= len(source) else "",
            reasons,
        )
        for place in places
    )
    return Summary(
        file=file,
        kernel=job.kernel.name,
        target=target,
        lines=lines,
        conversions=tuple(
            _conversion(each, found) for each in gpu_ir.operations if each.kind == "conversion" and each.shape
        ),
        instructions=len(found),
        registers=taken.get("REG", 0),
        stack_bytes=taken.get("STACK", 0),
        spill_stores=sum(each.name == "STL" for each in found),
        spill_loads=sum(each.name == "LDL" for each in found),
        shared_bytes=assembly.shared_bytes,
        warps=assembly.warps,
        stages=assembly.stages,
        occupancy=occupancy(target, taken.get("REG", 0), assembly.shared_bytes, assembly.warps),
    )


def _narrowed(assembly: Assembly, found: Sequence[Instruction], target: Target) -> int:
    """How many of the loads that ask for 128 bits in PTX ask for fewer in SASS."""
    wide = len(re.findall(r"\bld\.global\S*\.v4\.[bf]32\b", assembly.ptx))
    return wide - sum(each.name == "LDG" and each.bits == target.load_bits for each in found)


def _line(operations: Sequence[Operation], found: Sequence[Instruction], source: str, reasons: Reasons) -> LineSummary:
    first = operations[0]
    accesses = [each for each in found if each.name not in BULK] if first.kind in ("load", "store") else []
    widths = {each.bits for each in accesses}
    why = ""
    if widths and min(widths) < reasons.widest:
        narrow = sum(each.bits < reasons.widest for each in accesses)
        why = next(filter(None, (reasons.of(each, min(widths), narrow) for each in operations)), "")
    return LineSummary(
        kind=first.kind,
        line=first.line,
        source=source,
        operations=len(operations),
        instructions=tuple(Counter(each.opcode for each in found).most_common()),
        widths=tuple((bits, sum(each.bits == bits for each in accesses)) for bits in sorted(widths, reverse=True)),
        elements=sum(each.elements for each in operations),
        asynchronous=any(each.name in (ASYNCHRONOUS, *BULK) for each in found),
        dtype=first.dtype,
        precision=first.precision,
        why=why,
    )


def _conversion(operation: Operation, found: Sequence[Instruction]) -> Conversion:
    stores = sum(each.line == operation.line and each.name in ("STS", "STSM") for each in found)
    return Conversion(
        operation.line, operation.shape, operation.dtype, operation.elements * operation.bits // 8, stores
    )


# Why an access is narrow


@dataclass(frozen=True)
class Reasons:
    """Why accesses of a kernel are narrow, although memory answers best to 16 bytes for each thread.

    They are read off what the compiler states, and never off how a value came about. `numbers` are the arguments of
    the launch that are numbers.
    """

    ir: Ir
    numbers: Mapping[str, int | float]
    threads: int
    narrowed: int
    """How many loads are wide in PTX and narrow in SASS."""
    widest: int
    """Bits that the compiler has a thread access at once at most."""

    def of(self, operation: Operation, narrowest: int, narrow: int) -> str:
        """Why an access takes instructions of so few bits, so many of them; empty if that is all there is to move."""
        share = operation.elements * operation.bits // self.threads
        if not operation.shape or narrowest >= self.widest:
            return ""
        if share <= narrowest:
            return self._small_block(operation, share)
        if operation.kind == "load" and narrow <= self.narrowed:
            return "PTX asks for 128 bits, and ptxas loads only the values that are used"
        if odd := [self._named(each) for each in self.ir.arguments if each.may_align and not each.aligned]:
            return f"not known to the compiler as {'multiples' if odd[1:] else 'a multiple'} of 16: {join_names(odd)}"
        side_by_side = min(self.widest, share) // operation.bits
        return (
            f"the compiler cannot tell that {side_by_side} elements lie side by side, "
            f"from a multiple of {side_by_side * operation.bits // 8} bytes on"
        )

    def _small_block(self, operation: Operation, share: int) -> str:
        elements, each = operation.elements, share // operation.bits
        has = f"{each} element{'s' * (each > 1)}" if each else "less than one element"
        return f"a block of {elements:,} has {has} for each of {self.threads} threads"

    def _named(self, argument: Argument) -> str:
        value = self.numbers.get(argument.name)
        return argument.name if value is None else f"{argument.name} = {value:,}"


# Recorded


@cache
def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def recorded_with() -> str:
    """The version of Triton that compiled them."""
    return str(_recorded()["triton"])


def recorded_key(exercise: str, variant: str, target: Target, size: tuple[int, ...] = ()) -> str:
    """How the summaries of a solution for a GPU are called there, at a size other than the one that `bench` counts."""
    return " ".join([exercise, variant, target.name, *map(str, size)])


def recorded_summaries(exercise: str, variant: str, target: Target, size: tuple[int, ...] = ()) -> list[Summary]:
    """Those of one solution's kernels for one GPU; none if there are none."""
    return [
        _summary(each, target)
        for each in _recorded()["summaries"].get(recorded_key(exercise, variant, target, size), [])
    ]


def _summary(recorded: dict[str, Any], target: Target) -> Summary:
    data = _with_tuples(recorded) | {"target": target}
    data["lines"] = tuple(LineSummary(**each) for each in data["lines"])
    data["conversions"] = tuple(Conversion(**each) for each in data["conversions"])
    data["occupancy"] = Occupancy(**data["occupancy"])
    return Summary(**data)


def _with_tuples(value: Any) -> Any:
    """JSON has lists in the place of tuples."""
    if isinstance(value, dict):
        return {name: _with_tuples(each) for name, each in value.items()}
    return tuple(map(_with_tuples, value)) if isinstance(value, list) else value
