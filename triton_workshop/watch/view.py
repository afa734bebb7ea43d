"""The contents of the watch screen, in a form that Rich can draw."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from itertools import filterfalse

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from triton_simulator.compiler.report import is_success
from triton_workshop.checking.check import LIMIT_SECONDS
from triton_workshop.checking.judging.verdict import Finding, FindingKind, Verdict
from triton_workshop.checking.reporting.description import KINDS_WITHOUT_SOLUTION, Row, describe, status_mark, title
from triton_workshop.checking.reporting.progress import ListedExercise, Status, first_open_entry, next_half
from triton_workshop.checking.reporting.report import headline, space_out, table, view
from triton_workshop.exercises import EXERCISES, variations_of
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.repository import short_path
from triton_workshop.screen.transcript import Transcript
from triton_workshop.watch.checker import Checking

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
MAX_PRINTED_LINES = 8


@dataclass(frozen=True)
class Job:
    """A check that has begun; later its verdict, or an error."""

    checking: Checking
    text: str
    """The script when the check began."""
    begun: float
    full_size: bool
    ended: str = ""
    """The time of day."""
    verdict: Verdict | None = None
    error: str = ""
    """The reason why there is no verdict."""


@dataclass(frozen=True)
class WatchState:
    """The state of the open exercise."""

    exercise: Exercise
    entries: tuple[ListedExercise, ...]
    job: Job | None = None
    """The check that is running now."""
    checked: Job | None = None
    """The last one that has ended."""
    hints: int = 0
    """The number of hints that are shown."""

    @property
    def file(self) -> str:
        """The exercise's file, as the learner knows it."""
        return str(short_path(self.exercise.exercise_file))

    @property
    def seconds(self) -> float:
        """Seconds since the running check began."""
        return 0.0 if self.job is None else time.monotonic() - self.job.begun

    @property
    def awaited(self) -> bool:
        """True if the current file has no verdict yet."""
        if self.job is None:
            return False
        text = self.checked.text if self.checked else None
        return self.verdict is None or text != self.job.text

    @property
    def outdated(self) -> bool:
        """True if the verdict on the screen is not about the current file."""
        return self.awaited and self.checked is not None

    @property
    def entry(self) -> ListedExercise | None:
        """The exercise's entry in the list."""
        return next((entry for entry in self.entries if entry.exercise is self.exercise), None)

    def neighbour(self, offset: int) -> Exercise | None:
        """Return the exercise that is so many further on, or None.

        Variations do not count.
        """
        row = [exercise for exercise in EXERCISES.values() if not exercise.is_optional or exercise is self.exercise]
        index = row.index(self.exercise) + offset
        return row[index] if 0 <= index < len(row) else None

    @property
    def missing(self) -> bool:
        """True if the file is missing."""
        return self.entry is not None and self.entry.status is Status.MISSING

    @property
    def verdict(self) -> Verdict | None:
        """The last verdict."""
        return self.checked.verdict if self.checked else None

    @property
    def finding(self) -> Finding | None:
        """The last verdict's first finding."""
        findings = self.verdict.findings if self.verdict else ()
        return findings[0] if findings else None

    @property
    def passed(self) -> bool:
        """True if all cases are right.

        Then no case is to come, and no goal is undecided.
        """
        verdict = self.verdict
        if verdict is None:
            return False
        is_all_right = verdict.passed and not verdict.to_come
        if not is_all_right:
            return False
        if self.job is None:
            return True
        return all(goal.holds for goal in verdict.goals)


def head(state: WatchState) -> RenderableType:
    """Draw the exercise's name, and the progress of all."""
    marks = Text()
    for entry in state.entries:
        is_open = entry.exercise is state.exercise
        if entry.exercise.session != state.exercise.session:
            continue
        is_hidden = entry.exercise.is_optional and not is_open
        if is_hidden:
            continue
        label = f"{entry.exercise.number}{status_mark(entry)[0]}"
        if is_open:
            marks.append(f"[{label}]", "strong")
        else:
            marks.append(f" {label} ", "plain")
    return _justify(Text(title(state.exercise), "strong"), marks)


def status(state: WatchState) -> RenderableType:
    """Draw the file and the current activity, with a notice while one waits."""
    notice = ""
    if state.outdated:
        notice = f"{_spinner(state)} Checking your file as it is now."
        if state.checked and state.verdict:
            notice += f" The verdict below is from {state.checked.ended}."
    elif state.seconds >= 1 and not state.checked:
        notice = "Loading PyTorch and Triton: only the first check takes a few seconds."
    elif state.verdict:
        notice = next(filter(is_success, state.verdict.compiler), "")
    line = _justify(Text(state.file, "muted"), _progress(state))
    return Group(line, Text(notice, "accent", no_wrap=True, overflow="ellipsis"))


def _justify(start: Text, end: Text) -> Table:
    table = Table.grid(expand=True)
    table.add_column(ratio=1, no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_row(start, end)
    return table


def _progress(state: WatchState) -> Text:
    if state.job is not None:
        return Text(f"{_spinner(state)} {_activity(state, state.job)}", "accent")
    if state.checked is None or state.verdict is None:
        return Text()
    where = "on the GPU" if state.verdict.device == "cuda" else "on the simulator"
    has_run = state.verdict.cases or state.passed
    ran = f" in {state.verdict.seconds:.2f} s {where}" if has_run else ""
    return Text(f"checked at {state.checked.ended}{ran}", "muted")


def _activity(state: WatchState, job: Job) -> str:
    """Describe what the learner waits for, and for how long."""
    seconds = f" {state.seconds:.0f} s" if state.seconds >= 1 else ""
    if job.full_size:
        return f"checking at full size on the GPU{seconds}"
    if not state.awaited:
        kind = state.finding.kind if state.finding else None
        further = {None: "compiling for GPUs", FindingKind.UNFINISHED: "trying your TODOs"}
        return f"{further.get(kind, 'looking for the cause')}{seconds}"
    started = job.checking.started
    if started is None:
        return f"getting ready{seconds}" if seconds else "checking"
    running = min(time.monotonic() - started, LIMIT_SECONDS)
    if running < LIMIT_SECONDS / 4:
        return f"checking{seconds}"
    return f"checking {running:.0f} s of at most {LIMIT_SECONDS:.0f}"


def _spinner(state: WatchState) -> str:
    return SPINNER[int(state.seconds * 10) % len(SPINNER)]


def body(state: WatchState, width: int) -> RenderableType:
    """Draw the last check's verdict."""
    checked = state.checked
    error = checked.error if checked is not None else ""
    if error:
        return _notice("! The check itself failed", error, r="tries again", e="opens the file")
    if state.missing:
        removed = f"{state.file} has been removed or renamed."
        return _notice("✗ The file is missing", removed, x="puts the exercise back as it was shipped")
    if checked is None or checked.verdict is None:
        return Text()
    more: Row = (("h", "key"), ("another hint" if state.hints else "a hint", "plain"))
    # What compiles stands above, where nothing has to move when it becomes known.
    verdict = replace(checked.verdict, compiler=tuple(filterfalse(is_success, checked.verdict.compiler)))
    described = describe(verdict, state.exercise, checked.text, hints=state.hints, more=more)
    report = Group(headline(described), view(described, width))
    steps = _next_steps(state) if state.passed else _ways_to_look(state)
    return space_out([report, *steps, *_printed(checked.checking.printed())])


def _notice(heading: str, message: str, **effects: str) -> RenderableType:
    return space_out([Text(heading, "warning"), table(((message, "plain"),)), _keys(**effects)])


def _keys(**effects: str) -> RenderableType:
    """Draw the keys that make sense now, with their effects."""
    return table(*(((key, "key"), (effect, "plain")) for key, effect in effects.items()))


def _ways_to_look(state: WatchState) -> list[RenderableType]:
    """Offer to look inside, or at the compiler's code.

    The first is for what has run and is wrong, the second for what is slow.
    """
    finding = state.finding
    if finding is None:
        return []
    if finding.kind is FindingKind.CORRECT_BUT_SLOW:
        return [_keys(m="see what the compiler generated")]
    has_program = finding.kind not in KINDS_WITHOUT_SOLUTION and finding.case
    if not has_program:
        return []
    return [_keys(i="look inside: what each line made, in the program that went wrong")]


def _next_steps(state: WatchState) -> list[RenderableType]:
    keys = {
        "s": "compare yours with the solution",
        "i": "look inside: every value of every program",
        "m": "see what the compiler generated",
    }
    done, to_come = first_open_entry(state.entries) is None, next_half(state.entries)
    if done:
        if to_come:
            keys["l"] = f"the list: the second half begins with exercise {to_come.exercise.number}"
    elif following := state.neighbour(1):
        keys["n"] = f"go on: exercise {following.number}, {following.title}"
    else:
        keys["l"] = "the list: some are still open"
    if variations := variations_of(state.exercise):
        more = "".join(f"; again for {variation.number}, {variation.title}" for variation in variations[1:])
        keys["b"] = f"done early: exercise {variations[0].number}, {variations[0].title}{more}"
    well_done = f"That was all of {'the first half' if to_come else 'them'}. Well done!"
    return [*([Text(well_done, "accent")] if done else []), _keys(**keys)]


def _printed(output: bytes) -> list[RenderableType]:
    """Draw the last lines that the script itself printed."""
    if not output.strip():
        return []
    transcript = Transcript()
    transcript.feed(output)
    lines = [line for line in transcript.lines if line.plain.strip()]
    visible = lines[-MAX_PRINTED_LINES:]
    heading = "printed" if len(visible) == len(lines) else f"printed, the last {len(visible)} lines"
    return [Group(Text(heading, "accent"), Text("\n", no_wrap=True, overflow="ellipsis").join(visible))]
