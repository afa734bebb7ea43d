"""A verdict on the screen."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.text import Text

from triton_workshop.checking.exercise import Exercise
from triton_workshop.checking.verdict import Finding, Verdict

_DEVICES = {"cuda": "GPU", "cpu": "simulator"}
_WIDEST = 100


def print_verdict(verdict: Verdict, exercise: Exercise, console: Console) -> None:
    """Each case with its mark; then, unless all is right, the finding: what, where, and a hint."""
    where = _DEVICES[verdict.device]
    console.print(Text(f"Exercise {exercise.number} · {exercise.title} · {where}", style="bold"))
    for case in verdict.cases:
        mark, style = ("✓", "green") if case.passed else ("✗", "red")
        console.print(Text(f"  {mark} ", style=style) + Text(case.name, style="default"))
    if verdict.passed:
        console.print(Text(f"All {len(verdict.cases)} cases are right ({verdict.seconds:.1f} s).", style="bold green"))
    for finding in verdict.findings:
        console.print(_panel(finding, verdict), width=min(_WIDEST, console.width))


def _panel(finding: Finding, verdict: Verdict) -> Panel:
    parts: list[RenderableType] = [Text(finding.message)]
    if finding.line is not None:
        parts.append(Text(f"{verdict.file.name}, line {finding.line}:", style="dim"))
        parts.append(Syntax(finding.source, "python", theme="ansi_dark", background_color="default"))
    if finding.hint:
        parts.append(Text("Hint: ", style="bold cyan") + Text(finding.hint, style="default"))
    title = f"{finding.kind}: {finding.case}" if finding.case else str(finding.kind)
    unfinished = finding.kind == "unfinished"
    return Panel(
        Group(*parts),
        title=title,
        title_align="left",
        border_style="yellow" if unfinished else "red",
    )
