"""Every key that a theme may have, as one table: presenterm 0.16.1's, with the kind of its value.

presenterm refuses an unknown key at the top of a theme, but ignores one further down; there we warn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from . import yaml_values
from .footer_template import read_template
from .pictures import picture_problem
from .spelling import did_you_mean
from .yaml_values import YamlError, line_of

COLOURS = frozenset(
    "black white grey dark_grey red dark_red green dark_green blue dark_blue yellow dark_yellow "  # noqa: SIM905
    "magenta dark_magenta cyan dark_cyan".split()
)
CODE_THEMES = (
    "1337",
    "Catppuccin Frappe",
    "Catppuccin Latte",
    "Catppuccin Macchiato",
    "Catppuccin Mocha",
    "Coldark-Cold",
    "Coldark-Dark",
    "DarkNeon",
    "Dracula",
    "GitHub",
    "InspiredGitHub",
    "Monokai Extended",
    "Monokai Extended Bright",
    "Monokai Extended Light",
    "Monokai Extended Origin",
    "Nord",
    "OneHalfDark",
    "OneHalfLight",
    "Solarized (dark)",
    "Solarized (light)",
    "Sublime Snazzy",
    "TwoDark",
    "Visual Studio Dark+",
    "ansi",
    "base16",
    "base16-256",
    "base16-eighties.dark",
    "base16-mocha.dark",
    "base16-ocean.dark",
    "base16-ocean.light",
    "gruvbox-dark",
    "gruvbox-light",
    "zenburn",
)
"""The syntax highlighting themes: bat's and syntect's own, which presenterm includes."""


@dataclass
class Reading:
    """A theme being read: what its values may name, and what was ignored in it."""

    folder: Path
    """The folder of the pictures that it names."""
    own_code_themes: frozenset[str] = frozenset()
    palette: frozenset[str] | None = None
    """The colours that `palette:NAME` may name; None if they depend on a theme that is not read."""
    ignored: list[tuple[str, int]] = field(default_factory=list)
    """What presenterm silently ignores, and its line."""

    def ignore(self, reason: str, node: yaml.Node) -> None:
        self.ignored.append((reason, line_of(node)))


Check = Callable[[Reading, yaml.Node], None]
"""Raises YamlError if presenterm would refuse the value."""
Keys = Mapping[str, "Check | Keys"]


def check_theme(reading: Reading, node: yaml.Node) -> dict[str, yaml.Node]:
    """A theme's entries, each checked down to its last key."""
    entries = yaml_values.mapping(node, (*KEYS, "extends"), "theme key")
    if "italic" in entries and "italics" in entries:
        raise YamlError("'italics' is given twice: 'italic' is the same", line_of(entries["italic"]))
    for key, value in entries.items():
        if key == "extends":
            _text(reading, value)
        else:
            _check(reading, KEYS[key], value, f"theme key '{key}'")
    return entries


def _check(reading: Reading, kind: Check | Keys, node: yaml.Node, name: str) -> None:
    if not isinstance(kind, Mapping):
        kind(reading, node)
        return
    if yaml_values.is_empty(node):
        return
    entries = yaml_values.mapping(node)
    for key, value in entries.items():
        if key not in kind:
            reading.ignore(f"presenterm ignores '{key}' in {name}" + did_you_mean(key, kind), value)
        else:
            _check(reading, kind[key], value, f"{name}, '{key}'")
    if "italic" in entries and "italics" in entries:
        raise YamlError("'italics' is given twice: 'italic' is the same", line_of(entries["italic"]))
    _warn_of_alignment(reading, kind, entries)


# Kinds of values. A value that may be left out may also be null.


def _optional(check: Check) -> Check:
    def read(reading: Reading, node: yaml.Node) -> None:
        if not yaml_values.is_null(node):
            check(reading, node)

    return read


def _whole(high: int) -> Check:
    return _optional(lambda _, node: _nothing(yaml_values.number(node, 0, high)))


def _nothing(_: object) -> None:
    """For readers whose value is not needed."""


def _text(_: Reading, node: yaml.Node) -> None:
    yaml_values.text(node)


def _switch(_: Reading, node: yaml.Node) -> None:
    yaml_values.boolean(node)


def _one_of(*words: str) -> Check:
    def read(_: Reading, node: yaml.Node) -> None:
        word = yaml_values.text(node)
        if word not in words:
            raise YamlError(f"unknown value '{word}'" + did_you_mean(word, words), line_of(node))

    return read


def _character(_: Reading, node: yaml.Node) -> None:
    if len(yaml_values.text(node)) != 1:
        raise YamlError(f"expected one character, got {yaml_values.describe(node)}", line_of(node))


def _code_theme(reading: Reading, node: yaml.Node) -> None:
    name = yaml_values.text(node)
    if name not in CODE_THEMES and name not in reading.own_code_themes:
        raise YamlError(f"unknown code theme '{name}'" + did_you_mean(name, CODE_THEMES), line_of(node))


def _colour(reading: Reading, node: yaml.Node) -> None:
    check_colour(yaml_values.text(node), reading.palette, line_of(node))


def check_colour(colour: str, palette: frozenset[str] | None, line: int) -> None:
    """A colour as a theme writes it, without the `#` that text needs."""
    from_palette = re.fullmatch(r"(?:palette:)+(.*)|(?:p:)+(.*)", colour, re.DOTALL)
    if from_palette:
        name = from_palette[1] or from_palette[2] or ""
        if not name:
            raise YamlError("expected a colour's name after 'palette:'", line)
        if palette is not None and name not in palette:
            valid = did_you_mean(name, sorted(palette)) if palette else "; it has none"
            raise YamlError(f"the theme's palette has no colour '{name}'" + valid, line)
    elif colour not in COLOURS and not re.fullmatch(r"(?:[0-9a-fA-F]{3}){1,2}", colour):
        known = [*sorted(COLOURS), "rrggbb", "palette:NAME"]
        raise YamlError(f"unknown colour '{colour}'" + did_you_mean(colour, known), line)


def _colour_written_as_text(reading: Reading, node: yaml.Node) -> None:
    """A colour where presenterm does not accept a number: `foreground: 333` must be "333" there."""
    if not yaml_values.reads_as_text(node):
        raise YamlError(f"expected a colour in quotes, got {yaml_values.describe(node)}", line_of(node))
    _colour(reading, node)


def _margin(_: Reading, node: yaml.Node) -> None:
    entries = yaml_values.mapping(node, ("fixed", "percent"), "margin")
    if len(entries) != 1:
        raise YamlError("expected one of 'fixed: COLUMNS' and 'percent: N'", line_of(node))
    [value] = entries.values()
    yaml_values.number(value, 0, 65535)


_ALIGNED = {
    "left": ("margin",),
    "right": ("margin",),
    "center": ("minimum_margin", "minimum_size"),
}
"""Each alignment with the keys that go with it."""
_ALIGNMENT_KEYS = ("alignment", "margin", "minimum_margin", "minimum_size")


def _free(_: Reading, __: yaml.Node) -> None:
    """A key of alignment: presenterm accepts any value, and drops the alignment if one is wrong."""


def _warn_of_alignment(reading: Reading, kind: Keys, entries: Mapping[str, yaml.Node]) -> None:
    given = {key: entries[key] for key in _ALIGNMENT_KEYS if key in entries and kind.get(key) is _free}
    if not given:
        return
    try:
        _check_alignment(given)
    except YamlError as error:
        node = next(iter(given.values()))
        reading.ignore(f"presenterm ignores this alignment: {error.reason}", node)


def _check_alignment(entries: Mapping[str, yaml.Node]) -> None:
    if "alignment" not in entries:
        raise YamlError("expected 'alignment: left', 'right' or 'center'")
    node = entries["alignment"]
    word = yaml_values.text(node)
    if word not in _ALIGNED:
        raise YamlError(f"unknown alignment '{word}'" + did_you_mean(word, _ALIGNED), line_of(node))
    for key in _ALIGNED[word]:
        if key in entries and key == "minimum_size":
            yaml_values.number(entries[key], 0, 65535)
        elif key in entries:
            _margin(Reading(Path()), entries[key])


def _alignment(_: Reading, node: yaml.Node) -> None:
    _check_alignment(yaml_values.mapping(node))


# The footer.

FOOTER_STYLES = ("template", "progress_bar", "empty")


def _footer(reading: Reading, node: yaml.Node) -> None:
    entries = yaml_values.mapping(node)
    if "style" not in entries:
        raise YamlError("needs 'style: …'; valid: " + ", ".join(FOOTER_STYLES), line_of(node))
    _one_of(*FOOTER_STYLES)(reading, entries["style"])
    style = yaml_values.text(entries["style"])
    keys = FOOTER_KEYS[style]
    for key, value in entries.items():
        if key in keys:
            keys[key](reading, value)
        elif key != "style":
            hint = did_you_mean(key, ("style", *keys))
            reading.ignore(f"presenterm ignores '{key}' in a footer of style {style}" + hint, value)


def _footer_content(reading: Reading, node: yaml.Node) -> None:
    if isinstance(node, yaml.ScalarNode):
        if not yaml_values.reads_as_text(node):
            raise YamlError(f"expected text in quotes, got {yaml_values.describe(node)}", line_of(node))
        read_template(node.value, line_of(node))
        return
    entries = yaml_values.mapping(node, ("image",), "footer content")
    if not entries:
        raise YamlError("expected text or 'image: PATH'", line_of(node))
    name = yaml_values.text(entries["image"])
    problem = picture_problem(reading.folder / name)
    if problem:
        raise YamlError(f"{problem}: {name}", line_of(entries["image"]))


def _footer_height(_: Reading, node: yaml.Node) -> None:
    yaml_values.number(node, 0, 65535)


def _footer_character(reading: Reading, node: yaml.Node) -> None:
    if not yaml_values.reads_as_text(node):
        raise YamlError(f"expected a character in quotes, got {yaml_values.describe(node)}", line_of(node))
    _character(reading, node)


def _footer_colours(reading: Reading, node: yaml.Node) -> None:
    for key, value in yaml_values.mapping(node).items():
        if key in ("foreground", "background"):
            _optional(_colour_written_as_text)(reading, value)


FOOTER_KEYS: Mapping[str, Mapping[str, Check]] = {
    "template": {
        "left": _optional(_footer_content),
        "center": _optional(_footer_content),
        "right": _optional(_footer_content),
        "colors": _footer_colours,
        "height": _optional(_footer_height),
    },
    "progress_bar": {"character": _optional(_footer_character), "colors": _footer_colours},
    "empty": {},
}


# The palette.


def _palette(reading: Reading, node: yaml.Node) -> None:
    if yaml_values.is_empty(node):
        return
    entries = yaml_values.mapping(node)
    for name, colour in _named(entries, "colors"):
        if yaml_values.text(colour).startswith(("palette:", "p:")):
            raise YamlError(f"colour '{name}': a palette's colours cannot name each other", line_of(colour))
        _colour(reading, colour)
    for _, colours in _named(entries, "classes"):
        _check(reading, _COLOURS, colours, "a palette's class")


def _named(entries: Mapping[str, yaml.Node], section: str) -> Iterator[tuple[str, yaml.Node]]:
    node = entries.get(section)
    return iter(() if node is None or yaml_values.is_empty(node) else yaml_values.mapping(node).items())


# The table.

_SHORT, _LONG = _whole(255), _whole(65535)
_MAYBE = _optional(_switch)
_WORDS = _optional(_text)
_ANY_COLOUR = _optional(_colour)
_COLOURS: Keys = {"foreground": _ANY_COLOUR, "background": _ANY_COLOUR}
_ALIGNMENT: Keys = dict.fromkeys(_ALIGNMENT_KEYS, _free)
_PADDING: Keys = {"horizontal": _SHORT, "vertical": _SHORT}
_MODIFIER: Keys = {"colors": _COLOURS}
_LABEL: Keys = {**_ALIGNMENT, "colors": _COLOURS}
_HEADING: Keys = {
    **_LABEL,
    "prefix": _WORDS,
    "font_size": _SHORT,
    "bold": _MAYBE,
    "underlined": _MAYBE,
    "italics": _MAYBE,
    "italic": _MAYBE,
}
_ALERT: Keys = {"color": _ANY_COLOUR, "title": _WORDS, "icon": _WORDS}

KEYS: Keys = {
    "slide_title": {**_HEADING, "separator": _switch, "padding_top": _SHORT, "padding_bottom": _SHORT},
    "code": {
        **_ALIGNMENT,
        "padding": _PADDING,
        "theme_name": _optional(_code_theme),
        "background": _MAYBE,
        "line_numbers": _MAYBE,
    },
    "execution_output": {
        "colors": _COLOURS,
        "status": dict.fromkeys(("running", "success", "failure", "not_started"), _COLOURS),
        "padding": _PADDING,
    },
    "pty_output": {
        "colors": _COLOURS,
        "standby": _optional(_one_of("LargePlay")),
        "cursor": {"symbol": _optional(_character), "highlight_colors": _COLOURS},
    },
    "inline_code": _MODIFIER,
    "bold": _MODIFIER,
    "italics": _MODIFIER,
    "italic": _MODIFIER,
    "table": _optional(_alignment),
    "block_quote": {
        **_ALIGNMENT,
        "prefix": _WORDS,
        "colors": {
            "foreground": _optional(_colour_written_as_text),
            "background": _optional(_colour_written_as_text),
            "prefix": _ANY_COLOUR,
        },
    },
    "alert": {
        **_ALIGNMENT,
        "base_colors": _COLOURS,
        "prefix": _WORDS,
        "styles": dict.fromkeys(("note", "tip", "important", "warning", "caution"), _ALERT),
    },
    "default": {**_LABEL, "margin": _optional(_margin)},
    "headings": dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _HEADING),
    "intro_slide": {
        "title": {**_LABEL, "font_size": _SHORT},
        "subtitle": _LABEL,
        "event": _LABEL,
        "location": _LABEL,
        "date": _LABEL,
        "author": {**_LABEL, "positioning": _one_of("below_title", "page_bottom")},
        "footer": _MAYBE,
    },
    "footer": _optional(_footer),
    "typst": {"horizontal_margin": _LONG, "vertical_margin": _LONG, "colors": _COLOURS},
    "mermaid": {"theme": _WORDS, "background": _WORDS},
    "d2": {"theme": _whole(2**32 - 1)},
    "modals": {"colors": _COLOURS, "selection_colors": _COLOURS},
    "layout_grid": {"color": _ANY_COLOUR},
    "palette": _palette,
}
