"""A kernel in figures: what each operation of its source became, and what a program takes on a GPU."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from triton_workshop.asm.instructions import ASYNCHRONOUS, BULK, Instruction, instructions
from triton_workshop.asm.occupancy import Occupancy, occupancy
from triton_workshop.asm.operations import Ir, Operation
from triton_workshop.asm.widths import WIDEST, Reasons
from triton_workshop.compiler.jobs import Answer, Assembly, CompileJob
from triton_workshop.compiler.targets import THREADS_OF_A_WARP, Target


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
        return asdict(self) | {"target": f"sm_{self.target.capability}"}


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
    reasons = Reasons(ir, dict(job.kernel.numbers), assembly.warps * THREADS_OF_A_WARP, _narrowed(assembly, found))
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


def _narrowed(assembly: Assembly, found: Sequence[Instruction]) -> int:
    """How many of the loads that ask for 128 bits in PTX ask for fewer in SASS."""
    wide = len(re.findall(r"\bld\.global\S*\.v4\.[bf]32\b", assembly.ptx))
    return wide - sum(each.name == "LDG" and each.bits == WIDEST for each in found)


def _line(operations: Sequence[Operation], found: Sequence[Instruction], source: str, reasons: Reasons) -> LineSummary:
    first = operations[0]
    accesses = [each for each in found if each.name not in BULK] if first.kind in ("load", "store") else []
    widths = {each.bits for each in accesses}
    why = ""
    if widths and min(widths) < WIDEST:
        narrow = sum(each.bits < WIDEST for each in accesses)
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
