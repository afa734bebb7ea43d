"""Report of a validation on the screen.

It has a table of the live blocks, the output of failing ones, and what to fix.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from triton_workshop.validating.documents import pluralize, summary
from triton_workshop.validating.validate import Report
from triton_workshop.validating.validation import BlockResult, SlideResult, Validation

FIXED_COLUMNS = 36
"""Columns that a row's mark, numbers and gaps take."""
MAX_FAILURE_LINES = 12
"""Lines shown of a failing block's output, from its end.

A traceback has its reason there.
"""


@contextmanager
def progress() -> Iterator[Report]:
    """Show a progress bar on standard error if that is a terminal."""
    console = Console(stderr=True)
    bar = Progress(
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task("", total=None)

    def report(done: int, blocks: int, title: str) -> None:
        """Advance the bar, and show the title of the next slide."""
        bar.update(task, completed=done, total=blocks, description=title.replace("[", r"\["))

    with bar:
        yield report


def print_validation(validation: Validation, console: Console) -> None:
    """Print a validation.

    It prints the table, each failure with its last lines, each finding with its line, what is not drawn, and a summary.
    """
    if validation.blocks:
        console.print(_table(validation, console.width))
        console.print()
    for slide in validation.slides:
        for result in slide.blocks:
            if not result.passed:
                _print_failure(slide, result, console)
    wrapped = not console.is_terminal  # a finding in a file or a pipe stays on one line
    for finding in validation.findings:
        console.print(Text.assemble(("✗ ", "bold red"), str(finding)), soft_wrap=wrapped)
    for problem in validation.unsupported:
        console.print(Text(f"· {problem}", style="dim"), soft_wrap=wrapped)
    if validation.findings or validation.unsupported:
        console.print()
    mark, style = ("✓", "bold green") if validation.passed else ("✗", "bold red")
    sentence = f"{mark} {summary(validation)} on {validation.environment.runs_on}."
    console.print(Text(sentence, style=style), soft_wrap=wrapped)


def _table(validation: Validation, width: int) -> Table:
    """Return a table with a row for each live block.

    Titles are shortened to leave room for measurements and notes.
    """
    notes = max(len(_note(result).plain) for result in validation.blocks)
    # Titles need the width more than notes do.
    notes = min(notes, width // 4)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column(width=1)
    table.add_column("Slide", width=5, justify="right")
    table.add_column("Title", no_wrap=True, overflow="ellipsis", max_width=max(width - FIXED_COLUMNS - notes, 8))
    table.add_column("Line", width=5, justify="right")
    table.add_column("Time", width=7, justify="right")
    table.add_column("Exit", width=4, justify="right")
    if notes:
        table.add_column("Note", width=notes)
    for slide in validation.slides:
        for index, result in enumerate(slide.blocks):
            first = index == 0
            table.add_row(
                _mark(result),
                str(slide.number) if first else "",
                # As Text, since brackets in a string would be markup.
                Text(slide.title if first else ""),
                Text(str(result.block.line), style="dim"),
                f"{result.seconds:.1f} s" if result.outcome else "–",
                _exit(result),
                *([_note(result)] if notes else []),
            )
    return table


def _mark(result: BlockResult) -> Text:
    if result.skipped:
        return Text("·", style="dim")
    return Text("✓", style="green") if result.passed else Text("✗", style="bold red")


def _exit(result: BlockResult) -> Text:
    return Text(str(result.outcome.code) if result.outcome else "–", style="" if result.passed else "red")


def _note(result: BlockResult) -> Text:
    """Return a note on what the exit code does not already say."""
    if result.failure:
        is_redundant = result.outcome is not None and result.failure == f"exit {result.outcome.code}"
        return Text("" if is_redundant else result.failure, style="red")
    if result.skipped:
        return Text(result.skipped, style="dim")
    return Text("fails, as it should" if result.code.expect_failure else result.compiled, style="dim")


def _print_failure(slide: SlideResult, result: BlockResult, console: Console) -> None:
    console.print(Text.assemble(("✗ ", "bold red"), (f"slide {slide.number} · {slide.title}", "bold")))
    console.print(Text(f"  {result.path}:{result.block.line}: {result.failure}", style="red"), soft_wrap=True)
    lines = result.text.rstrip().split("\n") if result.text.strip() else []
    if len(lines) > MAX_FAILURE_LINES:
        console.print(Text(f"  … {pluralize(len(lines) - MAX_FAILURE_LINES, 'earlier line')}", style="dim"))
    for line in lines[-MAX_FAILURE_LINES:]:
        console.print(Text(f"  {line}"), soft_wrap=True)
    console.print()
