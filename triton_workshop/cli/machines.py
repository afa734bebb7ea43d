"""Commands for machines: run a script in a warm process."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
def run(
    script: Annotated[Path, typer.Argument(help="A Python script.", exists=True, dir_okay=False)],
    arguments: Annotated[list[str] | None, typer.Argument(help="Arguments for the script.")] = None,
) -> None:
    """Run a script as `python -u` does, in a warm process.

    That process has already imported torch and Triton. The first run starts it,
    and it ends after 15 minutes without a run.
    """
    from triton_workshop.processes import command

    command.leave(command.run([str(script), *(arguments or [])]))
