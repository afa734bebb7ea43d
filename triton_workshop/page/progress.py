"""Progress of the page's build: a bar with megabytes in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

Advance = Callable[[str, int, int], None]
"""Called with the current task, its bytes so far, and all its bytes."""
Notify = Callable[[str], None]


@contextmanager
def progress_bar(console: Console | None = None) -> Iterator[tuple[Notify, Advance]]:
    """Yield functions that print a sentence and move a bar below it.

    Both write to standard error.
    """
    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeElapsedColumn()
    tasks = dict[str, TaskID]()
    with Progress(*columns, console=console or Console(stderr=True), transient=True) as bar:

        def advance(task: str, done: int, total: int) -> None:
            if task not in tasks:
                tasks[task] = bar.add_task(task, total=total)
            bar.update(tasks[task], completed=done, total=total)

        yield partial(bar.console.print, markup=False, highlight=False, soft_wrap=True), advance
