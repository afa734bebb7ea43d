"""Commands for machines: run a script in a warm process, fill a stick for laptops."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from triton_workshop.cli.common import fail

app = typer.Typer()


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run(
    script: Annotated[Path, typer.Argument(help="A Python script.", exists=True, dir_okay=False)],
    arguments: Annotated[list[str] | None, typer.Argument(help="Arguments for the script.")] = None,
) -> None:
    """Run a script as `python -u` does, in a process that has already imported torch and Triton.

    The first run starts that process. It ends after 15 minutes without a run.
    """
    from triton_workshop.processes import command

    command.leave(command.run([str(script), *(arguments or [])]))


@app.command()
def pack(
    folder: Annotated[Path, typer.Argument(help="An existing folder, such as that of a USB stick.")],
    platform: Annotated[
        list[str] | None,
        typer.Option(
            help="macos-arm64, windows-x86_64, linux-x86_64 or linux-aarch64; by default the first three. "
            "Can be given several times.",
            show_default=False,
        ),
    ] = None,
    python: Annotated[
        str | None,
        typer.Option(metavar="3.N", help="The laptops' Python; by default the one that runs.", show_default=False),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Fill a folder from which laptops install the workshop without network.

    It prints sizes first and asks. If it was interrupted, the same command
    goes on; files that are there are checked, and kept. START-HERE.txt in the
    folder says what to type on each laptop.
    """
    from triton_workshop.packing import commands

    def agreed(question: str) -> bool:
        if not (yes or sys.stdin.isatty()):
            fail("nothing was packed: standard input is not a terminal, so nobody can be asked; to pack, add --yes")
        return yes or typer.confirm(question)

    raise typer.Exit(commands.run_pack(folder, platform or [], python, agreed))
