"""What the viewer knows of those who follow it elsewhere: whom to tell what is shown, and how people get there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from triton_workshop.viewer.show import Show

Tell = Callable[[Show], None]
"""Called whenever the slides are drawn, and now and then. It returns at once."""


@dataclass(frozen=True)
class Invitation:
    """How a room follows the slides in its browsers."""

    address: str
    word: str
    link: str
    """The address with the word in it."""
    code: Sequence[Sequence[bool]]
    """The link as a QR code: for each row, which modules are dark, without a quiet zone."""
    own: str
    """The address for this machine."""
    key: str
    """Opens the board: for the presenter only, and never on a command line."""
    only_here: bool = False
    """Whether no other machine gets to the address."""
    kernels: bool = True
    """Whether the room's pages can run kernels."""


class Shared(Protocol):
    """Slides that are shared with a room."""

    def ready(self) -> Invitation:
        """Wait until the room can enter. Raises MisuseError if it never can."""

    def invitation(self) -> Invitation:
        """How a room gets there now: a new room has another word, and so has one whose word somebody guesses."""

    def tell(self, show: Show) -> None: ...

    def close(self) -> None: ...
