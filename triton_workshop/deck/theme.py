"""A deck's theme: a name or a file, what the deck overrides, and the names of its colours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from . import yaml_values
from .colours import TABLES, PaletteNames
from .errors import DeckError, RefusedError
from .spelling import did_you_mean
from .theme_keys import ThemeCheck, check_theme
from .yaml_values import line_of

THEMES: Mapping[str, list[str]] = TABLES["themes"]
"""presenterm's own, each with the colours of its palette."""


@dataclass(frozen=True)
class Theme:
    """The front matter's `theme`."""

    name: str | None = None
    """The one of presenterm's own that it is or changes."""
    path: Path | None = None
    palette: PaletteNames = field(default_factory=lambda: _palette("dark"))
    footer: yaml.Node | None = None
    """The footer that the theme's file or the override asks for, checked."""
    ignored: tuple[tuple[str, int], ...] = ()
    """What presenterm silently ignores in the override, with its line."""
    styles: dict[str, object] = field(default_factory=dict)
    """presenterm's theme keys: those of a theme's file and of what it extends, with the override on top."""


def _palette(theme: str) -> PaletteNames:
    return PaletteNames(frozenset(THEMES[theme]))


def read_theme(node: yaml.Node, folder: Path) -> Theme:
    """The theme of a deck in `folder`.

    RefusedError if presenterm would refuse it; DeckError for one in a theme's file.
    """
    if yaml_values.is_empty(node):
        return Theme()
    entries = yaml_values.mapping(node)
    name, path, override = (yaml_values.given(entries, key) for key in ("name", "path", "override"))
    for value in (name, path):
        if value:
            yaml_values.text(value)
    if name and path:
        raise RefusedError("only one of 'name' and 'path' can be given for a theme", line_of(path))
    theme = _named(name, folder) if name else Theme()
    if path:
        relative = Path(yaml_values.text(path))
        theme = replace(_from_file(folder / relative, path, folder), path=relative)
    return _overridden(theme, override, folder) if override else theme


def _named(node: yaml.Node, folder: Path, extended: tuple[str, ...] = ()) -> Theme:
    """One of presenterm's own themes, or of the user's; those in `extended` cannot be extended again."""
    name = yaml_values.text(node)
    if name in THEMES:
        return Theme(name, palette=_palette(name))
    file = _users_themes() / f"{name}.yaml"
    if not file.is_file():
        raise RefusedError(f"unknown theme '{name}'" + did_you_mean(name, THEMES), line_of(node))
    if name in extended:
        raise RefusedError(f"theme '{name}' extends itself", line_of(node))
    return _from_file(file, node, folder, (*extended, name))


def _users_themes() -> Path:
    """Where presenterm looks for the user's own themes."""
    config = os.environ.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / "presenterm" / "themes"


def _from_file(file: Path, node: yaml.Node, folder: Path, extended: tuple[str, ...] = ()) -> Theme:
    """The theme in a file that the node names."""
    try:
        source = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        problem = "not found" if isinstance(error, FileNotFoundError | ValueError) else "cannot be read"
        raise RefusedError(f"theme {problem}: {yaml_values.text(node)}", line_of(node)) from None
    try:
        root = yaml_values.compose(source)
        if root is None or yaml_values.is_empty(root):
            return Theme(palette=PaletteNames())
        extends = yaml_values.given(yaml_values.mapping(root), "extends")
        base = _named(extends, folder, extended) if extends else Theme(palette=PaletteNames())
        return replace(_extended_by(base, root, folder), ignored=())
    except RefusedError as error:
        raise DeckError(file, error.line + 1, error.reason) from None


def _overridden(theme: Theme, node: yaml.Node, folder: Path) -> Theme:
    extends = yaml_values.given(yaml_values.mapping(node), "extends")
    overridden = _extended_by(theme, node, folder)
    if extends:
        raise RefusedError("a theme override cannot use 'extends'", line_of(extends))
    return overridden


def _extended_by(base: Theme, node: yaml.Node, folder: Path) -> Theme:
    """The base with what a theme's YAML adds to it."""
    added = yaml_values.section(yaml_values.mapping(node), "palette")
    colours, classes = (yaml_values.section(added, key).keys() for key in ("colors", "classes"))
    palette = PaletteNames(base.palette.colours | colours, base.palette.classes | classes)
    code_themes = frozenset(file.stem for file in (_users_themes() / "highlighting").glob("*.tmTheme"))
    check = ThemeCheck(folder, code_themes, palette.colours)
    entries = check_theme(check, node)
    footer = yaml_values.given(entries, "footer") or base.footer
    styles = yaml_values.plain_value(node)
    assert isinstance(styles, dict)  # the node is a mapping
    styles.pop("extends", None)
    return replace(
        base, palette=palette, footer=footer, ignored=tuple(check.ignored), styles=merged(base.styles, styles)
    )


def merged(styles: Mapping[str, object], override: Mapping[str, object]) -> dict[str, object]:
    """One set of keys on top of another, key by key."""
    both = dict(styles)
    for key, value in override.items():
        below = both.get(key)
        both[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return both
