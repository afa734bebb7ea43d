"""What lies over the verdict: the keys, the list, a question, and the solution beside one's own."""

from __future__ import annotations

from typing import ClassVar

from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from triton_workshop.checking.desk import Entry
from triton_workshop.checking.exercise import Exercise
from triton_workshop.viewer.box import Box, KeyGroups
from triton_workshop.viewer.lines import wrap
from triton_workshop.viewer.palette import Palette
from triton_workshop.viewer.richtext import code_lines
from triton_workshop.watch.compare import Row, rows
from triton_workshop.watch.view import entry_lines

BESIDE = 150
"""Columns from which two files of 72 columns stand side by side."""

KEYS: KeyGroups = (
    ("This exercise", (
        ("h", "a hint; press again for one that says more"),
        ("e", "open the file in your editor ($EDITOR)"),
        ("r", "check again"),
        ("s", "the solution beside yours, once yours has passed"),
        ("x", "put the file back as shipped; yours is kept"),
    )),
    ("All exercises", (
        ("n   p", "next exercise, previous exercise"),
        ("1 2 3 4", "exercise by number"),
        ("l", "list of exercises, and how far you are"),
    )),
    ("Screen", (
        ("↑ ↓", "scroll; pgup and pgdn by more"),
        ("?  esc", "these keys, and away with them"),
        ("q  Ctrl+C", "quit"),
    )),
)  # fmt: skip


class Exercises(Box[int]):
    """The list of exercises; dismissed with the number of the chosen one."""

    WIDEST = 78
    BINDINGS: ClassVar[list[BindingType]] = [
        ("l", "leave", "Close"),
        ("enter,space", "choose", "Go"),
        ("down,j", "move(1)", "Down"),
        ("up,k", "move(-1)", "Up"),
    ]

    def __init__(self, entries: tuple[Entry, ...], here: int, palette: Palette) -> None:
        super().__init__("Exercises", palette)
        self.entries = entries
        self.here = next(place for place, entry in enumerate(entries) if entry.exercise.number == here)

    def texts(self, width: int) -> list[Text]:
        keys = Text("↑ ↓ choose   enter open   esc back", self.palette.muted)
        return [*entry_lines(self.entries, self.here, width, self.palette), Text(), keys]

    def action_move(self, places: int) -> None:
        self.here = min(max(self.here + places, 0), len(self.entries) - 1)
        self.draw()

    def action_choose(self) -> None:
        self.dismiss(self.entries[self.here].exercise.number)

    def on_key(self, event: events.Key) -> None:
        chosen = [entry.exercise.number for entry in self.entries if str(entry.exercise.number) == event.character]
        if chosen:
            self.dismiss(chosen[0])


class Question(Box[bool]):
    """Asks before something is done that cannot be taken for granted."""

    BINDINGS: ClassVar[list[BindingType]] = [("y", "agree", "Yes"), ("n", "leave", "No")]

    def __init__(self, title: str, question: str, palette: Palette) -> None:
        super().__init__(title, palette)
        self.question = question

    def texts(self, width: int) -> list[Text]:
        key = Style(color=self.palette.literal, bold=True)
        answers = Text.assemble(("y", key), " yes      ", ("n", key), " no")
        return [*wrap(Text(self.question), width), Text(), answers]

    def action_agree(self) -> None:
        self.dismiss(True)


class Introduction(Box[bool]):
    """Says how to leave an editor that the learner has not named, before it opens."""

    BINDINGS: ClassVar[list[BindingType]] = [("enter,e,y", "agree", "Open"), ("n", "leave", "Back")]

    def __init__(self, editor: str, leaving: str, palette: Palette) -> None:
        super().__init__(f"The editor {editor}", palette)
        self.editor = editor
        self.leaving = leaving

    def texts(self, width: int) -> list[Text]:
        key = Style(color=self.palette.literal, bold=True)
        leaving = Text.assemble((f"{self.editor}: ", key), self.leaving)
        other = Text("To have another one, set $EDITOR to the command that starts it.", self.palette.muted)
        answers = Text.assemble(("enter", key), " open      ", ("esc", key), " back")
        return [*wrap(leaving, width), Text(), *wrap(other, width), Text(), answers]

    def action_agree(self) -> None:
        self.dismiss(True)


class Solution(ModalScreen[None]):
    """One's own file and the solution: side by side where there is room, else one over the other where they differ."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("escape,q,s,enter", "leave", "Close"),
        ("down,j", "scroll(1)", "Down"),
        ("up,k", "scroll(-1)", "Up"),
        ("pagedown,space", "scroll(20)", "Further down"),
        ("pageup", "scroll(-20)", "Further up"),
        ("home", "scroll(-9999)", "Start"),
        ("end", "scroll(9999)", "End"),
    ]

    def __init__(self, exercise: Exercise, mine: str, theirs: str, palette: Palette) -> None:
        super().__init__(classes="whole")
        self.exercise = exercise
        self.palette = palette
        self.mine, self.theirs = mine.splitlines(), theirs.splitlines()
        self.rows = rows(self.mine, self.theirs)

    def compose(self) -> ComposeResult:
        yield Static(id="solution-head")
        with VerticalScroll(can_focus=False, id="solution"):
            yield Static(id="lines")
        yield Static(id="solution-foot")

    def on_mount(self) -> None:
        first = next((place for place, row in enumerate(self.rows) if not row.same), 0)
        self.call_after_refresh(self.query_one("#solution").scroll_to, y=max(first - 4, 0), animate=False)

    def on_resize(self) -> None:
        palette, width = self.palette, self.app.size.width
        drawn = self._beside(width) if width >= BESIDE else self._in_turn(width)
        bar = Style(color=palette.on_bar, bgcolor=palette.bar, bold=True)
        title = Text(f"  Exercise {self.exercise.number} · {self.exercise.title} · ", bar)
        title.append("yours, and the solution" if width >= BESIDE else "− yours   + the solution")
        title.pad_right(max(0, width - title.cell_len))
        self.query_one("#solution-head", Static).update(title)
        self.query_one("#lines", Static).update(drawn)
        alike = "   yours is the solution, word for word" if all(row.same for row in self.rows) else ""
        foot = Text(f" ↑ ↓ scroll   esc back{alike}", Style(color=palette.muted, bgcolor=palette.panel))
        foot.pad_right(max(0, width - foot.cell_len))
        self.query_one("#solution-foot", Static).update(foot)

    def _beside(self, width: int) -> RenderableType:
        column = (width - 3) // 2
        table = Table.grid(padding=0)
        for cells in (column, 3, column):
            table.add_column(width=cells, no_wrap=True, overflow="ellipsis")
        mine, theirs = self._drawn(self.mine), self._drawn(self.theirs)
        for row in self.rows:
            left = self._line(row.mine, mine, row, "", column)
            right = self._line(row.theirs, theirs, row, "", column)
            table.add_row(left, Text(" │ ", self.palette.faint), right)
        return table

    def _in_turn(self, width: int) -> RenderableType:
        mine, theirs = self._drawn(self.mine), self._drawn(self.theirs)
        lines: list[Text] = []
        waiting: list[Text] = []
        """The solution's lines of a place where the files differ: they come after all of one's own there."""
        for row in self.rows:
            if row.same:
                lines += [*waiting, self._line(row.mine, mine, row, " ", width)]
                waiting = []
                continue
            if row.mine is not None:
                lines.append(self._line(row.mine, mine, row, "−", width))
            if row.theirs is not None:
                waiting.append(self._line(row.theirs, theirs, row, "+", width))
        return Text("\n", no_wrap=True, overflow="ellipsis").join([*lines, *waiting])

    def _drawn(self, lines: list[str]) -> tuple[Text, ...]:
        return code_lines("python", tuple(lines), self.palette)

    def _line(self, number: int | None, drawn: tuple[Text, ...], row: Row, sign: str, width: int) -> Text:
        if number is None:
            return Text()
        tone = {"−": self.palette.link, "+": self.palette.good}.get(sign, self.palette.faint)
        line = Text.assemble((f"{sign}{number:>4} ", tone), drawn[number - 1])
        if not row.same:
            line.truncate(width, overflow="ellipsis", pad=True)
            line.stylize_before(Style(bgcolor=self.palette.panel))
        return line

    def action_scroll(self, lines: int) -> None:
        self.query_one("#solution").scroll_relative(y=lines, animate=False)

    def action_leave(self) -> None:
        self.dismiss(None)
