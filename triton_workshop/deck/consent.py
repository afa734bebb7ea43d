"""Consent to run code from elsewhere.

A deck is trusted in the repository that this package is part of: the folder that holds the package and the workshop's
own deck, links resolved, except for repositories inside it. An installed package has no such folder, so it trusts no
deck. A deck comes from elsewhere if any file that contains its code does: the deck itself, a file that it includes, or
a file that a ```file block names.

Consent is given for a deck and a kind of block, not for a text: a user who has agreed to a deck's code edits the deck,
or lets somebody edit it, and code that a save brings in runs on the same terms. If a save makes one of our own decks
take code from elsewhere, the deck is no longer trusted, and the consent given at the viewer's start then applies.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from triton_workshop.languages import runnable
from triton_workshop.repository import ROOT

from .model import Block, Code, Deck, Execution, origin, walk

REPLACING = frozenset({Execution.REPLACE, Execution.IMAGE})
"""Executions that run automatically and whose output replaces the code.

They need a separate consent, as in presenterm.
"""


@dataclass(frozen=True)
class Consent:
    """Kinds of code that may run.

    `run` covers +exec and +auto_exec; `replace` covers +exec_replace and +image.
    """

    run: bool = False
    replace: bool = False

    def allows(self, execution: Execution) -> bool:
        """Return True if code with this execution may run."""
        return self.replace if execution in REPLACING else self.run


NOTHING = Consent()
EVERYTHING = Consent(run=True, replace=True)


def flag(execution: Execution) -> str:
    """Return the option that allows this kind of block."""
    return "-X" if execution in REPLACING else "-x"


@dataclass(frozen=True)
class LiveCode:
    """A block that can run, and the number of its slide, from 1."""

    slide: int
    block: Block
    code: Code


def live_code(deck: Deck) -> Iterator[LiveCode]:
    """Yield all of a deck's code that can run here."""
    for number, slide in enumerate(deck.slides, 1):
        for block in walk(slide.blocks):
            code = block.content
            if not isinstance(code, Code):
                continue
            is_live = code.execution is not Execution.NONE and runnable(code.language)
            if is_live:
                yield LiveCode(number, block, code)


def home() -> Path | None:
    """Return the repository of this package, or None if there is none."""
    markers = (ROOT / "slides" / "triton-workshop.md", ROOT / "pyproject.toml")
    is_repository = all(file.is_file() for file in markers)
    return ROOT if is_repository else None


def is_trusted(deck: Deck, repository: Path | None = None) -> bool:
    """Return True if the deck and all its code belong to a repository.

    By default the repository is the one of this package.
    """
    repository = repository or home()
    if repository is None:
        return False
    files = {deck.path} | {origin(live.code, live.block, deck.path)[0] for live in live_code(deck)}
    # An included file counts even if its block takes the code from one of ours.
    files |= {live.block.path for live in live_code(deck) if live.block.path is not None}
    return all(_belongs_to(repository, file) for file in files)


def _belongs_to(repository: Path, file: Path) -> bool:
    real = Path(os.path.realpath(file))  # which tolerates a link to itself
    if not real.is_relative_to(repository):
        return False
    # A repository inside this one comes from elsewhere.
    parents = (folder for folder in real.parents if folder.is_relative_to(repository))
    between = (folder for folder in parents if folder != repository)
    return not any((folder / ".git").exists() for folder in between)


def in_force(deck: Deck, granted: Consent) -> Consent:
    """Return the consent that applies to a deck, given the user's."""
    return EVERYTHING if is_trusted(deck) else granted
