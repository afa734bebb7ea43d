"""The plan of a talk, as its deck gives it: when each part begins, and how many minutes each slide takes.

- A slide whose title ends in a time, `Setup · 0:20`, begins a part of the talk at that time, or at that time of the
  day (`9:20`). What comes before the first such slide belongs to its part.
- A part lasts until the next one begins. The last one lasts until the time given in the notes of its first slide
  ("until 3:00"), or else as long as its slides.
- The notes of a slide may begin with its minutes, as data: `2 min.`, or `15 min, 13 hands-on.` if people work for 13 of
  them. A slide without minutes, or with `0 min.`, shares those of the slide before: an exercise of two slides has its
  minutes on the first.
- A last part without minutes begins when the talk ends: `Appendix · 3:00`. Its slides are not in the plan.

A deck without times is one part, as long as its slides. A deck without minutes either has no plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from triton_workshop.deck.model import Deck, Slide

TIME = r"(\d{1,2}):([0-5]\d)"
PART = re.compile(rf"(.*\S)\s+{TIME}\s*$", re.DOTALL)
UNTIL = re.compile(rf"\buntil {TIME}\b", re.IGNORECASE)

MINUTES = re.compile(r"\A\s*(\d+(?:\.\d+)?) min\b(?:, (\d+(?:\.\d+)?) hands-on\b)?\.?")


@dataclass(frozen=True)
class Minutes:
    """How long a slide takes, and how much of that time people work."""

    total: float = 0.0
    hands_on: float = 0.0


@dataclass(frozen=True)
class TalkPart:
    """A part of the talk, in minutes since its start."""

    name: str
    first: int
    """The index of its first slide."""
    begins: float
    ends: float
    end_time: str = ""
    """Its end as the deck writes times; empty if the deck gives no times."""

    @property
    def minutes(self) -> float:
        return self.ends - self.begins


@dataclass(frozen=True)
class Schedule:
    """When each slide should be on the screen: from `windows[slide][0]` to `windows[slide][1]`, in minutes."""

    parts: tuple[TalkPart, ...]
    windows: tuple[tuple[float, float], ...]

    def part(self, slide: int) -> TalkPart | None:
        """The part that a slide belongs to; None without a plan, and for slides outside it."""
        part = next((part for part in reversed(self.parts) if part.first <= slide), None)
        return part if part and part.minutes else None

    def lag(self, slide: int, minute: float) -> float:
        """Minutes behind the plan; negative if ahead of it. 0 during the slide's time."""
        if not self.windows:
            return 0.0
        begins, ends = self.windows[slide]
        return max(minute - ends, 0.0) + min(minute - begins, 0.0)


def without_time(name: str) -> str:
    """The title of a slide without the time at its end, if it has one."""
    found = PART.match(name)
    return name if found is None else found[1].rstrip(" ·-–—:|,([")


def schedule(deck: Deck) -> Schedule:
    """The deck's plan; it has no parts if the deck gives none."""
    minutes = [(slide_minutes(slide) or Minutes()).total for slide in deck.slides]
    parts = timed_parts(deck.slides, minutes) or [TalkPart(deck.title, 0, 0.0, sum(minutes))]
    if not parts[-1].ends:
        return Schedule((), ())
    edges = [*(part.first for part in parts), len(deck.slides)]
    windows = [
        window
        for part, (first, end) in zip(parts, pairwise(edges), strict=True)
        for window in windows_of(part, minutes[first:end])
    ]
    return Schedule(tuple(parts), tuple(windows))


def timed_parts(slides: Sequence[Slide], minutes: Sequence[float]) -> list[TalkPart]:
    marks: list[tuple[int, str, float]] = []
    for index, slide in enumerate(slides):
        found = PART.match(slide.name)
        if found is None:
            continue
        begins = in_minutes(found[2], found[3])
        if not marks or begins > marks[-1][2]:  # a time that goes back is no plan
            marks.append((index, without_time(slide.name), begins))
    if not marks:
        return []
    last, _, last_begins = marks[-1]
    named = [in_minutes(*time) for note in slides[last].notes for time in UNTIL.findall(note)]
    end = max((time for time in named if time > last_begins), default=last_begins + sum(minutes[last:]))
    zero = marks[0][2]
    if end == zero:  # one time and no minutes are no plan
        return []
    ends = [*(begins for _, _, begins in marks[1:]), end]
    return [
        TalkPart(name, index if number else 0, begins - zero, ends_at - zero, as_time(ends_at))
        for number, ((index, name, begins), ends_at) in enumerate(zip(marks, ends, strict=True))
    ]


def windows_of(part: TalkPart, minutes: Sequence[float]) -> Iterator[tuple[float, float]]:
    """When each slide of a part is on: the last ones get the time that is left, and nothing goes beyond the part."""
    lengths = [length for length in minutes if length] or [part.minutes]
    edges = [min(part.begins + passed, part.ends) for passed in accumulate(lengths, initial=0.0)]
    edges[-1] = part.ends
    group = -1
    for length in minutes:
        group += length > 0
        at = max(group, 0)  # slides before the first one with minutes share them
        yield edges[at], edges[at + 1]


def slide_minutes(slide: Slide) -> Minutes | None:
    """The minutes that a slide's notes begin with; None if they begin with something else."""
    found = MINUTES.match(slide.notes[0]) if slide.notes else None
    return Minutes(float(found[1]), float(found[2] or 0)) if found else None


def in_minutes(hours: str, minutes: str) -> float:
    return 60.0 * int(hours) + int(minutes)


def as_time(minutes: float) -> str:
    """Minutes as `H:MM`."""
    return f"{round(minutes) // 60}:{round(minutes) % 60:02}"
