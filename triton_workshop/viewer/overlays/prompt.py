"""A line to type a query into."""

from __future__ import annotations

from textual.containers import Horizontal
from textual.widgets import Input, Static

PROMPT_STYLE = """
Prompt { height: 1; }
Prompt > .slash { width: auto; color: $accent; text-style: bold; }
Prompt > .found { width: auto; color: $text-muted; padding: 0 0 0 1; }
Prompt > Input, Prompt > Input:focus { width: 1fr; background: transparent; background-tint: $panel 0%; }
Prompt > Input > .input--cursor { color: $background; background: $accent; text-style: none; }
"""
"""Goes into the CSS of a screen that has a prompt."""


class Prompt(Horizontal):
    """A query while it is typed, and beside it what it has found."""

    def __init__(self) -> None:
        self.input = Input(compact=True, select_on_focus=False)
        self.input.cursor_blink = False
        self.found = Static(classes="found", markup=False)
        super().__init__(Static("/", classes="slash"), self.input, self.found)
