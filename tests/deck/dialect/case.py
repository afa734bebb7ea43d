"""A row of the table: a deck's text, and what it shows or why it is refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from triton_workshop.deck.model import Content

Steps = str | list[str]
"""The words that a slide shows, step by step; one text where it has one step."""


@dataclass(frozen=True)
class Refusal:
    """The error: its line, a part of its reason, and the file that it names."""

    line: int
    reason: str
    file: str = "deck.md"


@dataclass(frozen=True)
class Case:
    claim: str
    deck: str
    slides: tuple[Steps, ...] = ()
    blocks: list[Content] | None = None
    """What stands on the slides, to the last attribute; None where the words say enough."""
    refusal: Refusal | None = None
    warning: tuple[int, str] | None = None
    """Line and a part of what we warn of, where presenterm takes it in silence."""
    without_x: Refusal | tuple[Steps, ...] | None = None
    """What happens where the deck's code may not run; None where that is the same."""
    unlike: str | None = None
    """Why presenterm does otherwise; None where it does the same."""


Cases = dict[str, list[Case]]
"""The cases by what they are about: a command, an attribute, an option, a key, an element."""


def shows(claim: str, deck: str, *slides: Steps, **more: Any) -> Case:
    return Case(claim, deck, slides, **more)


def refuses(claim: str, deck: str, line: int, reason: str, file: str = "deck.md", **more: Any) -> Case:
    return Case(claim, deck, refusal=Refusal(line, reason, file), **more)


def fence(info: str, body: str = "x") -> str:
    return f"```{info}\n{body}\n```\n"


def front(yaml: str, body: str = "\ntext\n") -> str:
    return f"---\n{yaml}\n---\n{body}"
