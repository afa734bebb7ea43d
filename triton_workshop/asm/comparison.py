"""Two kernels side by side, in figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from triton_workshop.asm.sentences import kib
from triton_workshop.asm.summary import Summary
from triton_workshop.compiler.report import listed


def longest(summaries: Sequence[Summary]) -> Summary:
    """Of a script's kernels, the one with the most instructions: the one that is compared."""
    return max(summaries, key=lambda summary: summary.instructions)


def figures(summary: Summary) -> dict[str, str]:
    """What is compared of a kernel."""
    return {
        "loads": _instructions(summary, "load"),
        "stores": _instructions(summary, "store"),
        "elements a program": f"{sum(line.elements for line in summary.lines if line.kind == 'store'):,} stored",
        "dots": _instructions(summary, "dot"),
        "atomics": _instructions(summary, "atomic"),
        "reductions": _instructions(summary, "reduction"),
        "layout changes": _several(len(summary.conversions)),
        "instructions": f"{summary.instructions:,}",
        "registers a thread": str(summary.registers),
        "spills": _several(summary.spill_stores + summary.spill_loads),
        "shared memory": kib(summary.shared_bytes) if summary.shared_bytes else "none",
        "warps, stages": f"{summary.warps}, {summary.stages}",
        "programs on an SM": f"{summary.occupancy.programs}, by {listed(summary.occupancy.limits)}",
    }


def _several(number: int) -> str:
    return f"{number:,}" if number else "none"


def _instructions(summary: Summary, kind: str) -> str:
    """Those of all of its operations of a kind; of loads and stores, the widths."""
    found: Counter[str] = Counter()
    for line in summary.lines:
        if line.kind == kind:
            how = ", asynchronous" if line.asynchronous else ""
            found.update({f"{what}{how}": number for what, number in (line.moves or dict(line.instructions)).items()})
    return "\n".join(f"{number:,} × {what}" for what, number in found.items()) or "none"


def compared(left: Summary, right: Summary, heads: Sequence[str]) -> Table:
    """A table with a column for each; rows that say nothing of either are left out, and what differs is coloured."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="strong")
    for head in (f"sm_{left.target.capability}", *heads):
        table.add_column(head)
    mine, theirs = figures(left), figures(right)
    for what in mine:
        if {mine[what], theirs[what]} != {"none"}:
            style = "accent" if mine[what] != theirs[what] else ""
            table.add_row(Text(what, "muted"), Text(mine[what], style), Text(theirs[what], style))
    return table
