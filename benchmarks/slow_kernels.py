"""Times of exercise 7's kernels before and after a repair.

Run it by `python -m benchmarks.slow_kernels`.

Needs one NVIDIA GPU, PyTorch and Triton. It times each as shipped, the solution, the other repairs that pass
(`right.txt` among the tests of an exercise), and those that are told to be slow still (`slow.toml`), in turns: medians
of `triton.testing.do_bench`, which empties the L2 cache before each call. A result that is not that of the exercise as
shipped raises an error.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from triton_workshop import DEVICE  # first: chooses the GPU

import torch  # isort: skip
import triton  # isort: skip

from benchmarks.kernels_report import markdown_table  # isort: skip
from tests.exercises.right import right_scripts  # isort: skip
from tests.exercises.slow import slow_scripts  # isort: skip
from triton_workshop.bench.timing import Run, Timing, cold_times, in_turns  # isort: skip
from triton_workshop.exercises import EXERCISES  # isort: skip
from triton_workshop.exercises.cases import launcher_args  # isort: skip
from triton_workshop.exercises.exercise import Exercise  # isort: skip
from triton_workshop.exercises.workloads import WORKLOADS  # isort: skip
from triton_workshop.repository import ROOT  # isort: skip

RESULTS = ROOT / "benchmarks" / "results" / "h200-slow-kernels"
NUMBERS = ("7a", "7b", "7c", "7d", "7e")
SHIPPED, SOLUTION = "as shipped", "solution"
ROUNDS = 3
SHIPPED_GOALS = {
    "7a": "whole-sectors",
    "7b": "whole-sectors",
    "7c": "few-waits",
    "7d": "no-spills",
    "7e": "fast-product",
}
"""The goal that each exercise misses as shipped."""
Report = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """A script of an exercise, and its time."""

    exercise: str
    size: str
    script: str
    time: Timing


def rows(numbers: tuple[str, ...] = NUMBERS) -> Iterator[Row]:
    """Time all scripts of these exercises."""
    for number in numbers:
        exercise, case = EXERCISES[number], WORKLOADS[number].timing_cases[-1]
        arguments = launcher_args(case.arguments(DEVICE))
        runs = {
            name: (partial(_launcher(exercise, name, text), *arguments),) for name, text in scripts(exercise).items()
        }
        expected = runs[SHIPPED][0]()
        for name, (run,) in runs.items():
            _compare(name, run, expected)
        del expected
        for name, timing in in_turns(runs, cold_times, ROUNDS).items():
            yield Row(number, case.name, name.removeprefix(f"{number}-"), timing)
        torch.cuda.empty_cache()


def scripts(exercise: Exercise) -> dict[str, str]:
    """Return the texts of all scripts of an exercise by name."""
    right = {script.name: script.source for script in right_scripts(exercise.number)}
    slow = {script.name: script.source for script in slow_scripts(exercise.number)}
    return {SHIPPED: exercise.shipped_text, SOLUTION: exercise.solution, **right, **slow}


def _launcher(exercise: Exercise, name: str, text: str) -> Callable[..., torch.Tensor]:
    """Load a script from a file, as Triton reads a kernel's source there."""
    file = Path(tempfile.mkdtemp()) / "script.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"script_{exercise.number}_{name.replace(' ', '_')}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    launcher: Callable[..., torch.Tensor] = getattr(module, exercise.launcher)
    return launcher


def _compare(name: str, run: Run, expected: torch.Tensor) -> None:
    difference = (run() - expected).float().norm() / expected.float().norm()
    if not difference <= 1e-2:
        raise SystemExit(f"{name} differs from the exercise as shipped by {difference:.1e}")


def times(report: Report, number: str) -> dict[str, float]:
    """Return the medians of an exercise's scripts, by their names."""
    return {row["script"]: row["time"]["median"] for row in report["rows"] if row["exercise"] == number}


def missed_goals(number: str) -> dict[str, str]:
    """Return the first goal that each slow script of an exercise misses.

    The exercise as shipped misses one, too.
    """
    slow = {script.name.removeprefix(f"{number}-"): script.goal for script in slow_scripts(number)}
    return {SHIPPED: SHIPPED_GOALS[number], **slow}


def gain(report: Report, number: str) -> float:
    """Return how many times as fast the solution is as the file as shipped."""
    medians = times(report, number)
    return medians[SHIPPED] / medians[SOLUTION]


def markdown(report: Report) -> str:
    """Return the report as a page."""
    versions = "; ".join(f"{name} {version}" for name, version in report["versions"].items())
    table = [("exercise", "work", "script", "misses", "ms", "6 of 10 calls", "× as fast as shipped")]
    for row in report["rows"]:
        shipped, time = times(report, row["exercise"])[SHIPPED], row["time"]
        spread = f"{time['low']:.4g} – {time['high']:.4g}"
        name, ratio = row["script"].replace("-", " "), f"{shipped / time['median']:.2f}"
        goal = missed_goals(row["exercise"]).get(row["script"], "")
        table.append((row["exercise"], row["size"], name, goal, f"{time['median']:.4g}", spread, ratio))
    return (
        f"# The kernels of exercise 7 on one {report['gpu']}, before and after a repair\n\n"
        f"{report['date']}; {versions}. Written by `python -m benchmarks.slow_kernels --save`.\n\n"
        "Medians of `triton.testing.do_bench`, with all scripts of an exercise in turns, in one process. A script that "
        "misses a goal is correct, and told to be slow; the others pass.\n\n"
        f"{markdown_table(table)}\n"
    )


def main() -> None:
    """Measure, print each row as it comes, and save them if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("numbers", nargs="*", default=NUMBERS, help="exercises, such as 7a; all by default")
    parser.add_argument("--save", type=Path, nargs="?", const=RESULTS, help="write FILE.json and FILE.md")
    options = parser.parse_args()
    found = []
    for row in rows(tuple(options.numbers)):
        print(f"{row.exercise} {row.script:40} {row.time.median:8.4f} ms", flush=True)
        found.append(asdict(row))
        report = {
            "gpu": torch.cuda.get_device_name(),
            "date": datetime.now(UTC).date().isoformat(),
            "versions": {"PyTorch": torch.__version__, "Triton": triton.__version__},
            "rows": found,
        }
        if options.save:  # at once, as a machine may be taken away
            options.save.with_suffix(".json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
            options.save.with_suffix(".md").write_text(markdown(report), encoding="utf-8")


if __name__ == "__main__":
    main()
