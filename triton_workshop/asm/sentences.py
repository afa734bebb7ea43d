"""A summary in words.

The figures in every sentence decide whether it is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from triton_simulator.compiler.report import join_names
from triton_simulator.gpus import Target
from triton_workshop.costs.assembly import TENSOR_CORES
from triton_workshop.costs.summary import Conversion, LineSummary, Summary

_NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i1": "bool"}


def describe_line(line: LineSummary, target: Target) -> str:
    """Describe what became of a line's operations, such as `2 × 128 bit`."""
    if not line.instructions and line.kind == "reduction":
        return "each thread reduces what it holds: nothing is exchanged"
    if not line.instructions:
        return "no instruction of its own: the compiler has removed it, or does it elsewhere"
    match line.kind:
        case "load" | "store":
            return _access(line)
        case "dot":
            return _dot(line, target)
        case "reduction":
            return _reduction(line)
    return _counted(line.instructions)


def _access(line: LineSummary) -> str:
    text = _counted(line.moves.items())
    if len(line.moves) > len(line.widths):
        text += ": whole tiles, by the tensor memory accelerator, asynchronous"
    elif line.asynchronous:
        text += ", asynchronous (cp.async copies to shared memory while the program computes, as num_stages asks)"
    return f"{text}: {line.why}" if line.why else text


def _dot(line: LineSummary, target: Target) -> str:
    text = _counted(line.instructions)
    if any(opcode.startswith(TENSOR_CORES) for opcode, _ in line.instructions):
        return f"{text}: tensor cores"
    why = ""
    # The IR leaves out ieee, which is its default.
    if line.dtype == "f32" and line.precision in ("", "ieee"):
        why = ", since float32 is multiplied exactly (input_precision is ieee)"
    elif line.dtype == "f32" and not target.multiplies_tf32:
        why = f", since those of {target.name} do not multiply float32"
    return f"{text}: no tensor cores{why}"


def _reduction(line: LineSummary) -> str:
    shared = [instruction for instruction in line.instructions if instruction[0].startswith(("STS", "LDS"))]
    shuffles = [instruction for instruction in line.instructions if instruction not in shared]
    inside = f"within warps by {_counted(shuffles)}" if shuffles else ""
    between = f"between warps through shared memory by {_counted(shared)}" if shared else ""
    return ", ".join(filter(None, (inside, between)))


def _counted(instructions: Iterable[tuple[str, int]]) -> str:
    return join_names([f"{number:,} × {name}" for name, number in instructions])


def describe_conversion(conversion: Conversion) -> str:
    """Describe how a block changes its layout."""
    shape = " × ".join(f"{size:,}" for size in conversion.shape)
    block = f"a block of {shape} {_NAMES.get(conversion.dtype, conversion.dtype)}"
    how = f"through shared memory, {kib(conversion.bytes)} in all" if conversion.stores else "within registers"
    return f"line {conversion.line}: {block} changes its layout {how}"


def describe_program(summary: Summary) -> Iterator[str]:
    """Describe a program's resources, and how many programs an SM runs."""
    shared = f"{kib(summary.shared_bytes)} of shared memory" if summary.shared_bytes else "no shared memory"
    yield f"{summary.registers} registers a thread, {_spills(summary)}, {shared}, {_warps(summary.warps)}"
    programs, limits = summary.occupancy.programs, summary.occupancy.limits
    if not programs:
        yield f"no program fits on an SM, for lack of {join_names(limits)}"
        return
    fit = "1 program fits" if programs == 1 else f"{programs} programs fit"
    yield f"{fit} on an SM at once ({_warps(programs * summary.warps)}), limited by {join_names(limits)}"


def describe_instructions(summary: Summary) -> Iterator[str]:
    """Describe what a kernel's instructions add to the bytes that it moves."""
    gpu = summary.target.name
    for line in summary.lines:
        if line.why:
            yield f"line {line.line} of {summary.kernel}, compiled for {gpu}: {_access(line)}"
    if summary.spill_stores or summary.spill_loads:
        yield f"{summary.kernel} has too few registers on {gpu}: {_spills(summary)} go to slow memory"
    if summary.occupancy.programs == 1:
        limits = join_names(summary.occupancy.limits)
        yield f"an SM of {gpu} runs one program of {summary.kernel} at a time, limited by {limits}"


def _warps(number: int) -> str:
    return f"{number} warp{'s' * (number != 1)}"


def _spills(summary: Summary) -> str:
    if not (summary.spill_stores or summary.spill_loads):
        return "no spills"
    counts = f"{summary.spill_stores:,} spill stores and {summary.spill_loads:,} loads"
    return f"{counts} ({summary.stack_bytes:,} bytes a thread)"


def kib(size: int) -> str:
    """Bytes, in KiB if they are as many."""
    return f"{size / 1024:.3g} KiB" if size >= 1024 else f"{size} bytes"
