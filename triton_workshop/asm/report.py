"""Summaries on the screen: one with the source of each operation, or two kernels beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from triton_simulator.compiler.report import join_names
from triton_simulator.gpus import Target
from triton_workshop.asm.sentences import kib, of_conversion, of_line, of_program
from triton_workshop.asm.summary import LineSummary, Summary

TERMINAL = Theme({
    "strong": "bold",
    "good": "green",
    "warning": "yellow",
    "important": "magenta",
    "muted": "dim",
    "accent": "cyan",
})  # fmt: skip
"""In a terminal; `watch` has colours of its own for these."""
_COLOURS = {"load": "accent", "store": "good", "dot": "important", "atomic": "important", "reduction": "important"}


def summary_page(summary: Summary, title: str) -> RenderableType:
    """A kernel's summary; `title` says of which script it is."""
    file = f" of {summary.file}" if summary.file else ""
    head = Text.assemble((summary.kernel, "strong"), f"{file} · {title} · {summary.target}")
    lines = Table.grid(padding=(0, 1))
    lines.add_column(justify="right")
    for number, same in groupby(_without_repeated_reasons(summary.lines), lambda line: line.line):
        lines.add_row(Text(str(number), "muted"), _rows([*same], summary.target))
    bullets = Table.grid(padding=(0, 1))
    for sentence in (*map(of_conversion, summary.conversions), *of_program(summary)):
        bullets.add_row(Text("→", "accent"), Text(sentence))
    return Group(head, "", lines, "", bullets)


def _without_repeated_reasons(lines: Sequence[LineSummary]) -> Iterator[LineSummary]:
    """Where an access is narrow for the same reason as one above, this is enough to say."""
    above_lines: dict[str, int] = {}
    for line in lines:
        above = above_lines.setdefault(line.why, line.line)
        yield line if above == line.line or not line.why else replace(line, why=f"as on line {above}")


def _rows(same: Sequence[LineSummary], target: Target) -> RenderableType:
    """A line of the source, and below it what became of each kind of operation on it."""
    first = same[0]
    source = Text(first.source, _COLOURS.get(first.kind, ""), no_wrap=True, overflow="ellipsis")
    if first.operations > 1:
        source.append(f"  ({first.operations} times)", "muted")
    below = []
    for line in same:
        kind = f"{line.kind}: " if len(same) > 1 else ""
        became = Text(f"{kind}{of_line(line, target)}", "warning" if line.why else "")
        below.append(Padding(became, (0, 0, 0, 2)))
    return Group(source, *below)


# Two beside each other


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
        "programs on an SM": f"{summary.occupancy.programs}, by {join_names(summary.occupancy.limits)}",
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


def comparison(left: Summary, right: Summary, heads: Sequence[str]) -> Table:
    """A table with a column for each; rows that say nothing of either are left out, and what differs is coloured."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="strong")
    for head in (left.target.name, *heads):
        table.add_column(head)
    mine, theirs = figures(left), figures(right)
    for what in mine:
        if {mine[what], theirs[what]} != {"none"}:
            style = "accent" if mine[what] != theirs[what] else ""
            table.add_row(Text(what, "muted"), Text(mine[what], style), Text(theirs[what], style))
    return table
