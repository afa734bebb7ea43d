"""Screens over the verdict: the list, the solution, and compiled code."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from typing import ClassVar

from rich.console import Group
from rich.padding import Padding
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType

from triton_workshop.asm.build import Build
from triton_workshop.asm.requests import Request, case_of
from triton_workshop.checking.reporting.description import title
from triton_workshop.checking.reporting.progress import ListedExercise
from triton_workshop.checking.reporting.report import entry_texts
from triton_workshop.exercises import EXERCISES, REQUIRED
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.screen.choice import Choice
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.reader import Reader
from triton_workshop.screen.richtext import code_lines


class Exercises(Choice):
    """The list of exercises."""

    MAX_COLUMNS = 78
    BINDINGS: ClassVar[list[BindingType]] = [
        ("l", "dismiss", "Close"),
        *((number, f"dismiss({[*EXERCISES].index(number)})", "Go") for number in REQUIRED),
    ]

    def __init__(self, entries: Sequence[ListedExercise], current: str) -> None:
        super().__init__("Exercises", entry_texts(entries), [*EXERCISES].index(current))
        self.content.border_subtitle = "↑ ↓ choose   enter open   esc back"


class Solution(Reader):
    """The learner's file and the solution, with their differences."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,s,enter", "dismiss", "back")]

    def __init__(self, exercise: Exercise, mine: str, solution: str, palette: Palette) -> None:
        self.rows = list(compare(mine.splitlines(), solution.splitlines()))
        same = all(sign == " " for sign, _ in self.rows)
        differing = "yours is identical to the solution" if same else "− yours   + the solution"
        super().__init__(f"{title(exercise)} · {differing}", self._drawn(mine, solution, palette))

    def _drawn(self, mine: str, solution: str, palette: Palette) -> Text:
        my_lines, solution_lines = (
            code_lines("python", tuple(text.splitlines()), palette) for text in (mine, solution)
        )
        lines = []
        for sign, number in self.rows:
            tone = {"−": palette.link, "+": palette.good}.get(sign, palette.faint)
            code = (solution_lines if sign == "+" else my_lines)[number - 1]
            line = Text.assemble((f"{sign}{number:>4} ", tone), code)
            line.stylize_before(Style(bgcolor=palette.panel) if sign != " " else Style())
            lines.append(line)
        return Text("\n", no_wrap=True, overflow="ellipsis").join(lines)

    def on_mount(self) -> None:
        """Scroll to the first difference."""
        first = next((index for index, (sign, _) in enumerate(self.rows) if sign != " "), 0)
        self.call_after_refresh(self.body.scroll_to, y=max(first - 4, 0), animate=False)


def compiled_page(request: Request, build: Build) -> Reader:
    """Return a screen with the compiler's result for an exercise."""
    from triton_workshop.asm.report import summary_page
    from triton_workshop.costs.summary import summaries_of

    size = case_of(request.exercise, request.size).name
    pages = (summary_page(summary, size) for summary in summaries_of(build.answers, request.file, request.text))
    padded = (Padding(section, (0, 1, 1, 2)) for section in pages)
    return Reader(f"{title(EXERCISES[request.exercise])} · what the compiler generated", Group(*padded))


def compare(mine: Sequence[str], solution: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Yield every line of both files as a sign and a number, from 1.

    The learner's lines come first where the files differ.
    """
    # Spaces at the end of a line do not count.
    old = [line.rstrip() for line in mine]
    new = [line.rstrip() for line in solution]
    for kind, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        sign = " " if kind == "equal" else "−"
        yield from ((sign, number + 1) for number in range(i, j))
        yield from (("+", number + 1) for number in range(k, m) if kind != "equal")
