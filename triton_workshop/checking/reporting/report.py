"""A verdict in Rich: in a terminal, and with other colours and more room on the screen of `workshop watch`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PIL import Image
from rich.color import Color
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.constrain import Constrain
from rich.panel import Panel
from rich.style import Style
from rich.syntax import Syntax, SyntaxTheme
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from triton_workshop.checking.exercises.exercise import Exercise
from triton_workshop.checking.judging.verdict import Pixels, State, TileMap, Verdict
from triton_workshop.checking.reporting.description import (
    CELLS,
    Code,
    Description,
    Row,
    describe,
    describe_entry,
    hint_rows,
    next_step,
)
from triton_workshop.checking.reporting.progress import Record
from triton_workshop.checking.reporting.standing import Entry
from triton_workshop.half_blocks import UPPER_HALF_BLOCK, half_block_colours

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
"""Every style that a report uses, by name: each screen has its own colours for them."""
MEASURE = 92
"""Columns beyond which running text is hard to follow."""
_WIDEST = 120
_WIDEST_PICTURES = 150
_WIDEST_MAP = 60
_CELL = 3
"""Columns of a cell in a small map."""
_GAP = 2


@dataclass(frozen=True)
class Space:
    """What there is to draw on, and the colours of code."""

    width: int
    height: int
    syntax: str | SyntaxTheme = "ansi_dark"


def print_verdict(verdict: Verdict, exercise: Exercise, console: Console) -> None:
    """Print what was checked where; then, unless all is right, the first finding: what, where, and a hint."""
    described = describe(verdict, exercise)
    width = min(_WIDEST, console.width)
    own = verdict.file == exercise.exercise_file.resolve()
    more = table(((f"uv run workshop hint {exercise.number}", "key"), ("another hint", "plain"))) if own else None
    with console.use_theme(TERMINAL):
        console.print(Text(f"{described.title} · {described.device} · {verdict.seconds:.1f} s", "bold"))
        body = view(described, Space(width - 4, console.height), hints=1, more=more)
        if verdict.passed:
            console.print(headline(described), body, sep="\n")
            return
        where = described.code.where if described.code else None
        panel = Panel(body, title=headline(described), title_align="left", subtitle=where, subtitle_align="left")
        panel.border_style = described.tone
        console.print(panel, width=width)


def headline(described: Description) -> Text:
    text = Text.assemble((f"{described.mark} {described.headline}", described.tone))
    text.stylize("bold")
    return text.append(f"   {described.kind}" if described.kind else "", "muted")


def view(described: Description, space: Space, hints: int, more: RenderableType | None = None) -> RenderableType:
    """All below the headline; what is wrong comes with the hints so far, and with the way to get `more`."""
    told: list[RenderableType] = [_cases(described)] if described.cases else []
    told += [table(*described.todos) if described.todos else Text(described.message)] if described.message else []
    told += [_code(described.code, space)] if described.code else []
    shown: list[RenderableType] = [table(*described.hints[:hints])] if hints and described.hints else []
    shown += [more] if more is not None and hints < len(described.hints) else []
    told += [Group(*shown)] if shown else []
    told += [Text(described.also, "muted")] if described.also else []
    pictures = [_side_by_side(described.pictures, space)] if described.pictures else []
    return spaced([Constrain(spaced(told), MEASURE), *_drawn(described), *pictures])


def _cases(described: Description) -> RenderableType:
    """By name where all are right; else a mark for each, and the name of the one that failed."""
    marks = [("✓ ", "good") if case.passed else ("✗ ", "bad") for case in described.cases]
    if described.kind:
        return Text.assemble(*marks, ("· " * described.cases_left, "muted"), f"  {described.failed_case}")
    names = (Text.assemble(mark, case.name) for mark, case in zip(marks, described.cases, strict=True))
    return Columns(names, padding=(0, 3), column_first=True)


def spaced(parts: Iterable[RenderableType]) -> Group:
    """Parts with an empty line between them."""
    return Group(*[piece for part in parts for piece in (Text(), part)][1:])


def table(*rows: Row) -> Table:
    """Rows with aligned columns; only the last one is wrapped."""
    grid = Table.grid(padding=(0, _GAP, 0, 0))
    for *cells, last in rows:
        grid.add_row(*(Text(text, tone, no_wrap=True) for text, tone in cells), Text(*last))
    return grid


def _code(code: Code, space: Space) -> Syntax:
    """The line to blame, with those around it."""
    return Syntax(
        code.text,
        "python",
        theme=space.syntax,
        line_numbers=True,
        start_line=code.first,
        highlight_lines={code.line},
        word_wrap=True,
    )


def _drawn(described: Description) -> list[RenderableType]:
    """The map of tiles and the first wrong element, as far as there are any, and what is right."""
    parts: list[RenderableType] = [_tile_map(described.tiles)] if described.tiles else []
    parts += [table(*described.element)] if described.element else []
    parts += [Constrain(Text(described.tolerance, "muted"), MEASURE)] if described.tolerance else []
    return parts + ([Constrain(Text(described.remark, "warning"), MEASURE)] if described.remark else [])


def _tile_map(tiles: TileMap) -> Group:
    """The map, planes beside each other where they fit, and what its letters mean."""
    planes = tiles.planes if len(set(tiles.planes)) > 1 else tiles.planes[:1]
    across = max(len(row) for row in planes[0]) * len(planes)
    cell = _CELL if across * _CELL <= _WIDEST_MAP else 1
    drawn = [_plane(plane, cell, f"channel {number}" if len(planes) > 1 else "") for number, plane in enumerate(planes)]
    used = [state for state in State if any(state in row for plane in planes for row in plane)]
    legend = Text(f"{tiles.what}: ", "muted")
    for state in used:
        legend.append_text(_cell(state, _CELL)).append(f" {state}  ")
    return Group(Columns(drawn, padding=(0, _GAP)) if len(drawn) > 1 else drawn[0], legend)


def _plane(plane: tuple[tuple[State, ...], ...], cell: int, title: str) -> Text:
    """With the numbers of rows and columns where there is room for them."""
    numbered = cell == _CELL and len(plane) > 1
    lines = [Text(title)] if title else []
    if numbered:
        lines.append(Text(" " * _CELL + "".join(str(column).center(cell) for column in range(len(plane[0]))), "muted"))
    for number, row in enumerate(plane):
        start = (str(number).rjust(_CELL - 1) + " " if numbered else "", "muted")
        lines.append(Text.assemble(start, *(_cell(state, cell) for state in row)))
    return Text("\n", no_wrap=True).join(lines)


def _cell(state: State, width: int) -> Text:
    letter, tone = CELLS[state]
    text = Text(letter.center(width), tone)
    if state is not State.RIGHT:
        text.stylize("bold reverse")
    return text


def _side_by_side(pictures: tuple[Pixels, ...], space: Space) -> Table:
    """Pictures in a row, each under its caption, on at most half of the screen."""
    lines = min(max(space.height // 2 - 4, 8), 16)
    columns = (min(space.width, _WIDEST_PICTURES) - _GAP * (len(pictures) - 1)) // len(pictures)
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_row(*(Text(picture.caption, "muted") for picture in pictures))
    table.add_row(*(_picture(picture, columns, lines) for picture in pictures))
    return table


def _picture(picture: Pixels, columns: int, lines: int) -> Text:
    """In half-blocks: two pixels a character. A small picture is enlarged by whole pixels."""
    scale = min(columns / picture.width, 2 * lines / picture.height)
    scale = max(1, int(scale)) if scale >= 1 else scale
    across, rows = max(1, round(picture.width * scale)), max(1, -(-round(picture.height * scale) // 2))
    image = Image.frombytes("RGB", (picture.width, picture.height), picture.rgb)
    method = Image.Resampling.NEAREST if scale >= 1 else Image.Resampling.BOX
    text = Text(no_wrap=True)
    for number, row in enumerate(half_block_colours(image.resize((across, 2 * rows), method), across, rows)):
        text.append("\n" if number else "")
        for upper, lower in row:
            text.append(UPPER_HALF_BLOCK, Style(color=Color.from_rgb(*upper), bgcolor=Color.from_rgb(*lower)))
    return text


# The list, and hints


def entry_texts(entries: Sequence[Entry]) -> list[Text]:
    """A line for each exercise."""
    rows = [describe_entry(entry) for entry in entries]
    widths = [max(len(cell[0]) for cell in column) for column in zip(*rows, strict=True)]
    return [
        Text("  ").join(Text(text.ljust(width), tone) for (text, tone), width in zip(row, widths, strict=True))
        for row in rows
    ]


def print_list(entries: Sequence[Entry], console: Console) -> None:
    """Print the exercises, how far each of them is, and what to do next."""
    with console.use_theme(TERMINAL):
        console.print(*entry_texts(entries), Text(next_step(entries), "muted"), sep="\n")


def print_hint(record: Record, level: int, exercise: Exercise, console: Console) -> None:
    """Print a hint about what the last check has found."""
    with console.use_theme(TERMINAL):
        (count, tone), (hint, _) = hint_rows(record.hints)[level - 1]
        about = Text(f"exercise {exercise.number} · {record.finding} · {count}", tone)
        console.print(about, Text(hint), sep="\n", width=min(_WIDEST, console.width))
