"""`workshop pack`: says how much there is to pack, asks, shows how far it is, and its exit status."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.table import Table

from triton_workshop.errors import MisuseError, WorkshopError
from triton_workshop.packing.contents import size_of
from triton_workshop.packing.pack import PackingPlan, Report, check_room, fill, planned
from triton_workshop.packing.platforms import USUAL, named
from triton_workshop.printing import speak_utf8
from triton_workshop.without_library.errors import NoTritonError

PACKED, FAILED, MISUSE, INTERRUPTED = 0, 1, 2, 130


def run_pack(folder: Path, platforms: Sequence[str], python: str | None, confirm: Callable[[str], bool]) -> int:
    """Pack a folder after asking. What goes wrong is said in a sentence."""
    speak_utf8()
    console = Console(highlight=False)
    try:
        chosen = named(platforms or USUAL)
        plan = planned(folder, chosen, python or f"{sys.version_info.major}.{sys.version_info.minor}")
        print_plan(plan, console)
        check_room(plan)
        if not confirm(f"Pack {folder}?"):
            print("Nothing was packed.")
            return FAILED
        with Progress(*COLUMNS, console=console) as progress:
            fill(plan, reporter(plan, progress))
    except MisuseError as error:
        return told(error, MISUSE)
    except (WorkshopError, NoTritonError) as error:
        return told(error, FAILED)
    except KeyboardInterrupt:
        return told("Stopped. To go on, type the same command again.", INTERRUPTED)
    console.print(f"{folder} is packed. START-HERE.txt in it says what to type on each laptop.", soft_wrap=True)
    return PACKED


COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    DownloadColumn(),
    TransferSpeedColumn(),
    TimeRemainingColumn(),
)


def reporter(plan: PackingPlan, progress: Progress) -> Report:
    """Add up what is told of single files to one bar for all of them."""
    task, there = progress.add_task("", total=plan.size), dict.fromkeys(plan.files, 0)

    def report(name: str, size: int) -> None:
        if name in there:
            there[name] = size
        progress.update(task, description=name.split("-")[0], completed=sum(there.values()))

    return report


def print_plan(plan: PackingPlan, console: Console) -> None:
    table = Table("Platform", box=None, padding=(0, 2, 0, 0))
    for title in ("Packages", "Size", "To download"):
        table.add_column(title, justify="right")
    for platform, wheels in plan.wheels.items():
        size = sum(wheel.size for wheel in wheels)
        table.add_row(platform.name, str(len(wheels)), size_of(size), size_of(plan.missing(wheels)))
    missing = plan.missing([*plan.files.values()])
    table.add_row("together", str(len(plan.files)), size_of(plan.size), size_of(missing))
    console.print(f"Python {plan.python}; packages that platforms share count once in the sum.", table, sep="\n")
    if plan.needs_triton:
        console.print("For Macs, Triton's Python files: 2 MB, downloaded only if Triton is not installed here.")
    console.print(f"{plan.folder} has {size_of(plan.room)} of free space.", soft_wrap=True)


def told(message: object, status: int) -> int:
    print(message, file=sys.stderr)
    return status
