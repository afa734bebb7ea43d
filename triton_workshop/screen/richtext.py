"""The deck's text and code as Rich text in a palette's colours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from pygments.token import Comment, Keyword, Name, Number, Operator, String, Token
from rich.color import Color, ColorParseError
from rich.style import Style
from rich.text import Text

from triton_workshop.printing import printable
from triton_workshop.screen.palette import Palette

if TYPE_CHECKING:
    from triton_workshop.deck.model import Span
    from triton_workshop.deck.model import Text as Spans

TokenType = tuple[str, ...]

SUPERSCRIPTS = str.maketrans("0123456789+-−=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")

# presenterm's names for the terminal's colours, in our palette's tones.
NAMED_COLOURS = {
    "black": "background",
    "white": "emphasis",
    "grey": "muted",
    "dark_grey": "faint",
    "red": "bad",
    "dark_red": "bad",
    "green": "good",
    "dark_green": "good",
    "blue": "link",
    "dark_blue": "link",
    "yellow": "warning",
    "dark_yellow": "warning",
    "magenta": "important",
    "dark_magenta": "important",
    "cyan": "accent",
    "dark_cyan": "accent",
}
# The names of colours in presenterm's own themes, as in `palette:sky`, in the same tones.
THEME_TONES = {
    "light_blue": "link",
    "blue_gray": "panel",
    "aqua": "accent",
    "light_green": "good",
    "orange": "warning",
    "purple": "important",
    "gray": "muted",
    "light_gray": "text",
    "rosewater": "literal",
    "flamingo": "literal",
    "pink": "important",
    "mauve": "important",
    "maroon": "bad",
    "peach": "literal",
    "teal": "accent",
    "sky": "link",
    "sapphire": "link",
    "lavender": "link",
    "text": "text",
    "subtext1": "muted",
    "subtext0": "muted",
    "overlay2": "muted",
    "overlay1": "faint",
    "overlay0": "faint",
    "surface2": "faint",
    "surface1": "panel",
    "surface0": "panel",
    "base": "background",
    "mantle": "well",
    "crust": "well",
}
# The names that `<span class="…">` may use.
CLASSES = {"accent", "muted", "good", "bad", "warning", "note", "important"}


TONES = (
    (Comment.Preproc, "syntax_builtin"),  # Pygments' name for `#include`, which is code
    (Comment.PreprocFile, "syntax_builtin"),
    (Comment, "syntax_comment"),
    (Keyword.Constant, "syntax_number"),
    (Number, "syntax_number"),
    (Keyword, "syntax_keyword"),
    (Operator.Word, "syntax_keyword"),
    (String, "syntax_string"),
    (Name.Function, "syntax_function"),
    (Name.Class, "syntax_function"),
    (Name.Decorator, "syntax_builtin"),
    (Name.Builtin, "syntax_builtin"),
    (Name.Namespace, "syntax_builtin"),
)
"""The palette's colour for each kind of token; the first match counts."""
TASK = re.compile(r"# TODO\b")


def rich_text(spans: Spans, palette: Palette, style: str | Style = "") -> Text:
    """Return spans as one Rich text; `style` applies below all of them."""
    text = Text(style=style)
    for span in spans:
        content = printable(span.text)
        if span.superscript:
            content = superscript(content)
        text.append(content, span_style(span, palette))
    return text


def superscript(text: str) -> str:
    """Return superscript characters if Unicode has them all, else `^text`."""
    raised = text.translate(SUPERSCRIPTS)
    unchanged = (a for a, b in zip(text, raised, strict=True) if a == b)
    has_all = all(character.isspace() for character in unchanged)
    return raised if has_all else f"^{text}"


def span_style(span: Span, palette: Palette) -> Style:
    """Return the style of a span in a palette's colours."""
    foreground, background = colour(span.foreground, palette), colour(span.background, palette)
    if foreground is None:
        if span.style_class in CLASSES:
            foreground = getattr(palette, span.style_class)
        elif span.code:
            foreground = palette.literal
        elif span.link:
            foreground = palette.link
        elif span.bold:
            foreground = palette.emphasis
    return Style(
        color=foreground,
        bgcolor=background,
        # Unset rather than False, so that a bold heading stays bold under a plain span.
        bold=span.bold or None,
        italic=span.italic or None,
        strike=span.strike or None,
        underline=bool(span.link) or None,
        link=span.link,
    )


def colour(name: str | None, palette: Palette) -> str | None:
    """Return a colour that the deck names, or None for an unknown one.

    The deck spells it `red`, `#ff0000` or `palette:sky`.
    """
    if name is None:
        return None
    prefix, _, tone_name = name.rpartition(":")
    if prefix in ("palette", "p"):
        tone = THEME_TONES.get(tone_name) or NAMED_COLOURS.get(tone_name)
        return str(getattr(palette, tone)) if tone else None
    if name in NAMED_COLOURS:
        return str(getattr(palette, NAMED_COLOURS[name]))
    digits = name.removeprefix("#")
    # Rich reads six digits only.
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    try:
        Color.parse(f"#{digits}")
    except ColorParseError:
        return None
    return f"#{digits}"


@lru_cache(maxsize=1024)
def without_default_colours(style: Style) -> Style:
    """Return a style without the terminal's default colours.

    A slide has a default of its own.
    """
    color, ground = style.color, style.bgcolor
    has_default_color = color is not None and color.is_default
    has_default_ground = ground is not None and ground.is_default
    if not (has_default_color or has_default_ground):
        return style
    # Adding a style without a colour would keep the old colour.
    return style.without_color + Style(
        color=None if has_default_color else color,
        bgcolor=None if has_default_ground else ground,
    )


@lru_cache(maxsize=256)
def code_lines(language: str, lines: tuple[str, ...], palette: Palette) -> tuple[Text, ...]:
    """Return lines of code with syntax highlighting.

    Lines in an unknown language are plain.
    """
    source = "".join(f"{printable(line)}\n" for line in lines)  # without a line end, Pygments misses the last comment
    text = Text()
    for token, value in tokens(language, source):
        is_task = token in Comment and TASK.match(value) is not None
        text.append(value, task_style(palette) if is_task else token_style(token, palette))
    *highlighted, _ = text.split("\n", allow_blank=True)
    # A lexer may never add or drop a line: highlights and line numbers rely on it.
    if len(highlighted) != len(lines):
        return tuple(Text(printable(line)) for line in lines)
    return tuple(highlighted)


def comment_start(line: Text, palette: Palette) -> int:
    """Return the index at which a highlighted line's last comment starts.

    Without a comment at its end, return the line's length.
    """
    styles = (token_style(Comment, palette), task_style(palette))
    start = len(line)
    for span in reversed(line.spans):  # some lexers split a comment
        is_comment = span.end == start and span.style in styles
        if not is_comment:
            break
        start = span.start
    return start


def tokens(language: str, source: str) -> Iterator[tuple[TokenType, str]]:
    """Yield the tokens of a source with their texts."""
    # Not before there is code to show: the first slide has none.
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        yield Token, source
        return
    yield from lexer.get_tokens(source)


def task_style(palette: Palette) -> Style:
    """Return the style of a comment that says what to write.

    It is what people read first, so nothing is brighter.
    """
    return Style(color=palette.emphasis, bold=True)


def token_style(token: TokenType, palette: Palette) -> Style:
    """Return the style of a token.

    A few colours are used the same way in every language, for code, data and comments.
    """
    tone = next((tone for kind, tone in TONES if token in kind), "text")
    if tone == "syntax_comment":
        return Style(color=palette.syntax_comment, italic=True)
    return Style(color=getattr(palette, tone), bold=tone == "syntax_function")
