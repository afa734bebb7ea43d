"""What a deck may say about its theme: the built-in ones, what can be overridden, and which colours have names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml

from . import yaml_values
from .spelling import did_you_mean
from .yaml_values import YamlError, line_of

COLOURS = frozenset(
    "black white grey dark_grey red dark_red green dark_green blue dark_blue yellow dark_yellow "  # noqa: SIM905
    "magenta dark_magenta cyan dark_cyan".split()
)

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

OVERRIDABLE = [
    "slide_title",
    "code",
    "execution_output",
    "pty_output",
    "inline_code",
    "bold",
    "italics",
    "italic",
    "table",
    "block_quote",
    "alert",
    "default",
    "headings",
    "intro_slide",
    "footer",
    "typst",
    "mermaid",
    "d2",
    "modals",
    "layout_grid",
    "palette",
]


@dataclass(frozen=True)
class Palette:
    """The names that text may use for colours. None: a theme's file decides, and any name may be right."""

    colours: frozenset[str] | None = None
    classes: frozenset[str] | None = None


@dataclass(frozen=True)
class Theme:
    """The front matter's `theme`."""

    name: str | None = None
    path: Path | None = None
    override: dict[str, object] = field(default_factory=dict)
    palette: Palette = field(default_factory=lambda: _palette(DEFAULT_THEME))
    styles: dict[str, object] = field(default_factory=dict)
    """presenterm's theme keys: those of a theme's file and of what it extends, and over them the override."""


def _palette(theme: str) -> Palette:
    return Palette(frozenset(THEMES[theme].split()), frozenset())


def read_theme(node: yaml.Node, folder: Path) -> Theme:
    """The theme of a deck in `folder`. YamlError where presenterm would refuse it."""
    entries = yaml_values.mapping(node)
    name, path, override = (yaml_values.given(entries, key) for key in ("name", "path", "override"))
    if name and path:
        raise YamlError("only one of 'name' and 'path' can be given for a theme", line_of(path))
    theme = _named(name) if name else _at_path(path, folder) if path else Theme()
    return _overridden(theme, override) if override else theme


def _named(node: yaml.Node) -> Theme:
    name = yaml_values.text(node)
    if name in THEMES:
        return Theme(name, palette=_palette(name))
    if not (_own_themes() / f"{name}.yaml").is_file():
        raise YamlError(f"unknown theme '{name}'" + did_you_mean(name, THEMES), line_of(node))
    styles = _styles(_own_themes() / f"{name}.yaml")
    return Theme(_built_in(styles) or name, palette=Palette(), styles=styles)


def _own_themes() -> Path:
    """Where presenterm looks for a person's own themes."""
    config = os.environ.get("XDG_CONFIG_HOME")
    return (Path(config) if config else Path.home() / ".config") / "presenterm" / "themes"


def _at_path(node: yaml.Node, folder: Path) -> Theme:
    path = Path(yaml_values.text(node))
    if not (folder / path).is_file():
        raise YamlError(f"theme not found: {path}", line_of(node))
    styles = _styles(folder / path)
    return Theme(_built_in(styles), path, palette=Palette(), styles=styles)


def _built_in(styles: Mapping[str, object]) -> str | None:
    """The built-in theme that these styles change."""
    extended = styles.get("extends")
    return extended if isinstance(extended, str) else None


def _styles(file: Path, seen: tuple[Path, ...] = ()) -> dict[str, object]:
    """What a theme's file says, over what the theme that it extends says; nothing where it cannot be read.

    `extends` is then the built-in theme below them all, if there is one.
    """
    try:
        root = yaml_values.compose(file.read_text(encoding="utf-8"))
        styles = yaml_values.plain_value(root) if root else {}
    except (OSError, ValueError, YamlError):
        return {}
    if not isinstance(styles, dict):
        return {}
    extended = _own_themes() / f"{styles.get('extends')}.yaml"
    if styles.get("extends") in THEMES or not extended.is_file() or extended in seen:
        return styles
    return merged(_styles(extended, (*seen, extended)), {key: styles[key] for key in styles if key != "extends"})


def merged(styles: Mapping[str, object], override: Mapping[str, object]) -> dict[str, object]:
    """One set of keys over another, key by key."""
    both = dict(styles)
    for key, value in override.items():
        below = both.get(key)
        both[key] = merged(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return both


def _overridden(theme: Theme, node: yaml.Node) -> Theme:
    entries = yaml_values.mapping(node, (*OVERRIDABLE, "extends"), "theme override")
    if "extends" in entries:
        raise YamlError("a theme override cannot use 'extends'", line_of(entries["extends"]))
    override = yaml_values.plain_value(node)
    assert isinstance(override, dict)  # the node is a mapping
    own = yaml_values.given(entries, "palette")
    palette = Palette(
        _extended(theme.palette.colours, own, "colors"),
        _extended(theme.palette.classes, own, "classes"),
    )
    return replace(theme, override=override, palette=palette, styles=merged(theme.styles, override))


def _extended(names: frozenset[str] | None, palette: yaml.Node | None, section: str) -> frozenset[str] | None:
    """The names, and those that an overriding palette adds."""
    added = yaml_values.given(yaml_values.mapping(palette), section) if palette else None
    return names if names is None or added is None else names | yaml_values.mapping(added).keys()
