"""What a deck's own theme changes: translates presenterm's theme keys to our palette and layout.

The keys are those of presenterm 0.16.1 (docs, "Theme definition"). Those without a counterpart here, such as the
padding of code, change nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil

from triton_workshop.deck.model import Alignment, FrontMatter
from triton_workshop.screen.palette import DARK, LIGHT, Palette, palette_named
from triton_workshop.screen.richtext import colour

Styles = Mapping[str, object]

# presenterm's key → the colour of our palette that it sets.
COLOURS = {
    "execution_output.status.running.foreground": "accent",
    "execution_output.status.success.foreground": "good",
    "execution_output.status.failure.foreground": "bad",
    "execution_output.status.not_started.foreground": "warning",
    "alert.styles.note.color": "note",
    "alert.styles.tip.color": "good",
    "alert.styles.important.color": "important",
    "alert.styles.warning.color": "warning",
    "alert.styles.caution.color": "bad",
    "default.colors.foreground": "text",
    "default.colors.background": "background",
    "slide_title.colors.foreground": "on_bar",
    "slide_title.colors.background": "bar",
    "intro_slide.title.colors.foreground": "emphasis",
    "bold.colors.foreground": "emphasis",
    "inline_code.colors.foreground": "literal",
    "execution_output.colors.background": "well",
    "execution_output.colors.foreground": "output",
    "footer.colors.foreground": "footer",
}


@dataclass(frozen=True)
class ThemeLayout:
    """How a deck's theme arranges a slide; None leaves it to us."""

    alignment: Alignment | None = None
    title_alignment: Alignment | None = None
    heading_alignments: tuple[Alignment | None, ...] = (None,) * 6
    margin_columns: int | None = None
    margin_percent: int | None = None

    def margin(self, width: int) -> int | None:
        """Columns left free on either side of a screen of that width."""
        if self.margin_percent is not None:
            return ceil(width * self.margin_percent / 100)
        return self.margin_columns

    def heading_alignment(self, level: int) -> Alignment | None:
        return self.heading_alignments[min(level, 6) - 1] or self.alignment


def look_of(front: FrontMatter) -> tuple[Palette, ThemeLayout]:
    """The colours and the layout that a deck asks for."""
    return _palette(front), _layout(front.theme_styles)


def _palette(front: FrontMatter) -> Palette:
    styles = front.theme_styles
    base = palette_named(front.theme_name)
    named = _mapping(_at(styles, "palette.colors"))
    own = {name: found for name, value in named.items() if (found := _colour(value, base))}
    base = replace(base, colours=tuple(sorted(own.items())))
    background = _colour(_at(styles, "default.colors.background"), base)
    if background is not None and _bright(background) == base.dark:
        # Whatever the deck leaves open must be visible on that background.
        base = replace(LIGHT if base.dark else DARK, colours=base.colours)
    set_by_deck = {field: found for key, field in COLOURS.items() if (found := _colour(_at(styles, key), base))}
    if "on_bar" in set_by_deck and "bar" not in set_by_deck:  # a colour chosen for a title without a bar
        set_by_deck["bar"] = set_by_deck.get("background", base.background)
    headings = [_at(styles, f"headings.h{level}.colors.foreground") for level in range(1, 7)]
    classes = _mapping(_at(styles, "palette.classes"))
    changed: dict[str, object] = {
        **set_by_deck,
        "headings": tuple(_colour(value, base) for value in headings),
        "classes": tuple(
            (name, _colour(_at(value, "foreground"), base), _colour(_at(value, "background"), base))
            for name, value in sorted(classes.items())
        ),
    }
    return replace(base, **changed)  # type: ignore[arg-type]


def _layout(styles: Styles) -> ThemeLayout:
    columns, percent = _at(styles, "default.margin.fixed"), _at(styles, "default.margin.percent")
    return ThemeLayout(
        alignment=_alignment(styles, "default"),
        title_alignment=_alignment(styles, "slide_title") or _alignment(styles, "default"),
        heading_alignments=tuple(_alignment(styles, f"headings.h{level}") for level in range(1, 7)),
        margin_columns=columns if isinstance(columns, int) else None,
        margin_percent=percent if isinstance(percent, int) else None,
    )


def _alignment(styles: Styles, element: str) -> Alignment | None:
    value = _at(styles, f"{element}.alignment")
    return next((alignment for alignment in Alignment if alignment == value), None)


def _at(styles: object, path: str) -> object:
    """The value at a path of keys; None if there is none."""
    for key in path.split("."):
        styles = _mapping(styles).get(key)
    return styles


def _mapping(value: object) -> Mapping[str, object]:
    return {str(key): below for key, below in value.items()} if isinstance(value, dict) else {}


def _colour(value: object, palette: Palette) -> str | None:
    """A theme's colour as `#rrggbb`: a name, six or three digits, or `palette:NAME`; None for anything else."""
    return colour(value, palette) if isinstance(value, str) else None


def _bright(colour: str) -> bool:
    """Whether dark text is easier to read on it (its luma, ITU-R BT.601)."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue > 127
