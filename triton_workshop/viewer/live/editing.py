"""Edits that the presenter makes to the deck's code.

The deck stays as it was read; the edits make another deck from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from triton_workshop.deck.model import Block, Code, Columns, Deck, Slide, code_blocks, walk
from triton_workshop.viewer.live.live_blocks import Program, match_blocks, program_of
from triton_workshop.viewer.reloading import find_slide

if TYPE_CHECKING:
    from textual.document._history import EditHistory


@dataclass
class Draft:
    """Text that the presenter typed over one block."""

    text: str
    history: EditHistory
    """The editor's undo history, which continues when it is opened again."""
    base: Program
    """The deck's code that the presenter typed it over, or last chose it over."""
    active: bool = True
    """False while the deck's own code is shown; Ctrl+Z brings the text back."""

    def differs(self, block: Block) -> bool:
        """Return True if the text is shown and is not what the deck has."""
        return self.active and self.text != visible_text(block)


@dataclass(frozen=True)
class WaitingDraft:
    """A draft whose block is gone, until a save brings it back."""

    draft: Draft
    block: Block
    deck: Deck
    """The last deck that had the block.

    The block's neighbours there tell it from others with the same code.
    """

    def find_block(self, deck: Deck, added: Sequence[Block]) -> Block | None:
        """Return the draft's block among those that a save has added.

        It is the block itself, or else one with the code that the draft was typed over.
        """
        match = match_blocks(self.deck, deck).get(self.block)
        if match is None and self.draft.base != program_of(self.block):
            match = next((block for block in added if program_of(block) == self.draft.base), None)
        return match if match in added else None


class Edits:
    """Drafts by the block that they replace, as it was read.

    A draft that equals the deck's code is no edit: the block itself is shown.
    """

    def __init__(self) -> None:
        self._drafts: dict[Block, Draft] = {}
        self._waiting: list[WaitingDraft] = []

    def draft(self, block: Block) -> Draft | None:
        """Return the draft of a block, if the presenter ever typed one."""
        return self._drafts.get(block)

    def write(self, block: Block, text: str, history: EditHistory) -> None:
        """Store the editor's text, unless nothing was ever typed."""
        draft = self._drafts.get(block)
        if draft is not None:
            draft.text, draft.history, draft.base, draft.active = text, history, program_of(block), True
        elif text != visible_text(block):
            self._drafts[block] = Draft(text, history, program_of(block))

    def restore(self, block: Block) -> None:
        """Show the deck's own code again."""
        if block in self._drafts:
            self._drafts[block].active = False

    def unsaved(self) -> int:
        """Count the blocks with an edit, including those that are gone."""
        waiting = ((waiting.block, waiting.draft) for waiting in self._waiting)
        return sum(draft.differs(block) for block, draft in (*self._drafts.items(), *waiting))

    def current(self, block: Block) -> Block:
        """Return the block that is shown in place of one that was read."""
        draft = self._drafts.get(block)
        if draft is None or not draft.active:
            return block
        return version(block, draft.text)

    def source(self, current: Block) -> Block:
        """Return the block that was read, for one that is shown."""
        return next((block for block in self._drafts if self.current(block) == current), current)

    def edited(self) -> frozenset[Block]:
        """Return every block that shows an edit."""
        return frozenset(current for block in self._drafts if (current := self.current(block)) != block)

    def apply_to(self, deck: Deck) -> Deck:
        """Return the deck with the edits in it."""
        if not self._drafts:
            return deck
        slides = (replace(slide, blocks=self._apply_to_blocks(slide.blocks)) for slide in deck.slides)
        return replace(deck, slides=tuple(slides))

    def _apply_to_blocks(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        return tuple(
            replace(block, content=replace(content, columns=tuple(map(self._apply_to_blocks, content.columns))))
            if isinstance(content := block.content, Columns)
            else self.current(block)
            for block in blocks
        )

    def rebase(self, old: Deck, new: Deck) -> bool:
        """Move the drafts to a deck that was read again.

        A draft stays with its code while that is unchanged, even on another slide, or else goes to the code at the
        same position. Return whether an edit now waits, because its code is gone.
        """
        matches = match_blocks(old, new)
        drafts = self._drafts
        self._drafts = {matches[block]: draft for block, draft in drafts.items() if block in matches}
        unchanged = set(matches.values())
        # Before the loop: code that comes back belongs to the draft that waits for it.
        self._reattach_waiting(new, [block for block in code_blocks(new) if block not in unchanged])
        edit_waits = False
        for block, draft in drafts.items():
            if block in matches:
                continue
            # A draft that shows the deck's text only holds an undo history, which nobody misses.
            is_only_history = draft.active and not draft.differs(block)
            if is_only_history:
                continue
            target = counterpart(block, old, new)
            is_taken = target in unchanged or target in self._drafts
            if target is None or is_taken:
                self._waiting.append(WaitingDraft(draft, block, old))
                edit_waits |= draft.differs(block)
            else:
                self._drafts[target] = draft
        return edit_waits

    def _reattach_waiting(self, deck: Deck, added: Sequence[Block]) -> None:
        """Return waiting drafts to code that a save has brought back."""
        waiting_drafts, self._waiting = self._waiting, []
        for waiting in waiting_drafts:
            block = waiting.find_block(deck, added)
            if block is None or block in self._drafts:
                self._waiting.append(waiting)
            else:
                self._drafts[block] = waiting.draft

    def conflicts(self) -> set[Block]:
        """Return the blocks with an edit of code that has changed since."""
        edits = {block: draft for block, draft in self._drafts.items() if draft.differs(block)}
        return {block for block, draft in edits.items() if draft.base != program_of(block)}

    def resolve_conflicts(self, *, keep: bool) -> None:
        """Keep the edits in conflict, or show the deck's own code again."""
        for block in self.conflicts():
            self._drafts[block].base = program_of(block)
            self._drafts[block].active = keep


def counterpart(block: Block, old: Deck, new: Deck) -> Block | None:
    """Return the code at a block's position in a deck that was read again.

    The position is its slide, and the number of code blocks before it there.
    """
    slides = [code_of(slide) for slide in old.slides]
    number = next(index for index, codes in enumerate(slides) if block in codes)
    new_number = find_slide(old, number, new)
    candidates = code_of(new.slides[new_number]) if new_number is not None else []
    return next(iter(candidates[slides[number].index(block) :]), None)


def code_of(slide: Slide) -> list[Block]:
    """Return the blocks of code on a slide."""
    return [block for block in walk(slide.blocks) if isinstance(block.content, Code)]


def visible_text(block: Block) -> str:
    """Return the visible lines of a code block."""
    return "\n".join(block.content.lines) if isinstance(block.content, Code) else ""


@lru_cache(maxsize=64)
def version(block: Block, text: str) -> Block:
    """Return the block with other visible lines, or itself if they are equal."""
    if not isinstance(block.content, Code) or text == visible_text(block):
        return block
    return replace(block, content=with_text(block.content, text))


def with_text(code: Code, text: str) -> Code:
    """Return the code with other visible lines, and with its hidden lines.

    All of it is highlighted, at every step: what the presenter types is what it is about now.
    """
    lines = tuple(text.split("\n"))
    # The source is rebuilt from both, as hidden lines move with the visible ones around them.
    hidden_before = hidden_runs(code, lines)
    old_source = code.source.split("\n")
    source: list[tuple[str, bool]] = []
    # One round more than there are lines, for hidden lines after the last.
    for number in range(len(lines) + 1):
        source += [(old_source[index], True) for index in hidden_before.get(number, ())]
        source += [(line, False) for line in lines[number : number + 1]]
    first = min(code.source_lines, default=1)
    return replace(
        code,
        lines=lines,
        source="".join(f"{line}\n" for line, _ in source),
        source_lines=tuple(range(first, first + len(source))),
        hidden=frozenset(index for index, (_, hidden) in enumerate(source) if hidden),
        highlights=(None,) * len(code.highlights),
    )


def hidden_runs(code: Code, lines: Sequence[str]) -> dict[int, list[int]]:
    """Return the hidden lines by the new visible line that they precede.

    Those at the start and at the end stay there. Between two lines, a new indented line goes before them, since it
    continues what is above; any other goes after them, since it may need what they define.
    """
    new_index = line_moves(code.lines, lines)

    def new_number(visible_above: int) -> int:
        """Return the new line that a run precedes, by the old lines above it."""
        if visible_above == 0:
            return 0
        if visible_above == len(code.lines):
            return len(lines)
        last = new_index(visible_above)
        # A deleted line has the index of the next one, and `first` would be beyond `last`.
        first = min(new_index(visible_above - 1) + 1, last)
        return next((number for number in range(first, last) if not lines[number].startswith(" ")), last)

    runs: dict[int, list[int]] = {}
    visible_above = 0
    for index in range(len(code.source_lines)):
        if index in code.hidden:
            runs.setdefault(new_number(visible_above), []).append(index)
        else:
            visible_above += 1
    return runs


def line_moves(old: Sequence[str], new: Sequence[str]) -> Callable[[int], int]:
    """Return a function from a line's old index to its new one.

    The end of the text counts as a line.
    """
    indices: list[int] = []
    for _, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        indices += [min(new_start + offset, new_end) for offset in range(old_end - old_start)]
    indices.append(len(new))
    return indices.__getitem__
