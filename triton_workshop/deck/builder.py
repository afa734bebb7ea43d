"""Builder of slides: from elements to blocks with their columns and steps.

Steps are presenterm's. Everything between two pauses appears together, at the first step. Then the code blocks there
show their highlight groups, block by block, one step each. Then comes the segment after the next pause.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from .code import missing_highlight, read_code
from .commands import Directive
from .consent import REPLACING, Consent
from .errors import Position, RefusedError
from .fences import percent, read_fence
from .front_matter import Opening, Options
from .inline import ImageLink
from .markdown import CodeBlock, Comment, Items, Located, SlideTitle
from .model import (
    Alignment,
    Blank,
    Block,
    Code,
    Columns,
    Content,
    DeckProblem,
    Heading,
    Image,
    JumpToMiddle,
    Paragraph,
    Prediction,
    Rule,
    Slide,
    Span,
    Table,
    Text,
)
from .pictures import picture_problem


@dataclass
class _OpenColumns:
    """The columns being filled."""

    position: Position
    weights: tuple[int, ...]
    columns: list[list[Block]]
    step: int
    entered: int | None = None
    """The column being filled; None until the first `column`."""


@dataclass
class _Draft:
    """The slide being built, and the settings that apply until it ends."""

    incremental_lists: bool
    incremental_tables: bool
    list_item_newlines: int
    position: Position | None = None
    """The position of its first element."""
    blocks: list[Block] = field(default_factory=list)
    layout: _OpenColumns | None = None
    title: Text | None = None
    titled: bool = False
    notes: list[str] = field(default_factory=list)
    footer: bool = True
    skipped: bool = False
    started: bool = False
    """True once it has anything except comments."""
    alignment: Alignment | None = None
    font_size: int = 1
    step: int = 0
    """The first step of the part between two pauses."""
    extra_steps: int = 0
    """The further highlight groups in that part."""
    segment_is_empty: bool = True
    """True while the segment has nothing but empty lines."""

    @property
    def open_blocks(self) -> list[Block]:
        """The blocks of the column being filled, or of the slide itself."""
        if self.layout is None:
            return self.blocks
        if self.layout.entered is None:
            return self.blocks
        return self.layout.columns[self.layout.entered]

    @property
    def is_at_top(self) -> bool:
        """True while nothing stands above the next title."""
        is_empty = not self.blocks and self.layout is None
        is_first_title = self.step == 0 and not self.titled
        return is_empty and is_first_title

    def pause(self) -> None:
        """Begin the next segment, one step after the current one has ended."""
        self.step += self.extra_steps + 1
        self.extra_steps = 0
        self.segment_is_empty = True

    def set(self, directive: Directive) -> None:
        """Carry out a command that changes a setting."""
        match directive.command.name, directive.value:
            case "incremental_lists", bool(value):
                self.incremental_lists = value
            case "incremental_tables", bool(value):
                self.incremental_tables = value
            case "list_item_newlines", int(count):
                self.list_item_newlines = count
            case "font_size", int(size):
                self.font_size = size
            case "alignment", str(alignment):
                self.alignment = Alignment(alignment)
            case "no_footer", _:
                self.footer = False
            case "skip_slide", _:
                self.skipped = True
            case "speaker_note", str(note):
                self.notes.append(note)


class DeckBuilder:
    """Takes a deck's elements in order. `finish` gives the slides."""

    def __init__(self, path: Path, opening: Opening, allowed: Consent) -> None:
        self._path = path
        self._allowed = allowed
        self._options: Options = opening.options
        self._slides: list[Slide] = []
        self.warnings: list[DeckProblem] = []
        if opening.options.incremental_tables:
            self.warnings.append(DeckProblem(path, 1, "presenterm 0.16.1 refuses 'incremental_tables'"))
        self.unsupported = [DeckProblem(path, line + 1, reason) for reason, line in opening.unsupported]
        self._draft = self._new_draft()
        self._position = Position(path, 1)
        self._just_ended = False  # whether the last thing added ended a slide
        if opening.title is not None:
            self._slides.append(Slide(opening.title or None, (), 1, 1, introduction=True))

    def add(self, item: Located) -> None:
        """Add an element, or carry out a command."""
        self._position = item.position
        self._draft.position = self._draft.position or self._position
        self._just_ended = False
        match item.element:
            case Directive() as directive:
                self._command(directive)
                return
            case SlideTitle(text):
                self._title(text)
            case Heading(1, text) if self._options.h1_slide_titles and self._may_take_title():
                self._title(text)
            case CodeBlock() as block:
                self._code(block)
            case Items() as items:
                self._list(items)
            case Table() as table:
                self._table(table)
            case ImageLink() as link:
                self._push(self._image(link))
            case Rule() if self._options.end_slide_shorthand:
                self._end_slide()
                self._just_ended = True
                return
            case Comment():
                raise AssertionError("a comment reaches the builder as a command, or not at all")
            case content:
                self._push(content)
        # A command alone starts nothing: the title below it belongs to the same slide.
        self._draft.started = True

    def add_prediction(self, prediction: Prediction, position: Position) -> None:
        """Add the answer to the question that the last paragraph asks."""
        blocks = self._draft.open_blocks
        match blocks[-1:]:
            case [Block(Paragraph(text, None)) as block]:
                blocks[-1] = replace(block, content=Paragraph(text, prediction))
            case _:
                self.warn(position, "this prediction is ignored: it has to follow the paragraph that asks for it")

    def finish(self) -> tuple[Slide, ...]:
        """End the last slide, and return all of them."""
        if self._just_ended:
            self.warn(self._position, "the deck ends with end_slide, which leaves an empty slide after it")
        self._end_slide()
        # A deck whose slides are all skipped still shows one.
        if not self._slides:
            self._draft.skipped = False
            self._end_slide()
        return tuple(self._slides)

    def _new_draft(self) -> _Draft:
        options = self._options
        return _Draft(options.incremental_lists, options.incremental_tables, options.list_item_newlines)

    def warn(self, position: Position, reason: str) -> None:
        """Add a warning about a position."""
        self.warnings.append(DeckProblem(position.path, position.line, reason))

    # Commands

    def _command(self, directive: Directive) -> None:
        match directive.command.name, directive.value:
            case "pause", _:
                self._draft.pause()
            case "end_slide", _:
                self._end_slide()
                self._just_ended = True
            case "new_line", _:
                self._push(Blank(1))
            case "new_lines", int(count):
                self._push(Blank(count))
            case "jump_to_middle", _:
                self._push(JumpToMiddle())
            case "column_layout", tuple(weights):
                self._column_layout(weights)
            case "column", int(column):
                self._column(column)
            case "reset_layout", _:
                self._reset_layout()
            case "snippet_output", str(identifier):
                notice = f"presenterm shows the output of '{identifier}' here; this viewer shows it below its code."
                self._push(Paragraph((Span(notice, italic=True),)))
            case _:
                self._draft.set(directive)

    def _column_layout(self, weights: tuple[int, ...]) -> None:
        self._close_layout()
        columns: list[list[Block]] = [[] for _ in weights]
        self._draft.layout = _OpenColumns(self._position, weights, columns, self._draft.step)
        self._draft.segment_is_empty = False

    def _column(self, column: int) -> None:
        layout = self._draft.layout
        if layout is None:
            raise self._position.error("'column' needs a 'column_layout' before it")
        if layout.entered == column:
            raise self._position.error(f"already in column {column}")
        if column >= len(layout.columns):
            raise self._position.error(f"column {column}: the layout has {len(layout.columns)}, counted from 0")
        layout.entered = column
        self._draft.segment_is_empty = False

    def _reset_layout(self) -> None:
        if self._draft.layout and self._draft.layout.entered is None:
            self.warn(self._position, "presenterm 0.16.1 refuses a column_layout that has no column")
        self._close_layout()
        self._draft.segment_is_empty = False

    def _close_layout(self) -> None:
        layout = self._draft.layout
        self._draft.layout = None
        if layout is None:
            return
        if any(layout.columns):
            columns = tuple(tuple(blocks) for blocks in layout.columns)
            self._draft.blocks.append(self._block(Columns(layout.weights, columns), layout.step, layout.position))

    # Content

    def _block(self, content: Content, step: int, position: Position) -> Block:
        draft = self._draft
        return Block(content, step, position.line, draft.alignment, draft.font_size, self._path_of(position))

    def _path_of(self, position: Position) -> Path | None:
        return None if position.path == self._path else position.path

    def _push(self, content: Content) -> None:
        draft = self._draft
        layout, target = draft.layout, draft.blocks
        if layout:
            if layout.entered is None:
                above = f"line {layout.position.line}'s column_layout"
                raise self._position.error(f"this is outside any column: put 'column: 0' after {above}")
            target = layout.columns[layout.entered]
        target.append(self._block(content, draft.step, self._position))
        if not isinstance(content, Blank):
            draft.segment_is_empty = False

    def _may_take_title(self) -> bool:
        return not self._draft.titled or self._options.implicit_slide_ends

    def _title(self, text: Text) -> None:
        ends_slide = self._options.implicit_slide_ends and self._draft.started
        if ends_slide:
            self._end_slide()
        draft = self._draft
        draft.position = draft.position or self._position
        if draft.is_at_top:
            draft.title = text
            draft.segment_is_empty = False
        else:
            self._push(Heading(1, text))
        draft.titled = True

    def _list(self, items: Items) -> None:
        draft = self._draft
        incremental = draft.incremental_lists
        if incremental:
            draft.pause()
        for index, (item, line) in enumerate(items.items):
            if index and incremental:
                draft.pause()
            self._position = replace(self._position, line=line)
            self._push(replace(item, spacing=draft.list_item_newlines))
        # As in presenterm, what follows waits for the last item to be seen alone.
        if incremental:
            draft.pause()

    def _table(self, table: Table) -> None:
        draft = self._draft
        first = draft.step
        row_steps = []
        for _ in table.rows:
            if draft.incremental_tables:
                draft.pause()
            row_steps.append(draft.step)
        # The table appears as a whole at the step before its pauses, which belong to its rows.
        last, draft.step = draft.step, first
        self._push(replace(table, row_steps=tuple(row_steps)))
        draft.step = last

    def _image(self, link: ImageLink) -> Image:
        path = self._position.path.parent / link.source
        problem = picture_problem(path)
        if problem:
            raise self._position.error(f"{problem}: {link.source}")
        # Attributes and alternative text share the description, separated by commas.
        width, alt = None, []
        prefix = self._options.image_attributes_prefix
        for attribute in link.description.split(","):
            has_prefix = attribute != "" and attribute.startswith(prefix)
            if has_prefix:
                width = self._image_width(attribute.removeprefix(prefix))
            else:
                alt.append(attribute)
        return Image(path, width, ",".join(alt).strip())

    def _image_width(self, attribute: str) -> int:
        name, colon, value = attribute.partition(":")
        is_width = bool(colon) and name in ("width", "w")
        if not is_width:
            raise self._position.error(f"unknown image attribute '{name}'; valid: width:50%, w:50%")
        try:
            return percent(value)
        except RefusedError as error:
            raise self._position.error(f"image {name}: {error}") from None

    def _code(self, block: CodeBlock) -> None:
        position = self._position
        language = block.info.strip().partition(" ")[0]
        # A name such as c++ ends with plus signs.
        has_attributes = "{" in language or "+" in language.rstrip("+")
        if has_attributes:
            self.warn(position, f"'{language}' is read as a language; put a space before its attributes")
        auto_render = self._options.auto_render_languages
        try:
            fence = read_fence(block.info)
            code = read_code(fence, block.lines, position.path.parent, position.line, auto_render, self._allowed)
        except RefusedError as error:
            raise position.error(error.reason, error.line) from None
        if code.terminal:
            notice = "presenterm gives this block a terminal; this viewer runs it as +exec"
            self.unsupported.append(DeckProblem(position.path, position.line, notice))
        missing = missing_highlight(fence, code)
        if missing is not None:
            self.warn(self._position, f"line {missing} is highlighted, but the lines shown are 1 to {len(code.lines)}")
        self._push(self._with_steps(code))

    def _with_steps(self, code: Code) -> Code:
        draft = self._draft
        # This code itself is not shown, so its highlights take no steps.
        is_hidden = code.render or code.execution in REPLACING
        if is_hidden:
            return replace(code, highlights=(None,), highlight_step=draft.step)
        highlight_step = draft.step + draft.extra_steps
        # The first group is lit as soon as the code appears.
        draft.extra_steps += len(code.highlights) - 1
        return replace(code, highlight_step=highlight_step)

    # Slides

    def _end_slide(self) -> None:
        self._close_layout()
        draft = self._draft
        steps = draft.step + draft.extra_steps + 1
        has_empty_end = draft.step > 0 and draft.segment_is_empty
        if has_empty_end:
            steps -= 1  # presenterm drops a last part that shows nothing
        if not draft.skipped:
            title, blocks, notes = draft.title, tuple(draft.blocks), tuple(draft.notes)
            position = draft.position or self._position
            path = self._path_of(position)
            self._slides.append(Slide(title, blocks, steps, position.line, notes, draft.footer, path=path))
        self._draft = self._new_draft()
