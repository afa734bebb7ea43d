"""The box with what a room got wrong most often in an exercise."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.binding import BindingType

from triton_workshop.attendance.board import MistakeCount
from triton_workshop.exercises import EXERCISES
from triton_workshop.screen.box import TextBox
from triton_workshop.screen.lines import wrap
from triton_workshop.screen.palette import Palette

DEBRIEF = re.compile(r"Debrief: exercise (\w+)")
INDENT = "    "


def debriefed_exercise(title: str) -> str | None:
    """Return the number of the exercise that a slide's title debriefs."""
    match = DEBRIEF.match(title)
    number = match[1] if match else None
    return number if number in EXERCISES else None


class MistakesBox(TextBox):
    """The room's most frequent mistakes, each with the idea of its hints."""

    MAX_COLUMNS = 92
    BINDINGS: ClassVar[list[BindingType]] = [
        ("m,enter,space,n,l,right,pagedown", "dismiss", "Close"),  # a clicker sends one of the last
    ]

    def __init__(self, exercise: str, counts: Sequence[MistakeCount], palette: Palette) -> None:
        super().__init__(f"Exercise {exercise}, in this room", palette)
        self.counts = counts
        self.ideas = {mistake.name: mistake.hints[-1] for mistake in EXERCISES[exercise].mistakes}

    def texts(self, width: int) -> list[Text]:
        """Return each mistake with how many made it, and its idea below."""
        strong, muted = Style(color=self.palette.emphasis, bold=True), Style(color=self.palette.muted)
        lines: list[Text] = []
        for count in self.counts:
            lines += [Text()] if lines else []
            lines += wrap(Text(f"{count.attendees} × {count.words}", strong), width)
            idea = self.ideas.get(count.mistake, "")
            if idea:
                lines += [Text(INDENT) + row for row in wrap(Text(idea, muted), width - len(INDENT))]
        return lines
