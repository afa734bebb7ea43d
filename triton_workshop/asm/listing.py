"""Listing of a source with the compiled code below each line; its pager."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text
from textual.app import App
from textual.binding import Binding, BindingType

from triton_simulator.compiler.jobs import Assembly
from triton_workshop.asm.report import TERMINAL
from triton_workshop.costs.assembly import Ir, instructions
from triton_workshop.screen.palette import DARK
from triton_workshop.screen.reader import Reader
from triton_workshop.screen.theme import use_palette

STAGES = ("ttir", "ttgir", "ptx", "sass")
_COLOURS = ("accent", "good", "important", "warning")
"""Colours of neighbouring lines, and of what is below them."""
_LAYOUT = re.compile(r"^#\w+ = #ttn?g\.\w+<.*", re.MULTILINE)
"""Layout of a block: which thread has which elements.

Triton's GPU IR names it once, above all.
"""
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"(?:\s+"([^"]*)")?', re.MULTILINE)
_LOC = re.compile(r"\.loc\s+(\d+)\s+(\d+)")


@dataclass(frozen=True)
class ListedLine:
    """Line of the source with its code, in the order of the compiler's text."""

    number: int
    source: str
    below: tuple[str, ...]


def listing(assembly: Assembly, stage: str, source: Sequence[str]) -> tuple[ListedLine, ...]:
    """Return the lines from the first to the last with code below it.

    Code that belongs to no line is left out.
    """
    below: dict[int, list[str]] = {}
    for line, text in _texts(assembly, stage):
        if line is not None and line <= len(source):
            below.setdefault(line, []).append(text)
    numbers = range(min(below, default=1), max(below, default=0) + 1)
    return tuple(ListedLine(number, source[number - 1], tuple(below.get(number, ()))) for number in numbers)


def _texts(assembly: Assembly, stage: str) -> Iterator[tuple[int | None, str]]:
    ir = Ir(assembly.ttir)
    match stage:
        case "sass":
            yield from ((instruction.line, instruction.text) for instruction in instructions(assembly.sass, ir))
        case "ptx":
            yield from _ptx(assembly.ptx, ir.file)
        case _:
            yield from _ir(ir if stage == "ttir" else Ir(assembly.ttgir))


def _ir(ir: Ir) -> Iterator[tuple[int | None, str]]:
    for line in ir.text.splitlines():
        text, separator, _ = line.strip().partition(" loc(")
        # A line without a location, and one that defines a location, belong to no line of the source.
        if not separator or line.startswith("#"):
            continue
        if not text.startswith(("module", "tt.func", "}")):
            yield ir.line_of(line), text


def _ptx(ptx: str, file: str) -> Iterator[tuple[int | None, str]]:
    """Instructions stand after the `.loc` that says where they come from."""
    # PTX names a file by a folder and a name, or by one path.
    numbers = {number for number, *names in _FILE.findall(ptx) if "/".join(filter(None, names)) == file}
    line, label = None, ""
    for text in map(str.strip, ptx.splitlines()):
        if match := _LOC.match(text):
            line = int(match[2]) if match[1] in numbers else None
        elif text.startswith("$L__BB"):
            label = f"{text.split()[0]} "
        elif text.endswith(";") and not text.startswith("."):
            yield line, f"{label}{text}"
            label = ""


def rows(assembly: Assembly, stage: str, source: Sequence[str]) -> Iterator[tuple[str, Text]]:
    """Yield each row with its number, if it has one.

    Lines of the source have the colour of what is below them.
    """
    if stage == "ttgir":
        yield from (("", Text(layout)) for layout in _LAYOUT.findall(assembly.ttgir))
    colours = itertools.cycle(_COLOURS)
    for line in listing(assembly, stage, source):
        style = next(colours) if line.below else "muted"
        yield str(line.number), Text(line.source, f"bold {style}" if line.below else style)
        yield from (("", Text(f"    {text}", style)) for text in line.below)


def listing_table(listed: Iterable[tuple[str, Text]]) -> Table:
    """For a screen: what is too long for it goes on below its own beginning."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(justify="right", style="muted", min_width=4)
    for number, text in listed:
        # A cell has no hanging indent of its own, so the indent becomes its padding.
        indent = len(text.plain) - len(text.plain.lstrip())
        table.add_row(number, Padding(text[indent:], (0, 0, 0, indent)))
    return table


class PagerApp(App[int]):
    """Shows a listing in a terminal, as `less` would."""

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c,ctrl+q", "quit", show=False, priority=True)]

    def __init__(self, head: str, contents: RenderableType) -> None:
        super().__init__()
        self._page = Reader(head, contents)
        use_palette(self, DARK)
        self.console.push_theme(TERMINAL)

    def on_mount(self) -> None:
        self.push_screen(self._page, lambda _: self.exit(0))
