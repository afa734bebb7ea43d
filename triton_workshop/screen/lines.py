"""Cuts, wraps and folds lines to a number of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from io import StringIO

from rich.cells import get_character_cell_size
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip

from triton_workshop.deck.alignment import Alignment

CONSOLE = Console(
    file=StringIO(), width=80, color_system="truecolor", force_terminal=True, legacy_windows=False, _environ={}
)

MESSAGE = re.compile(r"\s*(?:error|[\w.]*(?:Error|Exception|Warning)): ")
"""How a line of an output begins that says what went wrong, in Python's words or a program's."""

Lines = tuple[Strip, ...]


def strip(text: Text, width: int, base: Style, alignment: Alignment = Alignment.LEFT) -> Strip:
    """One line of exactly `width` cells on the background of `base`; text that is too long is cut."""
    # `render` omits the text's own style if no part of it has another.
    line = Strip(text.render(CONSOLE)).apply_style(base + CONSOLE.get_style(text.style))
    slack = width - line.cell_length
    if slack < 0:
        return line.crop(0, width).adjust_cell_length(width, base)
    left = indent(alignment, slack)
    return Strip([Segment(" " * left, base), *line, Segment(" " * (slack - left), base)], width)


def indent(alignment: Alignment, slack: int) -> int:
    """How many of the cells that are left over stand before what is aligned so."""
    return {Alignment.LEFT: 0, Alignment.CENTER: slack // 2, Alignment.RIGHT: slack}[alignment]


def wrap(text: Text, width: int) -> list[Text]:
    """Lines of at most `width` cells, broken between words."""
    text.end = ""
    return list(text.wrap(CONSOLE, max(width, 1), overflow="fold")) or [Text()]


def fold(text: Text, width: int) -> list[Text]:
    """Lines of at most `width` cells, broken anywhere, as in a terminal."""
    return [text] if text.cell_len <= width else list(text.divide(_folds(text.plain, width)))


def printed_rows(text: Text, width: int) -> list[Text]:
    """A line of an output: the message of an error breaks between words, anything else where a terminal breaks it."""
    return wrap(text.copy(), width) if MESSAGE.match(text.plain) else fold(text, width)


def folded_height(text: Text, width: int) -> int:
    """How many lines `fold` makes of it."""
    return 1 if text.cell_len <= width else len(_folds(text.plain, width)) + 1


@lru_cache(maxsize=8192)  # an output on the whole screen asks for all of its lines at every key
def _folds(text: str, width: int) -> tuple[int, ...]:
    """The indices at which a text is folded."""
    if text.isascii():
        return tuple(range(width, len(text), width))
    cuts: list[int] = []
    column = 0
    for index, character in enumerate(text):
        cells = get_character_cell_size(character)
        if column + cells > width and column:
            cuts.append(index)
            column = 0
        column += cells
    return tuple(cuts)


def fitting(spellings: Sequence[str], width: int) -> str:
    """The first spelling that fits, from long to short, or else the last."""
    return next((text for text in spellings if len(text) <= width), spellings[-1])
