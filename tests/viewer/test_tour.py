"""A tour of everything that a slide can show, all steps at once, as it stood when somebody last looked at it.

After a change that is meant: `uv run pytest tests/viewer/test_tour.py --snapshot-update`, then look at the difference.
Text only: colours are in `test_snapshots`, what the workshop's deck prints is in `test_our_deck`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from triton_workshop.deck import Deck, load_deck
from triton_workshop.deck.model import Block, Code, Content, Execution, Slide, code_blocks, walk
from triton_workshop.processes.script import Outcome
from triton_workshop.screen.palette import DARK
from triton_workshop.viewer.live.live_blocks import BlockRun
from triton_workshop.viewer.slides.fit import ended
from triton_workshop.viewer.slides.frame import footer
from triton_workshop.viewer.slides.page import compose
from triton_workshop.viewer.slides.slide_step import goto
from triton_workshop.viewer.slides.view import View

WIDTH, HEIGHT = 80, 24


class TextFile(SingleFileSnapshotExtension):
    """A file that reads like the deck."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT


@pytest.fixture(scope="module")
def deck() -> Deck:
    return load_deck(Path(__file__).parent / "decks" / "kinds.md")


def runs(deck: Deck) -> dict[Block, BlockRun]:
    """What the live blocks would have printed, one of which fails."""
    outcomes = {
        "ran well": ended(b"\x1b[32mran well\x1b[0m\n", Outcome(0, 0.3)),
        "ended badly": ended(b"ended badly\n", Outcome(3, 0.1)),
        "what replaces it": ended(b"what replaces it\n", Outcome(0, 0.1)),
    }
    blocks = {block: block.content.source for block in code_blocks(deck) if isinstance(block.content, Code)}
    return {block: run for block, source in blocks.items() for words, run in outcomes.items() if words in source}


def screen(deck: Deck, number: int, slide: Slide) -> Iterator[str]:
    """What fits the screen, and below a dashed line what needs scrolling."""
    steps = [each.steps for each in deck.slides]
    place = goto(number, steps).complete(steps)
    view = View(DARK, WIDTH, HEIGHT, place.step, runs(deck))
    page = compose(deck, slide, view)
    body = [line.text.rstrip() for line in page.body]
    yield from (line.text for line in page.title)
    yield from body[: page.body_rows]
    if slide.footer:
        yield from (line.text for line in footer(deck, place, view))
    if body[page.body_rows :]:
        yield from ("┄" * WIDTH, *body[page.body_rows :])


def test_the_tour_shows_every_kind_of_thing(deck: Deck) -> None:
    contents = [block.content for slide in deck.slides for block in walk(slide.blocks)]
    assert {type(content) for content in contents} == set(get_args(Content))
    assert {code.execution for code in contents if isinstance(code, Code)} == set(Execution)


def test_everything_stands_as_it_did(deck: Deck, snapshot: SnapshotAssertion) -> None:
    screens = [screen(deck, number, slide) for number, slide in enumerate(deck.slides, start=1)]
    text = "\n".join(line.rstrip() for lines in screens for line in ("═" * WIDTH, *lines)) + "\n"
    assert text == snapshot(extension_class=TextFile)
