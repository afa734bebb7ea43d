"""A text that may be longer than the screen, under a bar with its title."""

from __future__ import annotations

from typing import ClassVar

from rich.console import RenderableType
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Static


class Reader(ModalScreen[None]):
    """Shows it until somebody has read enough."""

    DEFAULT_CSS = """
    Reader { background: $background; color: $foreground; overflow: hidden; }
    Reader .bar { height: auto; padding: 0 2; color: $on-bar; background: $primary; }
    Reader .body { height: 1fr; padding: 1 0 0 0; scrollbar-size: 1 1; scrollbar-color: $accent 50%; }
    Reader .body Static { text-wrap: nowrap; text-overflow: ellipsis; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "back", key_display="q/esc"),
        Binding("space", "next_page", "next page"),
    ]

    def __init__(self, head: str, contents: RenderableType) -> None:
        super().__init__()
        self.head = Static(head, markup=False, classes="bar")
        self.body = VerticalScroll(Static(contents), classes="body")

    def compose(self) -> ComposeResult:
        yield self.head
        yield self.body
        yield Footer(show_command_palette=False)

    def action_next_page(self) -> None:
        """Scroll down by a page."""
        self.body.scroll_page_down()
