"""Sizes of slides with their code's output, computed without a screen."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

from triton_workshop.deck.model import Block, Deck, Slide
from triton_workshop.processes.script import Outcome
from triton_workshop.screen.palette import DARK
from triton_workshop.screen.transcript import Transcript
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.slides.page import DrawnSlide, compose
from triton_workshop.viewer.slides.view import View

WIDTH, HEIGHT = 100, 30
"""The size in cells for which the workshop's own slides are made.

It is a projector's, with letters for the back row.
"""


def ended(output: bytes, outcome: Outcome) -> BlockRun:
    """Return an ended run with this output and outcome."""
    transcript = Transcript()
    transcript.feed(output)
    return BlockRun(transcript, Status.ENDED, outcome=outcome)


def output_columns(deck: Deck, width: int = WIDTH, height: int = HEIGHT) -> dict[Block, int]:
    """Return the columns for each live block's output at a screen size."""
    pages = (complete_page(deck, slide, {}, width, height) for slide in deck.slides)
    areas = chain.from_iterable(page.live.items() for page in pages)
    return {block: area.columns for block, area in areas}


def rows_needed(
    deck: Deck, slide: Slide, runs: Mapping[Block, BlockRun], width: int = WIDTH, height: int = HEIGHT
) -> int:
    """Count the rows of a complete slide with these outputs.

    Title bar and footer are included.

    The slide scrolls if there are more than `height`, which also decides its spacing and the size of its pictures.
    """
    page = complete_page(deck, slide, runs, width, height)
    return height - page.body_rows + len(page.body)


def complete_page(deck: Deck, slide: Slide, runs: Mapping[Block, BlockRun], width: int, height: int) -> DrawnSlide:
    """Draw a slide with every step."""
    return compose(deck, slide, View(DARK, width, height, slide.steps - 1, runs))
