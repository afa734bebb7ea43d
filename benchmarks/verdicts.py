"""How long a right exercise takes from its save to each verdict: `python -m benchmarks.verdicts`.

As in `workshop watch`, with its processes warm: the simulator's verdict, that of Triton's front end, and that of the
compiler for all GPUs. The second table is about a script that the front end refuses.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from triton_workshop.checking.exercises import REQUIRED
from triton_workshop.checking.exercises.exercise import Exercise
from triton_workshop.watch.checker import Checker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds: int = parser.parse_args().rounds
    checker = Checker()
    try:
        for heading, change in (("right", right), ("refused by the front end", refused)):
            print(
                f"\n| exercise, {heading} | simulator's verdict | compiler's verdict, later by |\n| --- | ---: | ---: |"
            )
            for exercise in REQUIRED.values():
                times = [list(_seconds(checker, exercise, change(exercise))) for _ in range(rounds + 1)][1:]
                first, second = (statistics.median(column) for column in zip(*times, strict=True))
                print(f"| {exercise.number} | {first:.2f} s | {second - first:.2f} s |", flush=True)
    finally:
        checker.close()


def right(exercise: Exercise) -> str:
    return exercise.solution_file.read_text(encoding="utf-8")


def refused(exercise: Exercise) -> str:
    """The solution with a loop at the start of its kernel that the front end refuses, as it is left at once."""
    return right(exercise).replace("\n    # 1:", "\n    for _ in range(4):\n        break\n    # 1:", 1)


def _seconds(checker: Checker, exercise: Exercise, text: str) -> Iterator[float]:
    """Seconds until each verdict of a check."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "script.py")
        file.write_text(text, encoding="utf-8")
        time.sleep(0.5)  # the next check's processes get ready, as while somebody types
        started = time.perf_counter()
        checking = checker.check(exercise, file)
        for verdict in checking.verdicts():
            assert verdict.cases, verdict.findings
            yield time.perf_counter() - started
        checking.finish()


if __name__ == "__main__":
    main()
