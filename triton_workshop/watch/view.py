"""A verdict as a screen: what is shown and how large it may be goes in, something that Rich can draw comes out."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from triton_workshop.checking.check import LIMIT
from triton_workshop.checking.desk import Entry, Standing
from triton_workshop.checking.exercise import Exercise
from triton_workshop.checking.report import side_by_side, tile_map
from triton_workshop.checking.unfinished import open_todos
from triton_workshop.checking.verdict import Element, Finding, Kind, TileMap, Verdict
from triton_workshop.viewer.palette import Palette
from triton_workshop.viewer.richtext import code_lines, printable
from triton_workshop.viewer.transcript import Transcript

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
MEASURE = 92
"""Columns beyond which running text is hard to follow."""
TWO_COLUMNS = 132
"""Columns from which a picture of the failure stands beside what is said of it."""
PICTURE_WIDTH = 62
WIDEST_PICTURES = 150
TALL = 34
"""Rows from which more of the code is shown around a line."""
EDGE = 2
"""Columns that stay empty on both sides."""
MOST_TELLING = "?hsneqlx"
"""Keys of the foot: where not all fit, the first of these do."""
BETWEEN = "   "
MORE = "↓ more"
GUTTER = 7
"""Columns for a mark and a line's number."""
PRINTED_LINES = 8
HEADLINES = {
    Kind.UNFINISHED: "Not finished yet",
    Kind.CRASH: "It stops with an error",
    Kind.TIMEOUT: "It does not come to an end",
    Kind.OUT_OF_BOUNDS_LOAD: "It reads outside of a tensor",
    Kind.OUT_OF_BOUNDS_STORE: "It writes outside of a tensor",
    Kind.RACE: "Its programs race for an element",
    Kind.INPUT_MODIFIED: "It changes its input",
    Kind.NOT_A_KERNEL: "The answer is not the kernel's",
    Kind.WRONG_SHAPE: "The result has the wrong shape",
    Kind.WRONG_DTYPE: "The result has the wrong type",
    Kind.UNWRITTEN: "Part of the result is never written",
    Kind.WRONG_VALUES: "The result has wrong values",
}
STANDINGS = {
    Standing.MISSING: ("?", "bad"),
    Standing.NEW: ("○", "muted"),
    Standing.BEGUN: ("◐", "warning"),
    Standing.FAILING: ("✗", "bad"),
    Standing.CHANGED: ("◑", "warning"),
    Standing.PASSED: ("✓", "good"),
}
"""A mark and a tone of the palette for how far an exercise is."""


@dataclass(frozen=True)
class Checked:
    """A verdict, and what it was about."""

    verdict: Verdict
    text: str
    """The script, as it was."""
    at: str
    """The time of day."""
    printed: bytes = b""
    """The end of what the script printed."""


@dataclass(frozen=True)
class Scene:
    """All that the screen shows."""

    exercise: Exercise
    entries: tuple[Entry, ...]
    file: str
    """The exercise's file, as a learner would name it."""
    missing: bool = False
    """Whether the file is not there."""
    checked: Checked | None = None
    trouble: str = ""
    """Why the last check came to no verdict."""
    hints: int = 0
    """How many hints have been asked for."""
    seconds: float | None = None
    """Since the check that runs now began; None where none does."""
    full_size: bool = False
    """Whether that one is on the GPU."""
    text: str = ""
    """The script, as the check that runs now has it."""

    @property
    def awaited(self) -> bool:
        """Whether the verdict on the file as it is now is still to come."""
        return self.seconds is not None and (self.checked is None or self.checked.text != self.text)

    @property
    def outdated(self) -> bool:
        """Whether what is shown came of another check than the one on the file as it is now."""
        return self.awaited and (self.checked is not None or bool(self.trouble))

    @property
    def finding(self) -> Finding | None:
        return self.checked.verdict.findings[0] if self.checked and self.checked.verdict.findings else None

    @property
    def passed(self) -> bool:
        return self.checked is not None and self.checked.verdict.passed


@dataclass(frozen=True)
class Room:
    """What there is to draw with."""

    palette: Palette
    width: int
    height: int


# The head


def head(scene: Scene, room: Room) -> RenderableType:
    """The exercise's name and how far the others are; below that, what goes on."""
    palette = room.palette
    bar = Table.grid(expand=True)
    bar.add_column(ratio=1, no_wrap=True)
    bar.add_column(justify="right", no_wrap=True)
    title = Text(f"Exercise {scene.exercise.number} · {scene.exercise.title}", Style(bold=True))
    bar.add_row(title, dots(scene))
    line = Table.grid(expand=True)
    line.add_column(ratio=1, no_wrap=True)
    line.add_column(justify="right", no_wrap=True)
    line.add_row(Text(scene.file, palette.muted), status(scene, palette))
    return Group(_on(bar, Style(color=palette.on_bar, bgcolor=palette.bar)), _on(line, Style()))


def dots(scene: Scene) -> Text:
    """Each exercise's number with its mark; the open one in brackets."""
    text = Text()
    for entry in scene.entries:
        mark, _ = STANDINGS[entry.standing]
        here = entry.exercise.number == scene.exercise.number
        label = f"{entry.exercise.number}{mark}"
        text.append(f"[{label}]" if here else f" {label} ", Style(bold=here))
    return text


def status(scene: Scene, palette: Palette) -> Text:
    if scene.seconds is not None:
        turn = spinner(scene.seconds)
        what = "checking at full size on the GPU" if scene.full_size else "checking"
        time = f" {scene.seconds:.0f} s" if scene.seconds >= 1 else ""
        of = f" of at most {LIMIT:.0f}" if scene.seconds >= LIMIT / 4 and scene.checked else ""
        return Text(f"{turn} {what}{time}{of}", palette.accent)
    if scene.trouble or scene.checked is None:
        return Text()
    verdict = scene.checked.verdict
    where = "on the GPU" if verdict.device == "cuda" else "on the simulator"
    ran = f"in {verdict.seconds:.2f} s {where}" if verdict.cases or verdict.passed else ""
    return Text(f"checked at {scene.checked.at} {ran}".rstrip(), palette.muted)


def spinner(seconds: float) -> str:
    return SPINNER[int(seconds * 10) % len(SPINNER)]


def notice(scene: Scene, room: Room) -> RenderableType:
    """Above a verdict that another is to take the place of: that it is not about the file as it is now."""
    if not scene.outdated:
        return Text()
    words = f"{spinner(scene.seconds or 0)} Checking your file as it is now."
    if scene.checked is not None:
        words += f" Below is still the verdict of {scene.checked.at}."
    return _on(Text(words, room.palette.accent, no_wrap=True, overflow="ellipsis"), Style())


# The body


def body(scene: Scene, room: Room) -> RenderableType:
    """What the last check has shown."""
    if scene.trouble:
        return _trouble(scene, room)
    if scene.missing:
        return _missing(scene, room)
    if scene.checked is None:
        return _first_check(scene, room)
    finding = scene.finding
    if finding is None:
        return _pass(scene, scene.checked, room)
    if finding.kind is Kind.UNFINISHED:
        return _unfinished(scene, scene.checked, finding, room)
    return _failure(scene, scene.checked, finding, room)


def _first_check(scene: Scene, room: Room) -> RenderableType:
    if scene.seconds is None or scene.seconds < 1:
        return Text()
    return _said(
        Text(f"Checking {scene.file} …"),
        Text("The first check has to load PyTorch and Triton, and takes some seconds.", room.palette.muted),
        Text("Every later one answers about as fast as you save.", room.palette.muted),
    )


def _missing(scene: Scene, room: Room) -> RenderableType:
    return _said(
        _headline("✗", "The file is not there", room.palette.bad),
        Text(f"{scene.file} has been removed or renamed."),
        _keys(room.palette, ("x", "puts the exercise back as it was shipped")),
    )


def _trouble(scene: Scene, room: Room) -> RenderableType:
    return _said(
        _headline("!", "The check itself did not work", room.palette.warning),
        Text(printable(scene.trouble)),
        _keys(room.palette, ("r", "tries again"), ("e", "opens the file")),
    )


def _pass(scene: Scene, checked: Checked, room: Room) -> RenderableType:
    palette, verdict = room.palette, checked.verdict
    done = [entry for entry in scene.entries if entry.standing is Standing.PASSED]
    parts: list[RenderableType] = [
        _headline("✓", f"Passed: all {len(verdict.cases)} cases are right", palette.good),
        Text(),
        Columns(
            [Text.assemble(("✓ ", palette.good), (case.name, palette.text)) for case in verdict.cases],
            padding=(0, 3),
            column_first=True,
        ),
        Text(),
        _prose(Text(verdict.tolerance, palette.muted)),
        Text(),
    ]
    if verdict.remark:
        parts += [_prose(Text(verdict.remark, palette.warning)), Text()]
    following = next((entry for entry in scene.entries if entry.exercise.number == scene.exercise.number + 1), None)
    steps = [("s", "compare yours with the solution")]
    if len(done) == len(scene.entries):
        parts.append(Text("That was all of them. Well done!", Style(color=palette.accent, bold=True)))
    elif following is not None:
        steps.append(("n", f"go on: exercise {following.exercise.number}, {following.exercise.title}"))
    else:
        steps.append(("l", "the list: some are still open"))
    parts += [_keys(palette, *steps), Text(), *_printed(checked, room)]
    return Group(*parts)


def _unfinished(scene: Scene, checked: Checked, finding: Finding, room: Room) -> RenderableType:
    palette = room.palette
    tasks = {todo.number: todo.task for todo in open_todos(scene.exercise.shipped()) if todo.number is not None}
    lines = {todo.number: todo.line for todo in open_todos(checked.text) if todo.number and todo.number in tasks}
    done = len(tasks) - len(lines)
    meter = Text.assemble(("━" * 3 * done, palette.warning), ("━" * 3 * (len(tasks) - done), palette.faint))
    told: list[RenderableType] = [
        _headline("◐", f"{done} of {len(tasks)} TODOs filled in" if lines else "Not finished yet", palette.warning),
        meter,
        Text(),
        _todo_table(tasks, lines, palette),
        Text(),
    ]
    if not lines:  # a `...` of the learner's own
        told += [_prose(Text(printable(finding.message))), Text()]
    return Group(*told, *_code(checked, finding, room, palette.warning), *_hints(scene, finding, room))


def _todo_table(tasks: dict[int, str], lines: Mapping[int, int], palette: Palette) -> Table:
    """What is filled in, right or not, what comes next, and on which line the rest waits."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column()
    following = next(iter(lines), None)
    for number, task in sorted(tasks.items()):
        where = f"line {lines[number]}" if number in lines else ""
        if number == following:
            bold = Style(color=palette.emphasis, bold=True)
            table.add_row(Text("▶", palette.warning), Text(where, palette.literal), Text(task, bold))
        elif where:
            table.add_row(Text("○", palette.muted), Text(where, palette.muted), Text(task))
        else:
            table.add_row(Text("●", palette.muted), Text(), Text(task, palette.muted))
    return table


def _failure(scene: Scene, checked: Checked, finding: Finding, room: Room) -> RenderableType:
    beside = room.width >= TWO_COLUMNS
    words = room if not beside else Room(room.palette, room.width - PICTURE_WIDTH - 4, room.height)
    told: list[RenderableType] = [
        _headline("✗", HEADLINES[finding.kind], room.palette.bad).append(f"   {finding.kind}", room.palette.muted),
        *_cases(scene, checked.verdict, finding, room.palette),
        Text(),
        _prose(Text(printable(finding.message), room.palette.emphasis)),
        Text(),
        *_code(checked, finding, words, room.palette.bad),
        *_hints(scene, finding, words),
        *_after(checked.verdict, room),
    ]
    drawn = _picture(checked.verdict, finding, room.palette)
    below = [*_photographs(finding, room), *_printed(checked, room)]
    if not beside or not drawn:
        return Group(*told, *drawn, *below)
    table = Table.grid(padding=(0, 4, 0, 0))
    table.add_column(width=words.width)
    table.add_column(width=PICTURE_WIDTH)
    table.add_row(Group(*told), Group(*drawn))
    return Group(table, *below)


def _cases(scene: Scene, verdict: Verdict, finding: Finding, palette: Palette) -> list[RenderableType]:
    """A mark for each case, and the name of the one that failed."""
    if not verdict.cases:
        return []
    text = Text("  ")
    for case in verdict.cases:
        text.append("✓ " if case.passed else "✗ ", palette.good if case.passed else palette.bad)
    text.append("· " * max(0, len(scene.exercise.cases) - len(verdict.cases)), palette.faint)
    failed = next((case.name for case in verdict.cases if not case.passed), finding.case)
    return [text.append(f"  {printable(failed)}", Style(color=palette.text))]


def _code(checked: Checked, finding: Finding, room: Room, tone: str) -> list[RenderableType]:
    """The line that is to blame, with those around it."""
    lines = checked.text.splitlines()
    if finding.line is None or not 1 <= finding.line <= len(lines):
        return []
    around = 3 if room.height >= TALL else 1
    first = max(finding.line - around, 1)
    shown = textwrap.dedent("\n".join(lines[first - 1 : finding.line + around])).split("\n")
    table = Table.grid(expand=True)
    table.add_column(width=GUTTER)
    table.add_column(ratio=1)
    for number, code in enumerate(code_lines("python", tuple(shown), room.palette), start=first):
        blamed = number == finding.line
        text = code.copy()
        text.no_wrap, text.overflow = not blamed, "fold" if blamed else "ellipsis"
        mark = Text(f"{'▌' if blamed else ' '}{number:>4}", tone if blamed else room.palette.faint)
        table.add_row(mark, text)
    return [Constrain(Padding(table, 0, style=Style(bgcolor=room.palette.panel)), MEASURE), Text()]


def _hints(scene: Scene, finding: Finding, room: Room) -> list[RenderableType]:
    """Those that have been asked for, and that there are more."""
    palette, many = room.palette, len(finding.hints)
    parts: list[RenderableType] = []
    for level, hint in enumerate(islice(finding.hints, scene.hints), start=1):
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(max_width=MEASURE - 12)
        grid.add_row(Text(f"hint {level} of {many}", Style(color=palette.accent, bold=True)), Text(printable(hint)))
        parts.append(grid)
    if scene.hints < many:
        parts.append(_keys(palette, ("h", "another hint" if scene.hints else "a hint")))
    return [*parts, Text()] if parts else []


def _picture(verdict: Verdict, finding: Finding, palette: Palette) -> list[RenderableType]:
    """The map of tiles and the first wrong element, as far as there are any, and what would still be right."""
    parts: list[RenderableType] = []
    if finding.tiles is not None and not _alike(finding.tiles):
        parts += [tile_map(finding.tiles), Text()]
    if finding.element is not None:
        parts += [_element(finding.element, palette), Text()]
    if finding.kind is Kind.WRONG_VALUES and verdict.tolerance:
        parts += [_prose(Text(verdict.tolerance, palette.muted)), Text()]
    return parts


def _photographs(finding: Finding, room: Room) -> list[RenderableType]:
    """For an exercise about pictures: what should have come out, what did, and where they differ."""
    if not finding.pictures or finding.kind is not Kind.WRONG_VALUES:
        return []
    lines = min(max(room.height // 2 - 4, 8), 16)
    return [side_by_side(finding.pictures, min(room.width, WIDEST_PICTURES), lines), Text()]


def _alike(tiles: TileMap) -> bool:
    return len({state for plane in tiles.planes for row in plane for state in row}) < 2


def _element(element: Element, palette: Palette) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0))
    index = ", ".join(map(str, element.index))
    program = str(element.program[0]) if len(element.program) == 1 else str(element.program)
    got = "never written" if element.got is None else f"{element.got:.7g}"
    table.add_row(
        Text(f"element [{index}]", palette.muted), Text(f"belongs to program {program}, offset {element.offset:,}")
    )
    table.add_row(Text("expected", palette.muted), Text(f"{element.expected:.7g}", palette.good))
    table.add_row(Text("got", palette.muted), Text(got, palette.bad))
    return table


def _after(verdict: Verdict, room: Room) -> list[RenderableType]:
    """What else was found: most often a consequence."""
    others = Counter(str(finding.kind) for finding in verdict.findings[1:])
    if not others:
        return []
    also = ", ".join(f"{kind}{f' × {number}' if number > 1 else ''}" for kind, number in others.items())
    return [_prose(Text(f"Also: {also}. Fix the first one first.", room.palette.muted)), Text()]


def _printed(checked: Checked, room: Room) -> list[RenderableType]:
    """The last lines that the script printed itself."""
    if not checked.printed.strip():
        return []
    transcript = Transcript()
    transcript.receive(checked.printed)
    while transcript.take_in():
        pass
    lines = [line for line in transcript.lines if line.plain.strip()]
    shown = lines[-PRINTED_LINES:]
    title = "printed" if len(shown) == len(lines) else f"printed, the last {len(shown)} lines"
    for line in shown:
        line.no_wrap, line.overflow = True, "ellipsis"
    return [Text(title, Style(color=room.palette.accent, bold=True)), *shown]


def _on(what: RenderableType, style: Style) -> RenderableType:
    """From edge to edge of the screen."""
    return Padding(what, (0, EDGE), style=style)


def _headline(mark: str, words: str, tone: str) -> Text:
    return Text.assemble((f"{mark} {words}", Style(color=tone, bold=True)))


def _prose(text: Text) -> RenderableType:
    """Running text, no wider than it reads well."""
    table = Table.grid()
    table.add_column(max_width=MEASURE)
    table.add_row(text)
    return table


def _said(*parts: RenderableType) -> RenderableType:
    return Group(*(piece for part in parts for piece in (part, Text())))


def _keys(palette: Palette, *keys: tuple[str, str]) -> Table:
    """Keys that make sense now, each with what it does."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for key, effect in keys:
        table.add_row(Text(key, Style(color=palette.literal, bold=True)), Text(effect, palette.text))
    return table


# The foot


def foot(scene: Scene, room: Room, message: str, *, more: bool) -> RenderableType:
    """A message, or else the keys."""
    palette = room.palette
    line = Table.grid(expand=True)
    line.add_column(ratio=1, no_wrap=not message, overflow="fold")
    line.add_column(justify="right", no_wrap=True)
    space = room.width - 2 * EDGE - (len(MORE) + 1 if more else 0)
    left = Text(printable(message), palette.accent) if message else _key_line(scene, palette, space)
    line.add_row(left, Text(MORE if more else "", palette.accent))
    return _on(line, Style(bgcolor=palette.panel))


def _key_line(scene: Scene, palette: Palette, width: int) -> Text:
    keys = [("n", "next"), ("e", "edit"), ("l", "list"), ("x", "reset"), ("?", "keys"), ("q", "quit")]
    if scene.passed and not scene.awaited:
        keys.insert(0, ("s", "solution"))
    elif scene.finding is not None and scene.finding.hints and not scene.awaited:
        keys.insert(0, ("h", "hint"))
    return Text(BETWEEN).join(
        Text.assemble((key, Style(color=palette.literal, bold=True)), (f" {effect}", palette.muted))
        for key, effect in _those_that_fit(keys, width)
    )


def _those_that_fit(keys: Sequence[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """Of keys with what they do, those that tell most, in the order in which they came."""
    fitting: list[tuple[str, str]] = []
    for pair in sorted(keys, key=lambda pair: MOST_TELLING.index(pair[0])):
        if len(BETWEEN.join(map(" ".join, [*fitting, pair]))) > width:
            break
        fitting.append(pair)
    return [pair for pair in keys if pair in fitting]


# The list


def entry_lines(entries: Sequence[Entry], here: int, width: int, palette: Palette) -> list[Text]:
    """The exercises with how far they are; the one at the place `here` stands out."""
    lines: list[Text] = []
    longest = max(len(entry.exercise.title) for entry in entries)
    for place, entry in enumerate(entries):
        mark, tone = STANDINGS[entry.standing]
        line = Text.assemble(
            (f" {mark} ", getattr(palette, tone)),
            (f" {entry.exercise.number}  ", Style(bold=True)),
            entry.exercise.title.ljust(longest + 2),
            (standing_words(entry), palette.muted),
        )
        line.truncate(width, overflow="ellipsis", pad=place == here)
        if place == here:
            line.stylize(Style(color=palette.on_bar, bgcolor=palette.bar, bold=True))
        lines.append(line)
    return lines


def standing_words(entry: Entry) -> str:
    """How far an exercise is, how long its last check took, and how near its best kernel is to the hardware's limit."""
    record = entry.record
    words = {
        Standing.MISSING: "the file is not there",
        Standing.NEW: "not begun",
        Standing.BEGUN: f"{entry.todos_left} of {len(entry.exercise.hints)} TODOs left",
        Standing.FAILING: record.finding.replace("-", " "),
        Standing.CHANGED: "changed since its last check",
        Standing.PASSED: "passed",
    }[entry.standing]
    if record.passed_at is not None and entry.standing is not Standing.PASSED:
        words += ", passed before"
    if record.seconds is not None and entry.standing is Standing.PASSED:
        words += f", {record.seconds:.2f} s"
    if record.best_ratio is not None:
        words += f" · best {record.best_ratio:.2f} × the limit"
    return words
