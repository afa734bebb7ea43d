"""Converts a palette to themes of Textual and Rich."""

from __future__ import annotations

from rich.theme import Theme as RichTheme
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


def report_styles(palette: Palette) -> RichTheme:
    """Return a palette's colours for the styles of a report."""
    names = ("good", "bad", "warning", "important", "muted")
    tones = {name: str(getattr(palette, name)) for name in names} | {"plain": "none", "strong": "bold"}
    return RichTheme({**tones, "accent": f"bold {palette.accent}", "key": f"bold {palette.literal}"})
