"""Boxes over an app's screen, in one look for all apps, and the help."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import ClassVar, Generic, TypeVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widget import Widget

from triton_workshop.screen.lines import strip, wrap
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.rows import Rows

BOX_STYLE = """
Box { align: center middle; background: $background 70%; }
Box > .box, Box > .box:focus {
    max-width: 100%; height: auto; max-height: 100%; padding: 0 2; background: $panel; background-tint: $panel 0%;
    border: round $accent; border-title-color: $accent; border-title-style: bold; scrollbar-size: 0 0;
    border-subtitle-color: $accent;
}
Box OptionList { text-wrap: nowrap; text-overflow: ellipsis; }
Box OptionList > .option-list--option-highlighted { color: $on-bar; background: $primary; }
"""
"""Goes into an app's CSS, after its rules for screens."""
FRAME_COLUMNS = 6
"""Columns that a box needs besides its text: border and padding."""

Answer = TypeVar("Answer")

KeyGroups = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""Groups of keys by name; each key with what it does."""


class Box(ModalScreen[Answer | None], Generic[Answer]):
    """A widget in a box; dismissed with an answer, or None."""

    MAX_COLUMNS = 72
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q", "dismiss", "Close")]

    def __init__(self, title: str, content: Widget) -> None:
        super().__init__()
        self.content = content
        content.add_class("box")
        content.border_title = title
        content.styles.width = self.MAX_COLUMNS

    def compose(self) -> ComposeResult:
        yield self.content

    def on_click(self, event: events.Click) -> None:
        event.stop()  # not meant for what lies below


class TextBox(Box[None]):
    """Lines in a box, laid out for its width.

    On a screen that is too low, the lines scroll.
    """

    BINDINGS: ClassVar[list[BindingType]] = [("down,j", "scroll(1)", "Down"), ("up,k", "scroll(-1)", "Up")]

    def __init__(self, title: str, palette: Palette) -> None:
        self.rows = Rows(name="lines")
        super().__init__(title, VerticalScroll(self.rows, can_focus=False))
        self.palette = palette

    def on_resize(self) -> None:
        """Lay the lines out for the new width."""
        width = max(min(self.MAX_COLUMNS, self.app.size.width) - FRAME_COLUMNS, 1)
        base = Style(color=self.palette.text, bgcolor=self.palette.panel)
        self.rows.show(tuple(strip(text, width, base) for text in self.texts(width)))
        self.content.border_subtitle = self.hint()

    def texts(self, width: int) -> list[Text]:
        """Return the lines, none wider than this."""
        raise NotImplementedError

    def hint(self) -> str:
        """Return the text on the lower border."""
        return "↓ ↑ scroll" if len(self.rows.lines) > self.app.size.height - 2 else ""

    def action_scroll(self, rows: int) -> None:
        """Scroll by that many rows."""
        self.content.scroll_relative(y=rows, animate=False)


class Keys(TextBox):
    """The help: every key."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("question_mark,enter,space", "dismiss", "Close"),
        ("pagedown", "scroll(10)", "Further down"),
        ("pageup", "scroll(-10)", "Further up"),
    ]

    def __init__(self, groups: KeyGroups, palette: Palette) -> None:
        super().__init__("Keys", palette)
        self.groups = groups

    def texts(self, width: int) -> list[Text]:
        """Return the groups, with empty lines between them if there is room."""
        entries = chain.from_iterable(rows for _, rows in self.groups)
        column = max(len(keys) for keys, _ in entries) + 3
        sections = [self.group(name, rows, column, width) for name, rows in self.groups]
        height = sum(len(section) + 1 for section in sections) - 1
        gap = [Text()] if height <= self.app.size.height - 2 else []
        lines: list[Text] = []
        for section in sections:
            lines += [*gap, *section] if lines else section
        return lines

    def group(self, name: str, rows: Iterable[tuple[str, str]], column: int, width: int) -> list[Text]:
        """Return a heading and its keys with their effects.

        The effects begin at this column, or stand below the keys if there is little room.
        """
        below = column > width // 2
        lines = [Text(name, Style(color=self.palette.accent, bold=True))]
        for keys, effect in rows:
            key = Text(keys.ljust(column), Style(color=self.palette.literal, bold=True))
            if below:
                lines += [key, *(Text("  ") + row for row in wrap(Text(effect), width - 2))]
                continue
            first, *rest = wrap(Text(effect), width - column)
            lines.append(Text.assemble(key, first))
            lines += [Text(" " * column) + row for row in rest]
        return lines


def help_entries(bindings: Sequence[BindingType]) -> tuple[tuple[str, str], ...]:
    """Return the keys that have an explanation, as the help shows them."""
    entries = []
    for binding in bindings:
        if isinstance(binding, Binding) and binding.tooltip:
            keys = binding.key_display or binding.key
            entries.append((keys, binding.tooltip))
    return tuple(entries)
