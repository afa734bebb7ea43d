"""The one widget that draws: it shows lines that were composed elsewhere."""

from __future__ import annotations

from textual.strip import Strip
from textual.widget import Widget

from triton_workshop.screen.lines import Lines


class Rows(Widget):
    """Shows any number of lines, each as wide as the widget."""

    DEFAULT_CSS = "Rows { height: auto; width: 100%; }"

    def __init__(self, *, name: str) -> None:
        super().__init__(name=name, id=name)
        self.lines: Lines = ()

    def show(self, lines: Lines) -> None:
        """Show these lines."""
        if lines != self.lines:
            taller = len(lines) != len(self.lines)
            self.lines = lines
            self.refresh(layout=taller)

    def get_content_height(self, *_: object) -> int:
        """Return the number of lines, for Textual."""
        return len(self.lines)

    def render_line(self, y: int) -> Strip:
        """Return the line in this row, for Textual."""
        return self.lines[y] if y < len(self.lines) else Strip.blank(self.size.width, self.rich_style)
