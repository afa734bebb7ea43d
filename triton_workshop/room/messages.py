"""What the viewer and the server say to each other."""

from __future__ import annotations

from dataclasses import dataclass

from triton_workshop.deck.model import Deck
from triton_workshop.page.outputs import Output
from triton_workshop.room.addresses import Where
from triton_workshop.viewer.sharing import Invitation


@dataclass(frozen=True)
class Listening:
    """The server listens here."""

    where: Where
    """With the port that it has taken."""
    invitation: Invitation


@dataclass(frozen=True)
class Refused:
    """The server cannot serve; the reason is a line for the presenter."""

    reason: str


@dataclass(frozen=True)
class ShowDeck:
    """The deck as it was read. Everything that was said of the one before is void."""

    deck: Deck


@dataclass(frozen=True)
class ShownStep:
    """Where the presenter is: the number of the slide, from 1, and the step, from 0."""

    slide: int
    step: int


@dataclass(frozen=True)
class Printed:
    """What a block has printed; None if nothing of it is shown. Blocks of code are counted over the deck, from 0."""

    index: int
    output: Output | None


@dataclass(frozen=True)
class Edited:
    """The visible lines that the presenter made of a block; None if it is as in the deck."""

    index: int
    text: str | None


@dataclass(frozen=True)
class Close:
    """The slides are closed, and the server has nothing more to do."""


FromViewer = ShowDeck | ShownStep | Printed | Edited


def key_of(message: FromViewer) -> str:
    """What a message replaces: an older one with the same key."""
    match message:
        case Printed(index):
            return f"output-{index}"
        case Edited(index):
            return f"code-{index}"
        case ShownStep():
            return "place"
        case ShowDeck():
            return "deck"
