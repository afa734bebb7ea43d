"""Commands for the room: join, leave, board."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from triton_workshop.cli.common import fail, report_misuse

PASSPHRASE_HELP = """\
The room's word. Leave it out, and you are asked: commands can be read by every user of this machine."""

app = typer.Typer()


@app.command()
def join(
    address: Annotated[str, typer.Argument(help="The room's address, or the link that the presenter shows.")],
    name: Annotated[str | None, typer.Option(help="Your name, for the presenter; without it you are a number.")] = None,
    passphrase: Annotated[str | None, typer.Option("--word", help=PASSPHRASE_HELP)] = None,
) -> None:
    """Let the presenter see how far you are.

    The key a in watch asks for help.

    The presenter sees which exercise you are at, how many TODOs are filled in,
    whether it is correct, how many hints you have used, and the name of a
    mistake that the check knows. Your code stays with you, unless you send it to
    a GPU of the room, with the key g in watch or with --room-gpu.
    """
    from triton_workshop.attendance import commands

    def ask_passphrase() -> str:
        if not sys.stdin.isatty():
            fail(f"the room asks for its word, which the presenter shows; in a terminal, type: workshop join {address}")
        return str(typer.prompt("The room's word, which the presenter shows"))

    with report_misuse():
        commands.run_join(address, passphrase, name, ask_passphrase)


@app.command()
def leave() -> None:
    """Tell the room nothing any more; it forgets you."""
    from triton_workshop.attendance import commands

    with report_misuse():
        commands.run_leave()


@app.command()
def board(
    forget: Annotated[bool, typer.Option("--forget", help="Delete what is known about all attendees.")] = False,
    export: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write the board of times on the room's GPUs to this file.")
    ] = None,
) -> None:
    """Print who is where and who asks for help.

    The room is the one that this machine shares.

    The exported file has each attendee's best time in each exercise. Its
    columns are exercise, title, number, name, ratio (the script's time over the
    limit's), script_ms, limit_ms, plain_ms (the plain solution), pytorch_ms,
    size, gpu, and submitted, in UTC.
    """
    from triton_workshop.attendance import commands

    if forget and export:
        fail("--forget and --export cannot be used together; export first")
    with report_misuse():
        if export:
            commands.run_export(export)
        else:
            commands.run_board(forgetting=forget)
