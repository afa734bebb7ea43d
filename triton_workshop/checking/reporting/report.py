"""Reports with Rich: verdicts, exercises and hints.

A terminal shows them, and `workshop watch` with other colours and more space.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.constrain import Constrain
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from triton_workshop.block_pictures import Cell, letter_block, pixel_block
from triton_workshop.checking.judging.verdict import Pixels, TileMap, TileState, Verdict
from triton_workshop.checking.reporting.description import (
    CELLS,
    Description,
    Row,
    Toned,
    describe,
    describe_entry,
    hint_rows,
    look_command,
    next_step,
    offer,
    title,
)
from triton_workshop.checking.reporting.progress import ListedExercise, Record
from triton_workshop.exercises import variations_of
from triton_workshop.exercises.exercise import Exercise
from triton_workshop.hints import sentence
from triton_workshop.printing import printable
from triton_workshop.terminal_pictures import half_block_colours, half_block_size

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
"""Styles of a report, by name: each screen has colours for them."""
MAX_TEXT_COLUMNS = 92
"""The widest that running text may be: longer lines are hard to follow."""
_MAX_COLUMNS = 120
_CELL_COLUMNS = 3
"""Columns of a cell in a small map."""


def print_verdicts(verdicts: Iterable[Verdict], exercise: Exercise, console: Console) -> Verdict:
    """Print verdicts as they become known, and return the last one.

    Unless all is right, that is the first finding with its place and a hint.
    """
    previous: Verdict | None = None
    searches = False
    with console.use_theme(TERMINAL):
        for verdict in verdicts:
            if verdict.to_come:  # it takes no second
                continue
            if verdict.is_preliminary:
                if console.is_terminal and not searches:
                    found = sentence("reports.looking-for-the-line", message=verdict.findings[0].message)
                    console.print(Text(found, "muted"))
                searches = True
                continue
            if previous is None:
                heading = sentence("reports.heading", title=title(exercise), seconds=verdict.seconds)
                console.print(Text(heading, "bold"))
            _print_step(verdict, previous, exercise, console)
            previous = verdict
        assert previous is not None, "a check ends with a verdict"
        is_done = previous.passed and _is_learners_file(previous, exercise)
        variations = variations_of(exercise) if is_done else ()
        for variation in variations:
            console.print(Text(offer(variation), "accent"))
    return previous


def _print_step(verdict: Verdict, previous: Verdict | None, exercise: Exercise, console: Console) -> None:
    """Print what the previous verdict did not have."""
    described, width = describe(verdict, exercise), min(_MAX_COLUMNS, console.width)
    if verdict.todos:
        # The TODOs that are open, the line and the hint stand above already.
        known = _rows(describe(replace(verdict, todos=()), exercise, verdict.text))
        console.print(table(*(row for row in _rows(describe(verdict, exercise, verdict.text)) if row not in known)))
    elif not verdict.passed:
        # The panel's borders and padding take four columns.
        panel = Panel(view(described, width - 4), title=headline(described), title_align="left", subtitle_align="left")
        panel.subtitle, panel.border_style = Text(printable(described.location)), described.tone
        console.print(panel, width=width)
        # The first hint is in the panel.
        has_another_hint = len(verdict.findings[0].hints) > 1
        if has_another_hint and _is_learners_file(verdict, exercise):
            console.print(
                Text.assemble(sentence("reports.another-hint"), (f"uv run workshop hint {exercise.number}", "key"))
            )
        if look := look_command(verdict, exercise):
            console.print(Text.assemble(sentence("reports.look-inside"), (look, "key")))
    elif previous is None:
        console.print(headline(described), view(described, width - 4), sep="\n")
    else:
        # The cases, and remarks that are known, stand above already.
        printed_rows = set(_rows(describe(previous, exercise)))
        if verdict.device == "cuda":
            devices = sentence("reports.simulator-and-gpu")
            console.print(Text(), headline(described).append(devices, "muted"), sep="\n")
        sections = (section for section in described.sections if not isinstance(section, TileMap))
        for section in sections:
            rows = [row for row in section if row not in printed_rows]
            if rows:
                console.print(Text(), table(*rows), sep="\n")


def _rows(described: Description) -> list[Row]:
    sections = [section for section in described.sections if not isinstance(section, TileMap)]
    return list(itertools.chain.from_iterable(sections))


def _is_learners_file(verdict: Verdict, exercise: Exercise) -> bool:
    """Return whether the verdict is on the exercise's own file."""
    return verdict.file == exercise.exercise_file.resolve()


def headline(described: Description) -> Text:
    """Return the headline, with the kind of the finding."""
    text = Text.assemble((described.headline, described.tone))
    text.stylize("bold")
    return text.append(f"   {described.kind}" if described.kind else "", "muted")


def view(described: Description, width: int) -> Group:
    """Return everything below the headline."""
    sections: list[RenderableType] = list(map(_section, described.sections))
    if described.pictures:
        sections.append(_side_by_side(described.pictures, width))
    return space_out(sections)


def _section(section: tuple[Row, ...] | TileMap) -> RenderableType:
    return _tile_map(section) if isinstance(section, TileMap) else table(*section)


def space_out(sections: Iterable[RenderableType]) -> Group:
    """Return sections with an empty line between them."""
    lines = itertools.chain.from_iterable((Text(), section) for section in sections)
    return Group(*itertools.islice(lines, 1, None))


def table(*rows: Row) -> Constrain:
    """Return rows with aligned columns, of which the last one is wrapped."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for *cells, (last, tone) in rows:
        grid.add_row(*(Text(printable(text), tone, no_wrap=True) for text, tone in cells), Text(printable(last), tone))
    return Constrain(grid, MAX_TEXT_COLUMNS)


def _tile_map(tiles: TileMap) -> Group:
    """Return the map, with a legend of its letters.

    Planes stand side by side if they fit.
    """
    # Planes that are all alike are drawn once.
    planes = tiles.planes if len(set(tiles.planes)) > 1 else tiles.planes[:1]
    cell = _CELL_COLUMNS if len(planes[0][0]) * len(planes) <= 20 else 1
    captions = [""]
    if len(planes) > 1:
        captions = [sentence("reports.channel", number=number) for number in range(len(planes))]
    drawings = [_plane(plane, cell, caption) for plane, caption in zip(planes, captions, strict=True)]
    legend = Text(f"{tiles.cell}: ", "muted")
    for state in tiles.states:
        legend.append_text(_cell(state).text(_CELL_COLUMNS)).append(f" {state}  ")
    return Group(Columns(drawings, padding=(0, 2)), legend)


def _plane(plane: tuple[tuple[TileState, ...], ...], cell: int, title: str) -> Text:
    """Return a plane, with the numbers of rows and columns if they fit."""
    heads = list(map(str, range(len(plane)))), list(map(str, range(len(plane[0]))))
    is_numbered = cell == _CELL_COLUMNS and len(plane) > 1
    cells = [list(map(_cell, row)) for row in plane]
    block = letter_block(cells, cell, heads=heads if is_numbered else None)
    return Text.assemble(title, "\n" if title else "", block, no_wrap=True)


def _cell(state: TileState) -> Cell:
    letter, tone = CELLS[state]
    return Cell(letter, tone, is_marked=state is not TileState.RIGHT)


def _side_by_side(pictures: Sequence[Pixels], width: int) -> Table:
    """Return pictures in a row, each under its caption."""
    from PIL import Image  # not before there is a picture

    columns = min(width, _MAX_COLUMNS) // len(pictures) - 2
    images = [Image.frombytes("RGB", (picture.width, picture.height), picture.rgb) for picture in pictures]
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_row(*(Text(printable(picture.caption), "muted") for picture in pictures))
    grid.add_row(*(pixel_block(half_block_colours(image, *half_block_size(image, columns))) for image in images))
    return grid


def entry_texts(entries: Sequence[ListedExercise]) -> list[Text]:
    """Return a line for each exercise."""
    rows = [describe_entry(entry) for entry in entries]
    widths = list(map(_width, zip(*rows, strict=True)))
    lines = []
    for row in rows:
        cells = [Text(f"{text:{width}}", tone) for (text, tone), width in zip(row, widths, strict=True)]
        lines.append(Text("  ").join(cells))
    return lines


def _width(column: Iterable[Toned]) -> int:
    return max(len(text) for text, _ in column)


def print_list(entries: Sequence[ListedExercise], console: Console) -> None:
    """Print the exercises, how far each of them is, and what to do next."""
    with console.use_theme(TERMINAL):
        console.print(*entry_texts(entries), Text(next_step(entries), "muted"), sep="\n")


def print_hint(record: Record, level: int, exercise: Exercise, console: Console) -> None:
    """Print a hint about what the last check found."""
    with console.use_theme(TERMINAL):
        (count, tone), (hint, _) = hint_rows(record.hints)[level - 1]
        name = "reports.hint-heading"
        heading = Text(sentence(name, number=exercise.number, finding=record.finding, count=count), tone)
        console.print(heading, Text(printable(hint)), sep="\n", width=min(_MAX_COLUMNS, console.width))
