"""What a box asks: which entry of a list, or what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual import events
from textual.binding import BindingType
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from triton_workshop.screen.box import Box
from triton_workshop.screen.palette import Palette


class Entries(OptionList):
    """A list whose pages turn only where it has room: Textual looks for the line of an entry, and there is none."""

    def action_page_up(self) -> None:
        if self.scrollable_content_region.area:
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        if self.scrollable_content_region.area:
            super().action_page_down()  # type: ignore[no-untyped-call]


class Choice(Box[int]):
    """A list; dismissed with the index of the chosen entry."""

    AUTO_FOCUS = "OptionList"
    BINDINGS: ClassVar[list[BindingType]] = [
        ("space", "move('select')", "Go"),
        ("j", "move('cursor_down')", "Down"),
        ("k", "move('cursor_up')", "Up"),
    ]

    def __init__(self, title: str, entries: Iterable[Text], here: int) -> None:
        """`here` is the index of the entry to begin at."""
        options = Entries(*map(Option, entries), markup=False)
        options.highlighted = here
        super().__init__(title, options)

    def action_move(self, how: str) -> None:
        """Do in the list what its own keys do. It may have no focus, as while the terminal is resized."""
        getattr(self.query_one(OptionList), f"action_{how}")()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_index)


class Question(Box[str]):
    """Asks before doing something, or which of several things to do; dismissed with the key of the answer, or None."""

    def __init__(self, title: str, question: str, answers: Mapping[str, str], palette: Palette) -> None:
        """`answers` says what each key does."""
        tone = Style(color=palette.literal, bold=True)
        offered = Text("      ").join(Text.assemble((key, tone), f" {effect}") for key, effect in answers.items())
        super().__init__(title, Static(Text.assemble(question, "\n\n", offered)))
        self.answers = answers

    def on_key(self, event: events.Key) -> None:
        if event.key in self.answers:
            event.stop()
            self.dismiss(event.key)
