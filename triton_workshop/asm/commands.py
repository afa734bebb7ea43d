"""`workshop asm`: what it does, and its exit status."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from rich.console import Console, RenderableType

from triton_simulator.gpus import Target
from triton_simulator.without_library import has_library
from triton_workshop.asm.build import Build, build, cached_build
from triton_workshop.asm.report import TERMINAL, comparison, longest, summary_page
from triton_workshop.asm.requests import YOURS, Subject, case_of
from triton_workshop.asm.sentences import of_conversion, of_line, of_program
from triton_workshop.asm.summary import Summary, recorded_summaries, recorded_with, source_of, summaries_of
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.printing import print_utf8, speak_utf8
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.idle import idle_seconds
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
        return _print_recorded(subjects, selection)
    with ExitStack() as undo:  # what was started ends when all is shown, as that takes a moment
        builds = _builds(subjects, selection, undo)
        for subject, each in zip(subjects, builds, strict=True):
            if error := each.error(selection.kernel):
                return _print_error(subject, error, undo)
        if len(subjects) == 2:
            _print_comparison(subjects, [_summaries(*each) for each in zip(subjects, builds, strict=True)])
        else:
            _print_build(subjects[0], builds[0], selection)
    return SHOWN


def _builds(subjects: Sequence[Subject], selection: Selection, undo: ExitStack) -> list[Build]:
    """What the compiler made of each: as it is known, or by processes that stay for the next time."""
    runner: Runner | None = None
    builds = []
    for subject in subjects:
        wanted = subject.request, selection.target, selection.kernel
        known = cached_build(*wanted)
        if known is None:
            runner = runner or _runner(undo)
            known = build(*wanted, runner, STANDARD_ERROR)
        builds.append(known)
    return builds


def _runner(undo: ExitStack) -> Runner:
    return undo.enter_context(Runner(idle_seconds(os.environ)))


def _summaries(subject: Subject, made: Build) -> list[Summary]:
    return summaries_of(made.answers, subject.request.file, subject.request.text)


def _print_build(subject: Subject, made: Build, selection: Selection) -> None:
    if selection.stage == SUMMARY:
        _print_summaries(subject.title, _summaries(subject, made), selection)
    else:
        _print_listings(subject, made, selection)
    for note in made.notes(selection.kernel):
        _print_note(note)


def _print_summaries(title: str, summaries: Sequence[Summary], selection: Selection) -> None:
    for number, summary in enumerate(summaries):
        if selection.as_json:
            print_utf8(json.dumps(as_plain_data(summary)))
        else:
            _print(*([""] if number else []), summary_page(summary, title))


def _print_listings(subject: Subject, made: Build, selection: Selection) -> None:
    """In a terminal, where one can scroll; else as plain text."""
    from triton_workshop.asm.listing import PagerApp, listing_table, rows

    for assembly in (answer.assembly for answer in made.answers):
        if assembly is None:
            continue
        head = f"{assembly.kernel} · {subject.title} · {selection.target} · {selection.stage}"
        _, source = source_of(assembly, subject.request.file, subject.request.text)
        listed = [*rows(assembly, selection.stage, source)]
        if sys.stdin.isatty() and sys.stdout.isatty():
            PagerApp(head, listing_table(listed)).run()
        else:
            print_utf8("\n".join([head, *(f"{number:>4} {text.plain}" for number, text in listed)]))


def _print_comparison(subjects: Sequence[Subject], summaries: Sequence[list[Summary]]) -> None:
    left, right = map(longest, summaries)
    heads = [
        "\n".join([*subject.title.split(" · "), each.kernel.partition(" ")[0]])
        for subject, each in zip(subjects, (left, right), strict=True)
    ]
    _print(comparison(left, right, heads))
    for subject, each in zip(subjects, summaries, strict=True):
        if len(each) > 1:
            print_utf8(
                f"{subject.variant} launches {len(each)} kernels; compared is the one with the most instructions."
            )


def _print(*contents: RenderableType) -> None:
    """At once, for a reader that may go when it has seen enough."""
    console = Console(theme=TERMINAL)
    with console.capture() as captured:
        console.print(*contents, sep="\n", end="")
    print_utf8(captured.get().removesuffix("\n"))


def _print_note(sentence: str) -> None:
    """On standard error, wrapped between words."""
    Console(stderr=True, markup=False, highlight=False).print(sentence)


def as_plain_data(summary: Summary) -> dict[str, object]:
    """The figures, and the sentences that the screen shows."""
    lines = [f"line {line.line}: {of_line(line, summary.target)}" for line in summary.lines]
    sentences = [*lines, *map(of_conversion, summary.conversions), *of_program(summary)]
    return {**summary.as_json(), "sentences": sentences}


def _print_recorded(subjects: Sequence[Subject], selection: Selection) -> int:
    """Where Triton has no compiler, the solutions' summaries are shown as they were recorded."""
    for subject in subjects:
        number, size = subject.request.exercise, subject.request.size
        variant = subject.variant if subject.variant != YOURS else "plain"
        found = recorded_summaries(number, variant, selection.target, size)
        if not found or selection.stage != SUMMARY:
            _print_note("Triton's compiler is not on this machine, and nothing is recorded of this.")
            return FAILED
        print_utf8(f"Triton's compiler is not on this machine. Recorded with Triton {recorded_with()}:")
        _print_summaries(f"exercise {number}, {variant} · {case_of(number, size).name}", found, selection)
    return SHOWN


def _print_error(subject: Subject, error: str, undo: ExitStack) -> int:
    """Of an exercise what the checker finds, if it finds something; else the error in a sentence."""
    if subject.request.exercise:
        from triton_workshop.checking.check import verdicts
        from triton_workshop.checking.reporting.report import print_verdicts

        exercise = EXERCISES[subject.request.exercise]
        found = list(verdicts(exercise, subject.request.file, compiler=warm(_runner(undo))))
        if found and not found[-1].passed:
            print_verdicts(found, exercise, Console())
            return FAILED
    _print_note(f"{subject.title}: {error}")
    return FAILED
