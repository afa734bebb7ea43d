"""`workshop bench`: what it does, and its exit status."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from triton_simulator.without_library import has_library
from triton_workshop.bench.bench import YOURS, Bench, bench
from triton_workshop.bench.report import print_bench, progress
from triton_workshop.checking.check import load
from triton_workshop.checking.children import standard_output
from triton_workshop.checking.commands import FAILED, PASSED, Scripts, select_scripts
from triton_workshop.checking.reporting.progress import Status, entries, record_check, update
from triton_workshop.device import runs_on_a_gpu
from triton_workshop.errors import MisuseError
from triton_workshop.exercises.workloads import WORKLOADS
from triton_workshop.printing import use_utf8
from triton_workshop.processes.compilers import new_process


def chosen_to_bench(numbers: list[str], file: Path | None, *, plain: bool, every: bool) -> Scripts:
    """Return the scripts to bench, by default everything that has passed.

    Raises MisuseError for a choice that makes no sense.
    """
    if not (numbers or file):
        passed = _passed_numbers()  # in any case: it moves a broken record away, and says so
        # `every` is answered here, as `select_scripts` refuses it beside numbers.
        numbers = [*WORKLOADS] if plain or every else passed
        every = False
        if not numbers:
            raise MisuseError("none of your exercises has passed yet; name one (workshop bench 1), or use --plain")
    scripts = select_scripts(numbers, file, solutions=plain, every=every)
    for exercise, _ in scripts:
        if exercise.number not in WORKLOADS:
            supported = ", ".join(WORKLOADS)
            raise MisuseError(f"bench has sizes for exercises {supported}, and none for {exercise.number}")
    return scripts


def run_bench(scripts: Scripts, *, as_json: bool, picture: Path | None) -> int:
    """Bench the chosen scripts, and show the results.

    They go to the screen, or are printed as one JSON object per line.
    """
    use_utf8()
    if picture is not None:
        # Now, and not after minutes of benches.
        _check_picture(picture)
    console = Console()
    benches: list[Bench] = []
    for result in _benches(scripts, as_json=as_json):
        record_check(result.verdict, hints_shown=0 if as_json else 1)
        _remember_best(result)
        if as_json:
            print(json.dumps(result.as_json()), flush=True)
        else:
            if benches:
                console.print()
            print_bench(result, console)
        benches.append(result)
    if picture is not None:
        _draw(benches, picture, console, silent=as_json)
    return PASSED if all(result.passed for result in benches) else FAILED


def _benches(scripts: Scripts, *, as_json: bool) -> Iterator[Bench]:
    # Only JSON goes to standard output; what a script prints goes to standard error.
    output = sys.stderr.fileno() if as_json else standard_output()
    gpu = runs_on_a_gpu()  # first: what loads the checker has its process simulate
    load()  # before the terminal's cursor is hidden, as Ctrl+C may end the program meanwhile
    for exercise, file in scripts:
        with progress() as report_progress:
            compiler = new_process if has_library() else None
            result = bench(exercise, file, gpu=gpu, output=output, report_progress=report_progress, compiler=compiler)
        yield result


def _passed_numbers() -> list[str]:
    passed = [entry.exercise.number for entry in entries() if entry.status is Status.PASSED]
    return [number for number in WORKLOADS if number in passed]


def _remember_best(result: Bench) -> None:
    """Record how close the learner's kernel came to the limit.

    The largest size counts.
    """
    if result.times is None or result.name != YOURS:
        return
    if result.file != result.exercise.exercise_file.resolve():
        return
    # Small sizes measure the launch more than the kernel.
    times = result.times.sizes[-1].times
    ratio = round(times[YOURS].median / times["limit"].median, 3)
    update(result.exercise.number, lambda record: replace(record, best_ratio=min(ratio, record.best_ratio or ratio)))


def _check_picture(picture: Path) -> None:
    if picture.suffix != ".png":
        raise MisuseError(f"--plot draws a PNG; expected a name that ends in .png, got {picture}")
    if not picture.absolute().parent.is_dir():
        raise MisuseError(f"--plot: the folder {picture.parent} does not exist")


def _draw(benches: list[Bench], picture: Path, console: Console, *, silent: bool) -> None:
    from triton_workshop.bench.plots import plot

    try:
        drawn = plot(benches, picture)
    except OSError as error:
        raise MisuseError(f"{picture}: cannot be written: {error.strerror or error}") from error
    if not silent:
        console.print()
        message = f"The roofline is in {picture}" if drawn else "There are no figures, so no picture was drawn."
        console.print(message, highlight=False, soft_wrap=True)
