"""What the presenter types over the deck's code. The deck stays as it was read; edits make another deck from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from triton_workshop.deck.model import Block, Code, Columns, Deck, Slide, code_blocks, walk
from triton_workshop.viewer.live.live_blocks import Program, blocks_again, program_of
from triton_workshop.viewer.reloading import slide_again

if TYPE_CHECKING:
    from textual.document._history import EditHistory


@dataclass
class Draft:
    """What the presenter made of one block."""

    text: str
    history: EditHistory
    """How the text came about, so that undo and redo still work when the editor is opened again."""
    over: Program
    """The deck's code that the presenter typed it over, or last chose it over."""
    aside: bool = False
    """Whether the deck's own code is shown again. The text waits for Ctrl+Z."""

    def differs(self, block: Block) -> bool:
        """Whether this is an edit of a block: the text is shown, and is not what the deck has."""
        return not self.aside and self.text != shown_text(block)


@dataclass(frozen=True)
class WaitingDraft:
    """A draft whose block is gone, until a save brings it back."""

    draft: Draft
    block: Block
    deck: Deck
    """The last one that had the block: its neighbours tell it from others with the same code."""

    def block_in(self, deck: Deck, added: Sequence[Block]) -> Block | None:
        """The block, or the code that the draft was typed over, if it is among those that a save has added."""
        again = blocks_again(self.deck, deck).get(self.block)
        if again is None and self.draft.over != program_of(self.block):
            again = next((block for block in added if program_of(block) == self.draft.over), None)
        return again if again in added else None


class Edits:
    """Drafts by the block that they replace, as it was read.

    A draft that equals the deck's code is no edit: the block itself is shown.
    """

    def __init__(self) -> None:
        self._drafts: dict[Block, Draft] = {}
        self._waiting: list[WaitingDraft] = []

    def draft(self, block: Block) -> Draft | None:
        return self._drafts.get(block)

    def write(self, block: Block, text: str, history: EditHistory) -> None:
        """Keep what the editor holds, unless nothing was ever typed."""
        draft = self._drafts.get(block)
        if draft is not None:
            draft.text, draft.history, draft.over, draft.aside = text, history, program_of(block), False
        elif text != shown_text(block):
            self._drafts[block] = Draft(text, history, program_of(block))

    def restore(self, block: Block) -> None:
        """Show the deck's own code again."""
        if block in self._drafts:
            self._drafts[block].aside = True

    def unsaved(self) -> int:
        """How many blocks the presenter has edited and not restored, those that are gone included."""
        waiting = ((waiting.block, waiting.draft) for waiting in self._waiting)
        return sum(draft.differs(block) for block, draft in (*self._drafts.items(), *waiting))

    def shown(self, block: Block) -> Block:
        """The block that is shown in place of one that was read."""
        draft = self._drafts.get(block)
        return block if draft is None or draft.aside else version(block, draft.text)

    def source(self, shown: Block) -> Block:
        """The block that was read, for one that is shown."""
        return next((block for block in self._drafts if self.shown(block) == shown), shown)

    def edited(self) -> frozenset[Block]:
        """Every block that shows an edit."""
        return frozenset(shown for block in self._drafts if (shown := self.shown(block)) != block)

    def over(self, deck: Deck) -> Deck:
        """The deck with the edits in it."""
        if not self._drafts:
            return deck
        slides = (replace(slide, blocks=self._over(slide.blocks)) for slide in deck.slides)
        return replace(deck, slides=tuple(slides))

    def _over(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        return tuple(
            replace(block, content=replace(content, columns=tuple(map(self._over, content.columns))))
            if isinstance(content := block.content, Columns)
            else self.shown(block)
            for block in blocks
        )

    def carry_over(self, old: Deck, new: Deck) -> bool:
        """Move the drafts to a deck that was read again; return whether an edit now waits, as its code is gone.

        A draft stays over its code while that is unchanged, wherever it is now, or else over the code in its place.
        """
        same = blocks_again(old, new)
        drafts, self._drafts = (
            self._drafts,
            {same[block]: draft for block, draft in self._drafts.items() if block in same},
        )
        kept = set(same.values())
        self._bring_back(new, [block for block in code_blocks(new) if block not in kept])
        gone = False
        for block, draft in drafts.items():
            if block in same or not (draft.aside or draft.differs(block)):
                continue
            home = in_place_of(block, old, new)
            if home is None or home in kept or home in self._drafts:
                self._waiting.append(WaitingDraft(draft, block, old))
                gone |= draft.differs(block)
            else:
                self._drafts[home] = draft
        return gone

    def _bring_back(self, deck: Deck, added: Sequence[Block]) -> None:
        """Put the drafts that wait over their code, where a save has brought it back."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            block = one.block_in(deck, added)
            if block is None or block in self._drafts:
                self._waiting.append(one)
            else:
                self._drafts[block] = one.draft

    def in_question(self) -> set[Block]:
        """The blocks with an edit of code that has changed since."""
        drafts = self._drafts.items()
        return {block for block, draft in drafts if draft.differs(block) and draft.over != program_of(block)}

    def decide(self, *, keep: bool) -> None:
        """Keep the edits in question, or show the deck's own code again."""
        for block in self.in_question():
            self._drafts[block].over = program_of(block)
            self._drafts[block].aside = not keep


def in_place_of(block: Block, old: Deck, new: Deck) -> Block | None:
    """What is where a block of a deck was, in the deck as it was read again: on its slide, after as many others."""
    slides = [code_of(slide) for slide in old.slides]
    number = next(index for index, codes in enumerate(slides) if block in codes)
    again = slide_again(old, number, new)
    now = code_of(new.slides[again]) if again is not None else []
    return next(iter(now[slides[number].index(block) :]), None)


def code_of(slide: Slide) -> list[Block]:
    return [block for block in walk(slide.blocks) if isinstance(block.content, Code)]


def shown_text(block: Block) -> str:
    """The visible lines of a code block."""
    return "\n".join(block.content.lines) if isinstance(block.content, Code) else ""


@lru_cache(maxsize=64)
def version(block: Block, text: str) -> Block:
    """The block with other visible lines; the block itself if they are the same."""
    if not isinstance(block.content, Code) or text == shown_text(block):
        return block
    return replace(block, content=with_text(block.content, text))


def with_text(code: Code, text: str) -> Code:
    """The code with other visible lines, and its hidden lines in their places among them.

    All of it is highlighted, at every step: what the presenter types is what it is about now.
    """
    lines = tuple(text.split("\n"))
    before = hidden_runs(code, lines)
    old_source = code.source.split("\n")
    source: list[tuple[str, bool]] = []
    for place in range(len(lines) + 1):
        source += [(old_source[index], True) for index in before.get(place, ())]
        source += [(line, False) for line in lines[place : place + 1]]
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
    """Indices of hidden lines, by the new visible line that they precede.

    Those at the start and at the end stay there. Between two lines, a new indented line goes before them, since it
    continues what is above; any other goes after them, since it may need what they define.
    """
    moved = new_places(code.lines, lines)

    def place(above: int) -> int:
        """Where to put a run that had so many visible lines above it."""
        if above in (0, len(code.lines)):
            return 0 if above == 0 else len(lines)
        last = moved(above)
        first = min(moved(above - 1) + 1, last)
        return next((number for number in range(first, last) if not lines[number].startswith(" ")), last)

    runs: dict[int, list[int]] = {}
    above = 0
    for index in range(len(code.source_lines)):
        if index in code.hidden:
            runs.setdefault(place(above), []).append(index)
        else:
            above += 1
    return runs


def new_places(old: Sequence[str], new: Sequence[str]) -> Callable[[int], int]:
    """The index in `new` to which each line of `old`, and its end, has moved."""
    places: list[int] = []
    for _, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        places += [min(new_start + offset, new_end) for offset in range(old_end - old_start)]
    places.append(len(new))
    return places.__getitem__
