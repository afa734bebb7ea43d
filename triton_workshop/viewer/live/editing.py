"""What the presenter types over the deck's code. The deck stays as it was read; edits make another deck from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from triton_workshop.deck.model import Block, Code, Columns, Deck, Slide, walk
from triton_workshop.viewer.live.live_blocks import blocks_again, same_code
from triton_workshop.viewer.reloading import slide_again

if TYPE_CHECKING:
    from textual.document._history import EditHistory

INDENT = 4


@dataclass
class Draft:
    """What the presenter made of one block."""

    text: str
    history: EditHistory
    """How the text came about, so that undo and redo still work when the editor is opened again."""
    aside: bool = False
    """Whether the deck's own code is shown again. The text waits for Ctrl+Z."""
    displaced: bool = False
    """Whether an edit is hidden because the deck's code has changed, not because the presenter hid it."""
    ran: str | None = None
    """The text that was last run."""


@dataclass(frozen=True)
class Displaced:
    """How many edits did not stay over their code when the deck was read again."""

    aside: int = 0
    """These wait for Ctrl+Z at the code that has replaced theirs."""
    waiting: int = 0
    """These have no such code, and wait until theirs comes back."""


class Edits:
    """Drafts by the block that they replace, as it was read.

    A draft that equals the deck's code is no edit: the block itself is shown.
    """

    def __init__(self) -> None:
        self._drafts: dict[Block, Draft] = {}
        self._waiting: list[tuple[Block, Draft]] = []
        """Those of blocks that a save has removed from the deck; they may come back."""

    def draft(self, block: Block) -> Draft | None:
        return self._drafts.get(block)

    def write(self, block: Block, text: str, history: EditHistory) -> None:
        """Keeps what the editor holds, unless nothing was ever typed."""
        draft = self._drafts.get(block)
        if draft is not None:
            draft.displaced &= text == shown_text(block)  # only looked at: the edit is still one Ctrl+Z away
            draft.text, draft.history, draft.aside = text, history, False
        elif text != shown_text(block):
            self._drafts[block] = Draft(text, history)

    def restore(self, block: Block) -> None:
        """Shows the deck's own code again."""
        if block in self._drafts:
            self._drafts[block].aside = True

    def unsaved(self) -> int:
        """How many blocks the presenter has edited and not restored."""
        drafts = [*self._drafts.items(), *self._waiting]
        return sum(draft.displaced or (not draft.aside and draft.text != shown_text(block)) for block, draft in drafts)

    def starts(self, shown: Block) -> Block | None:
        """Records a version that starts, and the last other version of the same block that did."""
        block = self.source(shown)
        draft = self._drafts.get(block)
        if draft is None:
            return None
        before = block if draft.ran is None else version(block, draft.ran)
        draft.ran = None if shown == block else shown_text(shown)
        return before if before != shown else None

    def shown(self, block: Block) -> Block:
        """The block that is shown in place of one that was read."""
        draft = self._drafts.get(block)
        return block if draft is None or draft.aside else version(block, draft.text)

    def source(self, shown: Block) -> Block:
        """The block that was read, for one that is shown."""
        return next((block for block in self._drafts if self.shown(block) == shown), shown)

    def edited(self) -> dict[Block, Block | None]:
        """Every block that shows an edit, with the version of it whose output is shown, if any."""
        return {
            self.shown(block): block if draft.ran is None else version(block, draft.ran)
            for block, draft in self._drafts.items()
            if self.shown(block) != block
        }

    def versions(self) -> list[Block]:
        """Every version, besides the deck's own, that may have printed something."""
        return [version(block, draft.ran) for block, draft in self._drafts.items() if draft.ran is not None]

    def over(self, deck: Deck) -> Deck:
        """The deck with the edits in it."""
        if not self._drafts:
            return deck
        return replace(deck, slides=tuple(self._over_slide(slide) for slide in deck.slides))

    def _over_slide(self, slide: Slide) -> Slide:
        blocks = self._over_blocks(slide.blocks)
        return slide if blocks == slide.blocks else replace(slide, blocks=blocks)

    def _over_blocks(self, blocks: Sequence[Block]) -> tuple[Block, ...]:
        return tuple(map(self._over_block, blocks))

    def _over_block(self, block: Block) -> Block:
        if isinstance(block.content, Columns):
            columns = tuple(map(self._over_blocks, block.content.columns))
            return replace(block, content=replace(block.content, columns=columns))
        return self.shown(block)

    def carry_over(self, old: Deck, new: Deck) -> Displaced:
        """Moves the drafts to a deck that was read again.

        A draft stays if the code under it still exists, wherever it is now. If the code has changed, the draft moves to
        the block that has replaced it, and waits there for Ctrl+Z. If there is no such block, it waits for the code to
        come back. Nothing that was typed is thrown away.
        """
        drafts, self._drafts = self._drafts, {}
        waiting, self._waiting = self._waiting, []
        homes = blocks_again(old, new)
        added = [block for block in code_blocks(new) if block not in homes.values()]
        homeless: list[tuple[Block, Draft]] = []
        for block, draft in (*drafts.items(), *waiting):
            back = (other for other in added if other not in self._drafts and same_code(block, other))
            home = homes.pop(block, None) or next(back, None)
            if home is not None:
                self._drafts[home] = draft
            elif draft.displaced or draft.text != shown_text(block):
                homeless.append((block, draft))
        aside = gone = 0
        for block, draft in homeless:
            heir = heir_of(block, old, new)
            if heir is None or heir not in added or heir in self._drafts:
                self._waiting.append((block, draft))
                gone += block in drafts and not draft.aside
            else:
                put_aside = not draft.aside and draft.text != shown_text(heir)
                aside += put_aside
                draft.displaced |= put_aside
                draft.aside, draft.ran = True, None
                self._drafts[heir] = draft
        return Displaced(aside, gone)


def heir_of(block: Block, old: Deck, new: Deck) -> Block | None:
    """The block that is where a block of a deck was, in the deck as it was read again."""
    slide, number = next((place for place, other in numbered(old) if other == block), (-1, -1))
    slide_now = slide_again(old, slide, new) if slide >= 0 else None
    return next((other for place, other in numbered(new) if place == (slide_now, number)), None)


def code_blocks(deck: Deck) -> Iterator[Block]:
    return (block for slide in deck.slides for block in walk(slide.blocks) if isinstance(block.content, Code))


def numbered(deck: Deck) -> Iterator[tuple[tuple[int, int], Block]]:
    """Code blocks by slide, and by number on it."""
    for index, slide in enumerate(deck.slides):
        codes = (block for block in walk(slide.blocks) if isinstance(block.content, Code))
        yield from (((index, number), block) for number, block in enumerate(codes))


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


# Typing


def indent_of(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def next_indent(before: str) -> str:
    """How far to indent the next line, given what is before the cursor."""
    indent = indent_of(before)
    statement = before.partition("#")[0].rstrip()
    if statement.endswith((":", "(", "[", "{")):
        return indent + " " * INDENT
    if statement.split() and statement.split()[0] in ("return", "raise", "pass", "break", "continue"):
        return indent[:-INDENT] if not open_bracket(statement) else indent
    return indent


def open_bracket(text: str) -> bool:
    return any(text.count(opening) > text.count(closing) for opening, closing in ("()", "[]", "{}"))


def indented(lines: Iterable[str]) -> list[str]:
    """Lines indented one step further; empty ones stay empty."""
    return [f"{' ' * INDENT}{line}" if line else line for line in lines]


def outdented(lines: Iterable[str]) -> list[str]:
    """Lines indented one step less, as far as they are indented."""
    return [line[min(len(indent_of(line)), INDENT) :] for line in lines]
