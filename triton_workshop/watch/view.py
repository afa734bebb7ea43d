"""What the screen of watch mode shows, in a form that Rich can draw."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import filterfalse

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from triton_simulator.compiler.report import is_success
from triton_workshop.checking.check import LIMIT_SECONDS
from triton_workshop.checking.judging.verdict import Finding, Verdict
from triton_workshop.checking.reporting.description import STANDINGS, Row, describe, title
from triton_workshop.checking.reporting.progress import ListedExercise, Standing, first_open, half_to_come
from triton_workshop.checking.reporting.report import headline, spaced, table, view
from triton_workshop.exercises import EXERCISES, variations_of
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.repository import short_path
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.transcript import Transcript
from triton_workshop.watch.checker import Checking

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
PRINTED_LINES = 8


@dataclass(frozen=True)
class Job:
    """A check that has begun; later its verdict, or why there is none."""

    checking: Checking
    text: str
    """The script, as it was."""
    begun: float
    full_size: bool
    ended: str = ""
    """The time of day."""
    verdict: Verdict | None = None
    trouble: str = ""


@dataclass(frozen=True)
class Watched:
    """Everything that is known about the open exercise."""

    exercise: Exercise
    entries: tuple[ListedExercise, ...]
    job: Job | None = None
    """The check that is running now."""
    checked: Job | None = None
    """The last one that has ended."""
    hints: int = 0
    """How many hints have been asked for."""

    @property
    def file(self) -> str:
        return str(short_path(self.exercise.exercise_file))

    @property
    def seconds(self) -> float:
        """Seconds since the running check began."""
        return 0.0 if self.job is None else time.monotonic() - self.job.begun

    @property
    def awaited(self) -> bool:
        """Whether the file as it is now has no verdict yet."""
        return self.job is not None and not (self.verdict and self.checked and self.checked.text == self.job.text)

    @property
    def outdated(self) -> bool:
        """Whether the verdict on the screen is not about the file as it is now."""
        return self.awaited and self.checked is not None

    @property
    def entry(self) -> ListedExercise | None:
        return next((entry for entry in self.entries if entry.exercise is self.exercise), None)

    def neighbour(self, places: int) -> Exercise | None:
        """The exercise this many places further on, leaving out variations; None if there is none."""
        row = [each for each in EXERCISES.values() if not each.optional or each is self.exercise]
        place = row.index(self.exercise) + places
        return row[place] if 0 <= place < len(row) else None

    @property
    def missing(self) -> bool:
        """Whether the file is missing."""
        return self.entry is not None and self.entry.standing is Standing.MISSING

    @property
    def verdict(self) -> Verdict | None:
        return self.checked.verdict if self.checked else None

    @property
    def finding(self) -> Finding | None:
        return self.verdict.findings[0] if self.verdict and self.verdict.findings else None

    @property
    def passed(self) -> bool:
        """Whether all cases are right, with none to come."""
        return self.verdict is not None and self.verdict.passed and not self.verdict.to_come


def styles(palette: Palette) -> Theme:
    """A palette's colours for the styles that a report uses."""
    names = ("good", "bad", "warning", "important", "muted")
    tones = {name: str(getattr(palette, name)) for name in names} | {"plain": "none", "strong": "bold"}
    return Theme({**tones, "accent": f"bold {palette.accent}", "key": f"bold {palette.literal}"})


def head(watched: Watched) -> RenderableType:
    """The exercise's name and how far the others are."""
    marks = Text()
    for entry in watched.entries:
        here = entry.exercise is watched.exercise
        if (entry.exercise.optional and not here) or entry.exercise.session != watched.exercise.session:
            continue
        label = f"{entry.exercise.number}{STANDINGS[entry.standing][0]}"
        marks.append(f"[{label}]" if here else f" {label} ", "strong" if here else "plain")
    return _at_both_ends(Text(title(watched.exercise), "strong"), marks)


def status(watched: Watched) -> RenderableType:
    """The file and the current activity; below, what a waiting learner should know."""
    notice = ""
    if watched.outdated:
        notice = f"{_spinner(watched)} Checking your file as it is now."
        if watched.checked and watched.verdict:
            notice += f" The verdict below is from {watched.checked.ended}."
    elif watched.seconds >= 1 and not watched.checked:
        notice = "Loading PyTorch and Triton: only the first check takes a few seconds."
    elif watched.verdict and not watched.outdated:
        notice = next(filter(is_success, watched.verdict.compiler), "")
    line = _at_both_ends(Text(watched.file, "muted"), _progress(watched))
    return Group(line, Text(notice, "accent", no_wrap=True, overflow="ellipsis"))


def _at_both_ends(left: Text, right: Text) -> Table:
    table = Table.grid(expand=True)
    table.add_column(ratio=1, no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_row(left, right)
    return table


def _progress(watched: Watched) -> Text:
    if watched.job is not None:
        return Text(f"{_spinner(watched)} {_activity(watched, watched.job)}", "accent")
    if watched.checked is None or watched.verdict is None:
        return Text()
    where = "on the GPU" if watched.verdict.device == "cuda" else "on the simulator"
    ran = f" in {watched.verdict.seconds:.2f} s {where}" if watched.verdict.cases or watched.passed else ""
    return Text(f"checked at {watched.checked.ended}{ran}", "muted")


def _activity(watched: Watched, job: Job) -> str:
    """What is being waited for, and for how long."""
    seconds = f" {watched.seconds:.0f} s" if watched.seconds >= 1 else ""
    if job.full_size:
        return f"checking at full size on the GPU{seconds}"
    if not watched.awaited:
        return f"{'looking for the cause' if watched.finding else 'compiling for GPUs'}{seconds}"
    started = job.checking.started
    if started is None:
        return f"getting ready{seconds}" if seconds else "checking"
    running = min(time.monotonic() - started, LIMIT_SECONDS)
    if running < LIMIT_SECONDS / 4:
        return f"checking{seconds}"
    return f"checking {running:.0f} s of at most {LIMIT_SECONDS:.0f}"


def _spinner(watched: Watched) -> str:
    return SPINNER[int(watched.seconds * 10) % len(SPINNER)]


def body(watched: Watched, width: int) -> RenderableType:
    """What the last check showed."""
    checked = watched.checked
    if checked is not None and checked.trouble:
        return _said("! The check itself failed", checked.trouble, r="tries again", e="opens the file")
    if watched.missing:
        removed = f"{watched.file} has been removed or renamed."
        return _said("✗ The file is missing", removed, x="puts the exercise back as it was shipped")
    if checked is None or checked.verdict is None:
        return Text()
    more: Row = (("h", "key"), ("another hint" if watched.hints else "a hint", "plain"))
    # What compiles stands above, where nothing has to move when it becomes known.
    verdict = replace(checked.verdict, compiler=tuple(filterfalse(is_success, checked.verdict.compiler)))
    described = describe(verdict, watched.exercise, checked.text, hints=watched.hints, more=more)
    told = Group(headline(described), view(described, width))
    return spaced([told, *(_next_steps(watched) if watched.passed else []), *_printed(checked.checking.printed())])


def _said(heading: str, words: str, **effects: str) -> RenderableType:
    return spaced([Text(heading, "warning"), table(((words, "plain"),)), _keys(**effects)])


def _keys(**effects: str) -> RenderableType:
    """The keys that make sense now, and what each does."""
    return table(*(((key, "key"), (effect, "plain")) for key, effect in effects.items()))


def _next_steps(watched: Watched) -> list[RenderableType]:
    keys = {"s": "compare yours with the solution", "m": "see what the compiler made of it"}
    done, to_come = first_open(watched.entries) is None, half_to_come(watched.entries)
    if not done and (following := watched.neighbour(1)):
        keys["n"] = f"go on: exercise {following.number}, {following.title}"
    elif not done:
        keys["l"] = "the list: some are still open"
    elif to_come:
        keys["l"] = f"the list: the second half begins with exercise {to_come.exercise.number}"
    if variations := variations_of(watched.exercise):
        more = "".join(f"; again for {each.number}, {each.title}" for each in variations[1:])
        keys["b"] = f"done early: exercise {variations[0].number}, {variations[0].title}{more}"
    well_done = f"That was all of {'the first half' if to_come else 'them'}. Well done!"
    return [*([Text(well_done, "accent")] if done else []), _keys(**keys)]


def _printed(output: bytes) -> list[RenderableType]:
    """The last lines that the script itself printed."""
    if not output.strip():
        return []
    transcript = Transcript()
    transcript.feed(output)
    lines = [line for line in transcript.lines if line.plain.strip()]
    shown = lines[-PRINTED_LINES:]
    heading = "printed" if len(shown) == len(lines) else f"printed, the last {len(shown)} lines"
    return [Group(Text(heading, "accent"), Text("\n", no_wrap=True, overflow="ellipsis").join(shown))]
