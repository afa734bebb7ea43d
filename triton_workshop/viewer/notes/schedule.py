"""The plan of a talk, as its deck gives it.

- A slide whose title ends in a time, `Setup · 0:20`, begins a section of the talk at that time, or at that time of the
  day (`9:20`). Slides before the first such slide belong to its section.
- A section lasts until the next one begins. The last one lasts until the time given in the notes of its first slide
  ("until 3:00"), or else as long as its slides.
- The notes of a slide may begin with its minutes, as data: `2 min.`, or `15 min, 13 hands-on.` if people work for 13 of
  them. A slide without minutes, or with `0 min.`, shares those of the slide before: an exercise of two slides has its
  minutes on the first.
- A last section without minutes begins when the talk ends: `Appendix · 3:00`. Its slides are not in the plan.

A deck without times is one section, as long as its slides. A deck without minutes either has no plan.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise

from triton_workshop.deck.model import Deck, Slide

TIME = r"(\d{1,2}):([0-5]\d)"
PART = re.compile(rf"(.*\S)\s+{TIME}\s*$", re.DOTALL)
UNTIL = re.compile(rf"\buntil {TIME}\b", re.IGNORECASE)

MINUTES = re.compile(r"\A\s*(\d+(?:\.\d+)?) min\b(?:, (\d+(?:\.\d+)?) hands-on\b)?\.?")


@dataclass(frozen=True)
class Minutes:
    """The minutes of a slide, and those in which people work."""

    total: float = 0.0
    hands_on: float = 0.0


@dataclass(frozen=True)
class TalkSection:
    """A section of the talk, in minutes since the talk's start."""

    name: str
    first: int
    """The index of its first slide."""
    begins: float
    ends: float
    end_time: str = ""
    """Its end as the deck writes times; empty if the deck gives no times."""

    @property
    def minutes(self) -> float:
        """The length of the section."""
        return self.ends - self.begins


@dataclass(frozen=True)
class Schedule:
    """The sections of a talk, and the time of each slide."""

    sections: tuple[TalkSection, ...]
    windows: tuple[tuple[float, float], ...]
    """The minutes at which each slide's time begins and ends."""

    def section(self, slide: int) -> TalkSection | None:
        """Return a slide's section; None without a plan, and outside it."""
        section = next((section for section in reversed(self.sections) if section.first <= slide), None)
        has_minutes = section is not None and section.minutes
        return section if has_minutes else None

    def lag(self, slide: int, minute: float) -> float:
        """Return the minutes behind the plan; negative if ahead of it.

        It is 0 during the slide's time.
        """
        if not self.windows:
            return 0.0
        begins, ends = self.windows[slide]
        return max(minute - ends, 0.0) + min(minute - begins, 0.0)


def without_time(name: str) -> str:
    """Return a slide's title without the time at its end."""
    match = PART.match(name)
    return name if match is None else match[1].rstrip(" ·-–—:|,([")


def schedule(deck: Deck) -> Schedule:
    """Return the deck's plan; it has no sections if the deck gives none."""
    minutes = [(slide_minutes(slide) or Minutes()).total for slide in deck.slides]
    sections = timed_sections(deck.slides, minutes) or [TalkSection(deck.title, 0, 0.0, sum(minutes))]
    if not sections[-1].ends:
        return Schedule((), ())
    edges = [*(section.first for section in sections), len(deck.slides)]
    windows = [
        window
        for section, (first, end) in zip(sections, pairwise(edges), strict=True)
        for window in windows_of(section, minutes[first:end])
    ]
    return Schedule(tuple(sections), tuple(windows))


def timed_sections(slides: Sequence[Slide], minutes: Sequence[float]) -> list[TalkSection]:
    """Return the sections that begin at slides with a time in their title."""
    marks: list[tuple[int, str, float]] = []
    for index, slide in enumerate(slides):
        match = PART.match(slide.name)
        if match is None:
            continue
        begins = in_minutes(match[2], match[3])
        is_later = not marks or begins > marks[-1][2]
        if is_later:  # a time that goes back is no plan
            marks.append((index, without_time(slide.name), begins))
    if not marks:
        return []
    last, _, last_begins = marks[-1]
    # No section begins where the last one ends, so its notes may say when ("until 3:00").
    times = chain.from_iterable(map(UNTIL.findall, slides[last].notes))
    named = [in_minutes(*time) for time in times]
    end = max((time for time in named if time > last_begins), default=last_begins + sum(minutes[last:]))
    zero = marks[0][2]
    if end == zero:  # one time and no minutes are no plan
        return []
    ends = [*(begins for _, _, begins in marks[1:]), end]
    return [
        TalkSection(name, index if number else 0, begins - zero, ends_at - zero, as_time(ends_at))
        for number, ((index, name, begins), ends_at) in enumerate(zip(marks, ends, strict=True))
    ]


def windows_of(section: TalkSection, minutes: Sequence[float]) -> Iterator[tuple[float, float]]:
    """Yield the time of each slide of a section.

    The last ones get the remaining time, and nothing goes beyond the section.
    """
    # Slides without minutes share a time with the slide before, so a time belongs to a group of slides.
    lengths = list(filter(None, minutes)) or [section.minutes]
    edges = [min(section.begins + passed, section.ends) for passed in accumulate(lengths, initial=0.0)]
    edges[-1] = section.ends
    group = -1
    for length in minutes:
        group += length > 0
        at = max(group, 0)  # slides before the first one with minutes share them
        yield edges[at], edges[at + 1]


def slide_minutes(slide: Slide) -> Minutes | None:
    """Return the minutes with which a slide's notes begin, or None."""
    match = MINUTES.match(slide.notes[0]) if slide.notes else None
    if match is None:
        return None
    return Minutes(float(match[1]), float(match[2] or 0))


def in_minutes(hours: str, minutes: str) -> float:
    """Parse a time as minutes."""
    return 60.0 * int(hours) + int(minutes)


def as_time(minutes: float) -> str:
    """Format minutes as `H:MM`."""
    return f"{round(minutes) // 60}:{round(minutes) % 60:02}"
