"""A deck as plain text, slide after slide, for a pipe, a file or a search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from rich.cells import cell_len

from triton_workshop.deck.model import (
    Alert,
    Alignment,
    Blank,
    Block,
    Code,
    Columns,
    Content,
    Deck,
    Footnote,
    Heading,
    Image,
    JumpToMiddle,
    ListItem,
    Paragraph,
    Quote,
    Rule,
    Slide,
    Table,
    Text,
    plain,
)
from triton_workshop.viewer.pictures.cell_drawings import drawing_for

WIDTH = 80


def plain_text(deck: Deck, start: int = 1) -> str:
    """Format every slide from a number on, with every step."""
    count = len(deck.slides)
    numbered = list(enumerate(deck.slides, 1))[start - 1 :]
    lines = chain.from_iterable(slide_lines(deck, slide, number, count) for number, slide in numbered)
    return "\n".join(line.rstrip() for line in lines)


def slide_lines(deck: Deck, slide: Slide, number: int, count: int) -> Iterator[str]:
    """Yield the lines of one slide: its separator, title and blocks."""
    yield f"── {number} / {count} ".ljust(WIDTH, "─")
    yield ""
    if slide.introduction:
        yield from cover_lines(deck)
    elif slide.title is not None:
        title = plain(slide.title)
        yield from (title, "=" * max(cell_len(title), 3), "")
    yield from blocks_lines(slide.blocks)
    yield ""


def cover_lines(deck: Deck) -> Iterator[str]:
    """Yield the lines of the title page."""
    front = deck.front_matter
    yield deck.title
    yield from filter(None, (front.sub_title, front.event, front.location, front.date))
    yield from front.authors


def blocks_lines(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield the lines of blocks, with an empty line between two.

    The items of a list stay together.
    """
    previous: Block | None = None
    for block in blocks:
        lines = list(block_lines(block))
        if not lines:
            continue
        has_gap = previous is not None and not same_list(previous.content, block.content)
        if has_gap:
            yield ""
        yield from lines
        previous = block


def same_list(first: Content, second: Content) -> bool:
    """Return True if two neighbours are items of one list.

    A numbered list may follow one with bullets.
    """
    if not (isinstance(first, ListItem) and isinstance(second, ListItem)):
        return False
    is_nested = second.depth > 0 or first.depth > 0
    are_alike = first.marker[:1].isdigit() == second.marker[:1].isdigit()
    return is_nested or are_alike


def block_lines(block: Block) -> Iterator[str]:
    """Yield the lines of one block."""
    match block.content:
        case Heading(level, text):
            yield f"{'#' * level} {plain(text)}"
        case Paragraph(text):
            yield from plain(text).split("\n")
        case ListItem(depth, marker, text):
            yield f"{'  ' * depth}{marker} {plain(text)}"
        case Table() as table:
            yield from table_lines(table)
        case Quote(paragraphs):
            yield from quoted(paragraphs)
        case Alert(_, title, paragraphs):
            yield f"| {title}"
            yield from quoted(paragraphs)
        case Rule():
            yield "─" * WIDTH
        case Image(path, _, alt):
            yield f"[image: {path.name}{f', {alt}' if alt else ''}]"
            drawing = drawing_for(path, WIDTH)
            if drawing is not None:
                yield from (line.plain for line in drawing.lines)
        case Footnote(label, text):
            yield f"{label} {plain(text)}"
        case Code(language=language, lines=lines):
            yield f"```{language}"
            yield from lines
            yield "```"
        case Columns(columns=columns):
            for index, column in enumerate(columns):
                if index:
                    yield ""
                yield from blocks_lines(column)
        case Blank() | JumpToMiddle():
            pass


def quoted(paragraphs: Sequence[Text]) -> Iterator[str]:
    """Yield the lines of a quote."""
    for paragraph in paragraphs:
        yield from (f"| {line}" for line in plain(paragraph).split("\n"))


def table_lines(table: Table) -> Iterator[str]:
    """Yield the rows of a table, with a line below its header."""
    rows = [[plain(cell).replace("\n", " ") for cell in row] for row in (table.header, *table.rows)]
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=False)]
    for index, row in enumerate(rows):
        cells = zip(row, widths, table.alignments, strict=False)
        yield "  ".join(padded(cell, width, alignment) for cell, width, alignment in cells)
        if index == 0:
            yield "  ".join("─" * width for width in widths)


def padded(text: str, width: int, alignment: Alignment) -> str:
    """Align a cell's text."""
    slack = width - cell_len(text)
    indent = {Alignment.LEFT: 0, Alignment.CENTER: slack // 2, Alignment.RIGHT: slack}[alignment]
    return " " * indent + text + " " * (slack - indent)
