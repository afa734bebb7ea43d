"""Interfaces between the viewer and those who follow it elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from triton_workshop.viewer.presentation import Presentation

Observer = Callable[[Presentation], None]
"""Called whenever the slides are drawn, and now and then; returns at once."""


@dataclass(frozen=True)
class Invitation:
    """Directions for a room that follows the slides in its browsers."""

    address: str
    word: str
    link: str
    """The address with the word in it."""
    code: Sequence[Sequence[bool]]
    """The link as a QR code, without a quiet zone: True for each dark module."""
    local_address: str
    """The address for this machine."""
    key: str
    """Opens the board: for the presenter only, and never on a command line."""
    local_only: bool = False
    """True if no other machine can reach the address."""
    kernels: bool = True
    """True if the room's pages can run kernels."""


class Shared(Protocol):
    """Slides that are shared with a room."""

    def ready(self) -> Invitation:
        """Wait until the room can enter. Raises MisuseError if it never can."""

    def invitation(self) -> Invitation:
        """Return the current directions.

        A new room has another word, and so has one whose word somebody guesses.
        """

    def tell(self, presentation: Presentation) -> None:
        """Send the changes since the last call to the room."""

    def close(self) -> None:
        """End sharing."""
