"""HTML out of pieces that are escaped, and Rich text as HTML whose colours are those of the page's palette."""

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
"""What a link may begin with: nothing that runs code."""
OWN_COLOUR = re.compile(r' class="[^"]*\b[tg]-[0-9a-f]{6}\b')
"""Text in a colour that no palette has."""
ANSI = ("faint", "bad", "good", "warning", "link", "important", "accent", "text")
"""The tones for the terminal's eight colours, from black to white; their bright variants are the same but for grey."""
_CONSOLE = Console(file=io.StringIO(), color_system="truecolor", width=10_000)


def escaped(text: str) -> str:
    return html.escape(ESCAPE_SEQUENCES.sub("", text), quote=True)


def element(name: str, content: str, **attributes: str | None) -> str:
    """An element with content that is HTML already. `class_` is `class`, and `data_step` is `data-step`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{written}>{content}</{name}>"


@cache
def _tones() -> dict[str, str]:
    """The name of a colour of the dark palette: the page has the light one's for it too."""
    named = {field.name: getattr(DARK, field.name) for field in fields(DARK)}
    return {
        value: name.replace("_", "-")
        for name, value in reversed(named.items())
        if isinstance(value, str) and value.startswith("#") and name != "on_bar"  # white too, but in both palettes
    }


class Markup:
    """Makes HTML of Rich texts, and remembers which colours that no palette has it needs a class for."""

    def __init__(self) -> None:
        self._own: set[tuple[str, str]] = set()

    def of(self, text: Text, *, plain: str = "") -> str:
        """The text with its styles, those of the dark palette. What has only the `plain` class needs no element."""
        parts = (self._part(segment.text, segment.style, plain) for segment in text.render(_CONSOLE))
        return "".join(parts)

    def lines(self, texts: Iterable[Text]) -> str:
        return "\n".join(self.of(text) for text in texts)

    def code(self, text: Text) -> str:
        """A line of code: a `pre` has the colour of plain text, which most of its signs and all of its spaces have."""
        return self.of(text, plain="t-text")

    def _part(self, text: str, style: Style | None, plain: str) -> str:
        content = escaped(text)
        if style is None or not text:
            return content
        classes = [
            *(["b"] if style.bold else []),
            *(["i"] if style.italic else []),
            *(["s"] if style.strike else []),
            *(["u"] if style.underline and not style.link else []),
            *(["dim"] if style.dim else []),
            *self._colours(style),
        ]
        if style.link and LINKS.match(style.link):
            return element("a", content, href=style.link, class_=" ".join(classes) or None)
        return element("span", content, class_=" ".join(classes)) if classes and classes != [plain] else content

    def _colours(self, style: Style) -> Iterable[str]:
        colour, ground = style.color, style.bgcolor
        if style.reverse:
            colour, ground = ground, colour
        for kind, one in (("t", colour), ("g", ground)):
            if one is None or one.is_default:
                continue
            yield f"{kind}-{self._tone(kind, one)}"

    def _tone(self, kind: str, colour: Color) -> str:
        if colour.type is ColorType.STANDARD and colour.number is not None:
            return "muted" if colour.number == 8 else ANSI[colour.number % 8]
        value = colour.get_truecolor().hex
        if value not in _tones():
            self._own.add((kind, value[1:]))
        return _tones().get(value, value[1:])

    def rules(self) -> str:
        """The page's style for the colours that are no palette's."""
        properties = {"t": "color", "g": "background-color"}
        return "\n".join(f".{kind}-{value}{{{properties[kind]}:#{value}}}" for kind, value in sorted(self._own))
