"""A verdict on the screen: what, where, a picture of it, and one hint."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from PIL import Image
from rich.columns import Columns
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from triton_workshop.checking.desk import Entry, Hint, Standing
from triton_workshop.checking.exercise import Exercise
from triton_workshop.checking.verdict import Element, Finding, Kind, Pixels, State, TileMap, Verdict
from triton_workshop.half_blocks import UPPER_HALF_BLOCK, half_block_colours

_DEVICES = {"cuda": "simulator and GPU", "simulator": "simulator"}
_WIDEST = 120
_CELLS = {
    State.RIGHT: ("·", "green"),
    State.UNWRITTEN: ("U", "black on yellow"),
    State.WRONG: ("W", "bold white on red"),
    State.OUT_OF_BOUNDS: ("O", "bold white on magenta"),
}
"""A letter and a colour for each: neither says more than the other."""
_WIDEST_MAP = 60
_PICTURE_LINES = 8
"""Lines of text that a picture may take on a screen of 24 lines; on a higher one more."""
_ROOMY = 3
"""Columns of a cell in a small map."""
_GAP = 2


def print_verdict(verdict: Verdict, exercise: Exercise, console: Console) -> None:
    """What was checked where; then, unless all is right, the first finding: what, where, and a hint."""
    where = _DEVICES[verdict.device]
    console.print(Text(f"Exercise {exercise.number} · {exercise.title} · {where}", style="bold"))
    if verdict.passed:
        _print_cases(verdict, console)
        console.print(Text(f"All {len(verdict.cases)} cases are right ({verdict.seconds:.1f} s).", style="bold green"))
        if verdict.remark:
            console.print(Text(verdict.remark, style="yellow"))
        return
    right = sum(case.passed for case in verdict.cases)
    if right:
        console.print(Text.assemble(("  ✓ ", "green"), f"{right} case{'s are' if right > 1 else ' is'} right"))
    for case in verdict.cases:
        if not case.passed:
            console.print(Text.assemble(("  ✗ ", "red"), case.name))
    console.print(
        finding_panel(verdict.findings[0], verdict, console.width, console.height), width=min(_WIDEST, console.width)
    )
    others = Counter(str(finding.kind) for finding in verdict.findings[1:])
    if others:
        also = ", ".join(f"{kind}{f' × {number}' if number > 1 else ''}" for kind, number in others.items())
        console.print(Text(f"After that also: {also}. Fix the first one first.", style="dim"))
    if len(verdict.findings[0].hints) > 1 and verdict.file == exercise.exercise_file.resolve():
        console.print(Text(f"Another hint: uv run workshop hint {exercise.number}", style="dim"))


def _print_cases(verdict: Verdict, console: Console) -> None:
    for case in verdict.cases:
        console.print(Text.assemble(("  ✓ ", "green"), case.name))
    console.print(Text(f"  {verdict.tolerance}", style="dim"))


def finding_panel(finding: Finding, verdict: Verdict, width: int, height: int = 24) -> Panel:
    """A finding in a frame; watch mode shows the same one."""
    lines = max(_PICTURE_LINES, min(height // 2 - 4, 2 * _PICTURE_LINES))
    parts: list[RenderableType] = [Text(finding.message)]
    if finding.line is not None:
        parts.append(Text(f"{verdict.file.name}, line {finding.line}:", style="dim"))
        parts.append(Syntax(finding.source, "python", theme="ansi_dark", background_color="default", word_wrap=True))
    if finding.element is not None:
        parts.append(_element(finding.element))
    if finding.tiles is not None and not _alike(finding.tiles):
        parts += [Text(""), tile_map(finding.tiles)]
    if finding.pictures and finding.kind is Kind.WRONG_VALUES:
        parts += [Text(""), side_by_side(finding.pictures, min(_WIDEST, width) - 4, lines)]
    if finding.kind is Kind.WRONG_VALUES and verdict.tolerance:
        parts.append(Text(verdict.tolerance, style="dim"))
    if finding.hint:
        parts += [Text(""), Text.assemble(("Hint: ", "bold cyan"), finding.hint)]
    unfinished = finding.kind is Kind.UNFINISHED
    title = f"{finding.kind}: {finding.case}" if finding.case else str(finding.kind)
    return Panel(Group(*parts), title=title, title_align="left", border_style="yellow" if unfinished else "red")


def _element(element: Element) -> Table:
    """Expected beside got, and whose element it is."""
    table = Table.grid(padding=(0, 2))
    index = ", ".join(map(str, element.index))
    program = str(element.program[0]) if len(element.program) == 1 else str(element.program)
    got = "never written" if element.got is None else f"{element.got:.7g}"
    expected = Text.assemble((f"{element.expected:.7g}", "green"), (f" ± {element.allowed:.1g}", "dim"))
    owner = Text.assemble((", offset ", "dim"), f"{element.offset:,}", (", owned by program ", "dim"), program)
    table.add_row(Text("element", style="dim"), Text.assemble(f"[{index}]", owner))
    table.add_row(Text("expected", style="dim"), Text.assemble(expected, ("  got ", "dim"), (got, "red")))
    return table


def _alike(tiles: TileMap) -> bool:
    return len({state for plane in tiles.planes for row in plane for state in row}) < 2


def tile_map(tiles: TileMap) -> Group:
    """The map, planes beside each other where they fit, and what its letters mean."""
    planes = tiles.planes if len(set(tiles.planes)) > 1 else tiles.planes[:1]
    across = max(len(row) for row in planes[0]) * len(planes)
    cell = _ROOMY if across * _ROOMY <= _WIDEST_MAP else 1
    drawn = [_plane(plane, cell, f"channel {number}" if len(planes) > 1 else "") for number, plane in enumerate(planes)]
    used = [state for state in State if any(state in row for plane in planes for row in plane)]
    legend = Text(f"{tiles.what}: ", style="dim")
    for state in used:
        letter, style = _CELLS[state]
        legend.append(f" {letter} ", style=style)
        legend.append(f" {state}  ", style="dim")
    return Group(Columns(drawn, padding=(0, _GAP)) if len(drawn) > 1 else drawn[0], legend)


def _plane(plane: tuple[tuple[State, ...], ...], cell: int, title: str) -> Text:
    """With the numbers of rows and columns where there is room for them."""
    text = Text(f"{title}\n" if title else "", no_wrap=True)
    numbered = cell == _ROOMY and len(plane) > 1
    if numbered:
        text.append(" " * _ROOMY + "".join(str(column).center(cell) for column in range(len(plane[0]))) + "\n", "dim")
    for number, row in enumerate(plane):
        text.append(str(number).rjust(_ROOMY - 1) + " " if numbered else "", "dim")
        for state in row:
            letter, style = _CELLS[state]
            text.append(letter.center(cell), style=style)
        text.append("\n" if number + 1 < len(plane) else "")
    return text


def side_by_side(pictures: tuple[Pixels, ...], width: int, lines: int) -> Table:
    """Pictures in a row, each under its caption."""
    columns = (width - _GAP * (len(pictures) - 1)) // len(pictures)
    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_row(*(Text(picture.caption, style="dim") for picture in pictures))
    table.add_row(*(_picture(picture, columns, lines) for picture in pictures))
    return table


def _picture(picture: Pixels, columns: int, lines: int) -> Text:
    """In half-blocks: two pixels a character. A small picture is enlarged by whole pixels."""
    scale = min(columns / picture.width, 2 * lines / picture.height)
    scale = max(1, int(scale)) if scale >= 1 else scale
    across, rows = max(1, round(picture.width * scale)), max(1, -(-round(picture.height * scale) // 2))
    image = Image.frombytes("RGB", (picture.width, picture.height), picture.rgb)
    method = Image.Resampling.NEAREST if scale >= 1 else Image.Resampling.BOX
    image = image.resize((across, 2 * rows), method)
    text = Text(no_wrap=True)
    for number, row in enumerate(half_block_colours(image, across, rows)):
        for upper, lower in row:
            text.append(UPPER_HALF_BLOCK, style=f"rgb({_triple(upper)}) on rgb({_triple(lower)})")
        text.append("\n" if number + 1 < rows else "")
    return text


def _triple(colour: tuple[int, int, int]) -> str:
    return ",".join(map(str, colour))


# The list, and hints

_STANDINGS = {
    Standing.MISSING: ("?", "red", "the file is not there"),
    Standing.NEW: ("○", "dim", "not begun"),
    Standing.BEGUN: ("◐", "yellow", ""),
    Standing.FAILING: ("✗", "red", ""),
    Standing.CHANGED: ("◑", "yellow", "not checked since it was changed"),
    Standing.PASSED: ("✓", "green", "passed"),
}


def print_list(entries: tuple[Entry, ...], console: Console) -> None:
    """The exercises, and how far each of them is."""
    table = Table.grid(padding=(0, 2))
    for entry in entries:
        mark, style, words = _STANDINGS[entry.standing]
        table.add_row(
            Text(mark, style=style),
            Text(str(entry.exercise.number), style="bold"),
            Text(entry.exercise.title),
            Text(words or _what_is_left(entry), style="dim"),
            Text(_marks(entry), style="dim"),
        )
    console.print(table)
    console.print(Text(next_step(entries), style="dim"))


def _what_is_left(entry: Entry) -> str:
    if entry.standing is Standing.BEGUN:
        return f"{entry.todos_left} of {len(entry.exercise.hints)} TODOs left"
    return entry.record.finding


def _marks(entry: Entry) -> str:
    return "  ".join(_parts_of(entry))


def _parts_of(entry: Entry) -> Iterator[str]:
    if entry.record.passed_at is not None and entry.standing is not Standing.PASSED:
        yield "passed before"
    if entry.record.best_ratio is not None:
        yield f"{entry.record.best_ratio:.2f} × the limit"


def next_step(entries: tuple[Entry, ...]) -> str:
    """What to do now."""
    open_ones = [entry for entry in entries if entry.standing is not Standing.PASSED]
    if not open_ones:
        return "All exercises are done."
    number = open_ones[0].exercise.number
    if open_ones[0].standing is Standing.MISSING:
        return f"Next: uv run workshop reset {number}"
    return f"Next: uv run exercises/exercise_{number}.py"


def print_hint(hint: Hint, exercise: Exercise, console: Console) -> None:
    title = f"exercise {exercise.number} · {hint.about} · hint {hint.level} of {hint.levels}"
    console.print(Panel(Text(hint.text), title=title, title_align="left", border_style="cyan"), width=_width(console))


def _width(console: Console) -> int:
    return min(_WIDEST, console.width)
