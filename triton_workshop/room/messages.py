"""Messages between the viewer and the server."""

from __future__ import annotations

from dataclasses import dataclass

from triton_workshop.deck.model import Deck
from triton_workshop.page.outputs import Output
from triton_workshop.room.addresses import Endpoint
from triton_workshop.viewer.sharing import Invitation


@dataclass(frozen=True)
class ServerReady:
    """The server listens."""

    endpoint: Endpoint
    """With the port that it has taken."""
    invitation: Invitation


@dataclass(frozen=True)
class ServerRefused:
    """The server cannot serve; the reason is a line for the presenter."""

    reason: str


@dataclass(frozen=True)
class DeckUpdate:
    """A deck as it was read.

    Every message about the previous one is void.
    """

    deck: Deck


@dataclass(frozen=True)
class SlidePosition:
    """Position of the presenter: slide from 1, and step from 0."""

    slide: int
    step: int


@dataclass(frozen=True)
class BlockOutput:
    """Output of a block; None removes it.

    Blocks of code are counted over the deck, from 0.
    """

    index: int
    output: Output | None


@dataclass(frozen=True)
class BlockEdit:
    """Visible lines that the presenter made of a block.

    None if it is as in the deck.
    """

    index: int
    text: str | None


@dataclass(frozen=True)
class GpuPool:
    """GPUs that serve the room."""

    address: str
    """As `workshop gpus` prints it: `TOKEN@HOST:PORT`."""
    driver: str = "triton_workshop.pool.driver:serve_jobs"
    """Function of the process that speaks to them."""


@dataclass(frozen=True)
class Close:
    """The slides are closed, and the server has nothing more to do."""


ViewerMessage = DeckUpdate | SlidePosition | BlockOutput | BlockEdit


def message_key(message: ViewerMessage) -> str:
    """Return the key of a message, which replaces older ones with that key."""
    match message:
        case BlockOutput(index):
            return f"output-{index}"
        case BlockEdit(index):
            return f"code-{index}"
        case SlidePosition():
            return "place"
        case DeckUpdate():
            return "deck"
