"""`workshop asm`: what it does, and its exit status."""

from __future__ import annotations

import json
import os
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path

from rich.console import Console

from triton_workshop.asm.asked import Launching, case_of
from triton_workshop.asm.making import MOST, Made, make
from triton_workshop.asm.report import shown
from triton_workshop.asm.sentences import of_conversion, of_line, of_program
from triton_workshop.asm.summary import Summary, summary_of
from triton_workshop.checking.check import verdicts
from triton_workshop.checking.commands import exercise_numbered, short_path
from triton_workshop.checking.exercises import EXERCISES
from triton_workshop.checking.exercises.workloads import WORKLOADS
from triton_workshop.checking.reporting.progress import entries, first_open
from triton_workshop.checking.reporting.report import print_verdicts
from triton_workshop.compiler.jobs import Answer
from triton_workshop.compiler.targets import SHARED_KIB, TARGETS, Target
from triton_workshop.errors import MisuseError
from triton_workshop.printing import speak_utf8
from triton_workshop.processes.compilers import new_process
from triton_workshop.processes.idle import idle_seconds
from triton_workshop.processes.runner import Runner
from triton_workshop.repository import ROOT

SHOWN, FAILED = 0, 1


@dataclass(frozen=True)
class Choice:
    """A script to look at. `whose`: yours, plain, fast, or the script's name."""

    launching: Launching
    whose: str

    @property
    def where(self) -> str:
        """Which script it is, and at which size it is launched."""
        if not self.launching.exercise:
            return self.whose
        size = case_of(self.launching.exercise, self.launching.size).name
        return f"exercise {self.launching.exercise}, {self.whose} · {size}"


def target_named(name: str) -> Target:
    """The GPU that `sm_90`, or `90`, means. Raises MisuseError for one that Triton does not know."""
    found = re.fullmatch(r"(?:sm_?)?(\d+)a?", name)
    if found is None or (capability := int(found[1])) not in SHARED_KIB:
        known = ", ".join(f"sm_{each}" for each in SHARED_KIB)
        raise MisuseError(f"--gpu {name}: expected one of {known}")
    return next((each for each in TARGETS if each.capability == capability), Target(capability, "no example"))


def chosen(word: str | None, size: str | None, *, plain: bool, fast: bool) -> Choice:
    """What the words of the command mean. Raises MisuseError if they make no sense."""
    if plain and fast:
        raise MisuseError("--plain and --fast are two solutions; choose one, or use --compare")
    if word is not None and word not in EXERCISES:
        return _script(Path(word), size, solution=plain or fast)
    following = first_open(entries())
    exercise = exercise_numbered(word or (following.exercise.number if following else "1"))
    file = exercise.solution_file if plain or fast else exercise.exercise_file
    file = ROOT / "solutions" / "fast" / file.name if fast else file
    asked = Launching(file.resolve(), _text(file), exercise.number, _sizes(exercise.number, size))
    return Choice(asked, "fast" if fast else "plain" if plain else "yours")


def _script(file: Path, size: str | None, *, solution: bool) -> Choice:
    if not file.is_file():
        raise MisuseError(f"{file}: expected an exercise's number or a Python script, and there is no such file")
    if solution or size:
        raise MisuseError("--plain, --fast and --size are for exercises; a script says itself what it launches")
    return Choice(Launching(file.resolve(), _text(file)), str(short_path(file.resolve())))


def _text(file: Path) -> str:
    try:
        with tokenize.open(file) as text:
            return text.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise MisuseError(f"{short_path(file)}: expected a Python script that can be read: {error}") from error


def _sizes(exercise: str, size: str | None) -> tuple[int, ...]:
    """The numbers of `--size`; one number stands for all that have no value of their own."""
    if size is None:
        return ()
    sized = WORKLOADS[exercise].sized if exercise in WORKLOADS else None
    names = signature(sized).parameters if sized else {}
    needed = [name for name, each in names.items() if each.default is each.empty]
    numbers = [int(number) for number in re.findall(r"\d+", size)] if re.fullmatch(r"\d+([x×]\d+)*", size) else []
    numbers *= len(needed) if len(numbers) == 1 else 1
    if not len(needed) <= len(numbers) <= len(names) or 0 in numbers:
        expected = "×".join(names) or "no size at all"
        raise MisuseError(
            f"--size {size}: exercise {exercise} takes {expected}, such as {'x'.join(['511'] * len(needed))}"
        )
    return tuple(numbers)


def run_asm(choice: Choice, target: Target, kernel: str | None, *, as_json: bool) -> int:
    """Show what the compiler made of a script's kernels, on the screen or as one JSON object per kernel."""
    speak_utf8()
    console = Console()
    with Runner(idle_seconds(os.environ)) as runner:
        made = make(choice.launching, target, kernel, runner, sys.stderr.fileno())
    if trouble := _trouble(made, kernel):
        return _tell(choice, trouble, console)
    source = choice.launching.text.splitlines()
    for answer in made.answers:
        if answer.assembly is None:
            print(_without_assembly(answer), file=sys.stderr)
            continue
        summary = summary_of(answer.assembly, target, dict(answer.job.kernel.numbers), source)
        if as_json:
            print(json.dumps(as_plain_data(summary)))
        else:
            console.print(shown(summary, choice.where))
    for note in _notes(made, kernel):
        print(note, file=sys.stderr)
    return SHOWN


def as_plain_data(summary: Summary) -> dict[str, object]:
    """The figures, and the sentences that the screen shows."""
    lines = [f"line {line.line}: {of_line(line, summary.target.capability)}" for line in summary.lines]
    told = [*lines, *map(of_conversion, summary.conversions), *of_program(summary)]
    return {**summary.as_json(), "sentences": told}


def _trouble(made: Made, kernel: str | None) -> str:
    """Why there is nothing to show; empty if there is something."""
    launched = made.launched
    names = list(dict.fromkeys(each.name for each in launched.kernels))
    if launched.failure:
        return launched.failure
    if not names:
        return "it launches no kernel, so there is nothing to compile"
    if kernel is not None and kernel not in names:
        return f"it launches no kernel {kernel}, but {', '.join(names)}"
    refused = next((answer for answer in made.answers if answer.refusal is not None), None)
    return "" if refused is None else _without_assembly(refused)


def _without_assembly(answer: Answer) -> str:
    name, target = answer.job.kernel.name, answer.job.target
    if (refusal := answer.refusal) is not None:
        where = f", line {refusal.line}" if refusal.line else ""
        return f"{name} does not compile for {target}{where}: {refusal.in_short}"
    if answer.slow:
        return f"{name} takes more than a minute to compile for {target}; smaller blocks take less"
    if answer.unknown:
        return f"{name} names something that cannot be taken to the compiler's process: {answer.unknown}"
    return f"{name} has no room on {target}: it needs {answer.shared_bytes >> 10} KiB of shared memory"


def _tell(choice: Choice, trouble: str, console: Console) -> int:
    """Of an exercise what the checker finds, if it finds something; else the trouble in a sentence."""
    number = choice.launching.exercise
    if number:
        exercise = EXERCISES[number]
        found = list(verdicts(exercise, choice.launching.file, gpu=False, compiler=new_process))
        if found and not found[-1].passed:
            print_verdicts(found, exercise, console)
            return FAILED
    print(f"{choice.where}: {trouble}", file=sys.stderr)
    return FAILED


def _notes(made: Made, kernel: str | None) -> Iterator[str]:
    """What the summaries themselves do not say."""
    kernels = [each for each in made.launched.kernels if kernel in (None, each.name)]
    names: Sequence[str] = [each.name for each in kernels[:MOST]]
    for name, configurations in made.launched.tuned:
        if name in names:
            yield f"{name} is tuned: a GPU would try {configurations} configurations, and this is the first of them."
    if len(kernels) > MOST:
        yield f"{len(kernels)} kernels are launched, and these are the first {MOST}; --kernel NAME shows another."
