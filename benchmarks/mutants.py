"""Wrong edits that the checker takes for right.

Solutions, and right scripts in other styles, are edited by machine (`mutation/`), in one place and in two at once,
and judged on the simulator; one that is right there, and has no entry, is compiled too. A mutant is

- killed, if the checker calls it wrong
- remarked, if the checker calls it right, but says what is not good about it
- equivalent, if `equivalent.toml` says why it is as right as the script that was edited
- surviving otherwise: then the checker needs a case or a remark, or the file an entry

Run it by `python -m benchmarks.mutants [--sample N] [EXERCISE …]`. `--sample N` judges N mutants of each exercise, the
same ones every time. It exits with 1 if any survives, or if an entry is of no use any more.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import random
import re
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

from benchmarks.mutation import Mutant, Script, mutants, pairs, some
from triton_workshop.checking.check import source_or_verdict, verdict_of
from triton_workshop.checking.children import Forks
from triton_workshop.checking.compiling import check_compilation
from triton_workshop.checking.diagnosing import tries
from triton_workshop.checking.judging.verdict import FindingKind, Verdict
from triton_workshop.checking.observing.child import prepare
from triton_workshop.exercises import EXERCISES
from triton_workshop.processes.compilers import new_process

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
LIMIT_SECONDS = 10.0
"""Seconds for a mutant. Most need 0.1."""
TILE_SEARCH_SECONDS = 10.0
"""Seconds for the search for a tile size that a right one depends on."""
SOLUTION, OTHERS, TWO = "a solution", "a right script in another style", "a solution, two edits at once"
OF_REQUIRED = {SOLUTION: 1000, OTHERS: 120, TWO: 200}
"""At most so many mutants of an exercise: of its solution, of right scripts in other styles, with two edits at once."""
OF_A_VARIATION = {SOLUTION: 160, OTHERS: 50, TWO: 50}
NAMES = ("killed", "remarked", "equivalent", "surviving")


@dataclass(frozen=True)
class Subject:
    """A mutant to be judged."""

    exercise: str
    group: str
    mutant: Mutant
    script: str = ""
    """The name of the script that was edited, if it is not the solution."""

    @property
    def changes(self) -> str:
        """What its edits do to lines."""
        return " ; ".join(f"{old} → {new}" for old, new in self.mutant.changes)

    @property
    def entry(self) -> Entry | None:
        """What says that it is equivalent."""
        return next((entry for entry in entries() if entry.fits(self)), None)


@dataclass(frozen=True)
class Outcome:
    subject: Subject
    killed: FindingKind | None
    remarks: tuple[str, ...]

    @property
    def name(self) -> str:
        if self.killed is not None:
            return "killed"
        return "remarked" if self.remarks else "surviving" if self.subject.entry is None else "equivalent"


@dataclass(frozen=True)
class Entry:
    """What makes mutants equivalent: changes of lines as a regular expression."""

    exercises: tuple[str, ...]
    changes: str
    reason: str

    def fits(self, subject: Subject) -> bool:
        return subject.exercise in self.exercises and re.fullmatch(self.changes, subject.changes) is not None


@functools.cache
def entries() -> tuple[Entry, ...]:
    """Return the entries of `equivalent.toml`.

    `edits` are texts, `patterns` regular expressions.
    """
    found = []
    for table in tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"]:
        changes = [*map(re.escape, table.get("edits", ())), *table.get("patterns", ())]
        found += [Entry(tuple(table["exercises"]), each, table["reason"]) for each in changes]
    return tuple(found)


def right_scripts(exercise: str) -> dict[str, str]:
    """The tests' right scripts in other styles, by name: those for any Triton."""
    every = importlib.import_module("tests.exercises.right").right_scripts(exercise)
    return {each.name: each.source for each in every if not each.required_word}


def subjects(exercise: str) -> Iterator[Subject]:
    """Return all mutants of an exercise, the same ones every time.

    Another script changes its own mutants only.
    """
    counts = OF_A_VARIATION if EXERCISES[exercise].is_optional else OF_REQUIRED
    own = mutants(Script(EXERCISES[exercise].solution))
    yield from (Subject(exercise, SOLUTION, mutant) for mutant in own[:: len(own) // counts[SOLUTION] or 1])
    others = right_scripts(exercise)
    for name, script in others.items():
        for mutant in some(Script(script), counts[OTHERS] // len(others), random.Random(script)):
            yield Subject(exercise, OTHERS, mutant, name)
    # Of two edits, one that changes nothing is one too many.
    useful = [mutant for mutant in own if Subject(exercise, SOLUTION, mutant).entry is None]
    yield from (Subject(exercise, TWO, mutant) for mutant in pairs(useful, counts[TWO], random.Random(exercise)))


def judged(subject: Subject) -> Outcome:
    """Return the checker's verdict, in a process that is `prepare`d.

    It does not look for the line to blame.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mutant.py").resolve()
        file.write_text(subject.mutant.text, encoding="utf-8")
        verdict = verdict_on(subject.exercise, file)
        if verdict.passed and not verdict.remarks and subject.entry is None:
            verdict = check_compilation(verdict, new_process)
    return Outcome(subject, None if verdict.passed else verdict.findings[0].kind, verdict.remarks)


def verdict_on(exercise: str, file: Path) -> Verdict:
    """The checker's verdict, without the compiler's part."""
    from triton_workshop.checking.judging.judge import Judge
    from triton_workshop.checking.judging.trial import case_trials, further_trials
    from triton_workshop.checking.subprocess_runner import SubprocessRunner

    started = time.perf_counter()
    source = source_or_verdict(EXERCISES[exercise], file, started)
    if isinstance(source, Verdict):
        return source
    with Path(os.devnull).open("w") as nowhere:
        judge = Judge(source, LIMIT_SECONDS)
        runner = SubprocessRunner(source, Forks(nowhere.fileno()), LIMIT_SECONDS)
        *_, outcome = case_trials(judge, runner)
        if not outcome.findings:
            *_, outcome = outcome, *further_trials(judge, runner, outcome)
    return verdict_of(source.exercise, file, started, outcome, text=source.text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("exercises", nargs="*", default=list(EXERCISES), metavar="EXERCISE")
    parser.add_argument("--sample", type=int, metavar="N")
    options = parser.parse_args()
    started, outcomes = time.perf_counter(), list[Outcome]()
    # How busy a machine is must not change what is remarked.
    tries.SEARCH_SECONDS = TILE_SEARCH_SECONDS
    with ProcessPoolExecutor(os.cpu_count(), get_context("fork"), initializer=prepare) as pool:
        for exercise in options.exercises:
            every = list(subjects(exercise))
            if options.sample:
                every = random.Random(exercise).sample(every, options.sample)
            outcomes += pool.map(judged, every)
            print(f"{exercise}: {len(outcomes)} judged", file=sys.stderr)
    surviving = [outcome for outcome in outcomes if outcome.name == "surviving"]
    unused = [] if options.sample or options.exercises != list(EXERCISES) else without_use(outcomes)
    print("\n".join(report(outcomes, time.perf_counter() - started)))
    for entry in unused:
        print(f"of no use in {EQUIVALENT.name}: {entry.changes}")
    sys.exit(bool(surviving or unused))


def without_use(outcomes: list[Outcome]) -> list[Entry]:
    """The entries that no mutant needs."""
    subjects = [each.subject for each in outcomes if each.name == "equivalent"]
    return [entry for entry in entries() if not any(entry.fits(subject) for subject in subjects)]


def report(outcomes: list[Outcome], seconds: float) -> Iterator[str]:
    """The results as Markdown."""
    about = (__doc__ or "").partition("\n")[2].partition("Run it by")[0].strip()
    yield f"# What the checker says of mutants\n\n{about}\n"
    versions = ", ".join(f"{name} {version(name)}" for name in ("triton", "torch", "numpy"))
    yield f"`python -m benchmarks.mutants` on {os.cpu_count()} cores, {versions}, {seconds / 60:.0f} minutes:\n"
    yield from _table("exercise", outcomes, lambda each: each.subject.exercise)
    yield from _table("mutants of", outcomes, lambda each: each.subject.group)
    yield from _table("one edit", [each for each in outcomes if each.subject.group != TWO], _operator)
    kinds = Counter(each.killed for each in outcomes if each.killed)
    yield f"Killed by: {', '.join(f'{kind} {count:,}' for kind, count in kinds.most_common())}.\n"
    yield from _counted("Remarked", [_in_short(each.remarks[0]) for each in outcomes if each.name == "remarked"])
    reasons = [each.subject.entry.reason for each in outcomes if each.name == "equivalent" and each.subject.entry]
    yield from _counted("Equivalent", reasons)
    for each in outcomes:
        if each.name == "surviving":
            yield f"Surviving, exercise {each.subject.exercise} {each.subject.script}:\n"
            yield from (f"    {old}\n    {new}" for old, new in each.subject.mutant.changes)


def _operator(outcome: Outcome) -> str:
    return outcome.subject.mutant.edits[0].operator


def _table(heading: str, outcomes: list[Outcome], key: Callable[[Outcome], str]) -> Iterator[str]:
    yield f"| {heading} | mutants | {' | '.join(NAMES)} |\n| --- |{' ---: |' * (1 + len(NAMES))}"
    for row in dict.fromkeys(filter(None, map(key, outcomes))):
        names = Counter(each.name for each in outcomes if key(each) == row)
        yield f"| {row} | {names.total():,} | {' | '.join(f'{names[name]:,}' for name in NAMES)} |"
    yield ""


def _in_short(remark: str) -> str:
    """How it begins, without names and numbers."""
    return re.sub(r"(?<=with )\w+|\w*[\d_][\w,]*", "…", re.split(r"[:(]|\. ", remark)[0]).strip()


def _counted(heading: str, texts: list[str]) -> Iterator[str]:
    yield f"{heading}:\n"
    yield from (f"- {count} × {text}" for text, count in Counter(texts).most_common())
    yield ""


if __name__ == "__main__":
    main()
