"""Slides as HTML: with every step, hidden line and output.

What is folded opens on demand, such as answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby
from pathlib import Path

from rich.text import Text

from triton_workshop.deck.model import (
    Alert,
    Alignment,
    Blank,
    Block,
    Code,
    Columns,
    Deck,
    Execution,
    Footnote,
    Heading,
    Image,
    JumpToMiddle,
    ListItem,
    Paragraph,
    Quote,
    Rule,
    Slide,
    Span,
    Table,
    code_blocks,
    plain,
)
from triton_workshop.deck.model import Text as Spans
from triton_workshop.exercises import EXERCISES
from triton_workshop.languages import languages
from triton_workshop.page.encoding import data_address
from triton_workshop.page.markup import CUSTOM_COLOUR, Markup, element, escaped
from triton_workshop.page.outputs import Output
from triton_workshop.page.predictions import prediction_form, prediction_key
from triton_workshop.screen.palette import DARK
from triton_workshop.screen.printed_pictures import PictureLine
from triton_workshop.screen.richtext import code_lines, rich_text
from triton_workshop.viewer.notes.paragraphs import spoken_paragraphs
from triton_workshop.viewer.notes.schedule import without_time
from triton_workshop.viewer.pictures.cell_drawings import drawing_for

MAX_DRAWING_COLUMNS = 116
"""Columns of the drawing in characters that stands for a diagram."""
REPLACING = (Execution.REPLACE, Execution.IMAGE)
EXERCISE_MENTION = re.compile(r"\bExercise (\w+) ·|\buv run workshop watch (\w+)")
"""Text by which a slide names the exercise to do now.

It is the exercise's title, or the command that checks it.
"""
ADDRESS_MENTION = re.compile(
    r"(?<![\w@/.-])(?:(?P<host>(?:[a-z0-9-]+\.)+(?:org|com)\b(?:/[\w./-]*\w)?)"
    r"|arXiv:(?P<paper>\d{4}\.\d{5})|(?P<file>[\w/-]+\.(?:md|py)\b))"
)
"""Text that names a target without a link: web address, paper or file."""


@dataclass
class Writer:
    """Writes the slides of a deck.

    `links` are the page's anchors, by the text that names them. `address` returns the page's address of a picture,
    given as its file has it, or None if it cannot be read. Code and outputs have places of their own in the page, by
    the block's number among all code of the deck: `code-N` and `output-N`.
    """

    deck: Deck
    outputs: Mapping[Block, Output]
    links: Mapping[str, str] = field(default_factory=dict)
    address: Callable[[bytes], str | None] = data_address
    self_study: bool = True
    """True for a page without a presenter: with notes, and outputs folded."""
    live: bool = False
    """True for a page with an editor, which slides of exercises link to."""
    markup: Markup = field(default_factory=Markup)
    weights: set[tuple[int, ...]] = field(default_factory=set)
    widths: set[int] = field(default_factory=set)
    indents: set[int] = field(default_factory=set)

    def slide(self, slide: Slide, number: int) -> str:
        """Return a slide as a section."""
        name = self.deck.title if slide.introduction else slide.name
        title = element("a", str(number), href=f"#slide-{number}", class_="number", aria_label=f"Slide {number}")
        label = name or f"Slide {number}"
        heading = self.text(slide.title) if slide.title is not None else escaped(label)
        sections = [element("h2", f"{title} {without_time(heading)}", id=f"title-{number}")]
        if slide.introduction:
            sections.append(self._cover())
        blocks = slide.blocks
        is_titled_by_heading = slide.title is None and not slide.introduction
        if is_titled_by_heading:
            first = next((block for block in blocks if isinstance(block.content, Heading)), None)
            blocks = tuple(block for block in blocks if block is not first)
        content = self.blocks(blocks, slide)
        sections += [content, *self._openers(f"{name} {content}")]
        paragraphs = spoken_paragraphs(slide.notes) if self.self_study else []
        if paragraphs:
            notes = self._paragraphs([(Span(paragraph),) for paragraph in paragraphs])
            sections.append(element("details", element("summary", "Notes") + notes, class_="notes"))
        return element(
            "section", "\n".join(sections), id=f"slide-{number}", class_="slide", aria_labelledby=f"title-{number}"
        )

    def _openers(self, text: str) -> Iterator[str]:
        """Yield links to the exercises of a slide."""
        if not self.live:
            return
        mentions = EXERCISE_MENTION.finditer(text)
        numbers = dict.fromkeys(mention[1] or mention[2] for mention in mentions)
        for number in numbers:
            if number in EXERCISES:
                link = element("a", f"Open exercise {number}", href=f"#exercise-{number}")
                yield element("p", link, class_="opener")

    def _cover(self) -> str:
        front = self.deck.front_matter
        lines = filter(None, (front.sub_title, front.event, front.location, front.date, *front.authors))
        return "".join(element("p", escaped(line), class_="cover") for line in lines)

    def blocks(self, blocks: Sequence[Block], slide: Slide, last_step: int = 0) -> str:
        """Return blocks as HTML; those after a step are folded.

        So are those that follow a prediction among them.
        """
        first_folded = next((index for index, block in enumerate(blocks) if block.step > last_step), len(blocks))
        written = self._write_blocks(blocks[:first_folded], slide)
        rest = blocks[first_folded:]
        # What follows a question is folded once more, or opening the question would show its answer.
        question = next((block.step for block in rest if _is_question(block)), None)
        inner = self._write_blocks(rest, slide) if question is None else self.blocks(rest, slide, question)
        if inner:
            written += folded("What comes next", inner, step=rest[0].step)
        return written

    def _write_blocks(self, blocks: Sequence[Block], slide: Slide) -> str:
        written: list[str] = []
        for is_list, group in groupby(blocks, lambda block: isinstance(block.content, ListItem)):
            if is_list:
                written.append(self._list([*group]))
            else:
                written += (self._block(block, slide) for block in group)
        return "\n".join(filter(None, written))

    def text(self, spans: Spans) -> str:
        """Return spans as HTML, with links for names that the page knows."""
        parts = chain.from_iterable(map(self._linked, spans))
        return "".join(map(self._span, parts))

    def _linked(self, span: Span) -> Iterator[Span]:
        """Yield the span, in pieces if it names addresses."""
        # A link has its target, and code is linked as a whole only, by `_span`.
        is_atomic = span.code or span.link
        if is_atomic:
            yield span
            return
        end = 0
        for match in ADDRESS_MENTION.finditer(span.text):
            target = self._target(match)
            if target:
                yield replace(span, text=span.text[end : match.start()])
                yield replace(span, text=match[0], link=target)
                end = match.end()
        yield replace(span, text=span.text[end:])

    def _target(self, mention: re.Match[str]) -> str | None:
        """Return the address that a text names; None if nobody knows it.

        It is one without a scheme, a number of arXiv, or a file that the page or the repository has.
        """
        if mention["file"]:
            return self.links.get(mention["file"])
        if mention["paper"]:
            return f"https://arxiv.org/abs/{mention['paper']}"
        return f"https://{mention['host']}"

    def _span(self, span: Span) -> str:
        if span.text == "\n":
            return "<br>"
        content = self.markup.render(rich_text((span,), DARK))
        if span.superscript:
            content = element("sup", escaped(span.text))
        if span.code:
            content = element("code", content)
        target = None if span.link else self.links.get(span.text)
        return element("a", content, href=target) if target else content

    def _list(self, items: Sequence[Block]) -> str:
        """Return a flat list of items as nested lists."""
        written, depths = "", list[str]()
        for block in items:
            item = block.content
            assert isinstance(item, ListItem)
            kind = "ol" if item.marker[:1].isdigit() else "ul"
            # Close lists that are deeper, and one of another kind at this depth.
            while len(depths) > item.depth + 1:
                written += f"</li></{depths.pop()}>"
            if len(depths) == item.depth + 1:
                written += "</li>" if depths[-1] == kind else f"</li></{depths.pop()}>"
            # Open lists down to this depth; an item between has no mark of its own.
            while len(depths) <= item.depth:
                start = item.marker.rstrip(".)")
                written += f'<ol start="{start}">' if start.isdigit() else f"<{kind}>"
                depths.append(kind)
                if len(depths) <= item.depth:
                    written += '<li class="none">'
            written += f"<li{_step(block)}>{self.text(item.text)}"
        while depths:
            written += f"</li></{depths.pop()}>"
        return written

    def _block(self, block: Block, slide: Slide) -> str:
        step = str(block.step) if block.step else None
        align = f"to-{block.alignment}" if block.alignment else None
        match block.content:
            case Heading(level, text):
                # Below the slide's title, which is an h2, whatever levels the deck has.
                return element("h3", self.text(text), class_=f"level-{level}", data_step=step)
            case Paragraph(text, prediction):
                written = element("p", self.text(text), class_=align, data_step=step)
                if prediction is not None:
                    # Without the slide's number, so that answers stay when slides move.
                    key = prediction_key(self.deck.path.stem, slide.name, plain(text))
                    written += prediction_form(prediction, key, self.text, step)
                return written
            case Table() as table:
                return self._table(table, step)
            case Quote(paragraphs):
                return element("blockquote", self._paragraphs(paragraphs), data_step=step)
            case Alert(kind, title, paragraphs):
                content = element("p", escaped(title), class_="kind") + self._paragraphs(paragraphs)
                return element("div", content, role="note", class_=f"alert {kind}", data_step=step)
            case Rule():
                return "<hr>"
            case Image() as image:
                return self._image(image, slide, step)
            case Footnote(label, text):
                return element("p", f"{escaped(label)} {self.text(text)}", class_="footnote", data_step=step)
            case Code() as code:
                return self._code(block, code, step)
            case Columns(weights, columns):
                self.weights.add(weights)
                write = self._write_blocks if block.step else self.blocks  # what is folded already is not folded again
                written = "".join(element("div", write(column, slide)) for column in columns)
                return element("div", written, class_=f"columns columns-{'-'.join(map(str, weights))}")
            case _:
                assert isinstance(block.content, Blank | JumpToMiddle | ListItem)
                return ""

    def _paragraphs(self, paragraphs: Sequence[Spans]) -> str:
        return "".join(element("p", self.text(paragraph)) for paragraph in paragraphs)

    def _table(self, table: Table, step: str | None) -> str:
        def row(name: str, cells: Sequence[Spans], at: int) -> str:
            scope = "col" if name == "th" else None
            aligned = zip(cells, table.alignments, strict=False)
            written = (
                element(name, self.text(cell), scope=scope, class_=None if to is Alignment.LEFT else f"to-{to}")
                for cell, to in aligned
            )
            return element("tr", "".join(written), data_step=str(at) if at else None)

        head = element("thead", row("th", table.header, 0))
        rows = zip(table.rows, table.row_steps, strict=True)
        body = element("tbody", "".join(row("td", cells, at) for cells, at in rows))
        inner = element("table", head + body, data_step=step)
        # What scrolls sideways has to take the focus, or no key can scroll it.
        return element("div", inner, class_="table", tabindex="0")

    # Pictures

    def _image(self, image: Image, slide: Slide, step: str | None) -> str:
        name = self.deck.title if slide.introduction else slide.name
        source = self._picture_address(image.path)
        drawing = drawing_for(image.path, MAX_DRAWING_COLUMNS)
        kind = "Diagram" if drawing else "Picture"
        alternative = image.alt or f"{kind}: {name}"
        if source is None:
            content = element("p", escaped(f"[{image.path.name} cannot be read]"), class_="missing")
        else:
            if image.width_percent:
                self.widths.add(image.width_percent)
            width = f"wide-{image.width_percent}" if image.width_percent else None
            content = picture(source, alternative, width)
        if drawing is not None:
            lines = element("pre", self.markup.lines(drawing.lines), tabindex="0", class_="dark")
            content += element("details", element("summary", "The same as text") + lines, class_="as-text")
        return element("figure", content, class_="picture", data_step=step)

    def _picture_address(self, file: Path) -> str | None:
        try:
            return self.address(file.read_bytes())
        except OSError:
            return None

    # Code and what it prints

    def _code(self, block: Block, code: Code, step: str | None) -> str:
        number = self._block_numbers[id(block)]
        written = element("div", self.code(block), id=f"code-{number}", data_step=step)
        return written if code.execution is Execution.NONE else written + self._output_of(block, step)

    def code(self, block: Block) -> str:
        """Return a block's code, or nothing if its output replaces it."""
        code, output = block.content, self.outputs.get(block)
        assert isinstance(code, Code)
        is_successful = output is not None and not output.failed
        if is_successful and code.execution in REPLACING:
            return ""
        label = escaped(code.language) + (" · runs live" if code.execution is not Execution.NONE else "")
        steps = len([lines for lines in code.highlights if lines is not None])
        if steps > 1:
            label += f" · read it in {steps} steps"
        caption = element("figcaption", element("span", label, class_="language"))
        written = element("pre", element("code", self._lines(code)))
        runs, why = self._runnable(code, recorded=output is not None)
        return element(
            "figure", caption + written, class_="code", data_highlights=_highlights(code), data_runs=runs, data_why=why
        )

    def _runnable(self, code: Code, *, recorded: bool) -> tuple[str | None, str | None]:
        """Return the language that a page can run, or why it cannot."""
        if code.execution is Execution.NONE:
            return None, None
        if (code.language, code.alternative) == ("python", None):
            return "python", None
        language = languages()[code.language]
        package = language.alternatives.get(code.alternative or "", language.executor).package
        note = " Below is what it printed on the presenter's machine." if recorded else ""
        return None, f"This block needs {package}, which a page does not have.{note}"

    def _lines(self, code: Code) -> str:
        orders = _orders(code)
        lines = code_lines(code.language, tuple(code.source.removesuffix("\n").replace("\t", "    ").split("\n")), DARK)
        written = []
        for index, line in enumerate(lines):
            name = self.line_class(line) + (" hidden" if index in code.hidden else "")
            number = code.visible_numbers[index] if index < len(code.source_lines) else None
            is_numbered = code.line_numbers and number is not None
            numbered = str(number) if is_numbered else None
            mark = element("i", "", class_="order", data_order=orders.get(number)) if orders else ""
            content = f"{mark}{self.markup.code(line)}\n"
            written.append(element("span", content, class_=name, data_number=numbered))
        return "".join(written)

    def line_class(self, line: Text) -> str:
        """Return the classes of a line of code: one tells its indent."""
        indent = len(line.plain) - len(line.plain.lstrip())
        self.indents.add(indent)
        return f"line indent-{indent}"

    @cached_property
    def _block_numbers(self) -> dict[int, int]:
        """Number of each block among all code of the deck, by its identity.

        A deck may include the same block twice.
        """
        return {id(block): number for number, block in enumerate(code_blocks(self.deck))}

    def _output_of(self, block: Block, step: str | None) -> str:
        output = self.outputs.get(block)
        content = self.output(output) if output is not None else ""
        code = block.content
        assert isinstance(code, Code)
        is_on_demand = self.self_study and code.execution is Execution.ON_KEY
        # With a step, it is inside a fold already.
        is_folded = is_on_demand and step is None
        if content and is_folded:
            content = folded("What it prints", content)
        return element("div", content, id=f"output-{self._block_numbers[id(block)]}", class_="printed", data_step=step)

    def output(self, output: Output) -> str:
        """Return the output of a block, and how it ended."""
        source = None if output.picture is None else self.address(output.picture)
        if source is not None:
            return element("figure", picture(source, "What the code draws"), class_="output")
        mark, class_ = _mark(output)
        status = element("figcaption", escaped(f"{mark} {output.ending}"), class_=class_)
        return element("figure", status + self._printed(output.lines), class_="output")

    def _printed(self, lines: Sequence[Text]) -> str:
        """Return the printed lines, with the pictures among them."""
        written = ""
        for is_picture, group in groupby(lines, lambda line: isinstance(line, PictureLine)):
            if is_picture:
                written += "".join(map(self._printed_picture, group))
            else:
                written += self._printed_text(group)
        return written

    def _printed_text(self, lines: Iterable[Text]) -> str:
        printed = self.markup.lines(lines)
        # Colours of a program's own are made for a dark ground.
        ground = "dark" if CUSTOM_COLOUR.search(printed) else None
        return element("pre", printed, class_=ground)

    def _printed_picture(self, line: Text) -> str:
        assert isinstance(line, PictureLine)
        alternative = f"Picture that the code shows, {line.picture.width} × {line.picture.height} pixels"
        source = self.address(line.picture.data)
        return picture(source, alternative) if source is not None else escaped(line.plain)


def _mark(output: Output) -> tuple[str, str]:
    """Return the sign and the class for how a block ended, if it has."""
    if output.failed:
        return "✗", "failed"
    return ("…", "running") if output.running else ("✓", "right")


def _highlights(code: Code) -> str | None:
    """Return the highlighted lines for each step that changes them.

    Lines are numbered as they are visible, or `all`.
    """
    if code.highlights == (None,):
        return None
    groups = enumerate(code.highlights, code.highlight_step)
    return ";".join(f"{step}:{_numbers_text(lines)}" for step, lines in groups)


def _numbers_text(lines: frozenset[int] | None) -> str:
    if lines is None:
        return "all"
    return ",".join(map(str, sorted(lines)))


def _orders(code: Code) -> dict[int | None, str]:
    """Return the steps that begin with a line, for each highlighted line.

    Lines are numbered as they are visible, and steps counted from 1.
    """
    groups = [lines for lines in code.highlights if lines is not None]
    if len(code.highlights) < 2:
        return {}
    first_lines = [_first_lines(lines) for lines in groups]
    return {
        line: ", ".join(str(order) for order, firsts in enumerate(first_lines, 1) if line in firsts)
        for line in sorted(frozenset().union(*groups))
    }


def _first_lines(lines: frozenset[int]) -> frozenset[int]:
    """Return the first line of each run of lines that follow each other."""
    return frozenset(line for line in lines if line - 1 not in lines)


def _is_question(block: Block) -> bool:
    return isinstance(block.content, Paragraph) and block.content.prediction is not None


def folded(name: str, content: str, step: int = 0) -> str:
    """Return content that opens on demand.

    A page that follows a presenter opens it at that step.
    """
    return element("details", element("summary", name) + content, class_="fold", data_step=str(step) if step else None)


def _step(block: Block) -> str:
    return f' data-step="{block.step}"' if block.step else ""


def picture(source: str, alternative: str, class_: str | None = None) -> str:
    """Return a picture as an element."""
    classes = f' class="{class_}"' if class_ else ""
    return f'<img src="{escaped(source)}" alt="{escaped(alternative)}"{classes} decoding="async">'
