"""Shows a verdict with Rich: in a terminal, and with other colours and more space in `workshop watch`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.constrain import Constrain
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from triton_workshop.checking.judging.verdict import Pixels, TileMap, TileState, Verdict
from triton_workshop.checking.reporting.description import (
    CELLS,
    Description,
    Row,
    describe,
    describe_entry,
    hint_rows,
    next_step,
    offer,
    title,
)
from triton_workshop.checking.reporting.progress import ListedExercise, Record
from triton_workshop.exercises import variations_of
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.printing import printable
from triton_workshop.terminal_pictures import half_blocks

TERMINAL = Theme({
    "plain": "none",
    "strong": "bold",
    "good": "green",
    "bad": "red",
    "warning": "yellow",
    "important": "magenta",
    "muted": "dim",
    "accent": "bold cyan",
    "key": "bold cyan",
})  # fmt: skip
"""Every style that a report uses, by name: each screen has its own colours for these."""
MEASURE = 92
"""The widest that running text may be, in columns: longer lines are hard to follow."""
_WIDEST = 120
_CELL = 3
"""Columns of a cell in a small map."""


def print_verdicts(verdicts: Iterable[Verdict], exercise: Exercise, console: Console) -> Verdict:
    """Print what was checked and where, step by step as it becomes known, and return the last verdict.

    Unless all is right, that is the first finding with its place and a hint.
    """
    before: Verdict | None = None
    with console.use_theme(TERMINAL):
        for verdict in verdicts:
            if verdict.to_come:  # it takes no second
                continue
            if before is None:
                console.print(Text(f"{title(exercise)} · simulator · {verdict.seconds:.1f} s", "bold"))
            _print_step(verdict, before, exercise, console)
            before = verdict
        assert before is not None, "a check ends with a verdict"
        for variation in variations_of(exercise) if before.passed and _is_own(before, exercise) else ():
            console.print(Text(offer(variation), "accent"))
    return before


def _print_step(verdict: Verdict, before: Verdict | None, exercise: Exercise, console: Console) -> None:
    """Print what was not known before."""
    described, width = describe(verdict, exercise), min(_WIDEST, console.width)
    if not verdict.passed:
        panel = Panel(view(described, width - 4), title=headline(described), title_align="left", subtitle_align="left")
        panel.subtitle, panel.border_style = Text(printable(described.where)), described.tone
        console.print(panel, width=width)
        if _is_own(verdict, exercise) and len(verdict.findings[0].hints) > 1:
            console.print(Text.assemble("Another hint: ", (f"uv run workshop hint {exercise.number}", "key")))
    elif before is None:
        console.print(headline(described), view(described, width - 4), sep="\n")
    else:
        known = set(_rows(describe(before, exercise)))
        if verdict.device == "cuda":
            console.print(Text(), headline(described).append(" · simulator and GPU", "muted"), sep="\n")
        console.print(Text(), table(*(row for row in _rows(described) if row not in known)), sep="\n")


def _rows(described: Description) -> list[Row]:
    return [row for part in described.parts if not isinstance(part, TileMap) for row in part]


def _is_own(verdict: Verdict, exercise: Exercise) -> bool:
    """Whether this is the learner's file."""
    return verdict.file == exercise.exercise_file.resolve()


def headline(described: Description) -> Text:
    text = Text.assemble((described.headline, described.tone))
    text.stylize("bold")
    return text.append(f"   {described.kind}" if described.kind else "", "muted")


def view(described: Description, width: int) -> Group:
    """Everything below the headline."""
    parts = [_tile_map(part) if isinstance(part, TileMap) else table(*part) for part in described.parts]
    return spaced([*parts, *([_side_by_side(described.pictures, width)] if described.pictures else [])])


def spaced(parts: Iterable[RenderableType]) -> Group:
    """Parts with an empty line between them."""
    return Group(*[piece for part in parts for piece in (Text(), part)][1:])


def table(*rows: Row) -> Constrain:
    """Rows with aligned columns; only the last one is wrapped."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for *cells, (last, tone) in rows:
        grid.add_row(*(Text(printable(text), tone, no_wrap=True) for text, tone in cells), Text(printable(last), tone))
    return Constrain(grid, MEASURE)


def _tile_map(tiles: TileMap) -> Group:
    """The map, with planes side by side if they fit, and what its letters mean."""
    planes = tiles.planes if len(set(tiles.planes)) > 1 else tiles.planes[:1]
    cell = _CELL if len(planes[0][0]) * len(planes) <= 20 else 1
    drawn = [_plane(plane, cell, f"channel {number}" if len(planes) > 1 else "") for number, plane in enumerate(planes)]
    legend = Text(f"{tiles.what}: ", "muted")
    for state in tiles.states:
        legend.append_text(_cell(state, _CELL)).append(f" {state}  ")
    return Group(Columns(drawn, padding=(0, 2)), legend)


def _plane(plane: tuple[tuple[TileState, ...], ...], cell: int, title: str) -> Text:
    """With the numbers of rows and columns where there is room for them."""
    numbered = cell == _CELL and len(plane) > 1
    lines = [Text(title)] if title else []
    if numbered:
        lines.append(Text(" " * _CELL + "".join(str(column).center(cell) for column in range(len(plane[0]))), "muted"))
    for number, row in enumerate(plane):
        start = (f"{number:>{_CELL - 1}} " if numbered else "", "muted")
        lines.append(Text.assemble(start, *(_cell(state, cell) for state in row)))
    return Text("\n", no_wrap=True).join(lines)


def _cell(state: TileState, width: int) -> Text:
    letter, tone = CELLS[state]
    text = Text(letter.center(width), tone)
    if state is not TileState.RIGHT:
        text.stylize("bold reverse")
    return text


def _side_by_side(pictures: Sequence[Pixels], width: int) -> Table:
    """Pictures in a row, each under its caption."""
    from PIL import Image  # not before there is a picture

    columns = min(width, _WIDEST) // len(pictures) - 2
    images = [Image.frombytes("RGB", (picture.width, picture.height), picture.rgb) for picture in pictures]
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_row(*(Text(printable(picture.caption), "muted") for picture in pictures))
    grid.add_row(*(Text.from_ansi(half_blocks(image, columns), no_wrap=True) for image in images))
    return grid


def entry_texts(entries: Sequence[ListedExercise]) -> list[Text]:
    """A line for each exercise."""
    rows = [describe_entry(entry) for entry in entries]
    widths = [max(len(text) for text, _ in column) for column in zip(*rows, strict=True)]
    padded = ([Text(f"{text:{width}}", tone) for (text, tone), width in zip(row, widths, strict=True)] for row in rows)
    return [Text("  ").join(cells) for cells in padded]


def print_list(entries: Sequence[ListedExercise], console: Console) -> None:
    """Print the exercises, how far each of them is, and what to do next."""
    with console.use_theme(TERMINAL):
        console.print(*entry_texts(entries), Text(next_step(entries), "muted"), sep="\n")


def print_hint(record: Record, level: int, exercise: Exercise, console: Console) -> None:
    """Print a hint about what the last check found."""
    with console.use_theme(TERMINAL):
        (count, tone), (hint, _) = hint_rows(record.hints)[level - 1]
        about = Text(f"exercise {exercise.number} · {record.finding} · {count}", tone)
        console.print(about, Text(printable(hint)), sep="\n", width=min(_WIDEST, console.width))
