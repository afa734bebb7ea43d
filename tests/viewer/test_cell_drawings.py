"""Diagrams that a deck brings in characters, where a terminal shows no pictures; and screens of 256 colours."""

from __future__ import annotations

from math import dist
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as PILImage
from rich.color import Color
from rich.color_triplet import ColorTriplet
from rich.segment import Segment
from rich.style import Style
from textual.color import Color as ScreenColor

from triton_workshop.deck import Deck, load_deck
from triton_workshop.screen.colours_256 import MIN_CHROMA, PALETTE, Colours256Filter, chroma, nearest
from triton_workshop.screen.palette import DARK, LIGHT, Palette
from triton_workshop.terminal import PLAIN, GraphicsProtocol, Terminal
from triton_workshop.viewer.pictures.cell_drawings import drawing_for
from triton_workshop.viewer.pictures.drawing import clear_picture_caches
from triton_workshop.viewer.reloading import pictures
from triton_workshop.viewer.slides.page import DrawnSlide, compose
from triton_workshop.viewer.slides.plain import plain_text
from triton_workshop.viewer.slides.view import View

NARROW, WIDE = "┌── narrow ──┐", f"┌{' wide ':─^38}┐"


@pytest.fixture
def deck(tmp_path: Path) -> Deck:
    PILImage.new("RGB", (160, 90)).save(tmp_path / "plot.png")
    PILImage.new("RGB", (160, 90)).save(tmp_path / "photograph.jpeg")
    (tmp_path / "plot.20.ans").write_text(f"\x1b[0;38;2;255;0;0m{NARROW}\x1b[0m\nplain\n", encoding="utf-8")
    (tmp_path / "plot.40.ans").write_text(f"{WIDE}\n" * 12, encoding="utf-8")
    (tmp_path / "plot.log.20.ans").write_text("of another picture\n")
    path = tmp_path / "deck.md"
    path.write_text("One\n===\n\n![image:width:10%](plot.png)\n\n<!-- end_slide -->\n\n![](photograph.jpeg)\n")
    clear_picture_caches()
    return load_deck(path)


def page_of(
    deck: Deck, width: int, height: int, palette: Palette = DARK, terminal: Terminal = PLAIN, slide: int = 0
) -> DrawnSlide:
    return compose(deck, deck.slides[slide], View(palette, width, height, terminal=terminal))


def body_of(page: DrawnSlide) -> str:
    return "\n".join(line.text for line in page.body)


@pytest.mark.parametrize(
    ("width", "height", "shown"),
    [(80, 30, WIDE), (80, 12, NARROW), (28, 30, NARROW)],
    ids=["the widest that fits", "too few rows for it", "too few columns for it"],
)
def test_a_diagram_in_characters_stands_for_a_picture(deck: Deck, width: int, height: int, shown: str) -> None:
    body = body_of(page_of(deck, width, height))
    assert shown in body
    assert "▀" not in body
    assert all(len(line) == width for line in body.split("\n"))
    assert body.split("\n")[0].index(shown) == (width - len(shown)) // 2, "it stands in the middle"


def test_where_none_fits_half_blocks_stand_for_the_picture(deck: Deck) -> None:
    assert "▀" in body_of(page_of(deck, 12, 30))


def test_a_picture_without_a_diagram_stays_in_half_blocks(deck: Deck) -> None:
    assert "▀" in body_of(page_of(deck, 80, 30, slide=1))


@pytest.mark.parametrize("way", GraphicsProtocol)
def test_a_terminal_that_shows_pictures_shows_the_picture(deck: Deck, way: GraphicsProtocol) -> None:
    page = page_of(deck, 80, 30, terminal=Terminal(way))
    assert [picture.picture.source for picture in page.pictures] == [deck.path.parent / "plot.png"]
    assert body_of(page).strip() == ""


def styles_of(page: DrawnSlide, words: str) -> Style:
    [style] = [segment.style for line in page.body for segment in line if words in segment.text]
    assert style is not None
    return style


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=lambda palette: palette.name)
def test_it_keeps_its_colours_and_its_dark_ground(deck: Deck, palette: Palette) -> None:
    page = page_of(deck, 28, 30, palette)
    assert styles_of(page, NARROW) == Style(color="#ff0000", bgcolor=DARK.background)
    assert styles_of(page, "plain") == Style(color=DARK.text, bgcolor=DARK.background)


def test_a_deck_as_text_has_it_too(deck: Deck) -> None:
    lines = plain_text(deck).split("\n")
    assert lines[lines.index("[image: plot.png]") + 1] == WIDE


def test_a_save_of_it_is_a_save_of_the_picture(deck: Deck) -> None:
    assert deck.path.parent / "plot.20.ans" in pictures(deck)
    assert deck.path.parent / "plot.log.20.ans" not in pictures(deck)
    (deck.path.parent / "plot.20.ans").write_text("other\n")
    assert drawing_for(deck.path.parent / "plot.png", 20, 30) is not None
    clear_picture_caches()
    assert "other" in body_of(page_of(deck, 28, 30))


def test_a_file_that_is_no_text_is_left_out(deck: Deck) -> None:
    (deck.path.parent / "plot.20.ans").write_bytes(b"\xff\xfe\x00")
    clear_picture_caches()
    assert "▀" in body_of(page_of(deck, 28, 30))


def test_on_a_screen_of_256_colours_code_stands_on_grey() -> None:
    assert Color.parse(DARK.panel).downgrade(Color.parse("color(200)").system).number == 17, "Rich's navy"
    [segment] = Colours256Filter().apply([Segment("x", Style(bgcolor=DARK.panel))], ScreenColor(0, 0, 0))
    assert segment.style is not None
    assert segment.style.bgcolor == Color.from_ansi(235)


@pytest.mark.parametrize(("colour", "number"), [("#5f87af", 67), ("#080808", 232), ("#ffffff", 231), ("red", 1)])
def test_each_colour_becomes_the_nearest_of_256(colour: str, number: int) -> None:
    assert nearest(Color.parse(colour)).number == number


@given(st.builds(ColorTriplet, *[st.integers(0, 255)] * 3))
def test_no_other_of_the_256_is_nearer(wanted: ColorTriplet) -> None:
    """Of all that may be taken, not only of those around it."""
    allowed = [each for each in PALETTE.values() if chroma(wanted) <= MIN_CHROMA or chroma(each)]
    assert dist(wanted, nearest(Color.from_triplet(wanted)).get_truecolor()) == min(
        dist(wanted, each) for each in allowed
    )
