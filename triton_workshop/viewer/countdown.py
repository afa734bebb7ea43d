"""The minutes that people have left on the slides of an exercise."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from triton_workshop.deck.model import Slide
from triton_workshop.viewer.notes.schedule import Minutes, slide_minutes

GLANCE_SECONDS = 30.0
"""Seconds on a slide below which nobody has begun to work: another visit starts again."""


class Countdown:
    """Hands-on minutes left, from the first visit of an exercise's slides."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._begun: dict[str, float] = {}
        """When each exercise began, by the title of its first slide."""

    def text(self, slides: Sequence[Slide], index: int) -> str:
        """Return the time left on this slide; empty where people do not work."""
        now, first = self._now(), _first_slide(slides, index)
        name = slides[first].name
        self._begun = {each: at for each, at in self._begun.items() if each == name or now - at > GLANCE_SECONDS}
        minutes = (slide_minutes(slides[first]) or Minutes()).hands_on
        if not minutes:
            return ""
        left = math.ceil(60 * minutes - (now - self._begun.setdefault(name, now)))
        return f"{left // 60}:{left % 60:02d} left" if left > 0 else "time is up"


def _first_slide(slides: Sequence[Slide], index: int) -> int:
    """Return the index of the slide whose minutes this one shares."""
    while index:
        minutes = slide_minutes(slides[index])
        shares_minutes = minutes is not None and not minutes.total
        if not shares_minutes:
            break
        index -= 1
    return index
