"""Shows a listing in a terminal, as `less` would."""

from __future__ import annotations

from typing import ClassVar

from rich.console import RenderableType
from textual.app import App
from textual.binding import Binding, BindingType

from triton_workshop.asm.report import TERMINAL
from triton_workshop.screen.palette import DARK
from triton_workshop.screen.reader import Reader
from triton_workshop.screen.theme import use_palette


class PagerApp(App[int]):
    """One page, and nothing else."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "quit", show=False, priority=True)]

    def __init__(self, head: str, contents: RenderableType) -> None:
        super().__init__()
        self._page = Reader(head, contents)
        use_palette(self, DARK)
        self.console.push_theme(TERMINAL)

    def on_mount(self) -> None:
        self.push_screen(self._page, lambda _: self.exit(0))
