"""Model of a deck: frozen dataclasses.

There is no screen and no parsing here, and nothing runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, count
from pathlib import Path

from .alignment import Alignment as Alignment


@dataclass(frozen=True)
class Span:
    """Run of text in one style.

    A hard line break is a span whose text is a newline.
    """

    text: str
    bold: bool = False
    italic: bool = False
    strike: bool = False
    code: bool = False
    superscript: bool = False
    link: str | None = None
    foreground: str | None = None
    background: str | None = None
    style_class: str | None = None
    """As in `<span class="…">`."""


Text = tuple[Span, ...]


def plain(text: Text) -> str:
    """Return the text without its styles."""
    return "".join(span.text for span in text)


@dataclass(frozen=True)
class Heading:
    """A heading inside a slide; the slide's own title is `Slide.title`."""

    level: int
    text: Text


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included."""

    low: float
    high: float

    def contains(self, other: Range) -> bool:
        """Return True if all numbers of the other range are in this one."""
        return self.low <= other.low and other.high <= self.high

    def meets(self, other: Range) -> bool:
        """Return True if some number is in both."""
        return self.low <= other.high and other.low <= self.high


@dataclass(frozen=True)
class Prediction:
    """Answer to a question of the deck, which a page compares with a guess.

    A guess is a number; that of a choice is the place of the chosen option, from 0.
    """

    answer: Text
    """The right answer in words."""
    right: Range
    near: Range | None = None
    """Guesses that are called close."""
    meanings: tuple[tuple[Range, Text], ...] = ()
    """Sentences on wrong guesses: each says what such a guess would mean."""
    label: Text = ()
    """Text before the field: which part of the question to answer, if it has several."""
    unit: Text = ()
    """Text after a number's field."""
    options: tuple[Text, ...] = ()
    """What there is to choose from; none if the guess is a number."""
    block_answers: bool = True
    """True if the output of the slide's code shows the answer.

    Else only what follows the next pause does.
    """


@dataclass(frozen=True)
class Paragraph:
    """Paragraph of text, which may ask for a prediction."""

    text: Text
    prediction: Prediction | None = None


@dataclass(frozen=True)
class ListItem:
    """Item, taken out of its nested list.

    `marker` is drawn before it: a bullet, or a number with its dot.
    """

    depth: int
    marker: str
    text: Text
    spacing: int = 1
    """Line feeds after the item: 1 puts the next item on the next line."""


@dataclass(frozen=True)
class Table:
    """Table with a header row."""

    header: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]
    alignments: tuple[Alignment, ...]
    row_steps: tuple[int, ...] = ()
    """The step at which each row appears.

    All are equal to the block's step unless tables are incremental.
    """


@dataclass(frozen=True)
class Quote:
    """Quoted paragraphs."""

    paragraphs: tuple[Text, ...]


@dataclass(frozen=True)
class Alert:
    """A `> [!note]` block; `kind` is note, tip, important, warning or caution."""

    kind: str
    title: str
    paragraphs: tuple[Text, ...]


@dataclass(frozen=True)
class Rule:
    """A horizontal line."""


@dataclass(frozen=True)
class Blank:
    """Empty lines."""

    lines: int


@dataclass(frozen=True)
class JumpToMiddle:
    """Command to centre the rest of the slide vertically."""


@dataclass(frozen=True)
class Image:
    """Picture in a file."""

    path: Path
    width_percent: int | None = None
    """Percent of the current column's width.

    None shows the natural size, shrunk to fit.
    """
    alt: str = ""


@dataclass(frozen=True)
class Footnote:
    """Footnote at the place where it is defined."""

    label: str
    text: Text


class Execution(StrEnum):
    """Time at which a code block runs, and the place of its output."""

    NONE = "none"
    ON_KEY = "exec"
    AUTOMATIC = "auto_exec"
    REPLACE = "exec_replace"
    IMAGE = "image"


@dataclass(frozen=True)
class Code:
    """A fenced block.

    `lines` is what is shown; `source` is what runs: the same plus hidden lines, without their prefix.
    `source_lines[i]` is the deck's line number of line i of `source`, so that tracebacks can refer to the deck.
    """

    language: str
    lines: tuple[str, ...]
    source: str
    source_lines: tuple[int, ...]
    highlights: tuple[frozenset[int] | None, ...] = (None,)
    """Groups of 1-based visible line numbers, one per step; None for all."""
    highlight_step: int = 0
    """The step at which the first group shows.

    Group i shows from step highlight_step + i.
    """
    execution: Execution = Execution.NONE
    alternative: str | None = None
    line_numbers: bool = False
    background: bool = True
    validate: bool = False
    expect_failure: bool = False
    render_width_percent: int | None = None
    render: bool = False
    terminal: bool = False
    """True if presenterm gives it a terminal, which we do not."""
    file: Path | None = None
    """The file that a ```file block takes its code from, if it is one.

    `source_lines` then count in it.
    """
    hidden: frozenset[int] = frozenset()
    """Indices of the lines of `source` that run but are not shown."""

    @property
    def visible_numbers(self) -> tuple[int | None, ...]:
        """The number that +line_numbers shows for each line of `source`.

        A hidden line has None.
        """
        numbers = count(1)
        return tuple(None if index in self.hidden else next(numbers) for index in range(len(self.source_lines)))

    def highlighted(self, step: int) -> frozenset[int] | None:
        """Return the lines highlighted at a step; None for all."""
        group = min(max(step - self.highlight_step, 0), len(self.highlights) - 1)
        return self.highlights[group]


@dataclass(frozen=True)
class Columns:
    """Columns side by side, with their relative widths."""

    weights: tuple[int, ...]
    columns: tuple[tuple[Block, ...], ...]


Content = (
    Heading
    | Paragraph
    | ListItem
    | Table
    | Quote
    | Alert
    | Rule
    | Blank
    | JumpToMiddle
    | Image
    | Footnote
    | Code
    | Columns
)


@dataclass(frozen=True)
class Block:
    """Element of a slide, with its first step and its line in the file."""

    content: Content
    step: int
    line: int
    alignment: Alignment | None = None
    """None leaves it to the theme."""
    font_size: int = 1
    path: Path | None = None
    """The included file that contains it, or None for the deck itself.

    `line` counts in that file.
    """


def origin(code: Code, block: Block, deck: Path) -> tuple[Path, int]:
    """Return the file and the line at which a block's code begins."""
    file = code.file or block.path
    return file or deck, min(code.source_lines, default=1)


def walk(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield all blocks in the order of the file, also inside columns."""
    for block in blocks:
        yield block
        if isinstance(block.content, Columns):
            for column in block.content.columns:
                yield from walk(column)


@dataclass(frozen=True)
class Slide:
    """Slide of a deck.

    Steps count from 0; `steps` is their number, so the last one is steps - 1.

    `title` is drawn at the top. A title below something else (usually `jump_to_middle`) is a heading of level 1 among
    the blocks instead, and `title` is None; `name` finds it for an index.
    """

    title: Text | None
    blocks: tuple[Block, ...]
    steps: int
    line: int
    notes: tuple[str, ...] = ()
    footer: bool = True
    introduction: bool = False
    """True for the title page that is made from the front matter.

    It shows title, subtitle, event and authors.
    """
    path: Path | None = None
    """The included file that it starts in, or None for the deck itself.

    `line` counts in that file.
    """

    @property
    def name(self) -> str:
        """The title, else the first heading, else an empty text, for an index."""
        if self.title is not None:
            return plain(self.title)
        headings = (block.content for block in self.blocks if isinstance(block.content, Heading))
        return next((plain(heading.text) for heading in headings), "")


@dataclass(frozen=True)
class Theme:
    """The look that a deck asks for; None leaves a thing to the viewer.

    A colour is a name, digits without their `#`, or `palette:NAME`.
    """

    name: str | None = None
    margin_columns: int | None = None
    margin_percent: int | None = None
    foreground: str | None = None
    background: str | None = None
    title_foreground: str | None = None
    title_background: str | None = None


@dataclass(frozen=True)
class FrontMatter:
    """Front matter of a deck, as plain text."""

    title: str | None = None
    sub_title: str | None = None
    event: str | None = None
    location: str | None = None
    date: str | None = None
    authors: tuple[str, ...] = ()
    theme: Theme = Theme()


@dataclass(frozen=True)
class DeckProblem:
    """Something to say about a deck, and where it is."""

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass(frozen=True)
class Deck:
    """Deck, with all its slides."""

    path: Path
    front_matter: FrontMatter
    slides: tuple[Slide, ...]
    warnings: tuple[DeckProblem, ...] = ()
    """Remarks on what presenterm accepts silently."""
    files: tuple[Path, ...] = ()
    """The deck's file and the included ones, in the order of reading."""
    blank: frozenset[Path] = frozenset()
    """The files that are blank but for a front matter."""
    unsupported: tuple[DeckProblem, ...] = ()
    """Parts that presenterm draws and we do not, a sentence each.

    Nothing is wrong with the deck.
    """

    @property
    def title(self) -> str:
        """The title of the front matter, or else the name of the file."""
        return self.front_matter.title or self.path.stem


def code_blocks(deck: Deck) -> list[Block]:
    """Return all blocks of code in order, as a page numbers them."""
    blocks = chain.from_iterable(walk(slide.blocks) for slide in deck.slides)
    return [block for block in blocks if isinstance(block.content, Code)]
