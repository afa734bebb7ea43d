"""Slides as HTML: from `deck.model`, with every step, every hidden line and every output; answers are folded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
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
)
from triton_workshop.deck.model import Text as Spans
from triton_workshop.exercises import EXERCISES
from triton_workshop.languages import languages
from triton_workshop.page.encoding import data_address
from triton_workshop.page.markup import OWN_COLOUR, Markup, element, escaped
from triton_workshop.page.outputs import Output
from triton_workshop.screen.palette import DARK
from triton_workshop.screen.printed_pictures import PictureLine
from triton_workshop.screen.richtext import code_lines, rich_text
from triton_workshop.viewer.notes.paragraphs import said
from triton_workshop.viewer.notes.schedule import without_time
from triton_workshop.viewer.pictures.cell_drawings import drawing_for

WIDEST_DRAWING = 116
"""Columns of the drawing in characters that stands for a diagram."""
REPLACING = (Execution.REPLACE, Execution.IMAGE)
EXERCISE = re.compile(r"\bExercise (\w+) ·|\buv run workshop watch (\w+)")
"""What a slide says whose exercise one is to do now: its title, or what checks the exercise in a terminal."""
ADDRESS = re.compile(
    r"(?<![\w@/.-])(?:(?P<host>(?:[a-z0-9-]+\.)+(?:org|com)\b(?:/[\w./-]*\w)?)"
    r"|arXiv:(?P<paper>\d{4}\.\d{5})|(?P<file>[\w/-]+\.(?:md|py)\b))"
)
"""What a text names without linking to it: a web address, a paper, a file."""


@dataclass
class Writer:
    """Writes the slides of a deck.

    `links` are the page's own places, by the text that names them; `address` says where the page finds a picture, given
    as its file has it, or None for one that cannot be read. Code and outputs have places of their own in the page, by
    the block's number among all code of the deck: `code-N` and `output-N`.
    """

    deck: Deck
    outputs: Mapping[Block, Output]
    links: Mapping[str, str] = field(default_factory=dict)
    address: Callable[[bytes], str | None] = data_address
    alone: bool = True
    """Whether people read it without a presenter: then the notes are in it, and what blocks print is folded."""
    live: bool = False
    """Whether the page has an editor for the exercises: then their slides have a link that opens it."""
    markup: Markup = field(default_factory=Markup)
    weights: set[tuple[int, ...]] = field(default_factory=set)
    widths: set[int] = field(default_factory=set)

    def slide(self, slide: Slide, number: int) -> str:
        name = self.deck.title if slide.introduction else slide.name
        title = element("a", str(number), href=f"#slide-{number}", class_="number", aria_label=f"Slide {number}")
        heading = self.text(slide.title) if slide.title is not None else escaped(name or f"Slide {number}")
        parts = [element("h2", f"{title} {without_time(heading)}", id=f"title-{number}")]
        if slide.introduction:
            parts.append(self._cover())
        blocks = slide.blocks
        if slide.title is None and not slide.introduction:  # its first heading is the title already
            first = next((block for block in blocks if isinstance(block.content, Heading)), None)
            blocks = tuple(block for block in blocks if block is not first)
        written = self.blocks(blocks, slide)
        parts += [written, *self._openers(f"{name} {written}")]
        if self.alone and (told := said(slide.notes)):
            notes = self._paragraphs([(Span(paragraph),) for paragraph in told])
            parts.append(element("details", element("summary", "Notes") + notes, class_="notes"))
        return element(
            "section", "\n".join(parts), id=f"slide-{number}", class_="slide", aria_labelledby=f"title-{number}"
        )

    def _openers(self, text: str) -> Iterator[str]:
        """Links that open the exercises which a slide says one is to do now."""
        for number in dict.fromkeys(found[1] or found[2] for found in EXERCISE.finditer(text)):
            if self.live and number in EXERCISES:
                link = element("a", f"Open exercise {number}", href=f"#exercise-{number}")
                yield element("p", link, class_="opener")

    def _cover(self) -> str:
        front = self.deck.front_matter
        lines = filter(None, (front.sub_title, front.event, front.location, front.date, *front.authors))
        return "".join(element("p", escaped(line), class_="cover") for line in lines)

    def blocks(self, blocks: Sequence[Block], slide: Slide) -> str:
        """Blocks as HTML; those after the first pause are folded."""
        at = next((index for index, block in enumerate(blocks) if block.step), len(blocks))
        written = self._all(blocks[:at], slide)
        if rest := self._all(blocks[at:], slide):
            written += folded("What comes next", rest, step=blocks[at].step)
        return written

    def _all(self, blocks: Sequence[Block], slide: Slide) -> str:
        written: list[str] = []
        items: list[Block] = []
        for block in (*blocks, None):
            if block is not None and isinstance(block.content, ListItem):
                items.append(block)
                continue
            if items:
                written.append(self._list(items))
                items = []
            if block is not None:
                written.append(self._block(block, slide))
        return "\n".join(filter(None, written))

    def text(self, spans: Spans) -> str:
        """Spans as HTML. A name of something that this page holds links to it, and so does an address."""
        return "".join(self._span(part) for span in spans for part in self._linked(span))

    def _linked(self, span: Span) -> Iterator[Span]:
        """The span, in parts if it names addresses."""
        at = 0
        for found in ADDRESS.finditer("" if span.code or span.link else span.text):
            host, paper, file = found["host"], found["paper"], found["file"]
            target = self.links.get(file) if file else f"https://arxiv.org/abs/{paper}" if paper else f"https://{host}"
            if target:
                yield replace(span, text=span.text[at : found.start()])
                yield replace(span, text=found[0], link=target)
                at = found.end()
        yield replace(span, text=span.text[at:])

    def _span(self, span: Span) -> str:
        if span.text == "\n":
            return "<br>"
        content = self.markup.of(rich_text((span,), DARK))
        if span.superscript:
            content = element("sup", escaped(span.text))
        if span.code:
            content = element("code", content)
        target = None if span.link else self.links.get(span.text)
        return element("a", content, href=target) if target else content

    def _list(self, items: Sequence[Block]) -> str:
        """A flat list of items as nested lists."""
        written, depths = "", list[str]()
        for block in items:
            item = block.content
            assert isinstance(item, ListItem)
            kind = "ol" if item.marker[:1].isdigit() else "ul"
            while len(depths) > item.depth + 1 or (len(depths) == item.depth + 1 and depths[-1] != kind):
                written += f"</li></{depths.pop()}>"
            if len(depths) == item.depth + 1:
                written += "</li>"
            while len(depths) <= item.depth:
                start = item.marker.rstrip(".)")
                written += f'<ol start="{start}">' if kind == "ol" and start.isdigit() else f"<{kind}>"
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
                return element("h3", self.text(text), class_=f"level-{level}", data_step=step)
            case Paragraph(text):
                return element("p", self.text(text), class_=align, data_step=step)
            case Table() as table:
                return self._table(table, step)
            case Quote(paragraphs):
                return element("blockquote", self._paragraphs(paragraphs), data_step=step)
            case Alert(kind, title, paragraphs):
                told = element("p", escaped(title), class_="kind") + self._paragraphs(paragraphs)
                return element("div", told, role="note", class_=f"alert {kind}", data_step=step)
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
                write = self._all if block.step else self.blocks  # what is folded already is not folded again
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
        return element("div", inner, class_="table", tabindex="0")

    # Pictures

    def _image(self, image: Image, slide: Slide, step: str | None) -> str:
        name = self.deck.title if slide.introduction else slide.name
        source = self._address_of(image.path)
        drawing = drawing_for(image.path, WIDEST_DRAWING)
        alternative = image.alt or (f"Diagram: {name}" if drawing else f"Picture: {name}")
        if source is None:
            shown = element("p", escaped(f"[{image.path.name} cannot be read]"), class_="missing")
        else:
            if image.width_percent:
                self.widths.add(image.width_percent)
            width = f"wide-{image.width_percent}" if image.width_percent else None
            shown = picture(source, alternative, width)
        if drawing is not None:
            lines = element("pre", self.markup.lines(drawing.lines), tabindex="0", class_="dark")
            shown += element("details", element("summary", "The same as text") + lines, class_="as-text")
        return element("figure", shown, class_="picture", data_step=step)

    def _address_of(self, file: Path) -> str | None:
        try:
            return self.address(file.read_bytes())
        except OSError:
            return None

    # Code and what it prints

    def _code(self, block: Block, code: Code, step: str | None) -> str:
        number = self._numbers[id(block)]
        written = element("div", self.code(block), id=f"code-{number}", data_step=step)
        return written if code.execution is Execution.NONE else written + self._output_of(block, step)

    def code(self, block: Block) -> str:
        """A block's code; nothing if its output is shown in its place."""
        code, output = block.content, self.outputs.get(block)
        assert isinstance(code, Code)
        if code.execution in REPLACING and output is not None and not output.failed:
            return ""
        label = escaped(code.language) + (" · runs live" if code.execution is not Execution.NONE else "")
        steps = len([lines for lines in code.highlights if lines is not None])
        if steps > 1:
            label += f" · read it in {steps} steps"
        caption = element("figcaption", element("span", label, class_="language"))
        written = element("pre", element("code", self._lines(code)))
        runs, why = self._in_a_page(code, recorded=output is not None)
        return element(
            "figure", caption + written, class_="code", data_highlights=_highlights(code), data_runs=runs, data_why=why
        )

    def _in_a_page(self, code: Code, *, recorded: bool) -> tuple[str | None, str | None]:
        """Whether a page with Python in it can run this code, and if not, why."""
        if code.execution is Execution.NONE:
            return None, None
        if code.language == "python" and code.alternative is None:
            return "python", None
        language = languages()[code.language]
        package = language.alternatives.get(code.alternative or "", language.executor).package
        told = " Below is what it printed on the presenter's machine." if recorded else ""
        return None, f"This block needs {package}, which a page does not have.{told}"

    def _lines(self, code: Code) -> str:
        orders = _orders(code)
        lines = code_lines(code.language, tuple(code.source.removesuffix("\n").replace("\t", "    ").split("\n")), DARK)
        written = []
        for index, line in enumerate(lines):
            hidden = " hidden" if index in code.hidden else ""
            number = code.shown_numbers[index] if index < len(code.source_lines) else None
            numbered = str(number) if code.line_numbers and number is not None else None
            mark = element("i", "", class_="order", data_order=orders.get(number)) if orders else ""
            content = f"{mark}{self.markup.code(line)}\n"
            written.append(element("span", content, class_=f"line{hidden}", data_number=numbered))
        return "".join(written)

    @cached_property
    def _numbers(self) -> dict[int, int]:
        """Each block's number among all code of the deck, by its identity: a deck may include the same block twice."""
        return {id(block): number for number, block in enumerate(code_blocks(self.deck))}

    def _output_of(self, block: Block, step: str | None) -> str:
        output = self.outputs.get(block)
        shown = self.output(output) if output is not None else ""
        code = block.content
        assert isinstance(code, Code)
        if shown and self.alone and step is None and code.execution is Execution.ON_KEY:
            shown = folded("What it prints", shown)
        return element("div", shown, id=f"output-{self._numbers[id(block)]}", class_="printed", data_step=step)

    def output(self, output: Output) -> str:
        """What a block printed, and how it ended."""
        if output.picture is not None and (source := self.address(output.picture)) is not None:
            return element("figure", picture(source, "What the code draws"), class_="output")
        mark, class_ = ("✗", "failed") if output.failed else ("…", "running") if output.running else ("✓", "right")
        status = element("figcaption", escaped(f"{mark} {output.ending}"), class_=class_)
        return element("figure", status + self._printed(output.lines), class_="output")

    def _printed(self, lines: Sequence[Text]) -> str:
        """The lines that were printed, and pictures where they were shown among them."""
        written, text = "", list[Text]()
        for line in (*lines, None):
            if line is not None and not isinstance(line, PictureLine):
                text.append(line)
                continue
            if text:
                printed = self.markup.lines(text)
                # Colours of a program's own are made for a dark ground.
                ground = "dark" if OWN_COLOUR.search(printed) else None
                written += element("pre", printed, class_=ground)
                text = []
            if isinstance(line, PictureLine):
                alternative = f"Picture that the code shows, {line.picture.width} × {line.picture.height} pixels"
                source = self.address(line.picture.data)
                written += picture(source, alternative) if source is not None else escaped(line.plain)
        return written


def _highlights(code: Code) -> str | None:
    """For each step from which other lines are highlighted, the step and the visible lines' numbers, or `all`."""
    if code.highlights == (None,):
        return None
    groups = enumerate(code.highlights, code.highlight_step)
    return ";".join(f"{step}:{'all' if lines is None else ','.join(map(str, sorted(lines)))}" for step, lines in groups)


def _orders(code: Code) -> dict[int | None, str]:
    """For each visible line that is highlighted in steps, the steps that begin with it, counted from 1."""
    groups = [lines for lines in code.highlights if lines is not None]
    if len(code.highlights) < 2:
        return {}
    return {
        line: ", ".join(str(order) for order, lines in enumerate(groups, 1) if line in lines and line - 1 not in lines)
        for line in sorted(frozenset().union(*groups))
    }


def folded(name: str, content: str, step: int = 0) -> str:
    """What is shown on demand; a page that follows a presenter opens it at that step."""
    return element("details", element("summary", name) + content, class_="fold", data_step=str(step) if step else None)


def _step(block: Block) -> str:
    return f' data-step="{block.step}"' if block.step else ""


def picture(source: str, alternative: str, class_: str | None = None) -> str:
    classes = f' class="{class_}"' if class_ else ""
    return f'<img src="{escaped(source)}" alt="{escaped(alternative)}"{classes} decoding="async">'
