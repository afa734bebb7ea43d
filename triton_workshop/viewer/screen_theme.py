"""A palette as Textual wants it."""

from __future__ import annotations

from textual.theme import Theme

from triton_workshop.viewer.palette import Palette


def screen_theme(palette: Palette) -> Theme:
    """The theme of a Textual app in these colours, by the palette's name."""
    return Theme(
        name=palette.name,
        dark=palette.dark,
        primary=palette.bar,
        secondary=palette.accent,
        accent=palette.accent,
        warning=palette.warning,
        error=palette.bad,
        success=palette.good,
        foreground=palette.text,
        background=palette.background,
        surface=palette.panel,
        panel=palette.panel,
        variables={"on-bar": palette.on_bar},
    )
