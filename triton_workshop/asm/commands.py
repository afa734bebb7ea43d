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
from triton_workshop.asm.sentences import describe_conversion, describe_line, describe_program
from triton_workshop.costs.summary import Summary, recorded_summaries, recorded_with, source_of, summaries_of
from triton_workshop.exercises import EXERCISES
from triton_workshop.printing import print_utf8, use_utf8
from triton_workshop.processes.compilers import warm
from triton_workshop.processes.idle import idle_seconds
from triton_workshop.processes.runner import Runner

SHOWN, FAILED = 0, 1
SUMMARY = "summary"
STANDARD_ERROR = 2
"""File descriptor for what scripts print.

Standard output has only what is shown.
"""


@dataclass(frozen=True)
class Selection:
    """Choice of what to show of a script's kernels.

    The `stage` is the summary, or one of `listing.STAGES`.
    """

    target: Target
    stage: str = SUMMARY
    kernel: str | None = None
    as_json: bool = False


def run_asm(subjects: Sequence[Subject], selection: Selection) -> int:
    """Show the compiled kernels of a script, or compare two scripts."""
    use_utf8()
    if not has_library():
        return _print_recorded(subjects, selection)
    with ExitStack() as undo:  # what was started ends when all is shown, as that takes a moment
        builds = _builds(subjects, selection, undo)
        for subject, result in zip(subjects, builds, strict=True):
            if error := result.error(selection.kernel):
                return _print_error(subject, error, undo)
        if len(subjects) == 2:
            _print_comparison(subjects, [_summaries(*pair) for pair in zip(subjects, builds, strict=True)])
        else:
            _print_build(subjects[0], builds[0], selection)
    return SHOWN


def _builds(subjects: Sequence[Subject], selection: Selection, undo: ExitStack) -> list[Build]:
    """Return the build of each subject, from the cache if it is there.

    Processes that compile stay for the next time.
    """
    runner: Runner | None = None
    builds = []
    for subject in subjects:
        key = subject.request, selection.target, selection.kernel
        result = cached_build(*key)
        if result is None:
            runner = runner or _runner(undo)
            result = build(*key, runner, STANDARD_ERROR)
        builds.append(result)
    return builds


def _runner(undo: ExitStack) -> Runner:
    return undo.enter_context(Runner(idle_seconds(os.environ)))


def _summaries(subject: Subject, result: Build) -> list[Summary]:
    return summaries_of(result.answers, subject.request.file, subject.request.text)


def _print_build(subject: Subject, result: Build, selection: Selection) -> None:
    if selection.stage == SUMMARY:
        _print_summaries(subject.title, _summaries(subject, result), selection)
    else:
        _print_listings(subject, result, selection)
    for note in result.notes(selection.kernel):
        _print_note(note)


def _print_summaries(title: str, summaries: Sequence[Summary], selection: Selection) -> None:
    for number, summary in enumerate(summaries):
        if selection.as_json:
            print_utf8(json.dumps(as_plain_data(summary)))
        else:
            _print(*([""] if number else []), summary_page(summary, title))


def _print_listings(subject: Subject, result: Build, selection: Selection) -> None:
    """In a terminal, where one can scroll; else as plain text."""
    from triton_workshop.asm.listing import PagerApp, listing_table, rows

    for assembly in (answer.assembly for answer in result.answers):
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
    first, second = map(longest, summaries)
    heads = [
        "\n".join([*subject.title.split(" · "), summary.kernel.partition(" ")[0]])
        for subject, summary in zip(subjects, (first, second), strict=True)
    ]
    _print(comparison(first, second, heads))
    for subject, kernels in zip(subjects, summaries, strict=True):
        if len(kernels) > 1:
            print_utf8(
                f"{subject.variant} launches {len(kernels)} kernels; compared is the one with the most instructions."
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
    lines = [f"line {line.line}: {describe_line(line, summary.target)}" for line in summary.lines]
    sentences = [*lines, *map(describe_conversion, summary.conversions), *describe_program(summary)]
    return {**summary.as_json(), "sentences": sentences}


def _print_recorded(subjects: Sequence[Subject], selection: Selection) -> int:
    """Show recorded summaries of the solutions, as there is no compiler."""
    for subject in subjects:
        number, size = subject.request.exercise, subject.request.size
        variant = subject.variant if subject.variant != YOURS else "plain"
        recorded = recorded_summaries(number, variant, selection.target, size)
        if not recorded or selection.stage != SUMMARY:
            _print_note("Triton's compiler is not on this machine, and nothing is recorded of this.")
            return FAILED
        print_utf8(f"Triton's compiler is not on this machine. Recorded with Triton {recorded_with()}:")
        _print_summaries(f"exercise {number}, {variant} · {case_of(number, size).name}", recorded, selection)
    return SHOWN


def _print_error(subject: Subject, error: str, undo: ExitStack) -> int:
    """Print the checker's finding for an exercise, or else the error."""
    if subject.request.exercise:
        from triton_workshop.checking.check import CheckRequest, verdicts
        from triton_workshop.checking.reporting.report import print_verdicts

        exercise = EXERCISES[subject.request.exercise]
        request = CheckRequest(exercise, subject.request.file, compiler=warm(_runner(undo)))
        results = list(verdicts(request))
        if results and not results[-1].passed:
            print_verdicts(results, exercise, Console())
            return FAILED
    _print_note(f"{subject.title}: {error}")
    return FAILED
