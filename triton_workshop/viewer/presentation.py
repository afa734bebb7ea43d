"""A deck while it is presented, without a screen.

It knows the presenter's position, the edits, and the live blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from triton_workshop.deck.consent import EVERYTHING, Consent, in_force
from triton_workshop.deck.errors import DeckError
from triton_workshop.deck.model import Block, Deck, Execution, Slide
from triton_workshop.viewer.live.editing import Edits, code_of
from triton_workshop.viewer.live.live_blocks import (
    LiveBlocks,
    blocks_for_key,
    blocks_to_run,
    blocks_to_start,
    match_blocks,
)
from triton_workshop.viewer.reloading import find_slide
from triton_workshop.viewer.slides.slide_step import MOVES, SlideStep, goto

if TYPE_CHECKING:
    from textual.document._history import EditHistory


class Presentation:
    """A deck, its edits, its live blocks, and a position in it.

    They stay consistent whatever is typed, run or saved.
    """

    def __init__(self, deck: Deck, slide: int = 1, consent: Consent = EVERYTHING) -> None:
        """Start on a slide, by its number from 1.

        `consent` is what the presenter agreed to for code from elsewhere.

        Call `live.close` to end what runs.
        """
        self.deck_read = deck
        self.edits = Edits()
        self.live = LiveBlocks(deck.path, in_force(deck, consent))
        self._consent = consent
        self._lost: tuple[Deck, SlideStep] | None = None
        """The position when a save removed that slide, as it may come back."""
        self._apply_edits()
        self.position = goto(slide, self.steps)

    def _apply_edits(self) -> None:
        self.deck = self.edits.apply_to(self.deck_read)
        """The deck as it is shown, with the presenter's edits."""
        self.steps: Sequence[int] = [slide.steps for slide in self.deck.slides]

    # The position

    @property
    def slide(self) -> Slide:
        """The slide that is shown."""
        return self.deck.slides[self.position.slide]

    def go(self, position: SlideStep) -> None:
        """Show another slide or step."""
        self._lost = None
        self.position = position

    def destination(self, move: str) -> SlideStep:
        """Return the position to which a key leads from the current one."""
        return MOVES[move](self.position, self.steps)

    def neighbours(self) -> list[Slide]:
        """Return the slides that the next keys will lead to."""
        positions = (self.destination("next_slide"), self.destination("previous_slide"))
        return [self.deck.slides[position.slide] for position in positions if position.slide != self.position.slide]

    # Live blocks

    def blocks_for_key(self, *, all_steps: bool = False) -> list[Block]:
        """Return the blocks that Ctrl+E runs at this step, or at the last one."""
        return blocks_for_key(self.slide, self.slide.steps - 1 if all_steps else self.position.step)

    def automatic_blocks(self) -> list[Block]:
        """Return the slide's automatic blocks that have not been started yet."""
        edited = self.edits.edited()
        blocks = [block for block in blocks_to_start(self.slide) if block not in edited]
        return [block for block in blocks if block not in self.live.runs]

    # Edits

    def editable(self) -> list[Block]:
        """Return the blocks that run and whose code is visible."""
        return blocks_to_run(self.slide, self.position.step, Execution.ON_KEY, Execution.AUTOMATIC)

    def edited(self) -> list[Block]:
        """Return the editable blocks that show an edit."""
        edited = self.edits.edited()
        return [block for block in self.editable() if block in edited]

    def edit(self, block: Block, text: str, history: EditHistory) -> None:
        """Show the text that was typed over a block that was read."""
        previous = self.edits.current(block)
        self.edits.write(block, text, history)
        self.live.share_run(previous, self.edits.current(block))
        self._apply_edits()

    def restore(self, edited: Block) -> None:
        """Show the deck's own code again, and stop the edit's own run."""
        run = self.live.runs.get(edited)
        has_own_run = run is not None and run.is_of(edited)
        if has_own_run:
            self.live.stop(edited)
        self.edits.restore(self.edits.source(edited))
        self._apply_edits()

    def conflicts(self) -> list[int]:
        """Return the numbers of the slides with an edit in conflict with a save."""
        blocks = self.edits.conflicts()
        return [
            number for number, slide in enumerate(self.deck_read.slides, 1) if not blocks.isdisjoint(code_of(slide))
        ]

    def resolve_conflicts(self, *, keep: bool) -> None:
        """Keep the edits in conflict, or show the deck's own code."""
        self.edits.resolve_conflicts(keep=keep)
        self._apply_edits()

    # Saves

    def needs_confirmation(self, result: Deck | DeckError) -> bool:
        """Return True for a deck that is broken or has lost the current slide.

        It may come from a file that is only half written.
        """
        return isinstance(result, DeckError) or find_slide(self.deck_read, self.position.slide, result) is None

    def reload(self, deck: Deck) -> bool:
        """Continue with the deck, read again, on the same slide if it exists.

        Outputs and edits are kept. Return whether an edit now waits, because its code is gone.
        """
        old, position = self._lost or (self.deck_read, self.position)
        slide = find_slide(old, position.slide, deck)
        self._lost = (old, position) if slide is None else None
        edit_waits = self.edits.rebase(self.deck_read, deck)
        self.live.consent = in_force(deck, self._consent)
        old_read, old_edited, self.deck_read = self.deck_read, self.deck, deck
        self._apply_edits()
        # A block's run from before an edit stays with the block as it was read, so both decks are matched.
        self.live.remap(match_blocks(old_read, deck) | match_blocks(old_edited, self.deck))
        self.position = (self.position if slide is None else SlideStep(slide, position.step)).within(self.steps)
        return edit_waits

    @property
    def lost(self) -> bool:
        """True if a save removed the slide that was shown."""
        return self._lost is not None
