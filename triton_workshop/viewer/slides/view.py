"""Everything that a page depends on besides the slide, and what follows from the screen's size alone."""

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

WIDEST = 144
TALL = 30
"""Rows from which there is room for more space around the title and in the footer."""
NARROWEST_COLUMN = 16


@dataclass(frozen=True)
class OpenEditor:
    """The block whose code is under the editor, and the rows that the editor needs at a width."""

    block: Block
    rows: Callable[[int], int]


@dataclass(frozen=True)
class View:
    """Everything that a page depends on besides the slide."""

    palette: Palette
    width: int
    height: int
    step: int = 0
    runs: Mapping[Block, BlockRun] = field(default_factory=dict)
    edited: frozenset[Block] = frozenset()
    """Blocks that show what the presenter typed."""
    editor: OpenEditor | None = None
    grid: bool = False
    """Whether to draw a line between columns."""
    now: float = 0.0
    terminal: Terminal = PLAIN
    theme: Theme = Theme()  # noqa: RUF009 (frozen)
    consent: Consent = EVERYTHING

    @property
    def side(self) -> int:
        """Columns left free on either side."""
        return margin(self.width, self.theme)


def margin(width: int, theme: Theme = Theme()) -> int:  # noqa: B008 (frozen)
    """Columns left free on either side; few on a small screen, where every column counts."""
    by_theme = theme.margin_columns
    if theme.margin_percent is not None:
        by_theme = ceil(width * theme.margin_percent / 100)
    if by_theme is not None:
        return max(min(by_theme, (width - NARROWEST_COLUMN) // 2), 0)
    wanted = max((width - WIDEST) // 2, min(width // 20, 10), 1 if width < 40 else 3)
    return min(wanted, (width - 1) // 2)


class Air(IntEnum):
    """How much space is left between the parts of a slide."""

    NONE = 0
    SOME = 1
    MUCH = 2


def footer_height(height: int) -> int:
    """Rows of the footer, by the screen's height, so that the slide gets most."""
    if height < 10:
        return 1
    return 2 if height < TALL else 3
