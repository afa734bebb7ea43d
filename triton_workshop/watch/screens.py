"""The screens shown over the verdict: the list, and the solution compared with the learner's file."""

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

    WIDEST = 78
    BINDINGS: ClassVar[list[BindingType]] = [
        ("l", "dismiss", "Close"),
        *((number, f"dismiss({[*EXERCISES].index(number)})", "Go") for number in REQUIRED),
    ]

    def __init__(self, entries: Sequence[ListedExercise], here: str) -> None:
        super().__init__("Exercises", entry_texts(entries), [*EXERCISES].index(here))
        self.content.border_subtitle = "↑ ↓ choose   enter open   esc back"


class Solution(Reader):
    """The learner's file and the solution, one above the other where they differ."""

    BINDINGS: ClassVar[list[BindingType]] = [("escape,q,s,enter", "dismiss", "back")]

    def __init__(self, exercise: Exercise, mine: str, theirs: str, palette: Palette) -> None:
        self.rows = list(compared(mine.splitlines(), theirs.splitlines()))
        same = all(sign == " " for sign, _ in self.rows)
        differing = "yours is identical to the solution" if same else "− yours   + the solution"
        super().__init__(f"{title(exercise)} · {differing}", self._drawn(mine, theirs, palette))

    def _drawn(self, mine: str, theirs: str, palette: Palette) -> Text:
        yours, solution = (code_lines("python", tuple(text.splitlines()), palette) for text in (mine, theirs))
        lines = []
        for sign, number in self.rows:
            tone = {"−": palette.link, "+": palette.good}.get(sign, palette.faint)
            code = (solution if sign == "+" else yours)[number - 1]
            line = Text.assemble((f"{sign}{number:>4} ", tone), code)
            line.stylize_before(Style(bgcolor=palette.panel) if sign != " " else Style())
            lines.append(line)
        return Text("\n", no_wrap=True, overflow="ellipsis").join(lines)

    def on_mount(self) -> None:
        first = next((place for place, (sign, _) in enumerate(self.rows) if sign != " "), 0)
        self.call_after_refresh(self.body.scroll_to, y=max(first - 4, 0), animate=False)


def compiled_page(request: Request, build: Build) -> Reader:
    """What the compiler made of an exercise's last right version."""
    from triton_workshop.asm.report import summary_page
    from triton_workshop.asm.summary import summaries_of

    size = case_of(request.exercise, request.size).name
    pages = (summary_page(each, size) for each in summaries_of(build.answers, request.file, request.text))
    padded = (Padding(part, (0, 1, 1, 2)) for part in pages)
    return Reader(f"{title(EXERCISES[request.exercise])} · what the compiler made of it", Group(*padded))


def compared(mine: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Every line of both files with a sign and its number, from 1; the learner's comes first where they differ."""
    # Spaces at the end of a line do not count.
    bare, other = ([line.rstrip() for line in lines] for lines in (mine, theirs))
    for kind, i, j, k, m in difflib.SequenceMatcher(None, bare, other, autojunk=False).get_opcodes():
        yield from ((" " if kind == "equal" else "−", number + 1) for number in range(i, j))
        yield from (("+", number + 1) for number in range(k, m) if kind != "equal")
