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
"""Start of a line that says what went wrong, in any program's words."""

Lines = tuple[Strip, ...]


def strip(text: Text, width: int, base: Style, alignment: Alignment = Alignment.LEFT) -> Strip:
    """Return one line of exactly `width` cells on the background of `base`.

    Text that is too long is cut.
    """
    # `render` omits the text's own style if no part of it has another.
    line = Strip(text.render(CONSOLE)).apply_style(base + CONSOLE.get_style(text.style))
    slack = width - line.cell_length
    if slack < 0:
        return line.crop(0, width).adjust_cell_length(width, base)
    padding = indent(alignment, slack)
    return Strip([Segment(" " * padding, base), *line, Segment(" " * (slack - padding), base)], width)


def indent(alignment: Alignment, slack: int) -> int:
    """Return the cells of the slack that come before an aligned text."""
    return {Alignment.LEFT: 0, Alignment.CENTER: slack // 2, Alignment.RIGHT: slack}[alignment]


def wrap(text: Text, width: int) -> list[Text]:
    """Break a text between words into lines of at most `width` cells."""
    text.end = ""
    return list(text.wrap(CONSOLE, max(width, 1), overflow="fold")) or [Text()]


def fold(text: Text, width: int) -> list[Text]:
    """Break a text anywhere into lines of at most `width` cells."""
    return [text] if text.cell_len <= width else list(text.divide(_folds(text.plain, width)))


def printed_rows(text: Text, width: int) -> list[Text]:
    """Return the rows of a line of an output.

    The message of an error breaks between words, anything else where a terminal breaks it.
    """
    return wrap(text.copy(), width) if MESSAGE.match(text.plain) else fold(text, width)


def folded_height(text: Text, width: int) -> int:
    """Return the number of lines that `fold` returns."""
    return 1 if text.cell_len <= width else len(_folds(text.plain, width)) + 1


@lru_cache(maxsize=8192)  # an output on the whole screen asks for all of its lines at every key
def _folds(text: str, width: int) -> tuple[int, ...]:
    """Return the indices at which a text is folded."""
    if text.isascii():
        return tuple(range(width, len(text), width))
    cuts: list[int] = []
    column = 0
    for index, character in enumerate(text):
        cells = get_character_cell_size(character)
        # A character that is wider than the line still gets one to itself.
        if column + cells > width and column:
            cuts.append(index)
            column = 0
        column += cells
    return tuple(cuts)


def fitting(spellings: Sequence[str], width: int) -> str:
    """Return the first spelling that fits, or else the last.

    Spellings are sorted from long to short.
    """
    return next((text for text in spellings if len(text) <= width), spellings[-1])
