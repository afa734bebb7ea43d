"""Contents of a paragraph, heading, cell or item.

markdown-it's inline tokens become spans and pictures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html.parser import HTMLParser

from markdown_it.token import Token

from .colours import check_colour_in_text
from .errors import RefusedError
from .model import Span, Text

NEW_LINE = Span("\n")


@dataclass(frozen=True)
class ImageLink:
    """An image as it is written: `![description](source)`."""

    source: str
    description: str
    line: int


class _OpeningTag(HTMLParser):
    """Reads the one tag that it is given."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.name: str | None = None
        self.attributes: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the tag's name and its attributes."""
        self.name = tag
        self.attributes = {key: value or "" for key, value in attrs}


@dataclass
class _Scope:
    """Style within a Markdown element, and the HTML tags open in it."""

    style: Span
    tags: list[tuple[str, Span]]

    @property
    def current(self) -> Span:
        """The style that applies to the next text."""
        return self.tags[-1][1] if self.tags else self.style


_OPENING = {
    "strong_open": {"bold": True},
    "em_open": {"italic": True},
    "s_open": {"strike": True},
    "sup_open": {"superscript": True},
}


class InlineReader:
    """Reader of one inline token.

    `pieces` is the result: texts, and the images between them. Raises RefusedError, with the line of the file, if
    presenterm would refuse it.
    """

    def __init__(self, token: Token, *, quoted: bool = False, images_as_text: bool = False) -> None:
        self.pieces: list[Text | ImageLink] = []
        self._source = token.content
        self._first_line = token.map[0] if token.map else 0
        self._position = 0
        self._breaks_lines = quoted
        self._images_as_text = images_as_text
        self._spans: list[Span] = []
        self._scopes = [_Scope(Span(""), [])]
        # The number of spans before the link that is open: a link stands in no other.
        self._link_start = 0
        children = token.children or []
        for child in children:
            self._read(child)
        self._end_text()

    def _read(self, token: Token) -> None:
        match token.type:
            case "text" | "text_special":
                self._add(token.content)
            case "code_inline":
                self._spans.append(Span(token.content, code=True, link=self._style.link))
            case "softbreak":
                self._next_line()
                # A line end is a blank, but a quote shows its lines as written.
                self._spans.append(NEW_LINE if self._breaks_lines else replace(self._style, text=" "))
            case "hardbreak":
                self._next_line()
                self._spans.append(NEW_LINE)
            case "html_inline":
                self._skip_to(token.content)
                self._html(token.content)
            case "image":
                self._skip_to("![")
                self._image(token)
            case "link_open":
                self._link_start = len(self._spans)
                self._open({"link": str(token.attrs.get("href", ""))})
            case "link_close":
                self._close_link()
            case "footnote_reference":
                self._spans.append(Span(token.content, superscript=True))
            case kind if kind in _OPENING:
                self._open(_OPENING[kind])
            case _:
                # All that is left closes what one of `_OPENING` opened.
                self._scopes.pop()

    @property
    def _style(self) -> Span:
        return self._scopes[-1].current

    def _add(self, text: str) -> None:
        if text:
            self._spans.append(replace(self._style, text=text))

    def _open(self, change: dict[str, bool] | dict[str, str]) -> None:
        self._scopes.append(_Scope(replace(self._style, **change), []))

    def _close_link(self) -> None:
        link = self._scopes.pop().style
        # A link without a text shows its address.
        if len(self._spans) == self._link_start:
            self._spans.append(replace(link, text=link.link or ""))

    # markdown-it gives lines only to blocks, so we track positions in the source ourselves.

    def _next_line(self) -> None:
        end = self._source.find("\n", self._position)
        self._position = end + 1 if end >= 0 else len(self._source)

    def _skip_to(self, text: str) -> None:
        index = self._source.find(text, self._position)
        self._position = index if index >= 0 else self._position

    def _refused(self, reason: str) -> RefusedError:
        return RefusedError(reason, self._line)

    @property
    def _line(self) -> int:
        return self._first_line + self._source.count("\n", 0, self._position)

    def _image(self, token: Token) -> None:
        source = str(token.attrs.get("src", ""))
        if source.startswith(("http://", "https://")):
            raise self._refused(f"an image must be a file, not a URL: {source}")
        if self._images_as_text:
            self._add(f"![{token.content}]({source})")
        else:
            self._end_text()
            self.pieces.append(ImageLink(source, token.content, self._line + 1))
        # Past its beginning, or the next picture would be found at this place again.
        self._position += len("![")

    def _html(self, tag: str) -> None:
        if tag.startswith("</"):
            self._close_tag(tag)
        else:
            self._open_tag(tag)
        self._position += len(tag)

    def _open_tag(self, text: str) -> None:
        if text.startswith("<!--"):
            raise self._refused("a comment must be on lines of its own, with nothing beside it")
        tag = _OpeningTag(text)
        # The parser lowers a name, and presenterm knows the names in lower case only.
        if tag.name not in ("span", "sup") or not text.startswith(f"<{tag.name}"):
            raise self._refused(f"only <span> and <sup> are allowed in text, not {text}")
        style = replace(self._style, superscript=True) if tag.name == "sup" else self._style
        for name, value in tag.attributes.items():
            if name == "class":
                style = replace(style, style_class=value)
            elif name == "style":
                style = self._styled(style, value)
            else:
                raise self._refused(f"unknown attribute '{name}' in <{tag.name}>; valid: style, class")
        self._scopes[-1].tags.append((tag.name, style))

    def _styled(self, style: Span, css: str) -> Span:
        declarations = [piece.strip() for piece in css.split(";")]
        for declaration in filter(None, declarations):
            name, colon, value = (piece.strip() for piece in declaration.partition(":"))
            if not colon:
                raise self._refused(f"style: expected 'color: …' or 'background-color: …', got '{declaration}'")
            if name not in ("color", "background-color"):
                raise self._refused(f"unknown style '{name}'; valid: color, background-color")
            check_colour_in_text(value, self._line)
            style = replace(style, foreground=value) if name == "color" else replace(style, background=value)
        return style

    def _close_tag(self, tag: str) -> None:
        name = tag[2:].rstrip("> \t\n")
        if name not in ("span", "sup"):
            raise self._refused(f"only <span> and <sup> are allowed in text, not {tag}")
        # A tag cannot close outside the emphasis or link in which it was opened.
        tags = self._scopes[-1].tags
        if not tags:
            raise self._refused(f"{tag} closes nothing")
        opened, _ = tags.pop()
        if opened != name:
            raise self._refused(f"{tag} closes <{opened}>")

    def _end_text(self) -> None:
        if self._spans:
            self.pieces.append(join(self._spans))
            self._spans = []
        self._link_start = 0


def join(spans: list[Span]) -> Text:
    """Merge neighbours in the same style; line breaks stay separate spans."""
    # markdown-it splits a text at every entity and escape.
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else NEW_LINE
        is_same_style = NEW_LINE not in (span, last) and replace(last, text=span.text) == span
        if is_same_style:
            joined[-1] = replace(span, text=last.text + span.text)
        else:
            joined.append(span)
    return tuple(joined)
