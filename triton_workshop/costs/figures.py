"""Figures of a kernel's costs, each with the line that has most of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from triton_workshop.costs.assembly import TENSOR_CORES, Ir, instructions, loop_barriers
from triton_workshop.costs.summary import LineSummary, Summary, summaries_of
from triton_workshop.exercises.goals import Quantity

if TYPE_CHECKING:
    from pathlib import Path

    from triton_simulator.compiler.jobs import Answer

NO_PRODUCT = "no instruction"
"""The instruction of products where there are none."""
SMALL_SHARE = 8
"""A block of less than an eighth of a kernel's largest is small, and hardly costs anything."""


@dataclass(frozen=True)
class Figure:
    """A quantity as it was measured."""

    value: int | str
    line: int | None = None
    """The line that has most of it, or the worst; None if it is no line's."""


Figures = Mapping[Quantity, Figure]


def most(amounts: Counter[int]) -> int | None:
    """Return the line that has most; None if no line has any."""
    if not amounts:
        return None
    return amounts.most_common(1)[0][0] or None


def compiled_figures(answers: Sequence[Answer], script: Path, text: str) -> Figures:
    """Return the worst figures of the kernels that were compiled.

    There are none without kernels. A script with this text has launched them.
    """
    summaries = summaries_of(answers, script, text)
    if not summaries:
        return {}
    most_registers = max(summaries, key=lambda summary: summary.registers)
    made = [answer.assembly for answer in answers if answer.assembly is not None]
    dots = [line for summary in summaries for line in summary.lines if line.kind == "dot"]
    barriers: Counter[int] = Counter()
    for each in made:
        lines = loop_barriers(instructions(each.sass, Ir(each.ttir)))
        barriers.update(line or 0 for line in lines)
    return {
        Quantity.WIDTH: min(map(_width, summaries), key=lambda figure: figure.value),
        Quantity.PRODUCT: _product(dots),
        Quantity.BARRIERS: Figure(barriers.total(), most(barriers)),
        Quantity.REGISTERS: Figure(most_registers.registers),
        Quantity.SPILLS: Figure(max(summary.spill_stores + summary.spill_loads for summary in summaries)),
        Quantity.PROGRAMS: Figure(min(summary.occupancy.programs for summary in summaries)),
    }


def _width(summary: Summary) -> Figure:
    """Return the bits of the narrowest access, where the blocks are not small."""
    accesses = [line for line in summary.lines if line.kind in ("load", "store")]
    largest = max((line.elements for line in accesses), default=0)
    # A single value counts as one element, and cannot be loaded wider than it is.
    blocks = [line for line in accesses if line.widths and line.elements > line.operations]
    narrowest = [
        (min(bits for bits, _ in line.widths), line.line) for line in blocks if SMALL_SHARE * line.elements > largest
    ]
    bits, line = min(narrowest, default=(summary.target.load_bits, None))
    return Figure(bits, line)


def _product(dots: Sequence[LineSummary]) -> Figure:
    """Return the slowest instruction of all products."""
    found = [(_instruction(dot), dot.line) for dot in dots]
    # A warp group's instruction is the fastest, then a warp's; without tensor cores it is slowest.
    order = ("FFMA", "HMMA")
    found.sort(key=lambda each: order.index(each[0]) if each[0] in order else len(order))
    return Figure(*found[0]) if found else Figure(NO_PRODUCT)


def _instruction(dot: LineSummary) -> str:
    names = [opcode.partition(".")[0] for opcode, _ in dot.instructions]
    # Those of tensor cores first, else the most frequent.
    on_tensor_cores = [name for name in names if name.startswith(TENSOR_CORES)]
    return next(iter([*on_tensor_cores, *names]), NO_PRODUCT)
