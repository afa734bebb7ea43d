"""A deck's own theme, in presenterm's keys, colours and arranges its slides."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.deck import Deck, load_deck
from triton_workshop.deck.model import Alignment
from triton_workshop.deck.theme_keys import KEYS
from triton_workshop.screen.palette import DARK, LIGHT, Palette
from triton_workshop.screen.richtext import rich_text
from triton_workshop.viewer.slides.deck_theme import COLOURS, look_of
from triton_workshop.viewer.slides.page import DrawnSlide, compose
from triton_workshop.viewer.slides.view import View

BODY = "\nTitle\n===\n\n# Heading\n\ntext\n"


def deck_with(folder: Path, theme: str, body: str = BODY, more: str = "") -> Deck:
    lines = "\n".join("  " + line for line in theme.strip().splitlines())
    (folder / "deck.md").write_text(f"---\n{more}theme:\n{lines}\n---\n{body}")
    return load_deck(folder / "deck.md")


def override(folder: Path, keys: str, body: str = BODY, more: str = "") -> Deck:
    return deck_with(folder, "override:\n" + "\n".join("  " + line for line in keys.splitlines()), body, more)


def palette_of(deck: Deck) -> Palette:
    return look_of(deck.front_matter)[0]


def page_of(deck: Deck, width: int = 80) -> DrawnSlide:
    palette, layout = look_of(deck.front_matter)
    return compose(deck, deck.slides[-1], View(palette, width, 24, layout=layout))


def colours(page: DrawnSlide, text: str) -> tuple[str | None, str | None]:
    """The foreground and background in which a text is drawn."""
    for line in (*page.title, *page.body):
        for segment in line:
            if text in segment.text and segment.style is not None:
                color, ground = segment.style.color, segment.style.bgcolor
                return color and color.name, ground and ground.name
    raise AssertionError(f"{text!r} is not on the page")


@pytest.mark.parametrize("path", COLOURS)
def test_a_theme_may_have_every_key_that_sets_a_colour(path: str) -> None:
    kind: object = {**KEYS, "footer": {"colors": {"foreground": "colour"}}}
    for key in path.split("."):
        kind = kind[key]  # type: ignore[index]
    assert kind == "colour"


@pytest.mark.parametrize(
    ("keys", "field", "colour"),
    [
        ("default: {colors: {foreground: 'aabbcc'}}", "text", "#aabbcc"),
        ("default: {colors: {background: '101112'}}", "background", "#101112"),
        ("slide_title: {colors: {background: '00f'}}", "bar", "#0000ff"),
        ("inline_code: {colors: {foreground: red}}", "literal", DARK.bad),
        ("bold: {colors: {foreground: dark_yellow}}", "emphasis", DARK.warning),
        ("execution_output: {colors: {background: '000000'}}", "well", "#000000"),
        ("execution_output: {colors: {foreground: '00ff00'}}", "output", "#00ff00"),
        ("alert: {styles: {note: {color: '123456'}}}", "note", "#123456"),
        ("footer: {style: empty, colors: {foreground: '445566'}}", "footer", "#445566"),
        ("default: {colors: {foreground: 'palette:sand'}}\npalette: {colors: {sand: 'ffeedd'}}", "text", "#ffeedd"),
        ("default: {colors: {foreground: 'p:orange'}}", "text", DARK.warning),
    ],
)
def test_a_key_sets_a_colour(tmp_path: Path, keys: str, field: str, colour: str) -> None:
    assert getattr(palette_of(override(tmp_path, keys)), field) == colour


def test_what_the_theme_leaves_open_is_as_without_it(tmp_path: Path) -> None:
    changed = palette_of(override(tmp_path, "default: {colors: {foreground: 'aabbcc'}}"))
    assert changed.accent == DARK.accent
    assert palette_of(deck_with(tmp_path, "name: dark")) == DARK
    assert palette_of(deck_with(tmp_path, "name: catppuccin-latte")) == LIGHT


def test_a_bright_background_takes_the_other_colours_from_the_light_palette(tmp_path: Path) -> None:
    changed = palette_of(override(tmp_path, "default: {colors: {background: 'ffffee'}}"))
    assert (changed.background, changed.text, changed.dark) == ("#ffffee", LIGHT.text, False)


def test_a_title_whose_colour_is_set_stands_on_the_slides_own_ground(tmp_path: Path) -> None:
    page = page_of(override(tmp_path, "slide_title: {colors: {foreground: 'ff00ff'}}"))
    assert colours(page, "Title") == ("#ff00ff", DARK.background)


def test_headings_have_their_own_colours_and_places(tmp_path: Path) -> None:
    page = page_of(override(tmp_path, "headings: {h1: {alignment: center, colors: {foreground: 'ff8800'}}}"))
    assert colours(page, "Heading")[0] == "#ff8800"
    line = next(line.text for line in page.body if "Heading" in line.text)
    assert abs(line.index("Heading") - (80 - len("Heading")) // 2) <= 1


def test_alignment_and_margin_are_the_decks(tmp_path: Path) -> None:
    keys = "default: {alignment: right, margin: {percent: 10}}\nslide_title: {alignment: center}"
    page = page_of(override(tmp_path, keys))
    line = next(line.text for line in page.body if "text" in line.text)
    assert line == " " * 68 + "text" + " " * 8
    title = next(line.text for line in page.title if "Title" in line.text)
    assert abs(title.index("Title") - 37) <= 1


def test_what_a_block_says_of_its_alignment_comes_before_the_theme(tmp_path: Path) -> None:
    body = "\nTitle\n===\n\n<!-- alignment: left -->\n\ntext\n"
    page = page_of(override(tmp_path, "default: {alignment: right}", body))
    assert any(line.text.strip() == "text" and line.text.index("text") < 8 for line in page.body)


def test_classes_and_colours_of_the_palette_colour_the_text(tmp_path: Path) -> None:
    keys = "palette:\n  colors: {sand: 'ffeedd'}\n  classes: {loud: {foreground: 'p:sand', background: '111'}}"
    body = '\nTitle\n===\n\n<span class="loud">shout</span> <span style="color: palette:sand">low</span>\n'
    page = page_of(override(tmp_path, keys, body))
    assert colours(page, "shout") == ("#ffeedd", "#111111")
    assert colours(page, "low")[0] == "#ffeedd"


@pytest.mark.parametrize("name", ["orange", "light_blue", "blue_gray"])
def test_the_colours_of_a_built_in_theme_have_our_tones(tmp_path: Path, name: str) -> None:
    body = f'\nTitle\n===\n\n<span style="color: palette:{name}">word</span>\n'
    deck = deck_with(tmp_path, "name: dark", body)
    (paragraph,) = deck.slides[-1].blocks
    text = rich_text(paragraph.content.text, DARK)  # type: ignore[union-attr]
    assert all(span.style.color is not None for span in text.spans)  # type: ignore[union-attr]


def test_a_themes_file_is_applied_with_what_it_extends_and_the_override_over_it(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(
        "extends: light\ndefault: {colors: {foreground: '111111'}}\nbold: {colors: {foreground: '222222'}}\n"
    )
    deck = deck_with(tmp_path, "path: mine.yaml\noverride: {bold: {colors: {foreground: '333333'}}}")
    palette = palette_of(deck)
    assert (palette.background, palette.text, palette.emphasis) == (LIGHT.background, "#111111", "#333333")


@pytest.mark.parametrize("margin", ["{fixed: 0}", "{fixed: 900}", "{percent: 70}"])
@pytest.mark.parametrize("width", [1, 20, 80])
def test_no_margin_leaves_the_screen_or_takes_it_all(tmp_path: Path, margin: str, width: int) -> None:
    page = page_of(override(tmp_path, f"default: {{margin: {margin}}}"), width)
    assert {line.cell_length for line in (*page.title, *page.body)} == {width}
    assert width < 20 or any("text" in line.text for line in page.body)


@pytest.mark.parametrize("contents", ["", "default: {}", "default: {margin: {fixed: 0}}"])
def test_a_theme_that_says_nothing_of_use_changes_nothing(tmp_path: Path, contents: str) -> None:
    (tmp_path / "mine.yaml").write_text(contents)
    deck = deck_with(tmp_path, "path: mine.yaml")
    assert palette_of(deck) == DARK
    assert look_of(deck.front_matter)[1].alignment is None
    assert Alignment.LEFT not in look_of(deck.front_matter)[1].heading_alignments


def test_names_that_are_numbers_are_names_too(tmp_path: Path) -> None:
    body = '\nTitle\n===\n\n<span class="2">two</span>\n'
    keys = "palette: {colors: {1: 'ff0000'}, classes: {2: {foreground: 'p:1'}}}"
    assert colours(page_of(override(tmp_path, keys, body)), "two")[0] == "#ff0000"
