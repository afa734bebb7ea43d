"""The footer that a deck's theme asks for, filled in from the front matter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import yaml

from . import yaml_values
from .footer_template import COUNTERS, read_template
from .markdown import read_inline
from .model import CURRENT_SLIDE, TOTAL_SLIDES, Footer, Text
from .theme import Palette
from .yaml_values import YamlError, line_of

_HEIGHT_WITH_PICTURE = 3
"""presenterm's height if the theme gives none: one row of picture, with an empty one above and below it."""
_NUMBERS = dict(zip(COUNTERS, (CURRENT_SLIDE, TOTAL_SLIDES), strict=True))


def read_footer(node: yaml.Node, said: Mapping[str, str], palette: Palette, folder: Path) -> Footer:
    """The footer of a theme that has been checked, for a deck in `folder`.

    `said` holds the front matter's values, by key. YamlError if presenterm could not make this footer.
    """
    entries = yaml_values.mapping(node)
    style = yaml_values.text(entries["style"])
    character = yaml_values.given(entries, "character")
    if style == "progress_bar" and character:
        return Footer(style, character=yaml_values.text(character))
    if style != "template":
        return Footer(style)
    left, center, right = (
        _content(content, said, palette, folder) if content else None
        for content in (yaml_values.given(entries, side) for side in ("left", "center", "right"))
    )
    footer = Footer(style, left, center, right)
    height = yaml_values.given(entries, "height")
    if height:
        return replace(footer, height=yaml_values.number(height, 0, 65535))
    return replace(footer, height=_HEIGHT_WITH_PICTURE) if footer.pictures else footer


def _content(node: yaml.Node, said: Mapping[str, str], palette: Palette, folder: Path) -> Text | Path:
    if isinstance(node, yaml.ScalarNode):
        return _text(node, said, palette)
    return folder / yaml_values.text(yaml_values.mapping(node)["image"])


def _text(node: yaml.ScalarNode, said: Mapping[str, str], palette: Palette) -> Text:
    line = line_of(node)
    words = []
    for piece, is_variable in read_template(node.value, line):
        if is_variable and piece not in _NUMBERS and piece not in said:
            raise YamlError(f"footer: the front matter has no '{piece}'", line)
        word = {**said, **_NUMBERS}[piece] if is_variable else piece
        if len(word.splitlines()) != 1:
            raise YamlError(f"footer: expected one line, got {word!r}", line)
        words.append(word)
    text = read_inline("".join(words), palette)
    if text is None:
        raise YamlError("footer: expected plain text: no lists, headings, images or HTML", line)
    return text
