"""Elements of a file, from top to bottom, each with its line.

Nothing is interpreted yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from .commands import Directive
from .errors import DeckError, Position, RefusedError
from .inline import NEW_LINE, ImageLink, InlineReader, join
from .model import Alert, Alignment, Footnote, Heading, ListItem, Paragraph, Quote, Rule, Span, Table, Text
from .syntax import PresentermMarkdown

BULLETS = "•◦▪"
"""By depth; the last one for all deeper levels."""


@dataclass(frozen=True)
class SlideTitle:
    """A setext heading."""

    text: Text


@dataclass(frozen=True)
class Comment:
    """An HTML comment, without its `<!--` and `-->`."""

    text: str


@dataclass(frozen=True)
class CodeBlock:
    """A fenced block: the text after the backticks, and the lines."""

    info: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Items:
    """A list, flattened, with the line of each item."""

    items: tuple[tuple[ListItem, int], ...]


Element = (
    SlideTitle | Comment | CodeBlock | Items | Table | ImageLink | Heading | Paragraph | Quote | Alert | Footnote | Rule
)


@dataclass(frozen=True)
class Located:
    """An element, or the command that a comment stands for, and where it is."""

    element: Element | Directive
    position: Position


_NAMES = {
    "fence": "a code block",
    "code_block": "indented code",
    "html_block": "a comment or HTML",
    "blockquote_open": "a quote",
    "heading_open": "a heading",
    "table_open": "a table",
    "hr": "a horizontal line",
    "footnote_open": "a footnote",
    "bullet_list_open": "a list",
    "ordered_list_open": "a list",
}


@dataclass
class _Node:
    """Token with the tokens between it and its closing one.

    markdown-it's own tree is recursive; this one is not.
    """

    token: Token
    children: list[_Node] = field(default_factory=list)

    @property
    def line(self) -> int:
        """The node's line, from 1."""
        return self.token.map[0] + 1 if self.token.map else 1

    def refused(self, reason: str) -> RefusedError:
        """Return an error for this node."""
        return RefusedError(reason, self.line - 1)


def read_markdown(text: str, path: Path) -> list[Located]:
    """Return the elements of a file. DeckError if presenterm would refuse it."""
    try:
        return _Reader(text, path).read()
    except RefusedError as error:
        raise DeckError(path, error.line + 1, error.reason) from None


def read_inline(text: str) -> Text | None:
    """Read one line of text with inline styles.

    Return None if it is a list, a heading or anything else.
    """
    tokens = PresentermMarkdown().parse(text)
    if not tokens:
        return ()
    types = [token.type for token in tokens]
    # One paragraph is one line of text; whatever else there is has no inline styles.
    if types != ["paragraph_open", "inline", "paragraph_close"]:
        return None
    try:
        pieces = InlineReader(tokens[1]).pieces
    except RefusedError:
        return None
    has_image = any(isinstance(piece, ImageLink) for piece in pieces)
    return None if has_image else _only_text(pieces)


class _Reader:
    def __init__(self, text: str, path: Path) -> None:
        self._path = path
        self._tokens = PresentermMarkdown().parse(text)
        self._lines = text.split("\n")
        self._elements: list[Located] = []

    def read(self) -> list[Located]:
        """Return the elements of the file, in order."""
        for node in _tree(self._tokens):
            self._block(node)
        return self._elements

    def _add(self, element: Element, line: int) -> None:
        self._elements.append(Located(element, Position(self._path, line)))

    def _block(self, node: _Node) -> None:
        token = node.token
        match token.type:
            case "paragraph_open":
                self._paragraph(node)
            case "heading_open":
                self._heading(node)
            case "bullet_list_open" | "ordered_list_open":
                # As in presenterm, a list that is indented begins deeper.
                self._add(Items(tuple(self._list(node, self._indentation(node) // 2))), node.line)
            case "blockquote_open":
                self._quote(node)
            case "table_open":
                self._table(node)
            case "footnote_open":
                self._footnote(node)
            case "fence":
                self._add(CodeBlock(unescapeAll(token.info), tuple(_code_lines(token.content))), node.line)
            case "html_block":
                self._html(node)
            case "hr":
                self._add(Rule(), node.line)
            case _:  # code_block: nothing else is left
                raise node.refused("indented code; put it between ``` lines, or remove the indentation")

    def _indentation(self, node: _Node) -> int:
        line = self._lines[node.line - 1]
        return min(len(line) - len(line.lstrip(" ")), 3)

    def _paragraph(self, node: _Node) -> None:
        for piece in InlineReader(node.children[0].token).pieces:
            if isinstance(piece, ImageLink):
                self._add(piece, piece.line)
            else:
                self._add(Paragraph(piece), node.line)

    def _heading(self, node: _Node) -> None:
        text = self._text(node.children[0], "a heading")
        if node.token.markup in ("=", "-"):
            self._add(SlideTitle(text), node.line)
        else:
            self._add(Heading(int(node.token.tag[1:]), text), node.line)

    def _text(self, node: _Node, container: str) -> Text:
        """Text that may not contain a picture."""
        pieces = InlineReader(node.token).pieces
        for piece in pieces:
            if isinstance(piece, ImageLink):
                raise RefusedError(f"an image is not allowed in {container}", piece.line - 1)
        return _only_text(pieces)

    def _list(self, node: _Node, depth: int) -> list[tuple[ListItem, int]]:
        items: list[tuple[ListItem, int]] = []
        for item in node.children:
            for child in item.children:
                match child.token.type:
                    case "paragraph_open":
                        items.append((ListItem(depth, _marker(item.token, depth), self._item_text(child)), child.line))
                    case "bullet_list_open" | "ordered_list_open":
                        items.extend(self._list(child, depth + 1))
                    case kind:
                        raise child.refused(f"{_NAMES.get(kind, kind)} is not allowed in a list item")
        return items

    def _item_text(self, node: _Node) -> Text:
        text = self._text(node.children[0], "a list item")
        if NEW_LINE in text:
            raise node.refused("a line break (two spaces or '\\' at a line's end) is not allowed in a list item")
        return text

    def _quote(self, node: _Node) -> None:
        paragraphs = tuple(self._prose(child, "a quote", quoted=True) for child in node.children)
        kind = str(node.token.meta.get("alert", ""))
        if kind:
            self._add(Alert(kind, str(node.token.meta["title"]) or kind.capitalize(), paragraphs), node.line)
        else:
            self._add(Quote(paragraphs), node.line)

    def _footnote(self, node: _Node) -> None:
        paragraphs = [self._prose(child, "a footnote") for child in node.children]
        text = join(list(chain.from_iterable(paragraphs)))
        self._add(Footnote(node.token.info, text), node.line)

    def _prose(self, node: _Node, container: str, *, quoted: bool = False) -> Text:
        """Return a paragraph or a list as text, where nothing else is allowed.

        A quote keeps its line breaks.
        """
        match node.token.type:
            case "paragraph_open":
                token = node.children[0].token
                reader = InlineReader(token, quoted=quoted, images_as_text=True)
                return _only_text(reader.pieces)
            case "bullet_list_open" | "ordered_list_open":
                spans: list[Span] = []
                for line in self._prose_list(node, container, quoted=quoted):
                    spans += [NEW_LINE, *line]
                return join(spans[1:])
            case kind:
                raise node.refused(f"{_NAMES.get(kind, kind)} is not allowed in {container}")

    def _prose_list(self, node: _Node, container: str, *, quoted: bool, markers: Text = ()) -> Iterator[Text]:
        """Yield the lines of a list.

        As in presenterm, an item without text leaves its marker to the text that follows.
        """
        for item in node.children:
            markers += (Span(f"{_marker(item.token, 0) if item.token.info else '*'} "),)
            for child in item.children:
                if child.token.type in ("bullet_list_open", "ordered_list_open"):
                    yield from self._prose_list(child, container, quoted=quoted, markers=markers)
                else:
                    yield (*markers, *self._prose(child, container, quoted=quoted))
                markers = ()
        if markers:
            yield markers

    def _table(self, node: _Node) -> None:
        rows = list(chain.from_iterable(section.children for section in node.children))
        cells = [self._cells(row) for row in rows]
        alignments = tuple(_alignment(cell.token) for cell in rows[0].children)
        self._add(Table(cells[0], tuple(cells[1:]), alignments), node.line)

    def _cells(self, row: _Node) -> tuple[Text, ...]:
        return tuple(self._text(cell.children[0], "a table") for cell in row.children)

    def _html(self, node: _Node) -> None:
        text = node.token.content.strip()
        if not text.startswith("<!--"):
            raise node.refused("HTML is not supported; only <span> and <sup> within text, and comments")
        is_closed = text.endswith("-->") and len(text) >= len("<!---->")
        if not is_closed:
            # markdown-it's block goes on to the end of the line on which the comment ends.
            if "-->" in text:
                reason = "a comment must be on lines of its own: move what follows '-->' to another line"
                raise RefusedError(reason, node.line - 1 + text.count("\n"))
            raise node.refused("a comment is not closed with '-->'")
        self._add(Comment(text[len("<!--") : -len("-->")]), node.line)


def _tree(tokens: list[Token]) -> list[_Node]:
    # A stack, as lists may be nested deeper than Python's recursion goes.
    root: list[_Node] = []
    open_nodes = [root]
    for token in tokens:
        if token.nesting == -1:
            open_nodes.pop()
            continue
        node = _Node(token)
        open_nodes[-1].append(node)
        if token.nesting == 1:
            open_nodes.append(node.children)
    return root


def _code_lines(content: str) -> list[str]:
    return content.removesuffix("\n").split("\n") if content else []


def _marker(item: Token, depth: int) -> str:
    return f"{int(item.info)}{item.markup}" if item.info else BULLETS[min(depth, len(BULLETS) - 1)]


def _alignment(cell: Token) -> Alignment:
    style = str(cell.attrs.get("style", ""))
    return Alignment(style.removeprefix("text-align:") or "left")


def _only_text(pieces: list[Text | ImageLink]) -> Text:
    return next((piece for piece in pieces if not isinstance(piece, ImageLink)), ())
