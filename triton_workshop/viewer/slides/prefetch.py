"""Composition of slides before their turn.

The key that leads to a slide then finds its pictures and code already drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from triton_workshop.deck.model import Deck, Slide
from triton_workshop.viewer.slides.page import compose
from triton_workshop.viewer.slides.view import View


class Prefetch:
    """Thread that composes slides to fill caches.

    The pages themselves are thrown away, but their pictures and lines stay in caches.

    A picture takes up to a tenth of a second, mostly without holding Python's lock, and so does importing what
    highlights code; everything else on a slide takes milliseconds.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "prefetch")
        self._pending: list[Future[None]] = []
        self._closed = False

    def compose(self, deck: Deck, slides: Sequence[Slide], view: View) -> None:
        """Start on these slides, in this order, instead of earlier ones.

        Return immediately.
        """
        for future in self._pending:
            future.cancel()
        if self._closed:  # a last message while the viewer ends
            return
        # An exception stays in its future; a slide that cannot be drawn says so when its turn comes.
        self._pending = [self._thread.submit(draw, deck, slide, view) for slide in slides]

    def close(self) -> None:
        """End the thread; a slide that is being composed is completed."""
        self._closed = True
        self._thread.shutdown(wait=False, cancel_futures=True)


def draw(deck: Deck, slide: Slide, view: View) -> None:
    """Draw everything on a slide that does not need the screen."""
    page = compose(deck, slide, view)
    if page.pictures:  # those that the terminal itself shows
        from triton_workshop.viewer.pictures.widget import prepared

        for placed in page.pictures:
            prepared(placed.picture, view.terminal)
