"""Course of a page for one person, out of several decks.

`course.toml` describes it.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Deck, FrontMatter, Slide
from triton_workshop.page.assets import asset
from triton_workshop.page.markup import element
from triton_workshop.viewer.notes.schedule import TalkSection, without_time

APPENDIX = "Appendix"


@dataclass(frozen=True)
class Step:
    """Slides, numbered from 1, and the exercise that they lead to, if any."""

    name: str
    first: int
    last: int
    exercise: str
    minutes: int


@dataclass(frozen=True)
class Course:
    """Decks one after another, and the steps through them."""

    deck: Deck
    """All slides, as one deck."""
    steps: tuple[Step, ...]

    @property
    def sections(self) -> tuple[TalkSection, ...]:
        """Parts of the contents: the start, the steps, and the appendices."""
        numbered = enumerate(self.steps, 1)
        parts = [("Start", 0), *((f"{number} · {step.name}", step.first - 1) for number, step in numbered)]
        parts += [(APPENDIX, index) for index, slide in enumerate(self.deck.slides) if _title(slide) == APPENDIX]
        return tuple(TalkSection(name, first, 0, 0) for name, first in sorted(parts, key=itemgetter(1)))

    def markup(self) -> str:
        """Return the place of the course's list, and its data for the script."""
        steps = [vars(step) for step in self.steps]
        # A closing tag in a text would end the script's element.
        data = element("script", json.dumps(steps).replace("</", "<\\/"), type="application/json", id="course")
        return element("section", "", id="steps", class_="steps", aria_label="The course") + data


def load_course(folder: Path) -> Course:
    """Load the decks of a folder as a course. Raises DeckError."""
    plan = tomllib.loads(asset("course.toml"))
    decks = [load_deck(folder / name, replacements=plan["words"]) for name in plan["decks"]]
    all_slides = chain.from_iterable(deck.slides for deck in decks)
    slides = [slide for slide in all_slides if _title(slide) not in plan["left_out"]]
    # Of the deck that a slide is from, only the folder counts from here on, and all have the same.
    deck = replace(decks[-1], slides=tuple(slides), front_matter=FrontMatter(title=plan["title"]))
    return Course(deck, tuple(_steps(slides, plan["steps"])))


def _steps(slides: Sequence[Slide], steps: Sequence[Mapping[str, Any]]) -> Iterator[Step]:
    """Yield the steps.

    Each lasts until the next one or an appendix begins, or the course ends.
    """
    titles = [_title(slide) for slide in slides]
    starts = [titles.index(step["first"]) for step in steps]
    ends = [*starts[1:], *(index for index, title in enumerate(titles) if title == APPENDIX), len(titles)]
    for step, start in zip(steps, starts, strict=True):
        end = min(end for end in ends if end > start)
        yield Step(step["name"], start + 1, end, step.get("exercise", ""), step["minutes"])


def _title(slide: Slide) -> str:
    return without_time(slide.name)
