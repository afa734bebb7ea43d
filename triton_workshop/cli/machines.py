"""Commands for machines: run a script in a warm process, serve GPUs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triton_workshop.cli.common import report_misuse

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


@app.command()
def gpus(
    ray: Annotated[
        str, typer.Option("--ray", metavar="TOKEN@HOST:PORT", help="Join the machines with GPUs that serve there.")
    ] = "",
    port: Annotated[
        int,
        typer.Option(min=1025, max=65535, metavar="N", help="The presenter's port; Ray takes the next one below, too."),
    ] = 10001,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address by which other machines get here; by default its own.")
    ] = "",
    slots: Annotated[
        int | None, typer.Option(min=1, max=8, metavar="N", help="Scripts at a time on each GPU; by default what fits.")
    ] = None,
    uncontained: Annotated[
        bool, typer.Option("--uncontained", help="Run scripts without a sandbox, where none is possible.")
    ] = False,
) -> None:
    """Serve this machine's GPUs to a room, until Ctrl+C.

    It prints the line to type on the presenter's machine, and one for further
    machines with GPUs. Attendees then try their scripts here, several at a time;
    each script runs in a sandbox of its own. Without a GPU they run on the
    simulator, to try it out.
    """
    from triton_workshop.pool import cluster

    with report_misuse():
        cluster.serve_gpus(port, host, ray, slots, uncontained=uncontained)
