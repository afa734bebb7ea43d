"""Checks a theme against the table of its keys in `theme.yaml`.

presenterm refuses an unknown key at the top of a theme, but ignores one further down; there we warn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from . import yaml_values
from .colours import TABLES, check_colour_in_theme
from .errors import RefusedError
from .footer import read_template
from .pictures import picture_problem
from .spelling import did_you_mean
from .yaml_values import line_of

KeyTable = Mapping[str, "str | KeyTable"]
"""The kind of each key's value, or the keys below it."""
KEYS: KeyTable = TABLES["keys"]
FOOTER_KEYS: Mapping[str, Mapping[str, str]] = TABLES["footer"]
CODE_THEMES: list[str] = TABLES["code_themes"]


@dataclass
class ThemeCheck:
    """A theme being checked: what its values may name, and what was ignored in it."""

    folder: Path
    """The folder of the pictures that it names."""
    own_code_themes: frozenset[str]
    palette: frozenset[str]
    """The colours that `palette:NAME` may name."""
    ignored: list[tuple[str, int]] = field(default_factory=list)
    """What presenterm silently ignores, and its line."""

    def ignore(self, reason: str, node: yaml.Node) -> None:
        self.ignored.append((reason, line_of(node)))


def check_theme(check: ThemeCheck, node: yaml.Node) -> dict[str, yaml.Node]:
    """A theme's entries, each checked down to its last key. RefusedError if presenterm would refuse one."""
    entries = yaml_values.mapping(node, KEYS, "theme key")
    _check_italics(entries)
    for key, value in entries.items():
        _check(check, KEYS[key], value, f"theme key '{key}'")
    return entries


def _check_italics(entries: Mapping[str, yaml.Node]) -> None:
    if "italic" in entries and "italics" in entries:
        raise RefusedError("'italics' is given twice: 'italic' is the same", line_of(entries["italic"]))


def _check(check: ThemeCheck, kind: str | KeyTable, node: yaml.Node, name: str) -> None:
    if isinstance(kind, str):
        _check_value(check, kind, node)
        return
    if yaml_values.is_empty(node):
        return
    entries = yaml_values.mapping(node)
    for key, value in entries.items():
        if key in kind:
            _check(check, kind[key], value, f"{name}, '{key}'")
        else:
            check.ignore(f"presenterm ignores '{key}' in {name}" + did_you_mean(key, kind), value)
    _check_italics(entries)
    _warn_of_alignment(check, kind, entries)


def _check_value(check: ThemeCheck, kind: str, node: yaml.Node) -> None:
    if yaml_values.is_null(node) and not kind.endswith("!"):
        return
    kind = kind.removesuffix("!")
    if kind.startswith("quoted "):
        kind = kind.removeprefix("quoted ")
        if not yaml_values.reads_as_text(node):
            raise RefusedError(f"expected a {kind} in quotes, got {yaml_values.describe(node)}", line_of(node))
    if kind in _CHECKS:
        _CHECKS[kind](check, node)
    else:
        yaml_values.read(kind, node)


def _character(_: ThemeCheck, node: yaml.Node) -> None:
    if len(yaml_values.text(node)) != 1:
        raise RefusedError(f"expected one character, got {yaml_values.describe(node)}", line_of(node))


def _code_theme(check: ThemeCheck, node: yaml.Node) -> None:
    name = yaml_values.text(node)
    if name not in CODE_THEMES and name not in check.own_code_themes:
        raise RefusedError(f"unknown code theme '{name}'" + did_you_mean(name, CODE_THEMES), line_of(node))


def _colour(check: ThemeCheck, node: yaml.Node) -> None:
    check_colour_in_theme(yaml_values.text(node), check.palette, line_of(node))


def _margin(_: ThemeCheck, node: yaml.Node) -> None:
    entries = yaml_values.mapping(node, ("fixed", "percent"), "margin")
    if len(entries) != 1:
        raise RefusedError("expected one of 'fixed: COLUMNS' and 'percent: N'", line_of(node))
    [value] = entries.values()
    yaml_values.number(value, 0, 65535)


_ALIGNED = {
    "left": {"margin": "margin!"},
    "right": {"margin": "margin!"},
    "center": {"minimum_margin": "margin!", "minimum_size": "0..65535!"},
}
"""Each alignment with the keys that go with it."""


def _alignment(check: ThemeCheck, node: yaml.Node) -> None:
    _check_alignment(check, yaml_values.mapping(node), line_of(node))


def _check_alignment(check: ThemeCheck, entries: Mapping[str, yaml.Node], line: int) -> None:
    if "alignment" not in entries:
        raise RefusedError("expected 'alignment: left', 'right' or 'center'", line)
    word = yaml_values.one_of(entries["alignment"], list(_ALIGNED), "alignment")
    for key, kind in _ALIGNED[word].items():
        if key in entries:
            _check_value(check, kind, entries[key])


def _warn_of_alignment(check: ThemeCheck, kinds: KeyTable, entries: Mapping[str, yaml.Node]) -> None:
    """Where a key may have any value, presenterm drops the alignment if one is wrong."""
    given = {key: entries[key] for key, kind in kinds.items() if kind == "any" and key in entries}
    if not given:
        return
    first = next(iter(given.values()))
    try:
        _check_alignment(check, given, line_of(first))
    except RefusedError as error:
        check.ignore(f"presenterm ignores this alignment: {error.reason}", first)


def _footer(check: ThemeCheck, node: yaml.Node) -> None:
    entries = yaml_values.mapping(node)
    if "style" not in entries:
        raise RefusedError("needs 'style: …'; valid: " + ", ".join(FOOTER_KEYS), line_of(node))
    style = yaml_values.one_of(entries["style"], list(FOOTER_KEYS))
    kinds = FOOTER_KEYS[style]
    for key, value in entries.items():
        if key in kinds:
            _check_value(check, kinds[key], value)
        elif key != "style":
            hint = did_you_mean(key, ("style", *kinds))
            check.ignore(f"presenterm ignores '{key}' in a footer of style {style}" + hint, value)


def _footer_content(check: ThemeCheck, node: yaml.Node) -> None:
    if isinstance(node, yaml.ScalarNode):
        if not yaml_values.reads_as_text(node):
            raise RefusedError(f"expected text in quotes, got {yaml_values.describe(node)}", line_of(node))
        read_template(node.value, line_of(node))
        return
    entries = yaml_values.mapping(node, ("image",), "footer content")
    if not entries:
        raise RefusedError("expected text or 'image: PATH'", line_of(node))
    name = yaml_values.text(entries["image"])
    problem = picture_problem(check.folder / name)
    if problem:
        raise RefusedError(f"{problem}: {name}", line_of(entries["image"]))


def _footer_colours(check: ThemeCheck, node: yaml.Node) -> None:
    for key, value in yaml_values.mapping(node).items():
        if key in ("foreground", "background"):
            _check_value(check, "quoted colour", value)


def _palette(check: ThemeCheck, node: yaml.Node) -> None:
    if yaml_values.is_empty(node):
        return
    entries = yaml_values.mapping(node)
    for name, colour in yaml_values.section(entries, "colors").items():
        if yaml_values.text(colour).startswith(("palette:", "p:")):
            raise RefusedError(f"colour '{name}': a palette's colours cannot name each other", line_of(colour))
        _colour(check, colour)
    for colours in yaml_values.section(entries, "classes").values():
        _check(check, {"foreground": "colour", "background": "colour"}, colours, "a palette's class")


_CHECKS: Mapping[str, Callable[[ThemeCheck, yaml.Node], None]] = {
    "any": lambda *_: None,
    "alignment": _alignment,
    "character": _character,
    "code theme": _code_theme,
    "colour": _colour,
    "footer": _footer,
    "footer colours": _footer_colours,
    "footer content": _footer_content,
    "margin": _margin,
    "palette": _palette,
}
"""The kinds that are more than a text, a number, a switch or one of some words."""
