"""Commands that show a kernel from inside: asm and look."""

from __future__ import annotations

from typing import Annotated

import typer

from triton_workshop.cli.common import fail, prepare_kernels, report_misuse

app = typer.Typer()
SUBJECT = "An exercise's number, or any script that launches kernels; by default the exercise that is open."
STAGES = ("summary", "ttir", "ttgir", "ptx", "sass")


@app.command()
def asm(
    scripts: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[N|SCRIPT]...",
            help=SUBJECT,
            show_default=False,
        ),
    ] = None,
    show: Annotated[
        str,
        typer.Option(metavar="|".join(STAGES), help="The summary, or the source with one of the compiler's stages."),
    ] = STAGES[0],
    gpu: Annotated[str, typer.Option(help="The GPU to compile for.")] = "sm_90",
    size: Annotated[
        str | None,
        typer.Option(metavar="511x512", help="An exercise's size; by default the one that bench counts."),
    ] = None,
    kernel: Annotated[
        str | None, typer.Option(metavar="NAME", help="Show only this kernel, or with NAME:2 one launch.")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Show the solution as taught instead of your file.")] = False,
    fast: Annotated[bool, typer.Option("--fast", help="Show the fast solution instead of your file.")] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare yours with the solution, the plain one with the fast, or two.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per kernel, one per line.")] = False,
) -> None:
    """Show what the compiler makes of a kernel, without a GPU.

    These are instructions, registers and shared memory.

    Each load, store, dot, atomic and reduction of the source is told with the
    instructions that it became. Exits with 0, with 1 if there is nothing to
    show, and with 2 for misuse.
    """
    from triton_workshop.asm import commands, requests

    with report_misuse():
        if show not in STAGES:
            fail(f"--show {show}: expected one of {', '.join(STAGES)}")
        view = commands.Selection(requests.parse_target(gpu), show, kernel, as_json)
        has_view_options = compare or show != STAGES[0]
        if as_json and has_view_options:
            fail("--json prints summaries; leave out --compare and --show")
        subjects = requests.parse_subjects(scripts or [], size, plain=plain, fast=fast, compare=compare)
        prepare_kernels()
        raise typer.Exit(commands.run_asm(subjects, view))


@app.command()
def look(
    script: Annotated[
        str | None,
        typer.Argument(
            metavar="[N|SCRIPT]",
            help=SUBJECT,
            show_default=False,
        ),
    ] = None,
    case: Annotated[
        str | None,
        typer.Option(
            help="An exercise's case, by its number or a part of its name; by default one with several programs."
        ),
    ] = None,
    program: Annotated[str | None, typer.Option(metavar="1,0", help="The program to begin with.")] = None,
    kernel: Annotated[str | None, typer.Option(metavar="NAME", help="The kernel to begin with.")] = None,
    launch: Annotated[int | None, typer.Option(min=1, help="The launch to begin with, from 1.")] = None,
    line: Annotated[int | None, typer.Option(min=1, help="The line to begin with, on the screen.")] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Look into the solution as taught instead of your file.")
    ] = False,
    light: Annotated[bool, typer.Option("--light", help="Use dark text on a light background.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one program's steps as JSON.")] = False,
) -> None:
    """See every value of every program of a kernel, at every line.

    It needs no GPU. ? lists all keys.

    In a pipe, it prints what one program did. Exits with 0, with 1 if there is
    nothing to see, and with 2 for misuse.
    """
    from triton_workshop.look import commands

    with report_misuse():
        subject = commands.parse_subject(script, case, program, kernel, line, launch, plain=plain)
        prepare_kernels()
        raise typer.Exit(commands.run_look(subject, as_json=as_json, light=light))
