"""Commands for the exercises: check, bench, watch, list, hint, reset."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from triton_workshop.cli.common import fail, prepare_kernels, refuse_dumb_terminal, report_misuse

app = typer.Typer()

RoomGpu = Annotated[
    bool,
    typer.Option("--room-gpu", help="Send the script to a GPU of the room that you have joined, and run it there."),
]


@app.command()
def check(
    numbers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[N]...", help="Exercises to check; by default the first that has not passed.", show_default=False
        ),
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Check this script instead of the exercise's own.")] = None,
    solutions: Annotated[bool, typer.Option("--solutions", help="Check the solutions, variations included.")] = False,
    every: Annotated[bool, typer.Option("--all", help="Check every exercise except the variations.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per script, one per line.")] = False,
    no_gpu: Annotated[bool, typer.Option("--no-gpu", help="Use only the simulator.")] = False,
    costs: Annotated[bool, typer.Option("--costs", help="Say what correct kernels cost, too.")] = False,
    room_gpu: RoomGpu = False,
) -> None:
    """Check exercises, and say what is wrong, where, and why.

    Exits with 0 if all pass, 1 if not, and 2 for misuse.
    """
    from triton_workshop.attendance.gpu_commands import run_on_room_gpus
    from triton_workshop.attendance.reporter import report_once
    from triton_workshop.checking import commands

    with report_misuse():
        scripts = commands.select_scripts(numbers or [], file, solutions=solutions, every=every)
        if room_gpu:
            raise typer.Exit(run_on_room_gpus(scripts, timed=False, as_json=as_json))
        prepare_kernels()
        status = commands.run_check(scripts, as_json=as_json, gpu=not no_gpu, costs=costs)
    report_once(commands.learner_exercises(scripts))
    raise typer.Exit(status)


@app.command()
def bench(
    numbers: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[N]...", help="Exercises to measure; by default all that have passed.", show_default=False
        ),
    ] = None,
    file: Annotated[Path | None, typer.Option(help="Measure this script instead of the exercise's own.")] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Measure the solution as taught instead of your file.")
    ] = False,
    every: Annotated[bool, typer.Option("--all", help="Measure every exercise.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per script, one per line.")] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Save a roofline plot to this file.")] = None,
    room_gpu: RoomGpu = False,
) -> None:
    """Compare a kernel with the solutions, PyTorch and the GPU's limit.

    On a GPU, kernels are timed. Without one, nothing is timed: the simulator
    counts bytes and operations, and published peak rates give the limit. Wrong
    results get no numbers. Exits with 0 if all pass, 1 if not, and 2 for misuse.
    """
    from triton_workshop.attendance.gpu_commands import run_on_room_gpus
    from triton_workshop.bench import commands

    with report_misuse():
        scripts = commands.chosen_to_bench(numbers or [], file, plain=plain, every=every)
        if room_gpu:
            raise typer.Exit(run_on_room_gpus(scripts, timed=True, as_json=as_json))
        prepare_kernels()
        raise typer.Exit(commands.run_bench(scripts, as_json=as_json, picture=plot))


@app.command()
def watch(
    number: Annotated[
        str | None,
        typer.Argument(metavar="N", help="The exercise; by default the first that has not passed.", show_default=False),
    ] = None,
    light: Annotated[bool, typer.Option("--light", help="Use dark text on a light background.")] = False,
) -> None:
    """Check an exercise every time you save its file. ? lists all keys."""
    from triton_workshop.exercises import get_exercise

    if number is not None:
        with report_misuse():
            get_exercise(number)
    has_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    if not has_terminal:
        fail("watch needs a terminal; without one, use: workshop check")
    refuse_dumb_terminal("watch", "workshop check")
    from triton_workshop.screen.garbage_collection import postpone_collection

    postpone_collection()
    from triton_workshop.watch.app import watch as watch_exercise

    prepare_kernels()
    raise typer.Exit(watch_exercise(number, light=light))


@app.command("list")
def list_exercises() -> None:
    """List the exercises and your progress."""
    from triton_workshop.checking import commands

    raise typer.Exit(commands.run_list())


@app.command()
def hint(
    number: Annotated[str, typer.Argument(metavar="N", help="The exercise.")],
    level: Annotated[int | None, typer.Option(min=1, max=3, help="Which hint; the third quotes the solution.")] = None,
) -> None:
    """Give the next hint about what is wrong with an exercise.

    The first is a question, then comes an idea, then the solution's line.
    """
    from triton_workshop.checking import commands

    with report_misuse():
        raise typer.Exit(commands.run_hint(number, level))


@app.command()
def reset(
    number: Annotated[str, typer.Argument(metavar="N", help="The exercise.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Restore an exercise as it was shipped. Your file is kept as a backup."""
    from triton_workshop.checking import commands

    with report_misuse():
        raise typer.Exit(commands.run_reset(number, lambda question: yes or typer.confirm(question)))
