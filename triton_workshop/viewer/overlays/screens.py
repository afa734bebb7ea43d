"""What lies over the slides: the list of keys, and the list of slides."""

from __future__ import annotations

from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.geometry import Region
from textual.screen import ModalScreen

from triton_workshop.deck.model import Deck, plain
from triton_workshop.screen.box import Box, KeyGroups
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.rows import Rows
from triton_workshop.streams import printable
from triton_workshop.viewer.slides.page import slide_name

KEYS: KeyGroups = (
    ("Move", (
        ("→  l  j  ↓  space  pgdn", "next step"),
        ("←  h  k  ↑  pgup", "step back"),
        ("n   p", "next slide, previous slide"),
        ("g g  home    G  end", "first slide, last slide"),
        ("12 G", "slide 12"),
        ("s", "show every step"),
        ("Ctrl+P    /", "list of slides, search"),
    )),
    ("Code", (
        ("Ctrl+E", "run the code on the slide"),
        ("Ctrl+X", "stop it"),
        ("Ctrl+O", "edit it; again, the next block"),
        ("esc", "leave editor; again, original code"),
        ("o", "show its output on the whole screen"),
        ("click", "run, edit or open what you click"),
    )),
    ("Screen", (
        ("shift+↑↓  Ctrl+U  Ctrl+D", "scroll a long slide"),
        ("b  .", "black screen until the next key"),
        ("r  Ctrl+R   T", "reload; lines between columns"),
        ("?  esc", "show or hide these keys"),
        ("q  Ctrl+C", "quit; asks once after edits"),
        ("Ctrl+Z", "suspend to the shell; fg resumes"),
    )),
)  # fmt: skip


class Black(ModalScreen[None]):
    """A black screen, so that people look at the presenter. Any key or click ends it, and does nothing else."""

    def on_key(self, event: events.Key) -> None:
        event.stop()
        self.dismiss()

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.dismiss()


class Index(Box[int]):
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
        self.frame.scroll_to_region(Region(0, self.here, 1, 1), animate=False)

    def action_move(self, rows: int) -> None:
        self.here = min(max(self.here + rows, 0), len(self.deck.slides) - 1)
        self.draw()

    def action_choose(self) -> None:
        self.dismiss(self.here)

    def on_click(self, event: events.Click) -> None:
        if isinstance(event.widget, Rows):
            self.dismiss(min(event.y, len(self.deck.slides) - 1))
