"""The front matter: the YAML between two `---` lines at the very top of a deck."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml

from . import yaml_values
from .markdown import read_inline
from .model import FrontMatter, Span, Text, plain
from .spelling import did_you_mean
from .yaml_values import YamlError, line_of

_FRONT_MATTER = re.compile(r"\ufeff?---\n(?P<yaml>.*?)\n---(?:\n|\Z)", re.DOTALL)

# presenterm 0.16.1, its themes folder.
THEMES = (
    "catppuccin-frappe catppuccin-latte catppuccin-macchiato catppuccin-mocha dark gruvbox-dark light"
    " terminal-dark terminal-light tokyonight-day tokyonight-moon tokyonight-night tokyonight-storm"
).split()


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


def _texts(node: yaml.Node) -> tuple[str, ...]:
    return tuple(yaml_values.text(item) for item in yaml_values.sequence(node))


Read = Callable[[yaml.Node], object]

# key: how its value is read. The keys are the fields of FrontMatter and of Options.
_TEXTS: Mapping[str, Read] = dict.fromkeys(
    ("title", "sub_title", "event", "location", "date", "author"), yaml_values.text
)
_OPTIONS: Mapping[str, Read] = {
    "implicit_slide_ends": yaml_values.boolean,
    "command_prefix": yaml_values.text,
    "image_attributes_prefix": yaml_values.text,
    "incremental_lists": yaml_values.boolean,
    "incremental_tables": yaml_values.boolean,
    "list_item_newlines": lambda node: yaml_values.number(node, 1, 255),
    "end_slide_shorthand": yaml_values.boolean,
    "strict_front_matter_parsing": yaml_values.boolean,
    "auto_render_languages": lambda node: tuple(text.lower() for text in _texts(node)),
    "h1_slide_titles": yaml_values.boolean,
}
_KEYS = (*_TEXTS, "authors", "theme", "options")


@dataclass(frozen=True)
class Opening:
    """A deck's front matter, read. `title` is None where it makes no introduction slide."""

    front_matter: FrontMatter
    options: Options
    title: Text | None
    lines: int
    """How many lines it takes, its `---` lines included."""


def split(text: str) -> tuple[str | None, int]:
    """The YAML and the number of lines to pass over; None and 0 where there is none."""
    match = _FRONT_MATTER.match(text)
    return (match["yaml"], match[0].count("\n")) if match else (None, 0)


def read_front_matter(text: str) -> Opening:
    """Read a deck's front matter, or the lack of one. YamlError, its line counted from 0 in `text`, where it is wrong."""
    source, lines = split(text)
    if source is None:
        return Opening(FrontMatter(), Options(), None, 0)
    try:
        return replace(_read(source), lines=lines)
    except YamlError as error:
        raise YamlError(error.reason, error.line + 1) from None


def _read(source: str) -> Opening:
    root = yaml_values.compose(source)
    entries = yaml_values.mapping(root) if root else {}
    for name, node in entries.items():
        if name not in _KEYS:
            raise YamlError(f"unknown front matter key '{name}'" + did_you_mean(name, _KEYS), _key_line(root, name))
        del node
    texts = {name: str(read(entries[name])) for name, read in _TEXTS.items() if _given(entries, name)}
    authors = _texts(entries["authors"]) if "authors" in entries else ()
    if authors and "author" in texts:
        raise YamlError("only one of 'author' and 'authors' can be given", _key_line(root, "authors"))
    if "author" in texts:
        authors = (texts.pop("author"),)
    introduces = bool(texts or authors)
    styled = {key: _styled(entries[key], key) for key in ("title", "sub_title") if key in texts}
    texts.update({key: plain(text) for key, text in styled.items()})
    front_matter = replace(_theme(entries, source), authors=authors, **texts)  # type: ignore[arg-type]
    title = styled.get("title", ()) if introduces else None
    return Opening(front_matter, _options(entries), title, 0)


def _given(entries: Mapping[str, yaml.Node], key: str) -> bool:
    return key in entries and not yaml_values.is_null(entries[key])


def _key_line(root: yaml.Node | None, key: str) -> int:
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    return next((line_of(name) for name, _ in pairs if name.value == key), 0)


def _styled(node: yaml.Node, key: str) -> Text:
    """The title's lines, each with its inline styles."""
    spans: list[Span] = []
    for line in yaml_values.text(node).splitlines():
        text = read_inline(line)
        if text is None:
            raise YamlError(f"'{key}' must be plain text: no lists, headings, images or HTML", line_of(node))
        spans += [Span("\n"), *text]
    return tuple(spans[1:])


def _options(entries: Mapping[str, yaml.Node]) -> Options:
    if not _given(entries, "options"):
        return Options()
    values: dict[str, object] = {}
    for name, node in yaml_values.mapping(entries["options"]).items():
        if name not in _OPTIONS:
            raise YamlError(f"unknown option '{name}'" + did_you_mean(name, _OPTIONS), line_of(node))
        if not yaml_values.is_null(node):
            values[name] = _OPTIONS[name](node)
    return Options(**values)  # type: ignore[arg-type]


def _theme(entries: Mapping[str, yaml.Node], source: str) -> FrontMatter:
    if not _given(entries, "theme"):
        return FrontMatter()
    theme = yaml_values.mapping(entries["theme"])
    if _given(theme, "name") and _given(theme, "path"):
        raise YamlError("only one of 'name' and 'path' can be given for a theme", line_of(theme["path"]))
    return FrontMatter(
        theme_name=yaml_values.text(theme["name"]) if _given(theme, "name") else None,
        theme_path=Path(yaml_values.text(theme["path"])) if _given(theme, "path") else None,
        theme_override=_override(theme["override"], source) if _given(theme, "override") else {},
    )


def _override(node: yaml.Node, source: str) -> dict[str, object]:
    yaml_values.mapping(node)
    try:
        override = yaml.safe_load(source)["theme"]["override"]
    except (yaml.YAMLError, ValueError) as error:
        raise YamlError(f"theme override: {str(error).splitlines()[0]}", line_of(node)) from None
    return {str(key): value for key, value in override.items()}
