"""Positions in a deck, and the moves between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Steps = Sequence[int]
"""The number of steps of each slide of a deck.

There is at least one slide, with at least one step each.
"""


@dataclass(frozen=True)
class SlideStep:
    """A slide and a step of it, both counted from 0."""

    slide: int = 0
    step: int = 0

    def next(self, steps: Steps) -> SlideStep:
        """Go one step on, or to the next slide; stay at the end of the deck."""
        if self.step + 1 < steps[self.slide]:
            return SlideStep(self.slide, self.step + 1)
        return self.next_slide(steps)

    def previous(self, steps: Steps) -> SlideStep:
        """Go one step back, or to the previous slide with every step.

        Stay at the start of the deck.
        """
        if self.step > 0:
            return SlideStep(self.slide, self.step - 1)
        if self.slide == 0:
            return self
        return SlideStep(self.slide - 1).complete(steps)

    def next_slide(self, steps: Steps) -> SlideStep:
        """Go to the next slide's first step; stay on the last slide."""
        return SlideStep(self.slide + 1) if self.slide + 1 < len(steps) else self

    def previous_slide(self, steps: Steps) -> SlideStep:
        """Go to the previous slide's first step; stay on the first slide."""
        return goto(self.slide, steps)

    def complete(self, steps: Steps) -> SlideStep:
        """Go to the last step of the slide."""
        return SlideStep(self.slide, steps[self.slide] - 1)

    def within(self, steps: Steps) -> SlideStep:
        """Return the nearest position that exists, after a change of the deck."""
        slide = min(self.slide, len(steps) - 1)
        return SlideStep(slide, min(self.step, steps[slide] - 1))


def goto(number: int, steps: Steps) -> SlideStep:
    """Return the first step of a slide, by its number from 1.

    A number outside the deck means its nearest end.
    """
    return SlideStep(min(max(number, 1), len(steps)) - 1)


MOVES: Mapping[str, Callable[[SlideStep, Steps], SlideStep]] = {
    "next": SlideStep.next,
    "previous": SlideStep.previous,
    "next_slide": SlideStep.next_slide,
    "previous_slide": SlideStep.previous_slide,
    "complete": SlideStep.complete,
    "first": lambda _, steps: goto(1, steps),
    "last": lambda _, steps: goto(len(steps), steps),
}
"""The moves by their names in `viewer.keys`."""
