"""A deck's own theme, in presenterm's keys, colours and arranges its slides."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.deck import Deck, load_deck
from triton_workshop.screen.palette import DARK, LIGHT, Palette
from triton_workshop.screen.richtext import rich_text
from triton_workshop.viewer.slides.deck_theme import palette_of
from triton_workshop.viewer.slides.page import DrawnSlide, compose
from triton_workshop.viewer.slides.view import View

BODY = "\nTitle\n===\n\n# Heading\n\ntext\n"


def deck_with(folder: Path, theme: str, body: str = BODY, more: str = "") -> Deck:
    lines = "\n".join("  " + line for line in theme.strip().splitlines())
    (folder / "deck.md").write_text(f"---\n{more}theme:\n{lines}\n---\n{body}")
    return load_deck(folder / "deck.md")


def override(folder: Path, keys: str, body: str = BODY, more: str = "") -> Deck:
    return deck_with(folder, "override:\n" + "\n".join("  " + line for line in keys.splitlines()), body, more)


def palette_in(deck: Deck) -> Palette:
    return palette_of(deck.front_matter.theme)


def page_of(deck: Deck, width: int = 80) -> DrawnSlide:
    theme = deck.front_matter.theme
    return compose(deck, deck.slides[-1], View(palette_of(theme), width, 24, theme=theme))


def colours(page: DrawnSlide, text: str) -> tuple[str | None, str | None]:
    """The foreground and background in which a text is drawn."""
    for line in (*page.title, *page.body):
        for segment in line:
            if text in segment.text and segment.style is not None:
                color, ground = segment.style.color, segment.style.bgcolor
                return color and color.name, ground and ground.name
    raise AssertionError(f"{text!r} is not on the page")


@pytest.mark.parametrize(
    ("keys", "field", "colour"),
    [
        ("default: {colors: {foreground: 'aabbcc'}}", "text", "#aabbcc"),
        ("default: {colors: {background: '101112'}}", "background", "#101112"),
        ("slide_title: {colors: {background: '00f'}}", "bar", "#0000ff"),
        ("default: {colors: {foreground: red}}", "text", DARK.bad),
        ("default: {colors: {foreground: 'palette:sand'}}", "text", DARK.text),
        ("default: {colors: {foreground: 'p:orange'}}", "text", DARK.warning),
    ],
)
def test_a_key_sets_a_colour(tmp_path: Path, keys: str, field: str, colour: str) -> None:
    assert getattr(palette_in(override(tmp_path, keys)), field) == colour


def test_what_the_theme_leaves_open_is_as_without_it(tmp_path: Path) -> None:
    changed = palette_in(override(tmp_path, "default: {colors: {foreground: 'aabbcc'}}"))
    assert changed.accent == DARK.accent
    assert palette_in(deck_with(tmp_path, "name: dark")) == DARK
    assert palette_in(deck_with(tmp_path, "name: catppuccin-latte")) == LIGHT


def test_a_bright_background_takes_the_other_colours_from_the_light_palette(tmp_path: Path) -> None:
    changed = palette_in(override(tmp_path, "default: {colors: {background: 'ffffee'}}"))
    assert (changed.background, changed.text, changed.dark) == ("#ffffee", LIGHT.text, False)


def test_a_title_whose_colour_is_set_stands_on_the_slides_own_ground(tmp_path: Path) -> None:
    page = page_of(override(tmp_path, "slide_title: {colors: {foreground: 'ff00ff'}}"))
    assert colours(page, "Title") == ("#ff00ff", DARK.background)


def test_the_margin_is_the_decks(tmp_path: Path) -> None:
    page = page_of(override(tmp_path, "default: {margin: {percent: 10}}"))
    line = next(line.text for line in page.body if "text" in line.text)
    assert line.startswith(" " * 8 + "text")


@pytest.mark.parametrize("name", ["orange", "light_blue", "blue_gray"])
def test_the_colours_of_a_built_in_theme_have_our_tones(tmp_path: Path, name: str) -> None:
    body = f'\nTitle\n===\n\n<span style="color: palette:{name}">word</span>\n'
    deck = deck_with(tmp_path, "name: dark", body)
    (paragraph,) = deck.slides[-1].blocks
    text = rich_text(paragraph.content.text, DARK)  # type: ignore[union-attr]
    assert all(span.style.color is not None for span in text.spans)  # type: ignore[union-attr]


@pytest.mark.parametrize("margin", ["{fixed: 0}", "{fixed: 900}", "{percent: 70}"])
@pytest.mark.parametrize("width", [1, 20, 80])
def test_no_margin_leaves_the_screen_or_takes_it_all(tmp_path: Path, margin: str, width: int) -> None:
    page = page_of(override(tmp_path, f"default: {{margin: {margin}}}"), width)
    assert {line.cell_length for line in (*page.title, *page.body)} == {width}
    assert width < 20 or any("text" in line.text for line in page.body)
