"""Report: rows, each with how to fix its problem, and the verdict."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from rich.console import Console
from rich.table import Table
from rich.text import Text

from triton_workshop.setup.checks import Check, Readiness, State

MARKS = {
    State.OK: ("✓", "green"),
    State.WARNING: ("!", "yellow"),
    State.FAILED: ("✗", "bold red"),
    State.NOT_APPLICABLE: ("·", "dim"),
}
INDENT = " " * 3
"""Indent of the lines under a row.

It is small, so that a command fits and can be copied in one piece.
"""


def print_report(checks: Sequence[Check], verdict: Readiness, console: Console) -> None:
    """Print the rows, how to fix their problems, and the verdict."""
    names = max(len(check.name) for check in checks)
    for check in _rows(checks):
        console.print(_row(check, names))
        lines = _wrapped(check.fix or "", console.width - len(INDENT))
        for line in lines:
            fix = Text(INDENT + line)
            fix.highlight_regex(r"`[^`]*`|(?<=^   ) .*", style="cyan")
            console.print(fix, soft_wrap=True)  # Rich would break a command, which has to be copied in one piece
    console.print()
    console.print(Text(verdict.summary, style="bold green" if verdict.ok else "bold red"))


def _rows(checks: Sequence[Check]) -> Iterator[Check]:
    """Yield one row per check.

    Working packages share torch's row if torch works.
    """
    well = {check.name: check for check in checks if check.state is State.OK}
    sharing: list[Check] = []
    if "torch" in well:
        sharing = [well[name] for name in ("torchvision", "Pillow") if name in well]
    for check in checks:
        if check.name == "torch":
            versions = (check.found, *(f"{package.name} {package.found}" for package in sharing))
            yield replace(check, found=", ".join(versions))
        elif check not in sharing:
            yield check


def _row(check: Check, names: int) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column()
    table.add_column(width=names)
    table.add_column(overflow="fold")
    quiet = "dim" if check.state is State.NOT_APPLICABLE else ""
    table.add_row(Text(*MARKS[check.state]), Text(check.name, style=quiet or "bold"), Text(check.found, style=quiet))
    return table


def _wrapped(text: str, width: int) -> list[str]:
    """Wrap text to lines of at most `width` columns.

    Commands in backticks and indented lines are never broken.
    """
    # textwrap breaks lines at spaces, so those of a command are hidden from it.
    glued = re.sub(r"`[^`]*`|^ .*", lambda match: match[0].replace(" ", "\0"), text, flags=re.MULTILINE)
    wrapped = [
        textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]
        for line in glued.splitlines()
    ]
    return [line.replace("\0", " ") for line in chain.from_iterable(wrapped)]
