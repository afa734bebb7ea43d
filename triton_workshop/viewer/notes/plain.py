"""Notes as plain text for a printer, slide by slide.

If the deck has a plan, each slide has its time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from textwrap import fill

from triton_workshop.deck.model import Deck
from triton_workshop.viewer.notes.page import name_of
from triton_workshop.viewer.notes.paragraphs import paragraphs
from triton_workshop.viewer.notes.schedule import Schedule, as_time, schedule
from triton_workshop.viewer.slides.plain import WIDTH


def plain_notes(deck: Deck) -> str:
    """Format every slide's number, time, name and notes."""
    plan = schedule(deck)
    slides = (slide_lines(deck, index, plan) for index in range(len(deck.slides)))
    return "\n".join(chain.from_iterable(slides))


def slide_lines(deck: Deck, index: int, plan: Schedule) -> Iterator[str]:
    """Yield the lines of one slide's notes."""
    slide = deck.slides[index]
    at = f" {as_time(plan.windows[index][0])} ──" if plan.windows else ""
    yield f"── {index + 1} / {len(deck.slides)} ──{at}".ljust(WIDTH, "─")
    yield ""
    yield name_of(deck, slide)
    for note in slide.notes:
        for paragraph in paragraphs(note):
            yield ""
            yield fill(paragraph, WIDTH)
    yield ""
