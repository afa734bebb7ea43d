"""`workshop asm`: what it does, and its exit status."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.text import Text

from triton_workshop.asm.asked import case_of
from triton_workshop.asm.cache import Made, cached
from triton_workshop.asm.choosing import YOURS, Subject
from triton_workshop.asm.comparison import compared, longest
from triton_workshop.asm.listing import drawn, rows
from triton_workshop.asm.recorded import recorded_on, recorded_summaries
from triton_workshop.asm.report import TERMINAL, shown
from triton_workshop.asm.sentences import of_conversion, of_line, of_program
from triton_workshop.asm.summary import Summary, source_of, summaries_of
from triton_workshop.asm.trouble import notes_of, trouble_of
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.compiler.targets import Target
from triton_workshop.printing import print_utf8, speak_utf8
from triton_workshop.without_library import has_library

if TYPE_CHECKING:
    from triton_workshop.processes.runner import Runner

SHOWN, FAILED = 0, 1
SUMMARY = "summary"
STANDARD_ERROR = 2
"""The file descriptor that gets what scripts print: standard output has only what is shown."""


@dataclass(frozen=True)
class Selection:
    """What is to be seen of a script's kernels: the `stage` is the summary, or one of `listing.STAGES`."""

    target: Target
    stage: str = SUMMARY
    kernel: str | None = None
    as_json: bool = False


def run_asm(subjects: Sequence[Subject], selection: Selection) -> int:
    """Show what the compiler made of a script's kernels, or of two scripts' beside each other."""
    speak_utf8()
    if not has_library():
        return _show_recorded(subjects, selection)
    with ExitStack() as undo:  # what was started ends when all is shown, as that takes a moment
        made = _made(subjects, selection, undo)
        for subject, each in zip(subjects, made, strict=True):
            if trouble := trouble_of(each, selection.kernel):
                return _tell(subject, trouble, undo)
        if len(subjects) == 2:
            _print_comparison(subjects, [_summaries(*each) for each in zip(subjects, made, strict=True)])
        else:
            _print(subjects[0], made[0], selection)
    return SHOWN


def _made(subjects: Sequence[Subject], selection: Selection, undo: ExitStack) -> list[Made]:
    """What the compiler made of each: as it is known, or by processes that stay for the next time."""
    known = {subject: cached(subject.launching, selection.target, selection.kernel) for subject in subjects}
    if None in known.values():
        from triton_workshop.asm.making import make

        runner = _runner(undo)
        for subject in subjects:
            asked = subject.launching, selection.target, selection.kernel
            known[subject] = known[subject] or make(*asked, runner, STANDARD_ERROR)
    return [made for made in known.values() if made is not None]


def _runner(undo: ExitStack) -> Runner:
    from triton_workshop.processes.idle import idle_seconds
    from triton_workshop.processes.runner import Runner

    return undo.enter_context(Runner(idle_seconds(os.environ)))


def _summaries(subject: Subject, made: Made) -> list[Summary]:
    return summaries_of(made.answers, subject.launching.file, subject.launching.text)


def _print(subject: Subject, made: Made, selection: Selection) -> None:
    if selection.stage == SUMMARY:
        _print_summaries(subject.where, _summaries(subject, made), selection)
    else:
        for answer in made.answers:
            if answer.assembly is not None:
                head = f"{answer.job.kernel.name} · {subject.where} · {selection.target} · {selection.stage}"
                _, source = source_of(answer.assembly, subject.launching.file, subject.launching.text)
                _page(head, [*rows(answer.assembly, selection.stage, source)])
    for note in notes_of(made, selection.kernel):
        _say(note)


def _say(sentence: str) -> None:
    """On standard error, wrapped between words."""
    Console(stderr=True, markup=False, highlight=False).print(sentence)


def _print_summaries(where: str, summaries: Sequence[Summary], selection: Selection) -> None:
    for number, summary in enumerate(summaries):
        if selection.as_json:
            print_utf8(json.dumps(as_plain_data(summary)))
        else:
            _show(*([""] if number else []), shown(summary, where))


def _show(*contents: RenderableType) -> None:
    """At once, for a reader that may go when it has seen enough."""
    console = Console(theme=TERMINAL)
    with console.capture() as captured:
        console.print(*contents, sep="\n", end="")
    print_utf8(captured.get().removesuffix("\n"))


def _page(head: str, listed: Sequence[tuple[str, Text]]) -> None:
    """In a terminal, where one can scroll; else as plain text."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        from triton_workshop.asm.pager import PagerApp

        PagerApp(head, drawn(listed)).run()
    else:
        print_utf8("\n".join([head, *(f"{number:>4} {text.plain}" for number, text in listed)]))


def _print_comparison(subjects: Sequence[Subject], summaries: Sequence[list[Summary]]) -> None:
    left, right = map(longest, summaries)
    heads = [
        "\n".join([*subject.where.split(" · "), each.kernel.partition(" ")[0]])
        for subject, each in zip(subjects, (left, right), strict=True)
    ]
    _show(compared(left, right, heads))
    for subject, each in zip(subjects, summaries, strict=True):
        if len(each) > 1:
            print_utf8(f"{subject.whose} launches {len(each)} kernels; compared is the one with the most instructions.")


def as_plain_data(summary: Summary) -> dict[str, object]:
    """The figures, and the sentences that the screen shows."""
    lines = [f"line {line.line}: {of_line(line, summary.target.capability)}" for line in summary.lines]
    told = [*lines, *map(of_conversion, summary.conversions), *of_program(summary)]
    return {**summary.as_json(), "sentences": told}


def _show_recorded(subjects: Sequence[Subject], selection: Selection) -> int:
    """Where Triton has no compiler, the solutions' summaries are shown as they were recorded."""
    for subject in subjects:
        number, whose = subject.launching.exercise, subject.whose if subject.whose != YOURS else "plain"
        size = subject.launching.size
        found = recorded_summaries(number, whose, selection.target, size)
        if not found or selection.stage != SUMMARY:
            _say("Triton's compiler is not on this machine, and nothing is recorded of this.")
            return FAILED
        print_utf8(f"Triton's compiler is not on this machine. Recorded with Triton {recorded_on()}:")
        _print_summaries(f"exercise {number}, {whose} · {case_of(number, size).name}", found, selection)
    return SHOWN


def _tell(subject: Subject, trouble: str, undo: ExitStack) -> int:
    """Of an exercise what the checker finds, if it finds something; else the trouble in a sentence."""
    if subject.launching.exercise:
        from triton_workshop.checking.check import verdicts
        from triton_workshop.checking.reporting.report import print_verdicts
        from triton_workshop.processes.compilers import warm

        exercise = EXERCISES[subject.launching.exercise]
        found = list(verdicts(exercise, subject.launching.file, compiler=warm(_runner(undo))))
        if found and not found[-1].passed:
            print_verdicts(found, exercise, Console())
            return FAILED
    _say(f"{subject.where}: {trouble}")
    return FAILED
