"""The colours of a deck: our palette, with what its theme sets."""

from __future__ import annotations

from dataclasses import replace

from triton_workshop.deck.model import Theme
from triton_workshop.screen.palette import DARK, LIGHT, Palette, palette_named
from triton_workshop.screen.richtext import colour


def palette_of(theme: Theme) -> Palette:
    """Return the palette for a deck's theme."""
    base = palette_named(theme.name)
    background = colour(theme.background, base)
    needs_other_base = background is not None and _bright(background) == base.dark
    if needs_other_base:
        # Whatever the deck leaves open must be visible on that background.
        base = LIGHT if base.dark else DARK
    title, bar = colour(theme.title_foreground, base), colour(theme.title_background, base)
    has_title_only = title is not None and bar is None
    if has_title_only:  # a colour chosen for a title without a bar
        bar = background or base.background
    return replace(
        base,
        text=colour(theme.foreground, base) or base.text,
        background=background or base.background,
        on_bar=title or base.on_bar,
        bar=bar or base.bar,
    )


def _bright(colour: str) -> bool:
    """Return True if dark text is easier to read on it (luma, ITU-R BT.601)."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue > 127
