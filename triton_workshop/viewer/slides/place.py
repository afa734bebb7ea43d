"""Where the presenter is in a deck, and where each key leads. Nothing here draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Steps = Sequence[int]
"""How many steps each slide of a deck has: at least one slide, with at least one step each."""


@dataclass(frozen=True)
class Place:
    """A slide and a step of it, both counted from 0."""

    slide: int = 0
    step: int = 0

    def next(self, steps: Steps) -> Place:
        """One step on, or to the next slide; stays at the end of the deck."""
        if self.step + 1 < steps[self.slide]:
            return Place(self.slide, self.step + 1)
        return self.next_slide(steps)

    def previous(self, steps: Steps) -> Place:
        """One step back, or to the previous slide, complete; stays at the start of the deck."""
        if self.step > 0:
            return Place(self.slide, self.step - 1)
        if self.slide == 0:
            return self
        return Place(self.slide - 1).complete(steps)

    def next_slide(self, steps: Steps) -> Place:
        """The next slide's first step; stays on the last slide."""
        return Place(self.slide + 1) if self.slide + 1 < len(steps) else self

    def previous_slide(self, steps: Steps) -> Place:
        """The previous slide's first step; the first slide's own first step on the first slide."""
        return goto(self.slide, steps)

    def complete(self, steps: Steps) -> Place:
        """The same slide with every step shown."""
        return Place(self.slide, steps[self.slide] - 1)

    def within(self, steps: Steps) -> Place:
        """The nearest place that exists, if the deck has changed."""
        slide = min(self.slide, len(steps) - 1)
        return Place(slide, min(self.step, steps[slide] - 1))


def goto(number: int, steps: Steps) -> Place:
    """The first step of slide `number`, counted from 1; a number outside the deck means its nearest end."""
    return Place(min(max(number, 1), len(steps)) - 1)


MOVES: Mapping[str, Callable[[Place, Steps], Place]] = {
    "next": Place.next,
    "previous": Place.previous,
    "next_slide": Place.next_slide,
    "previous_slide": Place.previous_slide,
    "complete": Place.complete,
    "first": lambda _, steps: goto(1, steps),
    "last": lambda _, steps: goto(len(steps), steps),
}
"""What each key does, by the name that it has in `viewer.keys`."""
