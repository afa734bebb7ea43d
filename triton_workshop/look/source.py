"""A kernel's source, with what each line has made at its end."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from pathlib import Path

from rich.style import Style
from rich.text import Text

from triton_workshop.look.parameters import argument_notes, first_line
from triton_workshop.look.recording import RecordedLaunch
from triton_workshop.look.timeline import Line, Note, Position, When, line_of
from triton_workshop.screen.palette import Palette
from triton_workshop.screen.richtext import code_lines
from triton_workshop.scripts import lines_of

GAP = "  "
MIN_CODE_COLUMNS = 20
"""Columns of code that stay, however long its note is."""
NUMBER_COLUMNS = 6
TONES = {When.NOW: "accent", When.EARLIER: "muted", When.LATER: "faint"}
"""Colours of values: those of the iteration that runs stand out."""


NO_LINE: Line = ("", 0)
"""The line of what stands between two functions."""


@dataclass(frozen=True)
class SourceLine:
    """Line of a function that a launch runs."""

    line: Line
    code: str


@lru_cache(maxsize=64)
def source_lines(launch: RecordedLaunch, file: str, text: tuple[str, ...]) -> tuple[SourceLine, ...]:
    """Return the lines of a file's functions that a launch runs, dedented."""
    numbers = {step.line.number for step in launch.steps.all if step.line.file == file}
    lines: list[SourceLine] = []
    for start, end in _functions("".join(text), numbers):
        block = lines_of(textwrap.dedent("".join(text[start - 1 : end])))
        lines += [SourceLine(NO_LINE, "")] * bool(lines)
        lines += (SourceLine((file, number), code) for number, code in enumerate(block, start))
    return tuple(lines)


def _functions(text: str, numbers: set[int]) -> list[tuple[int, int]]:
    """Return first and last line of each function that has one of these lines."""
    spans = []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef):
            continue
        start, end = first_line(node), node.end_lineno
        assert end is not None
        has_line = any(start <= number <= end for number in numbers)
        if has_line:
            spans.append((start, end))
    # A function inside another is shown with it.
    inner = {span for span, other in permutations(spans, 2) if _is_inside(span, other)}
    return [span for span in sorted(spans) if span not in inner]


def _is_inside(span: tuple[int, int], other: tuple[int, int]) -> bool:
    (start, end), (other_start, other_end) = span, other
    return span != other and other_start <= start <= end <= other_end


def lines_at(position: Position) -> tuple[SourceLine, ...]:
    """Return all lines to show at a position, the kernel's file first."""
    sources, launch = position.recording.sources, position.track.launch
    first = launch.steps.all[0].line.file if launch.steps.all else ""
    files = sorted(sources, key=lambda file: (file != first, file))
    lines: list[SourceLine] = []
    for number, file in enumerate(files):
        lines += [SourceLine(NO_LINE, f"# {Path(file).name}")] * bool(number)
        lines += source_lines(launch, file, sources[file])
    return tuple(lines)


def draw_lines(position: Position, palette: Palette, columns: int, names: Callable[[Line], str]) -> list[Text]:
    """Return the rows of the source, numbered by `names`."""
    lines = lines_at(position)
    notes = position.track.notes(position.moment)
    notes |= argument_notes(position)
    mine = {fault.at for fault in position.track.launch.faults if fault.program == position.track.program}
    faults = {fault.at: fault.at in mine for fault in position.track.launch.faults}
    current = line_of(position.step) if position.step else None
    highlighted = code_lines("python", tuple(line.code for line in lines), palette)
    return [
        _row(
            line.line,
            code,
            notes,
            current,
            name=names(line.line),
            fault=faults.get(line.line),
            palette=palette,
            columns=columns,
        )
        for line, code in zip(lines, highlighted, strict=True)
    ]


def _row(
    line: Line,
    code: Text,
    notes: Mapping[Line, Note],
    current: Line | None,
    *,
    name: str,
    fault: bool | None,
    palette: Palette,
    columns: int,
) -> Text:
    note = notes.get(line)
    mark, tone = ("❱", palette.accent) if line == current else (" ", palette.faint)
    if fault is not None:  # of this program, or of another
        mark, tone = "✗", palette.bad if fault else palette.muted
    row = Text.assemble((f"{mark}{name:>{NUMBER_COLUMNS - 2}} ", tone), no_wrap=True)
    width = columns - NUMBER_COLUMNS
    if note is None:
        row.append_text(_cut(code, width))
    else:
        fitting = (spelling for spelling in note.spellings if code.cell_len + len(GAP) + len(spelling) <= width)
        text = Text(next(fitting, note.spellings[-1]), str(getattr(palette, TONES[note.when])))
        row.append_text(
            # Indentation tells nothing, so that the columns which stay begin after it.
            _cut(code, max(width - text.cell_len - len(GAP), min(_indent(code) + MIN_CODE_COLUMNS, width // 2)))
        ).append(GAP)
        row.append_text(_cut(text, columns - row.cell_len))
    if line == current:
        # The ground of the current line reaches the edge, and the code keeps its own colours on it.
        row.pad_right(max(0, columns - row.cell_len))
        row.stylize_before(Style(bgcolor=palette.panel, bold=True))
    return row


def _indent(code: Text) -> int:
    return len(code.plain) - len(code.plain.lstrip())


def _cut(text: Text, columns: int) -> Text:
    """Return a text that is at most so wide."""
    cut = text.copy()
    cut.truncate(max(columns, 0), overflow="ellipsis")
    return cut


def row_of(lines: Sequence[SourceLine], line: Line | None) -> int:
    """Return the row of a line; 0 if it is not there."""
    return next((row for row, candidate in enumerate(lines) if candidate.line == line), 0)
