"""How far the page's making is: a bar with megabytes, as the page's own, and nothing where no terminal shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

Advance = Callable[[str, int, int], None]
"""Hears what is being done, how many bytes of it are done, and of how many."""
Tell = Callable[[str], None]


@contextmanager
def progress_bar(console: Console | None = None) -> Iterator[tuple[Tell, Advance]]:
    """Yield what prints a sentence and what moves a bar below it, on standard error."""
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn()
    tasks = dict[str, TaskID]()
    with Progress(*columns, console=console or Console(stderr=True), transient=True) as bar:

        def advance(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield partial(bar.console.print, markup=False, highlight=False, soft_wrap=True), advance
