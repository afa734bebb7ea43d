"""Verdicts of the page beside those of a laptop.

Run it by `python -m benchmarks.page_verdicts [--every N]`.

Every script of the mistake tables, the solutions, and the right and wrong scripts of the tests are judged twice: in
processes, as `workshop watch` does it, and by the page's Python in node, without a browser. Passed and kind must be the
same; line and hint are counted, and each difference is listed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.in_node import PageEndedError, PageInNode, page_in_node
from benchmarks.mutants import right_scripts
from triton_workshop.checking.judging.verdict import Verdict
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.watch.checker import Checker

LIMIT, SEARCH = 40.0, 20.0
"""Seconds for a script, twice the checker's, and for the search for a mistake: a busy machine must not change both."""
ASKED = ("passed", "kind", "line", "hint")


@dataclass(frozen=True)
class Case:
    """A script to judge."""

    exercise: Exercise
    name: str
    text: str


@dataclass(frozen=True)
class Said:
    """What was said of it."""

    passed: bool
    kind: str
    line: int | None
    hint: str
    message: str
    seconds: float
    case: str = ""
    """In which it failed."""
    remarks: tuple[str, ...] = ()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="judge only one script of so many")
    parser.add_argument("--parts", type=Path, help="the folder with the page's parts, if they are not in the cache")
    parser.add_argument("--json", type=Path, help="write both verdicts on each script to this file")
    options = parser.parse_args()
    cases = list(scripts())[:: options.every]
    found = []
    checker = Checker()
    try:
        with page_in_node(options.parts) as page:
            for number, case in enumerate(cases, 1):
                found.append((case, on_a_laptop(checker, case), in_the_page(page, case)))
                print(f"\r{number} of {len(cases)}", end="", file=sys.stderr, flush=True)
    finally:
        checker.close()
    if options.json:
        rows = [
            {"script": f"{c.exercise.number} {c.name}", "laptop": asdict(a), "page": asdict(b)} for c, a, b in found
        ]
        options.json.write_text(json.dumps(rows, indent=0) + "\n")
    report(found)


def scripts() -> Iterator[Case]:
    """Return the scripts to judge, right and wrong ones.

    They are the solutions, the exercises as shipped, the edits of the tables, and those of the tests.
    """
    for exercise in EXERCISES.values():
        yield Case(exercise, "solution", exercise.solution)
        yield Case(exercise, "as shipped", exercise.shipped_text)
        for mistake in exercise.mistakes:
            edits = [edit for edit in mistake.edits if edit.applies_to(exercise.solution)]
            for number, edit in enumerate(edits, 1):
                yield Case(exercise, f"{mistake.name} {number}", edit.apply(exercise.solution))
    for name, wrong in importlib.import_module("tests.exercises.mistakes").MISTAKES.items():
        yield Case(wrong.exercise, f"tests' {name}", wrong.text)
    for exercise in EXERCISES.values():
        for name, text in right_scripts(exercise.number).items():
            yield Case(exercise, f"tests' {name}", text)


def on_a_laptop(checker: Checker, case: Case) -> Said:
    """The last verdict of `workshop watch`."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, f"{case.exercise.name}.py")
        file.write_text(case.text, encoding="utf-8")
        started = time.perf_counter()
        checking = checker.check(case.exercise, file)
        *_, verdict = checking.verdicts()
        seconds = time.perf_counter() - started
        checking.finish()
    return summarize_verdict(verdict, seconds)


def in_the_page(page: PageInNode, case: Case, limit: float = LIMIT, search: float = SEARCH) -> Said:
    """The last verdict of a tab."""
    try:
        answer = page.ask(check=case.exercise.number, text=case.text, limit=limit, search=search)
    except (PageEndedError, RuntimeError) as error:
        return Said(False, "no verdict", None, "", str(error)[-300:], 0)
    return _said(answer["verdicts"][-1], answer["seconds"])


def summarize_verdict(verdict: Verdict, seconds: float) -> Said:
    """What a laptop's verdict says."""
    return _said(json.loads(json.dumps(verdict.as_json(), default=str)), seconds)


def _said(verdict: dict[str, Any], seconds: float) -> Said:
    if verdict["passed"]:
        return Said(True, "", None, "", "", seconds, remarks=tuple(verdict["remarks"]))
    first = verdict["findings"][0]
    return Said(False, first["kind"], first["line"], first["hint_name"], first["message"], seconds, first["case"])


def report(found: list[tuple[Case, Said, Said]]) -> None:
    """Print a table in Markdown."""
    print(f"{len(found)} scripts, judged on a laptop and by the page's Python in node.\n")
    print(f"| | the same | % |\n| --- {'| ---: ' * 2}|")
    for what in (*ASKED, "message"):
        same = sum(getattr(one, what) == getattr(other, what) for _, one, other in found)
        print(f"| {what} | {same} | {100 * same / len(found):.1f} |")
    print("\n| seconds to the last verdict | laptop | page |\n| --- | ---: | ---: |")
    both = [[said.seconds for _, *says in found for said in says[side : side + 1]] for side in (0, 1)]
    for name, of in (("median", statistics.median), ("largest", max)):
        print(f"| {name} | {of(both[0]):.2f} | {of(both[1]):.2f} |")
    different = [each for each in found if any(getattr(each[1], name) != getattr(each[2], name) for name in ASKED)]
    print(f"\n| {len(different)} differ | laptop | page |\n| --- | --- | --- |")
    for case, one, other in different:
        print(f"| {case.exercise.number}, {case.name} | {_in_short(one)} | {_in_short(other)} |")


def _in_short(said: Said) -> str:
    return "right" if said.passed else f"{said.kind}, line {said.line}, {said.hint or 'no hint'}"


if __name__ == "__main__":
    main()
