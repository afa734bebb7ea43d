"""The footer that a deck's theme asks for, such as `{title}  {current_slide}`, filled in from the front matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import yaml

from . import yaml_values
from .colours import PaletteNames
from .errors import RefusedError
from .markdown import read_inline
from .model import CURRENT_SLIDE, TOTAL_SLIDES, Footer, Text
from .spelling import did_you_mean
from .yaml_values import line_of

_HEIGHT_WITH_PICTURE = 3
"""presenterm's height if the theme gives none: one row of picture, with an empty one above and below it."""
_NUMBERS = {"current_slide": CURRENT_SLIDE, "total_slides": TOTAL_SLIDES}
VARIABLES = (*_NUMBERS, "author", "title", "sub_title", "event", "location", "date")

_PIECE = re.compile(r"(?P<double>\{\{|\}\})|\{(?P<name>[^{}]*)\}|(?P<text>[^{}]+)|(?P<single>[{}])")


def read_template(text: str, line: int) -> list[tuple[str, bool]]:
    """The pieces of a text, each with whether it is a variable's name.

    RefusedError, at `line`, if presenterm would refuse it.
    """
    pieces = []
    for match in _PIECE.finditer(text):
        if match["single"]:
            what = "'{' is not closed" if match["single"] == "{" else "'}' closes nothing"
            raise RefusedError(f"footer: {what}; write it twice for a brace", line)
        name = match["name"]
        if name is None:
            pieces.append((match["text"] or match["double"][0], False))
        elif name in VARIABLES:
            pieces.append((name, True))
        else:
            raise RefusedError(f"footer: unknown variable '{name}'" + did_you_mean(name, VARIABLES), line)
    return pieces


def read_footer(node: yaml.Node, front_matter: Mapping[str, str], palette: PaletteNames, folder: Path) -> Footer:
    """The footer of a theme that has been checked, for a deck in `folder`.

    RefusedError if presenterm could not make this footer from the front matter's values.
    """
    entries = yaml_values.mapping(node)
    style = yaml_values.text(entries["style"])
    character, height = (yaml_values.given(entries, key) for key in ("character", "height"))
    if style == "progress_bar" and character:
        return Footer(style, character=yaml_values.text(character))
    if style != "template":
        return Footer(style)
    left, center, right = (
        _content(content, front_matter, palette, folder) if content else None
        for content in (yaml_values.given(entries, side) for side in ("left", "center", "right"))
    )
    rows = _HEIGHT_WITH_PICTURE if any(isinstance(content, Path) for content in (left, center, right)) else None
    return Footer(style, left, center, right, height=yaml_values.number(height, 0, 65535) if height else rows)


def _content(node: yaml.Node, front_matter: Mapping[str, str], palette: PaletteNames, folder: Path) -> Text | Path:
    if isinstance(node, yaml.ScalarNode):
        return _text(node, front_matter, palette)
    return folder / yaml_values.text(yaml_values.mapping(node)["image"])


def _text(node: yaml.ScalarNode, front_matter: Mapping[str, str], palette: PaletteNames) -> Text:
    line = line_of(node)
    values = {**front_matter, **_NUMBERS}
    words = []
    for piece, is_variable in read_template(node.value, line):
        if is_variable and piece not in values:
            raise RefusedError(f"footer: the front matter has no '{piece}'", line)
        word = values[piece] if is_variable else piece
        if len(word.splitlines()) != 1:
            raise RefusedError(f"footer: expected one line, got {word!r}", line)
        words.append(word)
    text = read_inline("".join(words), palette)
    if text is None:
        raise RefusedError("footer: expected plain text: no lists, headings, images or HTML", line)
    return text
