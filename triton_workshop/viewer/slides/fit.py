"""Whether slides fit a screen with everything that their code prints, computed without a screen."""

from __future__ import annotations

from collections.abc import Mapping

from triton_workshop.deck.model import Block, Deck, Slide
from triton_workshop.processes.script import Outcome
from triton_workshop.screen.palette import DARK
from triton_workshop.screen.transcript import Transcript
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.slides.page import DrawnSlide, compose
from triton_workshop.viewer.slides.view import View

WIDTH, HEIGHT = 100, 30
"""The size in cells that the workshop's own slides are made for: a projector, with letters for the back row."""


def ended(output: bytes, outcome: Outcome) -> BlockRun:
    """A block that has run: what it printed, and how it ended."""
    transcript = Transcript()
    transcript.feed(output)
    return BlockRun(transcript, Status.ENDED, outcome=outcome)


def output_columns(deck: Deck, width: int = WIDTH, height: int = HEIGHT) -> dict[Block, int]:
    """The columns that each live block's output may fill on a screen of that size."""
    pages = (complete_page(deck, slide, {}, width, height) for slide in deck.slides)
    return {block: area.columns for page in pages for block, area in page.live.items()}


def rows_needed(
    deck: Deck, slide: Slide, runs: Mapping[Block, BlockRun], width: int = WIDTH, height: int = HEIGHT
) -> int:
    """The rows of a slide with every step shown and these outputs, including title bar and footer.

    The slide scrolls if there are more than `height`, which also decides its spacing and the size of its pictures.
    """
    page = complete_page(deck, slide, runs, width, height)
    return height - page.body_rows + len(page.body)


def complete_page(deck: Deck, slide: Slide, runs: Mapping[Block, BlockRun], width: int, height: int) -> DrawnSlide:
    return compose(deck, slide, View(DARK, width, height, slide.steps - 1, runs))
