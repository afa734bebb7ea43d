"""A summary on the screen: each operation with its source, and below what a program takes."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from triton_workshop.asm.sentences import of_conversion, of_line, of_program
from triton_workshop.asm.summary import LineSummary, Summary

_COLOURS = {"load": "cyan", "store": "green", "dot": "magenta", "atomic": "yellow", "reduction": "blue"}


def shown(summary: Summary, where: str) -> RenderableType:
    """A kernel's summary; `where` says of which script it is."""
    head = Text.assemble((summary.kernel, "bold"), f" · {where} · {summary.target}")
    lines = Table.grid(padding=(0, 1))
    for width in ("right", "left"):
        lines.add_column(justify="right" if width == "right" else "left")
    for line in summary.lines:
        lines.add_row(Text(str(line.line), "dim"), _row(line, summary.target.capability))
    bullets = Table.grid(padding=(0, 1))
    for sentence in (*map(of_conversion, summary.conversions), *of_program(summary)):
        bullets.add_row(Text("→", "cyan"), Text(sentence))
    return Group(head, "", lines, "", bullets)


def _row(line: LineSummary, capability: int) -> RenderableType:
    source = Text(line.source, _COLOURS.get(line.kind, ""), no_wrap=True, overflow="ellipsis")
    if line.operations > 1:
        source.append(f"  ({line.operations} times)", "dim")
    became = Text(of_line(line, capability), "yellow" if line.narrow else "")
    return Group(source, Padding(became, (0, 0, 0, 2)))
