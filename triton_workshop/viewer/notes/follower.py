"""State of the notes: the slides that they follow, and their clock.

Events come in, and state goes out; there is no network and no screen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from triton_workshop.deck.model import Deck
from triton_workshop.viewer.notes.protocol import Address, Event, Exit, Heartbeat, RunningBlock
from triton_workshop.viewer.slides.slide_step import SlideStep, goto

SILENCE_SECONDS = 5.0
"""Seconds of silence after which something is wrong.

The slides send an event every second.
"""


class LinkState(Enum):
    """States of the connection to the slides."""

    WAITING = auto()
    FOLLOWING = auto()
    SILENT = auto()
    CLOSED = auto()


@dataclass(frozen=True)
class Follower:
    """State of the slides that are followed.

    If several show the same deck, the notes follow those that moved last.
    """

    sender: Address | None = None
    beat: Heartbeat | None = None
    last_received: float = 0.0
    closed: bool = False

    def apply(self, sender: Address, event: Event, now: float) -> Follower:
        """Return the state after an event, received at `now` (seconds)."""
        same = sender == self.sender
        match event:
            case Exit():
                return replace(self, closed=True) if same else self
            case Heartbeat(moved=False) if not same and self.connection(now) is LinkState.FOLLOWING:
                return self
            case Heartbeat() as beat:
                return Follower(sender, beat, now)

    def connection(self, now: float) -> LinkState:
        """Return the state of the connection."""
        if self.beat is None:
            return LinkState.WAITING
        if self.closed:
            return LinkState.CLOSED
        return LinkState.SILENT if now - self.last_received > SILENCE_SECONDS else LinkState.FOLLOWING

    def position(self, deck: Deck) -> SlideStep:
        """Return the slides' position in the deck as the notes have read it.

        It is the start before the first event.
        """
        if self.beat is None:
            return SlideStep()
        steps = [slide.steps for slide in deck.slides]
        return SlideStep(goto(self.beat.slide, steps).slide, self.beat.step).within(steps)

    def running_now(self, now: float) -> tuple[RunningBlock, ...]:
        """Return the running blocks, with the full seconds since they started."""
        if self.closed or self.beat is None:
            return ()
        passed = now - self.last_received
        return tuple(replace(block, seconds=int(block.seconds + passed)) for block in self.beat.running)


@dataclass(frozen=True)
class Clock:
    """The time since the start.

    The start is when the slides were opened, unless the presenter sets it.
    """

    started: float | None = None

    def apply(self, event: Event, now: float) -> Clock:
        """Return the clock after an event.

        Reopening the slides does not start the talk again.
        """
        if self.started is None and isinstance(event, Heartbeat):
            return Clock(now - event.elapsed)
        return self

    def elapsed(self, now: float) -> float:
        """Return the seconds since the start, or 0 before it."""
        return 0.0 if self.started is None else max(now - self.started, 0.0)

    def set_to(self, elapsed: float, now: float) -> Clock:
        """Return the clock at this many seconds, but at least 0."""
        return Clock(now - max(elapsed, 0.0))
