"""HTML of escaped pieces, and Rich texts in the page's colours."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable
from dataclasses import fields
from functools import cache

from rich.color import Color, ColorType
from rich.console import Console
from rich.style import Style
from rich.text import Text

from triton_workshop.printing import ESCAPE_SEQUENCES
from triton_workshop.screen.palette import DARK

LINKS = re.compile(r"(?:https?|mailto):|#")
"""Beginning of a link: nothing that runs code."""
CUSTOM_COLOUR = re.compile(r' class="[^"]*\b[tg]-[0-9a-f]{6}\b')
"""Text in a colour that no palette has."""
ANSI = ("faint", "bad", "good", "warning", "link", "important", "accent", "text")
"""Tones for the terminal's eight colours, from black to white.

Their bright variants are the same but for grey.
"""
_CONSOLE = Console(file=io.StringIO(), color_system="truecolor", width=10_000)


def escaped(text: str) -> str:
    """Return text as HTML, without escape sequences of terminals."""
    return html.escape(ESCAPE_SEQUENCES.sub("", text), quote=True)


def element(name: str, content: str, **attributes: str | None) -> str:
    """Return an element with content that is HTML already.

    `class_` is `class`, and `data_step` is `data-step`.
    """
    rendered = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{rendered}>{content}</{name}>"


@cache
def _tones() -> dict[str, str]:
    """Return the names of the dark palette's colours.

    The page has the light palette's colours for the same names.
    """
    # Without `on_bar`: white too, but in both palettes.
    names = [field.name for field in fields(DARK) if field.name != "on_bar"]
    # Of two names with one colour, the first counts.
    colours = {getattr(DARK, name): name.replace("_", "-") for name in reversed(names)}
    return {value: name for value, name in colours.items() if is_colour(value)}


def is_colour(value: object) -> bool:
    """Return whether something in a palette is a colour, such as #0e6673."""
    return isinstance(value, str) and value.startswith("#")


class Markup:
    """Renders Rich texts as HTML.

    It collects the colours that no palette has, which need a class.
    """

    def __init__(self) -> None:
        self._custom_colours: set[tuple[str, str]] = set()

    def render(self, text: Text, *, plain: str = "") -> str:
        """Return the text with its styles, those of the dark palette.

        Text with nothing but the `plain` class needs no element.
        """
        segments = (self._segment(segment.text, segment.style, plain) for segment in text.render(_CONSOLE))
        return "".join(segments)

    def lines(self, texts: Iterable[Text]) -> str:
        """Return texts as lines."""
        return "\n".join(self.render(text) for text in texts)

    def code(self, text: Text) -> str:
        """Return a line of code.

        A `pre` has the colour of plain text, which most of its signs and all of its spaces have.
        """
        return self.render(text, plain="t-text")

    def _segment(self, text: str, style: Style | None, plain: str) -> str:
        content = escaped(text)
        if style is None or not text:
            return content
        is_underlined = style.underline and not style.link
        marks = {"b": style.bold, "i": style.italic, "s": style.strike, "u": is_underlined, "dim": style.dim}
        classes = [name for name, is_set in marks.items() if is_set]
        classes += self._colours(style)
        if style.link and LINKS.match(style.link):
            return element("a", content, href=style.link, class_=" ".join(classes) or None)
        if classes in ([], [plain]):
            return content
        return element("span", content, class_=" ".join(classes))

    def _colours(self, style: Style) -> Iterable[str]:
        colour, ground = style.color, style.bgcolor
        # As a terminal shows reversed text.
        if style.reverse:
            colour, ground = ground, colour
        for kind, value in (("t", colour), ("g", ground)):
            if value is None or value.is_default:
                continue
            yield f"{kind}-{self._tone(kind, value)}"

    def _tone(self, kind: str, colour: Color) -> str:
        if colour.type is ColorType.STANDARD and colour.number is not None:
            return "muted" if colour.number == 8 else ANSI[colour.number % 8]
        value = colour.get_truecolor().hex
        if value not in _tones():
            self._custom_colours.add((kind, value[1:]))
        return _tones().get(value, value[1:])

    def rules(self) -> str:
        """Return the style rules for the colours that are no palette's."""
        properties = {"t": "color", "g": "background-color"}
        return "\n".join(
            f".{kind}-{value}{{{properties[kind]}:#{value}}}" for kind, value in sorted(self._custom_colours)
        )
