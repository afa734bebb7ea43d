"""The front matter: the YAML between two `---` lines at the very top of a deck."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from . import yaml_values
from .footer import read_footer
from .markdown import read_inline
from .model import Footer, FrontMatter, Span, Text, plain
from .theme import Palette, Theme, read_theme
from .yaml_values import YamlError, line_of

_FRONT_MATTER = re.compile(r"\ufeff?---\n(?P<yaml>.*?)\n---(?:\n|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Options:
    """How the deck wants to be read."""

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

# Each option, a field of Options, and how its value is read. Null leaves it as it is, except for lists.
OPTIONS: Mapping[str, Callable[[yaml.Node], Any]] = {
    "implicit_slide_ends": yaml_values.boolean,
    "command_prefix": yaml_values.text,
    "image_attributes_prefix": yaml_values.text,
    "incremental_lists": yaml_values.boolean,
    "incremental_tables": yaml_values.boolean,
    "list_item_newlines": lambda node: yaml_values.number(node, 1, 255),
    "end_slide_shorthand": yaml_values.boolean,
    "strict_front_matter_parsing": yaml_values.boolean,
    "auto_render_languages": lambda node: tuple(text.lower() for text in yaml_values.texts(node)),
    "h1_slide_titles": yaml_values.boolean,
}
_LISTS = ("auto_render_languages",)


@dataclass(frozen=True)
class Opening:
    """A deck's front matter, parsed."""

    front_matter: FrontMatter = field(default_factory=FrontMatter)
    options: Options = Options()
    palette: Palette = field(default_factory=lambda: Theme().palette)
    title: Text | None = None
    """The introduction slide's title, with its styles; None if there is no such slide."""
    footer_problem: YamlError | None = None
    """Why presenterm could not make the theme's footer. This is no error if no slide has a footer."""
    ignored: tuple[tuple[str, int], ...] = ()
    """What presenterm silently ignores, each with its line from 0."""
    lines: int = 0
    """How many lines it takes, including its `---` lines."""


def split(text: str) -> tuple[str | None, int]:
    """The YAML and the number of lines to skip; None and 0 if there is none."""
    match = _FRONT_MATTER.match(text)
    return (match["yaml"], match[0].count("\n")) if match else (None, 0)


def read_front_matter(text: str, folder: Path) -> Opening:
    """The front matter of a deck in `folder`. YamlError, with its line from 0, if presenterm would refuse it."""
    source, lines = split(text)
    if source is None:
        return Opening()
    try:
        opening = _read(source, folder)
    except YamlError as error:
        raise YamlError(error.reason, error.line + 1) from None
    problem = opening.footer_problem
    return replace(
        opening,
        lines=lines,
        ignored=tuple((reason, line + 1) for reason, line in opening.ignored),
        footer_problem=problem and YamlError(problem.reason, problem.line + 1),
    )


def _read(source: str, folder: Path) -> Opening:
    root = yaml_values.compose(source)
    if root is None or yaml_values.is_empty(root):
        return Opening()
    entries = yaml_values.mapping(root, KEYS, "front matter key")
    texts = {key: yaml_values.text(node) for key in _TEXTS if (node := yaml_values.given(entries, key))}
    authors = yaml_values.texts(entries["authors"]) if "authors" in entries else ()
    if authors and "author" in texts:
        raise YamlError("only one of 'author' and 'authors' can be given", line_of(entries["authors"]))
    said = dict(texts)
    authors = (texts.pop("author"),) if "author" in texts else authors
    theme = read_theme(entries["theme"], folder) if "theme" in entries else Theme()
    footer, problem = _footer(theme, said, folder)
    styled = {key: _styled(entries[key], key, theme.palette) for key in ("title", "sub_title") if key in texts}
    introduces = bool(texts or authors)
    texts.update({key: plain(text) for key, text in styled.items()})
    return Opening(
        FrontMatter(
            title=texts.get("title"),
            sub_title=texts.get("sub_title"),
            event=texts.get("event"),
            location=texts.get("location"),
            date=texts.get("date"),
            authors=authors,
            theme_name=theme.name,
            theme_path=theme.path,
            theme_override=theme.override,
            footer=footer,
            theme_styles=theme.styles,
        ),
        options=_options(yaml_values.given(entries, "options")),
        palette=theme.palette,
        title=styled.get("title", ()) if introduces else None,
        footer_problem=problem,
        ignored=theme.ignored,
    )


def _footer(theme: Theme, said: Mapping[str, str], folder: Path) -> tuple[Footer | None, YamlError | None]:
    if theme.footer is None:
        return None, None
    try:
        return read_footer(theme.footer, said, theme.palette, folder), None
    except YamlError as error:
        return None, error


def _styled(node: yaml.Node, key: str, palette: Palette) -> Text:
    """The title's lines, each with its inline styles."""
    spans: list[Span] = []
    for line in yaml_values.text(node).splitlines():
        text = read_inline(line, palette)
        if text is None:
            raise YamlError(f"'{key}' must be plain text: no lists, headings, images or HTML", line_of(node))
        spans += [Span("\n"), *text]
    return tuple(spans[1:])


def _options(node: yaml.Node | None) -> Options:
    if node is None:
        return Options()
    entries = yaml_values.mapping(node, OPTIONS, "option")
    chosen = {name: value for name, value in entries.items() if name in _LISTS or not yaml_values.is_null(value)}
    return replace(Options(), **{name: OPTIONS[name](value) for name, value in chosen.items()})
