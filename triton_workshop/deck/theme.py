"""A deck's theme: a name or a file, what the deck overrides, and the names of its colours."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from . import yaml_values
from .errors import DeckError
from .spelling import did_you_mean
from .theme_keys import Reading, check_theme
from .yaml_values import YamlError, line_of

_DARK = "blue light_blue blue_gray aqua light_green red orange purple white black gray light_gray"
_CATPPUCCIN = (
    "rosewater flamingo pink mauve red maroon peach yellow green teal sky sapphire blue lavender text subtext1"
    " subtext0 overlay2 overlay1 overlay0 surface2 surface1 surface0 base mantle crust"
)

# presenterm 0.16.1, its themes folder: each theme, with the colours of its palette.
THEMES: Mapping[str, str] = {
    "catppuccin-frappe": _CATPPUCCIN,
    "catppuccin-latte": _CATPPUCCIN,
    "catppuccin-macchiato": _CATPPUCCIN,
    "catppuccin-mocha": _CATPPUCCIN,
    "dark": _DARK,
    "gruvbox-dark": "",
    "light": "",
    "terminal-dark": "",
    "terminal-light": "",
    "tokyonight-day": "",
    "tokyonight-moon": "",
    "tokyonight-night": "",
    "tokyonight-storm": "",
}
DEFAULT_THEME = "dark"


@dataclass(frozen=True)
class Palette:
    """The names that text may use for colours. None if they depend on a theme that is not read, so any may be right."""

    colours: frozenset[str] | None = None
    classes: frozenset[str] | None = None


@dataclass(frozen=True)
class Theme:
    """The front matter's `theme`."""

    name: str | None = None
    path: Path | None = None
    override: dict[str, object] = field(default_factory=dict)
    palette: Palette = field(default_factory=lambda: _palette(DEFAULT_THEME))
    footer: yaml.Node | None = None
    """The footer that the theme's file or the override asks for, checked."""
    ignored: tuple[tuple[str, int], ...] = ()
    """What presenterm silently ignores in the override, with its line."""
    styles: dict[str, object] = field(default_factory=dict)
    """presenterm's theme keys: those of a theme's file and of what it extends, with the override on top."""


def _palette(theme: str) -> Palette:
    return Palette(frozenset(THEMES[theme].split()), frozenset())


def read_theme(node: yaml.Node, folder: Path) -> Theme:
    """The theme of a deck in `folder`. YamlError if presenterm would refuse it; DeckError for one in a theme's file."""
    if yaml_values.is_empty(node):
        return Theme()
    entries = yaml_values.mapping(node)
    name, path, override = (yaml_values.given(entries, key) for key in ("name", "path", "override"))
    for value in (name, path):
        if value:
            yaml_values.text(value)
    if name and path:
        raise YamlError("only one of 'name' and 'path' can be given for a theme", line_of(path))
    theme = _named(name) if name else _at_path(path, folder) if path else Theme()
    return _overridden(theme, override, folder) if override else theme


def _named(node: yaml.Node) -> Theme:
    name = yaml_values.text(node)
    if name in THEMES:
        return Theme(name, palette=_palette(name))
    if not (_own_themes() / f"{name}.yaml").is_file():
        raise YamlError(f"unknown theme '{name}'" + did_you_mean(name, THEMES), line_of(node))
    styles = _styles_in(_own_themes() / f"{name}.yaml")
    return Theme(_built_in(styles) or name, palette=Palette(), styles=styles)


def _own_themes() -> Path:
    """Where presenterm looks for the user's own themes."""
    config = os.environ.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / "presenterm" / "themes"


def _own_code_themes() -> frozenset[str]:
    folder = _own_themes() / "highlighting"
    return frozenset(path.stem for path in folder.glob("*.tmTheme")) if folder.is_dir() else frozenset()


def _at_path(node: yaml.Node, folder: Path) -> Theme:
    path = Path(yaml_values.text(node))
    file = folder / path
    try:
        source = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        problem = "not found" if isinstance(error, FileNotFoundError | ValueError) else "cannot be read"
        raise YamlError(f"theme {problem}: {path}", line_of(node)) from None
    try:
        root = yaml_values.compose(source)
        theme = _from_file(root, folder)
    except YamlError as error:
        raise DeckError(file, error.line + 1, error.reason) from None
    styles = _styles(root)
    return replace(theme, name=_built_in(styles), path=path, styles=styles)


def _built_in(styles: Mapping[str, object]) -> str | None:
    """The built-in theme that these styles change."""
    extended = styles.get("extends")
    return extended if isinstance(extended, str) else None


def _styles_in(file: Path, seen: tuple[Path, ...] = ()) -> dict[str, object]:
    """The styles in a theme's file; empty if it cannot be read. `seen` are the files that led to it."""
    try:
        root = yaml_values.compose(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, YamlError):
        return {}
    return _styles(root, seen)


def _styles(root: yaml.Node | None, seen: tuple[Path, ...] = ()) -> dict[str, object]:
    """The values of a theme's YAML, on top of those of the theme that it extends; empty if it has none.

    `extends` is then the built-in theme at the bottom, if there is one.
    """
    try:
        styles = yaml_values.plain_value(root) if root else {}
    except YamlError:
        return {}
    if not isinstance(styles, dict):
        return {}
    extended = _own_themes() / f"{styles.get('extends')}.yaml"
    if styles.get("extends") in THEMES or not extended.is_file() or extended in seen:
        return styles
    return merged(_styles_in(extended, (*seen, extended)), {key: styles[key] for key in styles if key != "extends"})


def merged(styles: Mapping[str, object], override: Mapping[str, object]) -> dict[str, object]:
    """One set of keys on top of another, key by key."""
    both = dict(styles)
    for key, value in override.items():
        below = both.get(key)
        both[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return both


def _from_file(root: yaml.Node | None, folder: Path) -> Theme:
    """What a theme's file makes of the deck's theme, checked: everything but its styles."""
    if root is None or yaml_values.is_empty(root):
        return Theme(palette=Palette(frozenset(), frozenset()))
    base = Theme(palette=Palette(frozenset(), frozenset()))
    extends = yaml_values.given(yaml_values.mapping(root), "extends")
    if extends:
        base = _named(extends)
    return replace(_extended_by(base, root, folder), name=None, ignored=())


def _overridden(theme: Theme, node: yaml.Node, folder: Path) -> Theme:
    extends = yaml_values.given(yaml_values.mapping(node), "extends")
    theme_with_it = _extended_by(theme, node, folder)
    if extends:
        raise YamlError("a theme override cannot use 'extends'", line_of(extends))
    override = yaml_values.plain_value(node)
    assert isinstance(override, dict)  # the node is a mapping
    return replace(theme_with_it, override=override, styles=merged(theme.styles, override))


def _extended_by(base: Theme, node: yaml.Node, folder: Path) -> Theme:
    """The base with what a theme's YAML adds to it."""
    palette = _extended(base.palette, node)
    reading = Reading(folder, _own_code_themes(), palette.colours)
    entries = check_theme(reading, node)
    footer = yaml_values.given(entries, "footer") or base.footer
    return replace(base, palette=palette, footer=footer, ignored=tuple(reading.ignored))


def _extended(palette: Palette, node: yaml.Node) -> Palette:
    """The names, and those that a palette in a theme's YAML adds."""
    own = yaml_values.mapping(node).get("palette")
    added = {} if own is None or yaml_values.is_empty(own) else yaml_values.mapping(own)
    return Palette(_with(palette.colours, added, "colors"), _with(palette.classes, added, "classes"))


def _with(names: frozenset[str] | None, added: Mapping[str, yaml.Node], section: str) -> frozenset[str] | None:
    own = added.get(section)
    if names is None or own is None or yaml_values.is_empty(own):
        return names
    return names | yaml_values.mapping(own).keys()
