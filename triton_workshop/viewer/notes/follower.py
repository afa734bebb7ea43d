"""Which slides the notes follow, and the time that they show. No network, no screen: events in, state out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from triton_workshop.deck.model import Deck
from triton_workshop.viewer.notes.protocol import Address, Event, Exit, Heartbeat, RunningBlock
from triton_workshop.viewer.slides.slide_step import SlideStep, goto

SILENCE_SECONDS = 5.0
"""Seconds of silence from slides that report every second, after which something is wrong."""


class LinkState(Enum):
    WAITING = auto()
    FOLLOWING = auto()
    SILENT = auto()
    CLOSED = auto()


@dataclass(frozen=True)
class Follower:
    """What is known about the slides. If several show the same deck, the ones that moved last count."""

    sender: Address | None = None
    shown: Heartbeat | None = None
    heard_at: float = 0.0
    closed: bool = False

    def hear(self, sender: Address, event: Event, now: float) -> Follower:
        """What is known after an event, heard at `now` (seconds)."""
        same = sender == self.sender
        match event:
            case Exit():
                return replace(self, closed=True) if same else self
            case Heartbeat(moved=False) if not same and self.connection(now) is LinkState.FOLLOWING:
                return self
            case Heartbeat() as beat:
                return Follower(sender, beat, now)

    def connection(self, now: float) -> LinkState:
        if self.shown is None:
            return LinkState.WAITING
        if self.closed:
            return LinkState.CLOSED
        return LinkState.SILENT if now - self.heard_at > SILENCE_SECONDS else LinkState.FOLLOWING

    def place(self, deck: Deck) -> SlideStep:
        """Where the slides are in the deck as the notes have read it; its start if nothing was heard yet."""
        if self.shown is None:
            return SlideStep()
        steps = [slide.steps for slide in deck.slides]
        return SlideStep(goto(self.shown.slide, steps).slide, self.shown.step).within(steps)

    def running_now(self, now: float) -> tuple[RunningBlock, ...]:
        """The running blocks, with the whole seconds that they have been running."""
        if self.closed or self.shown is None:
            return ()
        passed = now - self.heard_at
        return tuple(replace(block, seconds=int(block.seconds + passed)) for block in self.shown.running)


@dataclass(frozen=True)
class Clock:
    """The time since the start, which is when the slides were opened, unless the presenter sets it."""

    started: float | None = None

    def hear(self, event: Event, now: float) -> Clock:
        """The clock after an event; reopening the slides does not start the talk again."""
        if self.started is None and isinstance(event, Heartbeat):
            return Clock(now - event.elapsed)
        return self

    def elapsed(self, now: float) -> float:
        """Seconds since the start; 0 before it."""
        return 0.0 if self.started is None else max(now - self.started, 0.0)

    def set_to(self, elapsed: float, now: float) -> Clock:
        """The clock with this many seconds on it, but never less than 0."""
        return Clock(now - max(elapsed, 0.0))
