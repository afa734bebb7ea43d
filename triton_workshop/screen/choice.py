"""Boxes that ask: for an entry of a list, or for what to do."""

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
    """List whose pages turn only where it has room.

    Without any room, Textual looks for the line of an entry, and there is none.
    """

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

    def __init__(self, title: str, entries: Iterable[Text], initial: int) -> None:
        """Create the list, with the initial index."""
        options = Entries(*map(Option, entries), markup=False)
        options.highlighted = initial
        super().__init__(title, options)

    def action_move(self, how: str) -> None:
        """Do in the list what its own keys do.

        The list may have no focus, as while the terminal is resized.
        """
        getattr(self.query_one(OptionList), f"action_{how}")()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Dismiss the box with the index of the entry."""
        self.dismiss(event.option_index)


class Question(Box[str]):
    """Question before something is done, or which of several things to do.

    The answer's key, or None, is the result.
    """

    def __init__(self, title: str, question: str, answers: Mapping[str, str], palette: Palette) -> None:
        """Create the box; `answers` says what each key does."""
        tone = Style(color=palette.literal, bold=True)
        offered = Text("      ").join(Text.assemble((key, tone), f" {effect}") for key, effect in answers.items())
        super().__init__(title, Static(Text.assemble(question, "\n\n", offered)))
        self.answers = answers

    def on_key(self, event: events.Key) -> None:
        """Dismiss the box if the key is an answer."""
        if event.key in self.answers:
            event.stop()
            self.dismiss(event.key)
