"""A deck while it is shown: where the presenter is, what they typed over its code, and what runs. No screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from triton_workshop.deck.consent import EVERYTHING, Consent, in_force
from triton_workshop.deck.errors import DeckError
from triton_workshop.deck.model import Block, Deck, Execution, Slide
from triton_workshop.viewer.live.editing import Edits, code_of
from triton_workshop.viewer.live.live_blocks import (
    LiveBlocks,
    blocks_again,
    blocks_for_key,
    blocks_to_run,
    blocks_to_start,
)
from triton_workshop.viewer.reloading import slide_again
from triton_workshop.viewer.slides.slide_step import MOVES, SlideStep, goto

if TYPE_CHECKING:
    from textual.document._history import EditHistory


class Show:
    """A deck, its edits, its live blocks, and a place in it, kept consistent whatever is typed, run or saved."""

    def __init__(self, deck: Deck, slide: int = 1, consent: Consent = EVERYTHING) -> None:
        """`slide` is the number to start on, from 1; `consent` is what the presenter agreed to for code from elsewhere.

        Call `live.close` to end what runs.
        """
        self.deck_read = deck
        self.edits = Edits()
        self.live = LiveBlocks(deck.path, in_force(deck, consent))
        self._consent = consent
        self._lost: tuple[Deck, SlideStep] | None = None
        """Where the presenter was when a save removed that slide, as it may come back."""
        self._apply_edits()
        self.place = goto(slide, self.steps)

    def _apply_edits(self) -> None:
        self.deck = self.edits.over(self.deck_read)
        """The deck as it is shown, with what the presenter typed."""
        self.steps: Sequence[int] = [slide.steps for slide in self.deck.slides]

    # The place

    @property
    def slide(self) -> Slide:
        """The slide that is shown."""
        return self.deck.slides[self.place.slide]

    def go(self, place: SlideStep) -> None:
        self._lost = None
        self.place = place

    def leads_to(self, where: str) -> SlideStep:
        """The place that a key leads to from here."""
        return MOVES[where](self.place, self.steps)

    def neighbours(self) -> list[Slide]:
        """The slides that the next keys will lead to."""
        places = (self.leads_to("next_slide"), self.leads_to("previous_slide"))
        return [self.deck.slides[place.slide] for place in places if place.slide != self.place.slide]

    # What runs

    def for_key(self) -> list[Block]:
        """What on the slide waits for the key."""
        return blocks_for_key(self.slide, self.place.step)

    def for_key_later(self) -> list[Block]:
        """The same once every step is shown."""
        return blocks_for_key(self.slide, self.slide.steps - 1)

    def by_itself(self) -> list[Block]:
        """The slide's automatic blocks, except those that were started before."""
        edited = self.edits.edited()
        blocks = blocks_to_start(self.slide)
        return [block for block in blocks if block not in self.live.runs and block not in edited]

    def start(self, blocks: Sequence[Block], columns_of: Callable[[Block], int]) -> bool:
        """Run those of these blocks that may run; return whether there are any.

        `columns_of` says how wide a block may be.
        """
        allowed = [block for block in blocks if self.live.allows(block)]
        self.live.start([(block, columns_of(block)) for block in allowed])
        return bool(allowed)

    # What is typed

    def editable(self) -> list[Block]:
        """The blocks that run and whose code is visible."""
        return blocks_to_run(self.slide, self.place.step, Execution.ON_KEY, Execution.AUTOMATIC)

    def edited(self) -> list[Block]:
        """Those of them that show an edit."""
        edited = self.edits.edited()
        return [block for block in self.editable() if block in edited]

    def edit(self, block: Block, text: str, history: EditHistory) -> None:
        """Show what was typed over a block that was read."""
        before = self.edits.shown(block)
        self.edits.write(block, text, history)
        self.live.hand_on(before, self.edits.shown(block))
        self._apply_edits()

    def restore(self, shown: Block) -> None:
        """Show the deck's own code again, and stop what runs of the edit."""
        run = self.live.runs.get(shown)
        if run is not None and run.is_of(shown):
            self.live.stop(shown)
        self.edits.restore(self.edits.source(shown))
        self._apply_edits()

    def in_question(self) -> list[int]:
        """The numbers of the slides with an edit whose code a save has changed."""
        blocks = self.edits.in_question()
        return [
            number for number, slide in enumerate(self.deck_read.slides, 1) if not blocks.isdisjoint(code_of(slide))
        ]

    def decide(self, *, keep: bool) -> None:
        """Keep the edits whose code a save has changed, or show the deck's own code."""
        self.edits.decide(keep=keep)
        self._apply_edits()

    # What is saved

    def doubtful(self, result: Deck | DeckError) -> bool:
        """Whether what was read may come from a half-written file: it is broken, or lacks the slide shown here."""
        return isinstance(result, DeckError) or slide_again(self.deck_read, self.place.slide, result) is None

    def take_in(self, deck: Deck) -> bool:
        """Continue with the deck as it was read again, with outputs and edits, on the same slide if it exists.

        Return whether an edit now waits, as its code is gone.
        """
        before, place = self._lost or (self.deck_read, self.place)
        slide = slide_again(before, place.slide, deck)
        self._lost = (before, place) if slide is None else None
        edit_waits = self.edits.carry_over(self.deck_read, deck)
        self.live.consent = in_force(deck, self._consent)
        read, shown, self.deck_read = self.deck_read, self.deck, deck
        self._apply_edits()
        self.live.carry_over(blocks_again(read, deck) | blocks_again(shown, self.deck))
        self.place = (self.place if slide is None else SlideStep(slide, place.step)).within(self.steps)
        return edit_waits

    @property
    def lost(self) -> bool:
        """Whether a save removed the slide that was shown, so that another is in its place."""
        return self._lost is not None
