"""What lies over the slides: the keys, and the list of slides."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.geometry import Region
from textual.screen import ModalScreen

from triton_workshop.deck.model import Deck, plain
from triton_workshop.viewer.lines import strip
from triton_workshop.viewer.page import slide_name
from triton_workshop.viewer.palette import Palette
from triton_workshop.viewer.richtext import printable
from triton_workshop.viewer.rows import Rows

KeyGroups = tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
"""Groups of keys by name, each key with what it does."""

KEYS: KeyGroups = (
    ("Move", (
        ("→  l  j  ↓  space  pgdn", "next step"),
        ("←  h  k  ↑  pgup", "step back"),
        ("n   p", "next slide, previous slide"),
        ("g g  home    G  end", "first slide, last slide"),
        ("12 G", "slide 12"),
        ("s", "show every step"),
        ("Ctrl+P    /", "list of slides, search them"),
    )),
    ("Code", (
        ("Ctrl+E", "run the code on the slide"),
        ("Ctrl+X", "stop it"),
        ("Ctrl+O", "edit it; again: the next block"),
        ("esc", "leave the editor; again: the original"),
        ("o", "its output on the whole screen"),
        ("click", "header: run; code: edit; output: open"),
    )),
    ("Screen", (
        ("shift+↑↓  Ctrl+U  Ctrl+D", "scroll a long slide"),
        ("b  .", "black, until the next key"),
        ("r  Ctrl+R   T", "read again; lines between columns"),
        ("?  esc", "these keys, and away with them"),
        ("q  Ctrl+C   Ctrl+Z", "quit; to the shell, until fg"),
    )),
)  # fmt: skip


MARGIN = 6
"""Columns that a box needs besides its text: border and padding."""


class Overlay(ModalScreen[int | None]):
    """A box with lines over the slides."""

    WIDEST = 72
    BINDINGS: ClassVar[list[BindingType]] = [("escape,q", "leave", "Close")]

    def __init__(self, title: str, palette: Palette) -> None:
        super().__init__()
        self.heading = title
        self.palette = palette

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="box", can_focus=False) as box:
            box.styles.width = self.WIDEST
            box.border_title = self.heading
            yield Rows(name="lines")

    def on_mount(self) -> None:
        self.draw()

    def on_resize(self) -> None:
        self.draw()

    def draw(self) -> None:
        width = max(min(self.WIDEST, self.app.size.width) - MARGIN, 1)
        base = Style(color=self.palette.text, bgcolor=self.palette.panel)
        self.query_one(Rows).show(tuple(strip(text, width, base) for text in self.texts(width)))

    def texts(self, width: int) -> list[Text]:
        """The lines, made for this many columns."""
        raise NotImplementedError

    def on_click(self, event: events.Click) -> None:
        event.stop()  # what lies below was not meant

    def action_leave(self) -> None:
        self.dismiss(None)


class Keys(Overlay):
    """The help: every key."""

    groups: ClassVar[KeyGroups] = KEYS

    BINDINGS: ClassVar[list[BindingType]] = [
        ("question_mark,enter,space", "leave", "Close"),
        ("down,j", "scroll(1)", "Down"),
        ("up,k", "scroll(-1)", "Up"),
    ]

    def __init__(self, palette: Palette) -> None:
        super().__init__("Keys", palette)

    def texts(self, width: int) -> list[Text]:
        column = min(max(len(keys) for _, rows in self.groups for keys, _ in rows) + 3, width // 2)
        count = sum(len(rows) + 2 for _, rows in self.groups) - 1
        lines: list[Text] = []
        for group, rows in self.groups:
            if lines and count <= self.app.size.height - 2:
                lines.append(Text())
            lines.append(Text(group, Style(color=self.palette.accent, bold=True)))
            for keys, effect in rows:
                line = Text(keys.ljust(column), Style(color=self.palette.literal, bold=True))
                lines.append(Text.assemble(line, Text(effect, Style(color=self.palette.text))))
        return lines

    def action_scroll(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)


class Black(ModalScreen[None]):
    """Nothing to see, so that people look at the presenter. Any key or click ends it, and does nothing else."""

    def on_key(self, event: events.Key) -> None:
        event.stop()
        self.dismiss()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.dismiss()


class Index(Overlay):
    """The list of slides; dismissed with the index of the chosen one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("ctrl+p", "leave", "Close"),
        ("enter,space", "choose", "Go"),
        ("down,j", "move(1)", "Down"),
        ("up,k", "move(-1)", "Up"),
        ("pagedown", "move(10)", "Further down"),
        ("pageup", "move(-10)", "Further up"),
        ("home", "move(-9999)", "First"),
        ("end", "move(9999)", "Last"),
    ]

    def __init__(self, deck: Deck, here: int, palette: Palette) -> None:
        super().__init__("Slides", palette)
        self.deck = deck
        self.here = here

    def texts(self, width: int) -> list[Text]:
        lines = [self.entry(number, width) for number in range(len(self.deck.slides))]
        self.call_after_refresh(self.keep_in_view)
        return lines

    def entry(self, number: int, width: int) -> Text:
        name = printable(plain(slide_name(self.deck, self.deck.slides[number]))).replace("\n", " ")
        text = Text(f" {number + 1:>3}  {name or '—'}")
        if number == self.here:
            text.stylize(Style(color=self.palette.on_bar, bgcolor=self.palette.bar, bold=True))
        text.truncate(width, overflow="ellipsis", pad=number == self.here)
        return text

    def keep_in_view(self) -> None:
        self.query_one(VerticalScroll).scroll_to_region(Region(0, self.here, 1, 1), animate=False)

    def action_move(self, rows: int) -> None:
        self.here = min(max(self.here + rows, 0), len(self.deck.slides) - 1)
        self.draw()

    def action_choose(self) -> None:
        self.dismiss(self.here)

    def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, Rows):
            self.dismiss(min(event.y, len(self.deck.slides) - 1))
