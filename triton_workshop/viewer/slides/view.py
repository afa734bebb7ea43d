"""The viewer's state on which a page depends, and sizes of the screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from math import ceil

from triton_workshop.deck.consent import EVERYTHING, Consent
from triton_workshop.deck.model import Block, Theme
from triton_workshop.screen.palette import Palette
from triton_workshop.terminal import PLAIN, Terminal
from triton_workshop.viewer.live.live_blocks import BlockRun

MAX_BODY_COLUMNS = 144
TALL = 30
"""Rows from which there is more space around the title and in the footer."""
NARROWEST_COLUMN = 16
LARGE_BODY = 28
"""Rows of a slide's body from which rows of tables may stand apart."""


@dataclass(frozen=True)
class OpenEditor:
    """The editor over a block."""

    block: Block
    rows: Callable[[int], int]
    """Returns the rows that the editor needs at a width."""


@dataclass(frozen=True)
class View:
    """Everything that a page depends on besides the slide."""

    palette: Palette
    width: int
    height: int
    step: int = 0
    runs: Mapping[Block, BlockRun] = field(default_factory=dict)
    edited: frozenset[Block] = frozenset()
    """Blocks that show an edit."""
    editor: OpenEditor | None = None
    grid: bool = False
    """True to draw a line between columns."""
    now: float = 0.0
    terminal: Terminal = PLAIN
    theme: Theme = Theme()  # noqa: RUF009 (frozen)
    consent: Consent = EVERYTHING

    @property
    def side(self) -> int:
        """Columns left free on either side."""
        return margin(self.width, self.theme)


def margin(width: int, theme: Theme = Theme()) -> int:  # noqa: B008 (frozen)
    """Return the free columns on either side.

    They are few on a small screen, where every column counts.
    """
    by_theme = theme.margin_columns
    if theme.margin_percent is not None:
        by_theme = ceil(width * theme.margin_percent / 100)
    if by_theme is not None:
        return max(min(by_theme, (width - NARROWEST_COLUMN) // 2), 0)
    columns = max((width - MAX_BODY_COLUMNS) // 2, min(width // 20, 10), 1 if width < 40 else 3)
    return min(columns, (width - 1) // 2)


class Spacing(IntEnum):
    """Amounts of space between the blocks of a slide."""

    NONE = 0
    NORMAL = 1
    WIDE = 2
    WIDEST = 3
    """Rows of tables stand apart as well, and items of lists further."""


def footer_height(height: int) -> int:
    """Return the rows of the footer: few, so that the slide gets most."""
    if height < 10:
        return 1
    return 2 if height < TALL else 3
