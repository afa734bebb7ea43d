"""Time from an exercise's save to each verdict.

Run it by `python -m benchmarks.verdicts`.

As in `workshop watch`, with its processes warm. A right script gets the verdict of the simulator, then that of Triton's
compiler. A wrong one gets the simulator's, with its line and hint. One that the front end refuses gets both. A slow one
is an exercise with goals, as shipped: it is correct, and the last verdict says which goal it misses. `--pause`
is how many seconds pass between two saves; where nothing can fork, the processes for the next check take some to get
ready. What waits then is listed in the end: how much memory of each is resident, and how much of that it shares.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import memory
from triton_workshop.checking.judging.verdict import Verdict
from triton_workshop.exercises import EXERCISES, REQUIRED
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.watch.checker import Checker


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=[*SCRIPTS, []], help="which scripts; by default all")
    parser.add_argument("--rounds", type=int, default=5, help="checks of each script, after one that does not count")
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between two saves; by default 0.5")
    options = parser.parse_args()
    checker = Checker()
    try:
        for name in options.what or SCRIPTS:
            print(
                f"\n| exercise, {name} | simulator's verdict | worst | compiler's, later by |\n| --- {'| ---: ' * 3}|"
            )
            for exercise in WITH_GOALS if name == "slow" else (*REQUIRED.values(), *WITH_GOALS):
                text = SCRIPTS[name](exercise)
                times = [list(_seconds(checker, exercise, text, options.pause)) for _ in range(options.rounds + 1)][1:]
                first = [seconds[0] for seconds in times]
                later = [f"{seconds[-1] - seconds[0]:.2f} s" for seconds in sorted(times) if len(seconds) > 1]
                middle = later[len(later) // 2] if later else "–"
                row = f"| {exercise.number} | {statistics.median(first):.2f} s | {max(first):.2f} s | {middle} |"
                print(row, flush=True)
        time.sleep(options.pause)
        for resident, shared in _waiting():
            print(f"a process waits: {resident} MB resident, {shared} MB of them shared with others")
    finally:
        checker.close()


def right(exercise: Exercise) -> str:
    return exercise.solution_file.read_text(encoding="utf-8")


def slow(exercise: Exercise) -> str:
    return exercise.shipped_text


def wrong(exercise: Exercise) -> str:
    """The solution with the first mistake of its table."""
    mistake = next(each for each in exercise.mistakes if any(edit.applies_to(exercise.solution) for edit in each.edits))
    return next(edit for edit in mistake.edits if edit.applies_to(exercise.solution)).apply(exercise.solution)


def refused(exercise: Exercise) -> str:
    """Return the solution with a loop that the front end refuses.

    The loop stands at the start of its kernel, and is left at once.
    """
    return right(exercise).replace("\n    # 1:", "\n    for _ in range(4):\n        break\n    # 1:", 1)


SCRIPTS: dict[str, Callable[[Exercise], str]] = {each.__name__: each for each in (right, wrong, refused, slow)}
WITH_GOALS = [exercise for exercise in EXERCISES.values() if exercise.goals]


def _seconds(checker: Checker, exercise: Exercise, text: str, pause: float) -> Iterator[float]:
    """Measure the time until the simulator's verdict, and the compiler's."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "script.py")
        file.write_text(text, encoding="utf-8")
        time.sleep(pause)  # the next check's processes get ready, as while somebody types
        started = time.perf_counter()
        checking = checker.check(exercise, file)
        first, *others = [(verdict, time.perf_counter() - started) for verdict in checking.verdicts()]
        checking.finish()
        for verdict, _ in (first, *others):
            assert verdict.cases, verdict.findings
            assert verdict.passed or verdict.findings[0].hints, verdict.findings
        yield first[1]
        yield from [seconds for verdict, seconds in others if _is_decided(verdict)][:1]


def _is_decided(verdict: Verdict) -> bool:
    """Return whether the compiler has judged the script, or at least its goals."""
    judged = bool(verdict.goals) and all(goal.holds is not None for goal in verdict.goals)
    return judged or bool(verdict.compiler) or not verdict.passed


def _waiting() -> Iterator[tuple[int, int]]:
    """Return the MB of each process that this one has started.

    By Linux's /proc: resident, and shared with others.
    """
    for _, size in memory.started():
        yield round(size["Rss"]), round(size["Shared_Clean"] + size["Shared_Dirty"])


if __name__ == "__main__":
    main()
