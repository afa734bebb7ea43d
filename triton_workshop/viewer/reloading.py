"""Reloads a deck that is saved while it is shown: when to read it again, and where the presenter is in the new one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from triton_workshop.deck import DeckError, NoSuchDeckError, load_deck
from triton_workshop.deck.model import Block, Code, Columns, Deck, Image, Slide, code_blocks, walk
from triton_workshop.file_watcher import FileWatcher
from triton_workshop.viewer.pictures.cell_drawings import drawing_files

PAUSE_SECONDS = 0.05
"""Seconds without a save before a deck is read again."""
DOUBT_SECONDS = 0.5
"""Seconds without a save before a deck is believed to be broken, or to have lost the current slide, as editors write
in pieces, and some empty the file first."""
LONGEST_SECONDS = 1.0
"""Longest time in seconds to wait while one save follows another."""


@dataclass(frozen=True)
class Reading:
    """The result of reading a deck again, and which of its files had been saved."""

    result: Deck | DeckError
    saved: frozenset[Path]


async def readings(
    saves: FileWatcher, shown: Deck, doubtful: Callable[[Deck | DeckError], bool]
) -> AsyncIterator[Reading]:
    """The deck after each save of one of its files; `doubtful` says which results may come from a half-written file."""
    saves.follow(sources(shown))
    known = shown
    async for saved in saves:
        saved |= await saves.settled(PAUSE_SECONDS, LONGEST_SECONDS)
        result = await asyncio.to_thread(read_again, known)
        if doubtful(result):
            saved |= await saves.settled(DOUBT_SECONDS, LONGEST_SECONDS)
            result = await asyncio.to_thread(read_again, known)
        if isinstance(result, Deck):
            known = result
            saves.follow(sources(known))
        else:
            saves.follow(sources(known) | {result.path} | folders(known))
        yield Reading(result, saved)


def read_again(known: Deck) -> Deck | DeckError:
    """The deck as it is now, or why it cannot take the place of the one that is known."""
    try:
        deck = load_deck(known.path)
    except DeckError as error:
        return error
    except Exception as error:  # a defect of ours must not take the slides off the screen
        return DeckError(known.path, 1, f"could not be read, because of a bug in the viewer: {error!r}")
    emptied = next((file for file in known.files if file in deck.blank - known.blank), None)
    return deck if emptied is None else NoSuchDeckError(emptied, "expected slides, found none")


def sources(deck: Deck) -> set[Path]:
    """Every file that a deck is made of: itself, what it includes, code and pictures."""
    codes = [block.content for block in code_blocks(deck) if isinstance(block.content, Code)]
    return {deck.path, *deck.files, *pictures(deck), *(code.file for code in codes if code.file is not None)}


def folders(deck: Deck) -> set[Path]:
    """Folders where a file that a deck lacks may appear: those of its files, or ones beside the deck."""
    try:
        beside = {entry for entry in deck.path.parent.iterdir() if entry.is_dir()}
    except OSError:
        beside = set()
    return beside | {file.parent for file in sources(deck)}


def pictures(deck: Deck) -> set[Path]:
    """The files of all pictures on the slides, those that are drawn in characters too."""
    blocks = [block for slide in deck.slides for block in walk(slide.blocks)]
    images = [block.content.path for block in blocks if isinstance(block.content, Image)]
    return {*images, *(file for image in images for file in drawing_files(image))}


def slide_again(before: Deck, number: int, after: Deck) -> int | None:
    """Where a slide of a deck, by its index, is in that deck as it was read again; None if it is gone.

    It is the slide with the same content, or else the one with the same name, or else the one in its place, if there
    are as many as before between the slides that surrounded it.
    """
    kept = pairs([_content(slide) for slide in before.slides], [_content(slide) for slide in after.slides])
    if number in kept:
        return kept[number]
    previous = max((index for index in kept if index < number), default=None)
    following = min((index for index in kept if index > number), default=None)
    first = 0 if previous is None else kept[previous] + 1
    last = len(after.slides) if following is None else kept[following]
    free = [index for index in range(len(after.slides)) if index not in kept.values()]
    name = before.slides[number].name
    if name and (named := [index for index in free if after.slides[index].name == name]):
        return min(named, key=lambda index: abs(index - first))
    between = [index for index in free if first <= index < last]
    stood_first = 0 if previous is None else previous + 1
    stood_last = len(before.slides) if following is None else following
    return between[number - stood_first] if len(between) == stood_last - stood_first else None


def pairs(before: Sequence[Hashable], after: Sequence[Hashable]) -> dict[int, int]:
    """Pairs of equal items of two sequences, by index: first those in the same order, then those that have moved."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    found = {block.a + i: block.b + i for block in matcher.get_matching_blocks() for i in range(block.size)}
    free = [index for index in range(len(after)) if index not in set(found.values())]
    for index, thing in enumerate(before):
        if index not in found and (moved := next((other for other in free if after[other] == thing), None)) is not None:
            found[index] = moved
            free.remove(moved)
    return found


def _content(slide: Slide) -> Hashable:
    """What a slide says, regardless of where it is."""
    return slide.title, slide.introduction, tuple(map(_told, slide.blocks))


def _told(block: Block) -> Block:
    """A block without its place in the file."""
    content = block.content
    if isinstance(content, Columns):
        content = replace(content, columns=tuple(tuple(map(_told, column)) for column in content.columns))
    elif isinstance(content, Code):
        content = replace(content, source_lines=())
    return replace(block, content=content, line=0, path=None)
