"""The contents of a paragraph, heading, cell or item: from markdown-it's inline tokens to spans and pictures."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from typing import NoReturn

from markdown_it.token import Token

from .model import Span, Text
from .spelling import did_you_mean
from .theme import Palette
from .theme_keys import COLOURS

NEW_LINE = Span("\n")
Fail = Callable[[int, str], NoReturn]
"""Raises a DeckError at this line of the file, for this reason."""


@dataclass(frozen=True)
class Picture:
    """An image as it is written: `![description](source)`."""

    source: str
    description: str
    line: int


class _HtmlError(Exception):
    """Why presenterm would refuse an HTML tag."""


class _OpeningTag(HTMLParser):
    """Reads the one tag that it is given."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.name: str | None = None
        self.attributes: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.name = tag
        self.attributes = {key: value or "" for key, value in attrs}


@dataclass
class _Scope:
    """The style within one Markdown element, and the HTML tags still open in it."""

    style: Span
    tags: list[tuple[str, Span]]

    @property
    def current(self) -> Span:
        return self.tags[-1][1] if self.tags else self.style


_OPENING = {
    "strong_open": {"bold": True},
    "em_open": {"italic": True},
    "s_open": {"strike": True},
    "sup_open": {"superscript": True},
}


class InlineReader:
    """Reads one inline token. `pieces` is the result: texts, and the pictures between them."""

    def __init__(
        self,
        token: Token,
        fail: Fail,
        palette: Palette,
        *,
        quoted: bool = False,
        pictures_as_text: bool = False,
    ) -> None:
        self.pieces: list[Text | Picture] = []
        self._source = token.content
        self._first_line = token.map[0] + 1 if token.map else 1
        self._position = 0
        self._fail = fail
        self._palette = palette
        self._breaks_lines = quoted
        self._pictures_as_text = pictures_as_text
        self._spans: list[Span] = []
        self._scopes = [_Scope(Span(""), [])]
        for child in token.children or []:
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
                self._spans.append(NEW_LINE if self._breaks_lines else replace(self._style, text=" "))
            case "hardbreak":
                self._next_line()
                self._spans.append(NEW_LINE)
            case "html_inline":
                self._skip_to(token.content)
                self._html(token.content)
            case "image":
                self._skip_to("![")
                self._picture(token)
            case "link_open":
                self._open({"link": str(token.attrs.get("href", ""))})
            case "link_close":
                self._close_link()
            case "footnote_reference":
                self._spans.append(Span(token.content, superscript=True))
            case kind if kind in _OPENING:
                self._open(_OPENING[kind])
            case _:
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
        if not self._spans or self._spans[-1].link != link.link:
            self._spans.append(replace(link, text=link.link or ""))

    # markdown-it gives lines only to blocks, so we track positions in the source ourselves.

    def _next_line(self) -> None:
        end = self._source.find("\n", self._position)
        self._position = end + 1 if end >= 0 else len(self._source)

    def _skip_to(self, text: str) -> None:
        found = self._source.find(text, self._position)
        self._position = found if found >= 0 else self._position

    @property
    def _line(self) -> int:
        return self._first_line + self._source.count("\n", 0, self._position)

    def _picture(self, token: Token) -> None:
        source = str(token.attrs.get("src", ""))
        if source.startswith(("http://", "https://")):
            self._fail(self._line, f"an image must be a file, not a URL: {source}")
        if self._pictures_as_text:
            self._add(f"![{token.content}]({source})")
        else:
            self._end_text()
            self.pieces.append(Picture(source, token.content, self._line))
        self._position += len("![")

    def _html(self, tag: str) -> None:
        try:
            if tag.startswith("</"):
                self._close_tag(tag)
            else:
                name, style = _open_tag(tag, self._style, self._palette)
                self._scopes[-1].tags.append((name, style))
        except _HtmlError as error:
            self._fail(self._line, str(error))
        self._position += len(tag)

    def _close_tag(self, tag: str) -> None:
        name = tag[2:].rstrip("> \t\n")
        if name not in ("span", "sup"):
            raise _HtmlError(f"only <span> and <sup> are allowed in text, not {tag}")
        tags = self._scopes[-1].tags
        if not tags:
            raise _HtmlError(f"{tag} closes nothing")
        opened, _ = tags.pop()
        if opened != name:
            raise _HtmlError(f"{tag} closes <{opened}>")

    def _end_text(self) -> None:
        if self._spans:
            self.pieces.append(join(self._spans))
            self._spans = []


def join(spans: list[Span]) -> Text:
    """Merges neighbours in the same style; line breaks stay separate spans."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else NEW_LINE
        if NEW_LINE not in (span, last) and replace(last, text=span.text) == span:
            joined[-1] = replace(span, text=last.text + span.text)
        else:
            joined.append(span)
    return tuple(joined)


def _open_tag(text: str, style: Span, palette: Palette) -> tuple[str, Span]:
    """The tag's name, and the style in it."""
    if text.startswith("<!--"):
        raise _HtmlError("a comment must be on lines of its own, with nothing beside it")
    tag = _OpeningTag(text)
    if tag.name not in ("span", "sup") or not text.startswith(f"<{tag.name}"):
        raise _HtmlError(f"only <span> and <sup> are allowed in text, not {text}")
    if tag.name == "sup":
        style = replace(style, superscript=True)
    for name, value in tag.attributes.items():
        if name == "class":
            _check_name(value, "class", palette.classes)
            style = replace(style, style_class=value)
        elif name == "style":
            style = _styled(style, value, palette)
        else:
            raise _HtmlError(f"unknown attribute '{name}' in <{tag.name}>; valid: style, class")
    return tag.name, style


def _styled(style: Span, css: str, palette: Palette) -> Span:
    for declaration in filter(None, (part.strip() for part in css.split(";"))):
        name, colon, value = (part.strip() for part in declaration.partition(":"))
        if not colon:
            raise _HtmlError(f"style: expected 'color: …' or 'background-color: …', got '{declaration}'")
        if name not in ("color", "background-color"):
            raise _HtmlError(f"unknown style '{name}'; valid: color, background-color")
        _check_colour(value, palette)
        style = replace(style, foreground=value) if name == "color" else replace(style, background=value)
    return style


def _check_colour(value: str, palette: Palette) -> None:
    from_palette = re.fullmatch(r"(?:palette|p):(.+)", value)
    if from_palette:
        _check_name(from_palette[1], "colour", palette.colours)
    elif value not in COLOURS and not re.fullmatch(r"#[0-9a-fA-F]{3}|#[0-9a-fA-F]{6}", value):
        raise _HtmlError(
            f"unknown colour '{value}'" + did_you_mean(value, [*sorted(COLOURS), "#rrggbb", "palette:NAME"])
        )


def _check_name(name: str, kind: str, known: frozenset[str] | None) -> None:
    if known is not None and name not in known:
        valid = did_you_mean(name, sorted(known)) if known else "; it has none"
        raise _HtmlError(f"the theme's palette has no {kind} '{name}'" + valid)
