"""Every slide of the workshop's deck, all steps shown, as it stood when somebody last looked at it.

After a change that is meant: `uv run pytest tests/viewer/test_deck_screens.py --snapshot-update`, then look at the
difference. Text only: colours are in `test_snapshots`, what blocks print in `test_our_deck`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from conftest import ROOT
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from triton_workshop.deck import Deck, load_deck
from triton_workshop.screen.palette import DARK
from triton_workshop.viewer.slides.frame import footer
from triton_workshop.viewer.slides.page import compose, slide_name
from triton_workshop.viewer.slides.slide_step import goto
from triton_workshop.viewer.slides.view import View


class TextFile(SingleFileSnapshotExtension):
    """One file for each size, which reads like the deck."""

    file_extension = "txt"
    _write_mode = WriteMode.TEXT


def screens(deck: Deck, width: int, height: int) -> Iterator[str]:
    """Slide after slide, each as tall as it is: what needs scrolling stands below a dashed line."""
    steps = [slide.steps for slide in deck.slides]
    for number, slide in enumerate(deck.slides, start=1):
        place = goto(number, steps).complete(steps)
        view = View(DARK, width, height, place.step)
        page = compose(deck, slide, view)
        body = [line.text for line in page.body]
        on_screen, below = body[: page.room], body[page.room :]
        yield f"══ {number}: {''.join(span.text for span in slide_name(deck, slide))} ".ljust(width, "═")
        yield from (line.text for line in page.title)
        yield from on_screen
        if slide.footer:
            yield from (line.text for line in footer(deck, place, view))
        if below:
            yield "┄" * width
            yield from below


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 36)], ids=["80x24", "120x36"])
def test_every_slide_of_the_deck_stands_as_it_did(snapshot: SnapshotAssertion, width: int, height: int) -> None:
    deck = load_deck(ROOT / "slides" / "triton-workshop.md")
    text = "\n".join(line.rstrip() for line in screens(deck, width, height)) + "\n"
    assert text == snapshot(extension_class=TextFile)
