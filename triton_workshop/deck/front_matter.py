"""Front matter: the YAML between two `---` lines at the top of a deck."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import yaml

from . import yaml_values
from .errors import RefusedError
from .markdown import read_inline
from .model import FrontMatter, Span, Text, Theme, plain
from .theme import UnsupportedPart, read_theme
from .yaml_values import line_of

_FRONT_MATTER = re.compile(r"\ufeff?---\n(?P<yaml>.*?)\n---(?:\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Options:
    """Options for reading a deck."""

    implicit_slide_ends: bool = False
    command_prefix: str = ""
    image_attributes_prefix: str = "image:"
    incremental_lists: bool = False
    incremental_tables: bool = False
    list_item_newlines: int = 1
    end_slide_shorthand: bool = False
    strict_front_matter_parsing: bool = True
    auto_render_languages: tuple[str, ...] = ()
    h1_slide_titles: bool = False


_TEXTS = ("title", "sub_title", "event", "location", "date", "author")
KEYS = (*_TEXTS, "authors", "theme", "options")

_READERS: Mapping[str, Callable[[yaml.Node], Any]] = {
    "bool": yaml_values.boolean,
    "int": lambda node: yaml_values.number(node, 1, 255),
    "str": yaml_values.text,
    "tuple[str, ...]": lambda node: tuple(text.lower() for text in yaml_values.texts(node)),
}
OPTIONS = {field.name: _READERS[str(field.type)] for field in fields(Options)}
"""The reader of each option's value.

Null leaves an option as it is, except for lists.
"""


@dataclass(frozen=True)
class Opening:
    """A deck's front matter, parsed."""

    front_matter: FrontMatter = field(default_factory=FrontMatter)
    options: Options = Options()
    title: Text | None = None
    """The introduction slide's title, or None without such a slide."""
    unsupported: tuple[UnsupportedPart, ...] = ()


def split(text: str) -> tuple[str | None, str]:
    """Split a text into its front matter, None if there is none, and the rest.

    Both count their lines from the top of the text.
    """
    match = _FRONT_MATTER.match(text)
    # Line ends stand for the lines that are cut away, so both parts count lines as the file does.
    return ("\n" + match["yaml"], "\n" * match[0].count("\n") + text[match.end() :]) if match else (None, text)


def read_front_matter(source: str) -> Opening:
    """Read the front matter. RefusedError if presenterm would refuse it."""
    root = yaml_values.compose(source)
    if root is None or yaml_values.is_empty(root):
        return Opening()
    entries = yaml_values.mapping(root, KEYS, "front matter key")
    texts = {key: yaml_values.text(node) for key in _TEXTS if (node := yaml_values.optional(entries, key))}
    # Not `optional`: presenterm refuses a written null in place of a list.
    authors = yaml_values.texts(entries["authors"]) if "authors" in entries else ()
    if authors and "author" in texts:
        raise RefusedError("only one of 'author' and 'authors' can be given", line_of(entries["authors"]))
    theme, unsupported = read_theme(entries["theme"]) if "theme" in entries else (Theme(), ())
    styled = {key: _styled(entries[key], key) for key in ("title", "sub_title") if key in texts}
    # Theme and options alone make no introduction slide.
    introduces = bool(texts or authors)
    texts.update({key: plain(text) for key, text in styled.items()})
    authors = (texts.pop("author"),) if "author" in texts else authors
    return Opening(
        FrontMatter(**texts, authors=authors, theme=theme),
        options=_options(yaml_values.optional(entries, "options")),
        title=styled.get("title", ()) if introduces else None,
        unsupported=unsupported,
    )


def _styled(node: yaml.Node, key: str) -> Text:
    """Return the title's lines, each with its inline styles."""
    spans: list[Span] = []
    for line in yaml_values.text(node).splitlines():
        text = read_inline(line)
        if text is None:
            raise RefusedError(f"'{key}' must be plain text: no lists, headings, images or HTML", line_of(node))
        spans += [Span("\n"), *text]
    return tuple(spans[1:])


def _options(node: yaml.Node | None) -> Options:
    entries = yaml_values.mapping(node, OPTIONS, "option") if node else {}
    return Options(
        **{
            name: OPTIONS[name](value)
            for name, value in entries.items()
            if not yaml_values.is_null(value) or isinstance(getattr(Options, name), tuple)
        }
    )
