"""Minutes that each talk takes and has.

A slide takes the minutes that its notes name, or as long as it needs: the notes read aloud at 130 words per minute,
half a minute for each live block, and the minutes of work that the notes name. A part has the time until the next one
begins.

Run it by `python -m benchmarks.rehearsal [--run] [--markdown FILE] [DECK…]`. It exits
with 1 where a slide or a part needs more than it has, and where a block fails or runs for more than half a minute.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Deck, Execution
from triton_workshop.processes.runner import Runner
from triton_workshop.repository import ROOT
from triton_workshop.validating import Rules, Validation, validate
from triton_workshop.validating.validate import select_slides
from triton_workshop.viewer.notes.paragraphs import ACTION_PREFIX
from triton_workshop.viewer.notes.schedule import MINUTES, Minutes, schedule, slide_minutes
from triton_workshop.viewer.slides.fit import output_columns

DECKS = tuple(ROOT / "slides" / name for name in ("triton-workshop.md", "second-half.md"))
"""Those of the first and of the second half-day."""
WORDS_PER_MINUTE = 130
LIVE_MINUTES = 0.5
"""Minutes for a live block."""
SOURCES = ("Source:", "Sources:")


@dataclass(frozen=True)
class SlideTime:
    """A slide's minutes, as its notes name them and as it needs them."""

    number: int
    title: str
    named: Minutes
    live: int
    needed: float
    seconds: float
    """The longest run of its blocks."""

    @property
    def used(self) -> float:
        return max(self.named.total, self.needed)


@dataclass(frozen=True)
class PartTime:
    name: str
    begins: float
    planned: float
    slides: tuple[SlideTime, ...]

    @property
    def used(self) -> float:
        return round(sum(slide.used for slide in self.slides), 6)

    @property
    def hands_on(self) -> float:
        return sum(slide.named.hands_on for slide in self.slides)

    def cells(self, ran: bool) -> tuple[str, ...]:
        live = sum(slide.live for slide in self.slides)
        minutes = (self.planned, self.used, self.hands_on, self.planned - self.used)
        longest = f"{max(slide.seconds for slide in self.slides):.1f} s" if live else ""
        return (self.name, str(len(self.slides)), str(live), *(f"{m:.1f}" for m in minutes), *[longest] * ran)


def rehearse(deck: Deck, validation: Validation | None = None) -> tuple[PartTime, ...]:
    """The parts of a talk; what comes after its end is not among them."""
    slides = tuple(slide_times(deck, validation))
    parts = schedule(deck).sections
    edges = pairwise([*(part.first for part in parts), len(slides)])
    timed = [(part, shared(slides[first:end])) for part, (first, end) in zip(parts, edges, strict=True) if part.minutes]
    return tuple(PartTime(part.name, part.begins, part.minutes, times) for part, times in timed)


def slide_times(deck: Deck, validation: Validation | None) -> Iterator[SlideTime]:
    results = validation.slides if validation else select_slides(deck, None)
    for slide, result in zip(deck.slides, results, strict=True):
        named = slide_minutes(slide) or Minutes()
        live = sum(block.code.execution is not Execution.NONE for block in result.blocks)
        needed = round(named.hands_on + spoken_words(slide.notes) / WORDS_PER_MINUTE + live * LIVE_MINUTES, 6)
        longest = max((block.seconds for block in result.blocks), default=0.0)
        yield SlideTime(result.number, result.title, named, live, needed, longest)


def spoken_words(notes: Sequence[str]) -> int:
    """Return the words of a slide's notes without minutes and sources.

    What is done takes as long as its words.
    """
    lines = MINUTES.sub("", "\n".join(notes), count=1).splitlines()
    return sum(len(line.removeprefix(ACTION_PREFIX).split()) for line in lines if not line.lstrip().startswith(SOURCES))


def shared(slides: Sequence[SlideTime]) -> tuple[SlideTime, ...]:
    """Give a slide without minutes of its own those of the slide before.

    The second slide of an exercise is one.
    """
    times = list(slides)
    for index in range(len(times) - 1, 0, -1):
        if not times[index].named.total:
            times[index - 1] = replace(times[index - 1], needed=times[index - 1].needed + times[index].needed)
            times[index] = replace(times[index], needed=0.0)
    return tuple(times)


def complaints(parts: Sequence[PartTime], validation: Validation | None = None) -> Iterator[str]:
    for part in parts:
        if part.used > part.planned:
            yield f"{part.name} takes {part.used:.1f} of {part.planned:g} minutes"
        for slide in part.slides:
            if slide.needed > slide.named.total:
                yield f"slide {slide.number}, {slide.title}: needs {slide.needed:.2f} of {slide.named.total:g} minutes"
    for result in validation.blocks if validation else ():
        if result.failure:
            yield f"{result.path}:{result.block.line}: {result.failure}"


def table(parts: Sequence[PartTime], ran: bool) -> list[tuple[str, ...]]:
    """A head, the parts, and their sum."""
    everything = tuple(slide for part in parts for slide in part.slides)
    total = PartTime("Total", 0.0, sum(part.planned for part in parts), everything)
    head = ("Part", "Slides", "Live blocks", "Planned", "Used", "Hands-on", "Slack", *["Longest run"] * ran)
    return [head, *(part.cells(ran) for part in (*parts, total))]


def as_markdown(tables: Mapping[str, Sequence[Sequence[str]]], machine: str) -> str:
    """A table for each deck, by its name."""
    said = (__doc__ or "").split("\n\n")[1]
    ran = f" The longest runs of live blocks are those on {machine}." if machine else ""
    return "\n".join(["# Rehearsals, in minutes", "", said + ran, *chain.from_iterable(map(_section, tables.items()))])


def _section(table: tuple[str, Sequence[Sequence[str]]]) -> Iterator[str]:
    deck, rows = table
    head, *body = (f"| {' | '.join(row)} |" for row in rows)
    yield from ("", f"## {deck}", "", head, "| --- |" + " ---: |" * (len(rows[0]) - 1), *body)


def as_text(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows)


def run(deck: Path) -> Validation:
    """Run every live block as the viewer does."""
    with Runner() as runner:
        runner.warm_up()
        runner.wait_until_warm(120)
        return validate(deck, Rules(limit=60 * LIVE_MINUTES), output_columns, start=runner.run)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("decks", type=Path, nargs="*", default=DECKS, help="decks with a plan, in place of ours")
    parser.add_argument("--run", action="store_true", help="run the live blocks as well, and show the longest runs")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables to this file as well")
    options = parser.parse_args()
    tables: dict[str, list[tuple[str, ...]]] = {}
    machine, wrong = "", False
    for deck in options.decks:
        validation = run(deck) if options.run else None
        machine = validation.environment.runs_on if validation else ""
        parts = rehearse(load_deck(deck), validation)
        tables[deck.name] = table(parts, options.run)
        print(f"{deck.name}\n\n{as_text(tables[deck.name])}\n")
        for sentence in list(complaints(parts, validation)) or ["This deck has no plan."] * (not parts):
            print(f"✗ {sentence}")
            wrong = True
    if options.markdown:
        options.markdown.write_text(as_markdown(tables, machine) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
