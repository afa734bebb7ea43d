"""Converts a palette to a Textual theme."""

from __future__ import annotations

from textual.app import App
from textual.theme import Theme

from triton_workshop.screen.palette import Palette


def use_palette(app: App[int], palette: Palette) -> None:
    """Show an app in these colours."""
    theme = Theme(
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
    app.register_theme(theme)
    app.theme = palette.name
    if app.is_running:  # the theme with that name may have had other colours
        app.refresh_css(animate=False)
