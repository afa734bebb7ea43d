"""Theme of a deck, as far as we draw it.

We draw light or dark, the margins, and the colours of text and titles.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from . import yaml_values
from .colours import check_colour_in_theme
from .errors import RefusedError
from .model import Theme
from .yaml_values import line_of

THEMES = (
    "catppuccin-frappe", "catppuccin-latte", "catppuccin-macchiato", "catppuccin-mocha", "dark", "gruvbox-dark",
    "light", "terminal-dark", "terminal-light", "tokyonight-day", "tokyonight-moon", "tokyonight-night",
    "tokyonight-storm",
)  # fmt: skip
"""presenterm's own."""
MARGIN, COLOURS, TITLE_COLOURS = "default.margin", "default.colors", "slide_title.colors"
DRAWN = (
    *(f"{MARGIN}.{unit}" for unit in ("fixed", "percent")),
    *(f"{colours}.{ground}" for colours in (COLOURS, TITLE_COLOURS) for ground in ("foreground", "background")),
)
IMPLIED = ("code.alignment", "code.margin.fixed", "code.margin.percent")
"""Keys with which a deck has its code begin at the left.

Ours always begins there.
"""
MAX_KEY_DEPTH = 3

UnsupportedPart = tuple[str, int]
"""A sentence on something we do not draw, and its line from 0."""


def read_theme(node: yaml.Node) -> tuple[Theme, tuple[UnsupportedPart, ...]]:
    """Read the front matter's `theme`, and list what we do not draw of it.

    Raises RefusedError for a value that presenterm refuses.
    """
    if yaml_values.is_empty(node):
        return Theme(), ()
    entries = yaml_values.mapping(node)
    name, path, override = (yaml_values.optional(entries, key) for key in ("name", "path", "override"))
    if name and path:
        raise RefusedError("only one of 'name' and 'path' can be given for a theme", line_of(path))
    unsupported: list[UnsupportedPart] = []
    if name:
        theme_name = yaml_values.text(name)
        if theme_name not in THEMES:
            reason = f"presenterm has no theme '{theme_name}' of its own; this viewer shows its dark one"
            unsupported.append((reason, line_of(name)))
    if path:
        reason = f"presenterm takes its theme from {yaml_values.text(path)}; this viewer does not"
        unsupported.append((reason, line_of(path)))
    values = dict(_values(override)) if override else {}
    unsupported_keys = [key for key in values if key not in (*DRAWN, *IMPLIED)]
    if unsupported_keys:
        # A dict keeps the order of the keys, as a set would not.
        sections = dict.fromkeys(key.partition(".")[0] for key in unsupported_keys)
        # One sentence for all of them: a theme may set dozens.
        reason = f"presenterm also draws the theme's {', '.join(sections)}; this viewer does not"
        unsupported.append((reason, line_of(values[unsupported_keys[0]])))
    theme = Theme(
        yaml_values.text(name) if name else None,
        margin_columns=_columns(values.get(f"{MARGIN}.fixed")),
        margin_percent=_columns(values.get(f"{MARGIN}.percent")),
        foreground=_colour(values.get(f"{COLOURS}.foreground")),
        background=_colour(values.get(f"{COLOURS}.background")),
        title_foreground=_colour(values.get(f"{TITLE_COLOURS}.foreground")),
        title_background=_colour(values.get(f"{TITLE_COLOURS}.background")),
    )
    return theme, tuple(unsupported)


def _columns(node: yaml.Node | None) -> int | None:
    return yaml_values.number(node, 0, 65535) if node else None


def _colour(node: yaml.Node | None) -> str | None:
    if node is None:
        return None
    check_colour_in_theme(yaml_values.text(node), line_of(node))
    return yaml_values.text(node)


def _values(node: yaml.Node, path: tuple[str, ...] = ()) -> Iterator[tuple[str, yaml.Node]]:
    """Yield each value of an override, with the keys that lead to it."""
    has_keys = isinstance(node, yaml.MappingNode) and len(path) < MAX_KEY_DEPTH
    # The override itself is never a value: `mapping` refuses it if it is anything but keys.
    if has_keys or not path:
        for key, value in yaml_values.mapping(node).items():
            yield from _values(value, (*path, key))
    elif not yaml_values.is_null(node):
        yield ".".join(path), node
