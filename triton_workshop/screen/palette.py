"""Colours of the apps: a palette for dark rooms and one for bright rooms."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from rich.style import Style


@dataclass(frozen=True)
class Palette:
    """Colours of a slide, as `#rrggbb`.

    Text has a contrast of at least 7 : 1, for projectors.
    """

    name: str
    dark: bool
    background: str
    panel: str
    """Background of code."""
    well: str
    """Background of the output of code."""
    text: str
    muted: str
    faint: str
    """For lines and for code that is not highlighted now."""
    accent: str
    bar: str
    """Background of a slide's title."""
    on_bar: str
    emphasis: str
    literal: str
    """Inline code."""
    link: str
    good: str
    bad: str
    warning: str
    note: str
    important: str
    syntax_keyword: str
    syntax_string: str
    syntax_number: str
    syntax_function: str
    syntax_comment: str
    syntax_builtin: str

    @cached_property
    def base(self) -> Style:
        """The style of text, on the background."""
        return Style(color=self.text, bgcolor=self.background)

    def heading(self, level: int) -> str:
        """Return the colour of a heading of this level, from 1."""
        return self.accent if level <= 2 else self.emphasis


DARK = Palette(
    name="dark",
    dark=True,
    background="#0d141d",
    panel="#172330",
    well="#070c12",
    text="#eaf0f6",
    muted="#9db0c3",
    faint="#62788f",
    accent="#4fd8c8",
    bar="#0e6470",
    on_bar="#ffffff",
    emphasis="#ffffff",
    literal="#ffc777",
    link="#6cc7ff",
    good="#6ee787",
    bad="#ff7b85",
    warning="#ffb454",
    note="#6cc7ff",
    important="#c9a6ff",
    syntax_keyword="#ff8fb1",
    syntax_string="#a8e088",
    syntax_number="#ffb98a",
    syntax_function="#6cc7ff",
    syntax_comment="#8297ab",
    syntax_builtin="#4fd8c8",
)

LIGHT = Palette(
    name="light",
    dark=False,
    background="#fcfcfa",
    panel="#edf1f4",
    well="#f5f3ea",
    text="#17212c",
    muted="#4a5a6a",
    faint="#8d9ba9",
    accent="#00606b",
    bar="#0b5a66",
    on_bar="#ffffff",
    emphasis="#000000",
    literal="#8a3b00",
    link="#00529b",
    good="#0b6b2b",
    bad="#b00020",
    warning="#8a4b00",
    note="#00529b",
    important="#6a2c9e",
    syntax_keyword="#a3124f",
    syntax_string="#28620c",
    syntax_number="#8a3b00",
    syntax_function="#00529b",
    syntax_comment="#5d6d7c",
    syntax_builtin="#00606b",
)


LIGHT_THEMES = frozenset({"light", "catppuccin-latte", "terminal-light", "tokyonight-day"})
"""presenterm's themes for bright rooms."""


def palette_named(name: str | None) -> Palette:
    """Return the light palette for a light theme, and else the dark one."""
    return LIGHT if name in LIGHT_THEMES else DARK
