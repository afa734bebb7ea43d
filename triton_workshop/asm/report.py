"""Summaries on the screen: a kernel's, or two beside each other."""

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
from triton_workshop.asm.sentences import describe_conversion, describe_line, describe_program, kib
from triton_workshop.costs.summary import LineSummary, Summary

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
    for sentence in (*map(describe_conversion, summary.conversions), *describe_program(summary)):
        bullets.add_row(Text("→", "accent"), Text(sentence))
    return Group(head, "", lines, "", bullets)


def _without_repeated_reasons(lines: Sequence[LineSummary]) -> Iterator[LineSummary]:
    """Replace a reason that stands above already by a reference to it."""
    above_lines: dict[str, int] = {}
    for line in lines:
        above = above_lines.setdefault(line.why, line.line)
        is_repeated = above != line.line and line.why
        yield replace(line, why=f"as on line {above}") if is_repeated else line


def _rows(same: Sequence[LineSummary], target: Target) -> RenderableType:
    """Return a line of the source, and below it each kind of operation."""
    first = same[0]
    source = Text(first.source, _COLOURS.get(first.kind, ""), no_wrap=True, overflow="ellipsis")
    if first.operations > 1:
        source.append(f"  ({first.operations} times)", "muted")
    below = []
    for line in same:
        kind = f"{line.kind}: " if len(same) > 1 else ""
        became = Text(f"{kind}{describe_line(line, target)}", "warning" if line.why else "")
        below.append(Padding(became, (0, 0, 0, 2)))
    return Group(source, *below)


# Two beside each other


def longest(summaries: Sequence[Summary]) -> Summary:
    """Return the kernel with the most instructions: it is compared."""
    return max(summaries, key=lambda summary: summary.instructions)


def figures(summary: Summary) -> dict[str, str]:
    """Return the figures of a kernel that are compared."""
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
    """Count the instructions of all operations of a kind.

    Of loads and stores, count the widths.
    """
    counts: Counter[str] = Counter()
    for line in summary.lines:
        if line.kind == kind:
            how = ", asynchronous" if line.asynchronous else ""
            numbers = line.moves or dict(line.instructions)
            counts.update({f"{name}{how}": number for name, number in numbers.items()})
    return "\n".join(f"{number:,} × {name}" for name, number in counts.items()) or "none"


def comparison(first: Summary, second: Summary, heads: Sequence[str]) -> Table:
    """Return a table with a column for each summary.

    Rows that say nothing of either are left out, and what differs is coloured.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="strong")
    for head in (first.target.name, *heads):
        table.add_column(head)
    first_figures, second_figures = figures(first), figures(second)
    for name in first_figures:
        if {first_figures[name], second_figures[name]} != {"none"}:
            style = "accent" if first_figures[name] != second_figures[name] else ""
            table.add_row(Text(name, "muted"), Text(first_figures[name], style), Text(second_figures[name], style))
    return table
