"""A box with lines over an app's screen, in one look for all apps; and the help, which is one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar, Generic, TypeVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen

from triton_workshop.screen.lines import strip, wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.rows import Rows

BOX_STYLE = """
Box { align: center middle; background: $background 70%; }
Box > .box {
    max-width: 100%; height: auto; max-height: 100%; padding: 0 2; background: $panel;
    border: round $accent; border-title-color: $accent; border-title-style: bold; scrollbar-size: 0 0;
    border-subtitle-color: $accent;
}
"""
"""Goes into an app's CSS, after its rules for screens."""
MARGIN = 6
"""Columns that a box needs besides its text: border and padding."""

Answer = TypeVar("Answer")

KeyGroups = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""Groups of keys by name; each key with what it does."""


class Box(ModalScreen[Answer | None], Generic[Answer]):
    """A box with lines; dismissed with an answer, or None."""

    WIDEST = 72
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q", "leave", "Close")]

    def __init__(self, title: str, palette: Palette) -> None:
        super().__init__()
        self.palette = palette
        self.rows = Rows(name="lines")
        self.frame = VerticalScroll(self.rows, classes="box", can_focus=False)
        self.frame.border_title = title
        self.frame.styles.width = self.WIDEST

    def compose(self) -> ComposeResult:
        yield self.frame

    def on_mount(self) -> None:
        self.draw()

    def on_resize(self) -> None:
        self.draw()

    def draw(self) -> None:
        width = max(min(self.WIDEST, self.app.size.width) - MARGIN, 1)
        base = Style(color=self.palette.text, bgcolor=self.palette.panel)
        self.rows.show(tuple(strip(text, width, base) for text in self.texts(width)))

    def texts(self, width: int) -> list[Text]:
        """The lines, made for this many columns."""
        raise NotImplementedError

    def on_click(self, event: events.Click) -> None:
        event.stop()  # not meant for what lies below

    def action_leave(self) -> None:
        self.dismiss(None)


class Keys(Box[None]):
    """The help: every key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("question_mark,enter,space", "leave", "Close"),
        ("down,j", "scroll(1)", "Down"),
        ("up,k", "scroll(-1)", "Up"),
        ("pagedown", "scroll(10)", "Further down"),
        ("pageup", "scroll(-10)", "Further up"),
    ]

    def __init__(self, groups: KeyGroups, palette: Palette) -> None:
        super().__init__("Keys", palette)
        self.groups = groups

    def draw(self) -> None:
        super().draw()
        clipped = len(self.rows.lines) > self.app.size.height - 2
        self.frame.border_subtitle = "↓ ↑ scroll" if clipped else ""

    def texts(self, width: int) -> list[Text]:
        column = max(len(keys) for _, rows in self.groups for keys, _ in rows) + 3
        told = [self.group(name, rows, column, width) for name, rows in self.groups]
        airy = sum(len(lines) + 1 for lines in told) - 1 <= self.app.size.height - 2
        return [line for index, lines in enumerate(told) for line in ([Text(), *lines] if airy and index else lines)]

    def group(self, name: str, rows: Iterable[tuple[str, str]], column: int, width: int) -> list[Text]:
        """A heading and its keys, with what they do from this column on, or below them if there is little room."""
        below = column > width // 2
        lines = [Text(name, Style(color=self.palette.accent, bold=True))]
        for keys, effect in rows:
            key = Text(keys.ljust(column), Style(color=self.palette.literal, bold=True))
            if below:
                lines += [key, *(Text("  ") + row for row in wrap(Text(effect), width - 2))]
                continue
            first, *others = wrap(Text(effect), width - column)
            lines.append(Text.assemble(key, first))
            lines += [Text(" " * column) + row for row in others]
        return lines

    def action_scroll(self, rows: int) -> None:
        self.frame.scroll_relative(y=rows, animate=False)
