"""A summary on the screen: each operation with its source, and below what a program takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from triton_workshop.asm.sentences import of_conversion, of_line, of_program
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


def shown(summary: Summary, where: str) -> RenderableType:
    """A kernel's summary; `where` says of which script it is."""
    file = f" of {summary.file}" if summary.file else ""
    head = Text.assemble((summary.kernel, "strong"), f"{file} · {where} · {summary.target}")
    lines = Table.grid(padding=(0, 1))
    lines.add_column(justify="right")
    for number, same in groupby(_each_reason_once(summary.lines), lambda line: line.line):
        lines.add_row(Text(str(number), "muted"), _rows([*same], summary.target.capability))
    bullets = Table.grid(padding=(0, 1))
    for sentence in (*map(of_conversion, summary.conversions), *of_program(summary)):
        bullets.add_row(Text("→", "accent"), Text(sentence))
    return Group(head, "", lines, "", bullets)


def _each_reason_once(lines: Sequence[LineSummary]) -> Iterator[LineSummary]:
    """Where an access is narrow for the same reason as one above, this is enough to say."""
    told: dict[str, int] = {}
    for line in lines:
        above = told.setdefault(line.why, line.line)
        yield line if above == line.line or not line.why else replace(line, why=f"as on line {above}")


def _rows(same: Sequence[LineSummary], capability: int) -> RenderableType:
    """A line of the source, and below it what became of each kind of operation on it."""
    first = same[0]
    source = Text(first.source, _COLOURS.get(first.kind, ""), no_wrap=True, overflow="ellipsis")
    if first.operations > 1:
        source.append(f"  ({first.operations} times)", "muted")
    below = []
    for line in same:
        kind = f"{line.kind}: " if len(same) > 1 else ""
        became = Text(f"{kind}{of_line(line, capability)}", "warning" if line.why else "")
        below.append(Padding(became, (0, 0, 0, 2)))
    return Group(source, *below)
