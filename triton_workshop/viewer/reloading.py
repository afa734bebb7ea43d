"""Reloading of a deck that is saved while it is presented."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain
from pathlib import Path

from triton_workshop.deck import DeckError, NoSuchDeckError, load_deck
from triton_workshop.deck.model import Block, Code, Columns, Deck, Image, Slide, code_blocks, walk
from triton_workshop.file_watcher import FileWatcher
from triton_workshop.viewer.pictures.cell_drawings import drawing_files

PAUSE_SECONDS = 0.05
"""Seconds without a save before a deck is read again."""
DOUBT_SECONDS = 0.5
"""Seconds without a save before a broken deck counts as broken.

The same is true of a deck that has lost the current slide. Editors write in pieces, and some empty the file first.
"""
MAX_WAIT_SECONDS = 1.0
"""Longest time in seconds to wait while one save follows another."""


@dataclass(frozen=True)
class Reading:
    """The result of reading a deck again, and its files that had been saved."""

    result: Deck | DeckError
    saved: frozenset[Path]


async def readings(
    saves: FileWatcher, deck: Deck, needs_confirmation: Callable[[Deck | DeckError], bool]
) -> AsyncIterator[Reading]:
    """Yield the deck after each save of one of its files.

    `needs_confirmation` returns True for a result that may come from a half-written file.
    """
    saves.follow(sources(deck))
    async for saved in saves:
        saved |= await saves.settled(PAUSE_SECONDS, MAX_WAIT_SECONDS)
        result = await asyncio.to_thread(reload_deck, deck)
        if needs_confirmation(result):
            saved |= await saves.settled(DOUBT_SECONDS, MAX_WAIT_SECONDS)
            result = await asyncio.to_thread(reload_deck, deck)
        if isinstance(result, Deck):
            deck = result
            saves.follow(sources(deck))
        else:  # the error may end when a file appears that the deck lacks
            saves.follow(sources(deck) | {result.path} | folders(deck))
        yield Reading(result, saved)


def reload_deck(old: Deck) -> Deck | DeckError:
    """Read a deck again; return the error if it cannot replace the old one."""
    try:
        deck = load_deck(old.path)
    except DeckError as error:
        return error
    except Exception as error:  # a defect of ours must not take the slides off the screen
        return DeckError(old.path, 1, f"could not be read, because of a bug in the viewer: {error!r}")
    emptied = next((file for file in old.files if file in deck.blank - old.blank), None)
    return deck if emptied is None else NoSuchDeckError(emptied, "expected slides, found none")


def sources(deck: Deck) -> set[Path]:
    """Return every file of a deck: itself, its includes, code and pictures."""
    codes = [block.content for block in code_blocks(deck) if isinstance(block.content, Code)]
    return {deck.path, *deck.files, *pictures(deck), *(code.file for code in codes if code.file is not None)}


def folders(deck: Deck) -> set[Path]:
    """Return the folders where a file that a deck lacks may appear.

    They are the folders of its files, and those next to the deck.
    """
    try:
        subfolders = {entry for entry in deck.path.parent.iterdir() if entry.is_dir()}
    except OSError:
        subfolders = set()
    return subfolders | {file.parent for file in sources(deck)}


def pictures(deck: Deck) -> set[Path]:
    """Return the files of all pictures on the slides, and their text versions."""
    blocks = chain.from_iterable(walk(slide.blocks) for slide in deck.slides)
    images = [block.content.path for block in blocks if isinstance(block.content, Image)]
    return {*images, *chain.from_iterable(map(drawing_files, images))}


def find_slide(old: Deck, number: int, new: Deck) -> int | None:
    """Return the new index of a slide in a deck that was read again, or None.

    It is the slide with the same content, or else the one with the same name, or else the one at the same position, if
    there are as many as before between the slides that surrounded it.
    """
    matches = match_items(list(map(_content, old.slides)), list(map(_content, new.slides)))
    if number in matches:
        return matches[number]
    previous = max((index for index in matches if index < number), default=None)
    following = min((index for index in matches if index > number), default=None)
    first = 0 if previous is None else matches[previous] + 1
    end = len(new.slides) if following is None else matches[following]
    # Only slides that match no other old one can be this one with changes.
    matched = set(matches.values())
    free = [index for index in range(len(new.slides)) if index not in matched]
    name = old.slides[number].name
    same_name = [index for index in free if new.slides[index].name == name]
    if name and same_name:
        # Several slides may have the name: the one nearest to its old place counts.
        return min(same_name, key=lambda index: abs(index - first))
    between = [index for index in free if first <= index < end]
    old_first = 0 if previous is None else previous + 1
    old_end = len(old.slides) if following is None else following
    return between[number - old_first] if len(between) == old_end - old_first else None


def match_items(old: Sequence[Hashable], new: Sequence[Hashable]) -> dict[int, int]:
    """Match equal items of two sequences, by index.

    Items in the same order come first, then those that have moved.
    """
    # Without autojunk, which takes items that occur often for noise.
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    matches: dict[int, int] = {}
    for block in matcher.get_matching_blocks():
        matches |= {block.a + i: block.b + i for i in range(block.size)}
    matched = set(matches.values())
    free = [index for index in range(len(new)) if index not in matched]
    for index, item in enumerate(old):
        if index in matches:
            continue
        moved = next((candidate for candidate in free if new[candidate] == item), None)
        if moved is not None:
            matches[index] = moved
            free.remove(moved)
    return matches


def _content(slide: Slide) -> Hashable:
    """Return a slide's content, regardless of its lines in the file."""
    return slide.title, slide.introduction, tuple(map(_without_lines, slide.blocks))


def _without_lines(block: Block) -> Block:
    """Return a block without its lines in the file."""
    content = block.content
    if isinstance(content, Columns):
        content = replace(content, columns=tuple(tuple(map(_without_lines, column)) for column in content.columns))
    elif isinstance(content, Code):
        content = replace(content, source_lines=())
    return replace(block, content=content, line=0, path=None)
