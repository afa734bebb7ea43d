"""What a slide looks like at a size, without a screen."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from PIL import Image as PILImage

from triton_workshop.deck import Deck, load_deck
from triton_workshop.deck.model import (
    Alignment,
    Blank,
    Block,
    Code,
    Columns,
    Content,
    Execution,
    FrontMatter,
    Heading,
    Image,
    JumpToMiddle,
    ListItem,
    Paragraph,
    Slide,
    Span,
    Table,
)
from triton_workshop.screen.palette import DARK, LIGHT, Palette, palette_named
from triton_workshop.screen.richtext import code_lines, superscript
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.slides.frame import footer
from triton_workshop.viewer.slides.page import DrawnSlide, compose
from triton_workshop.viewer.slides.slide_step import SlideStep
from triton_workshop.viewer.slides.view import View, margin

DECKS = Path(__file__).parent / "decks"
SIZES = [(80, 24), (200, 50), (20, 5), (1, 1), (120, 36)]


def slide_of(*contents: Content, title: str | None = "Title", steps: int = 1) -> Slide:
    blocks = tuple(Block(content, step=min(index, steps - 1), line=index) for index, content in enumerate(contents))
    return Slide((Span(title),) if title else None, blocks, steps, line=1)


def page_of(slide: Slide, width: int = 80, height: int = 24, step: int = 0, palette: Palette = DARK) -> DrawnSlide:
    deck = Deck(Path("deck.md"), FrontMatter(title="A deck"), (slide,))
    return compose(deck, slide, View(palette, width, height, step))


def text_of(page: DrawnSlide) -> str:
    return "\n".join(line.text.rstrip() for line in (*page.title, *page.body))


def paragraph(text: str) -> Paragraph:
    return Paragraph((Span(text),))


@pytest.mark.parametrize("deck", ["tour.md", "live.md"])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_line_of_every_step_is_as_wide_as_the_screen(deck: str, width: int, height: int) -> None:
    loaded = load_deck(DECKS / deck)
    for number, slide in enumerate(loaded.slides):
        for step in range(slide.steps):
            view = View(LIGHT, width, height, step)
            page = compose(loaded, slide, view)
            for line in (*page.title, *page.body, *footer(loaded, SlideStep(number, step), view)):
                assert line.cell_length == width
                assert sum(segment.cell_length for segment in line) == width


def test_running_text_keeps_a_readable_measure_on_a_wide_screen() -> None:
    page = page_of(slide_of(paragraph("word " * 200)), 200, 50)
    assert max(len(line.text.strip()) for line in page.body) <= 108


def test_code_takes_the_room_that_text_does_not() -> None:
    line = "x" * 130
    page = page_of(slide_of(Code("python", (line,), line, (1,))), 200, 50)
    assert line in text_of(page)


def test_a_long_line_of_code_goes_on_in_the_next_row() -> None:
    line = "call(" + ", ".join(f"argument_{index}" for index in range(12)) + ")"
    text = text_of(page_of(slide_of(Code("python", (line,), line, (1,)))))
    assert "↪" in text
    assert "argument_11)" in text


def test_what_comes_later_keeps_its_room_and_stays_hidden() -> None:
    slide = slide_of(paragraph("now"), paragraph("later"), steps=2)
    before, after = page_of(slide, step=0), page_of(slide, step=1)
    assert "later" not in text_of(before)
    assert "later" in text_of(after)
    assert after.body[: len(before.body)] == before.body


def test_a_table_that_grows_keeps_its_columns_in_place() -> None:
    rows = (((Span("a"),),), ((Span("a much wider cell"),),))
    table = Table(((Span("header"),),), rows, (Alignment.RIGHT,), row_steps=(0, 1))
    slide = Slide(None, (Block(table, 0, 1),), 2, 1)
    before, after = page_of(slide, step=0), page_of(slide, step=1)
    assert "wider" not in text_of(before)
    assert "wider" in text_of(after)
    assert before.body[0] == after.body[0]


def test_lines_that_are_not_highlighted_are_dimmed() -> None:
    code = Code("text", ("lit", "dim"), "", (), highlights=(frozenset({1}), None))
    slide = slide_of(code, steps=2)

    def colours(step: int) -> dict[str, str]:
        segments = [segment for line in page_of(slide, step=step).body for segment in line]
        return {
            segment.text.strip(): segment.style.color.name
            for segment in segments
            if segment.text.strip() in ("lit", "dim") and segment.style and segment.style.color
        }

    assert colours(0) == {"lit": DARK.text, "dim": DARK.faint}
    assert colours(1) == {"lit": DARK.text, "dim": DARK.text}


@pytest.mark.parametrize(
    ("beginning", "between_words"),
    [("RuntimeError", True), ("subprocess.TimeoutExpired.SomeError", True), ("error", True), ("a", False)],
)
def test_an_errors_message_breaks_between_words_and_other_output_as_in_a_terminal(
    beginning: str, between_words: bool
) -> None:
    line = f"{beginning}: the sizes of tensor a and tensor b must match"
    slide = slide_of(Code("python", ("x",), "x", (1,), execution=Execution.ON_KEY))
    cell = BlockRun(status=Status.ENDED)
    cell.transcript.feed(line.encode())
    page = compose(
        Deck(Path("deck.md"), FrontMatter(), (slide,)), slide, View(DARK, 49, 24, 0, {slide.blocks[0]: cell})
    )
    columns = page.live[slide.blocks[0]].columns
    printed = [row.partition("▎ ")[2] for row in text_of(page).splitlines() if "▎ " in row]
    assert line[columns - 1 : columns + 1].isalpha() or between_words
    assert printed[:-1] == (textwrap.wrap(line, columns) if between_words else [line[:columns], line[columns:]])


def test_line_numbers_are_as_wide_as_the_last() -> None:
    code = Code("text", (*"abcdefgh", "nine", "ten"), "", (), line_numbers=True)
    text = text_of(page_of(slide_of(code)))
    assert " 9  nine" in text
    assert "10  ten" in text


def test_columns_share_the_width_by_weight() -> None:
    columns = Columns((3, 1), ((Block(paragraph("left"), 0, 1),), (Block(paragraph("right"), 0, 2),)))
    page = page_of(slide_of(columns))
    (line,) = [line.text for line in page.body if "left" in line.text]
    width = 80 - 2 * margin(80)
    assert abs(line.index("right") - (margin(80) + width * 3 / 4)) <= 3


def test_columns_stand_below_each_other_where_the_screen_is_narrow() -> None:
    lines = text_of(page_of(slide_of(LAYOUT), 24, 10)).splitlines()
    assert not any("left" in line and "right" in line for line in lines)
    assert any("right" in line for line in lines)


LAYOUT = Columns((1, 1), ((Block(paragraph("left"), 0, 1),), (Block(paragraph("right"), 0, 2),)))


@pytest.mark.parametrize("above", [LAYOUT, paragraph("above"), ListItem(0, "•", (Span("above"),)), Heading(2, ())])
def test_new_lines_adds_to_the_gap_between_two_blocks(above: Content) -> None:
    def row_below(*between: Content) -> int:
        page = page_of(slide_of(above, *between, paragraph("below")))
        return next(row for row, line in enumerate(page.body) if "below" in line.text)

    assert row_below(Blank(2)) == row_below() + 2
    assert row_below(Blank(1), Blank(2)) == row_below() + 3


def test_what_follows_jump_to_middle_is_in_the_middle() -> None:
    page = page_of(slide_of(JumpToMiddle(), paragraph("centre")))
    row = next(index for index, line in enumerate(page.body) if "centre" in line.text)
    assert abs(row - page.body_rows // 2) <= 1


def test_a_title_that_stands_alone_is_centred() -> None:
    page = page_of(slide_of(JumpToMiddle(), Heading(1, (Span("Part two"),)), title=None))
    line = next(line.text for line in page.body if "Part two" in line.text)
    assert abs(line.index("Part two") + 4 - 40) <= 1


def test_the_introduction_shows_the_front_matter() -> None:
    deck = load_deck(DECKS / "tour.md")
    text = text_of(compose(deck, deck.slides[0], View(DARK, 80, 24)))
    assert all(words in text for words in ("A small deck", "for tests", "Somebody"))


def test_only_code_that_runs_carries_the_key() -> None:
    marked = Code("python", ("1",), "1", (1,), execution=Execution.ON_KEY)
    plain = Code("python", ("1",), "1", (1,))
    foreign = Code("cobol", ("1",), "1", (1,), execution=Execution.ON_KEY)
    assert "▶ Ctrl+E" in text_of(page_of(slide_of(marked)))
    assert "Ctrl+E" not in text_of(page_of(slide_of(plain)))
    assert "cobol does not run here" in text_of(page_of(slide_of(foreign)))


def test_a_picture_takes_its_share_of_the_column_and_keeps_its_shape(tmp_path: Path) -> None:
    path = tmp_path / "red.png"
    PILImage.new("RGB", (400, 200), "red").save(path)
    page = page_of(slide_of(Image(path, width_percent=50)), 80, 24)
    rows = [line.text.count("▀") for line in page.body if "▀" in line.text]
    width = (80 - 2 * margin(80)) / 2
    assert set(rows) == {round(width)}
    assert abs(len(rows) - width / 4) <= 1


def test_a_picture_leaves_room_for_the_text_below_it(tmp_path: Path) -> None:
    path = tmp_path / "tall.png"
    PILImage.new("RGB", (400, 4000), "red").save(path)
    page = page_of(slide_of(Image(path), paragraph("below")), 80, 24)
    assert len(page.body) <= page.body_rows
    assert "below" in text_of(page)


@pytest.mark.parametrize("content", ["", "no picture at all"])
def test_a_file_that_is_no_picture_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "broken.png"
    path.write_text(content)
    assert "broken.png" in text_of(page_of(slide_of(Image(path))))


@pytest.mark.parametrize(
    "text", ["👩‍🚀 family 👨‍👩‍👧", "日本語のテキスト" * 20, "‮right to left‬", "e\u0301" * 90, "\x1b[31mred\x07"]
)
def test_unusual_text_stays_inside_its_line(text: str) -> None:
    slide = slide_of(paragraph(text), ListItem(0, "•", (Span(text),)), Code("python", (text,), text, (1,)), title=text)
    for width, height in SIZES:
        page = page_of(slide, width, height)
        assert {line.cell_length for line in (*page.title, *page.body)} <= {width}
        assert "\x1b" not in text_of(page)


@pytest.mark.parametrize("language", ["python", "bash", "nosuchlanguage", "", "c++", "json"])
def test_highlighting_keeps_every_line(language: str) -> None:
    lines = ("", "def f():", '    """open', "", "    # π\t", "")
    assert len(code_lines(language, lines, DARK)) == len(lines)


@pytest.mark.parametrize(("text", "raised"), [("2", "²"), ("n+1", "ⁿ⁺¹"), ("Q", "^Q")])
def test_superscripts_are_raised_where_unicode_can(text: str, raised: str) -> None:
    assert superscript(text) == raised


@pytest.mark.parametrize(("name", "palette"), [("light", LIGHT), ("dark", DARK), (None, DARK), ("other", DARK)])
def test_the_front_matter_chooses_the_palette(name: str | None, palette: Palette) -> None:
    assert palette_named(name) is palette


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=lambda palette: palette.name)
def test_text_has_the_contrast_that_projectors_need(palette: Palette) -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def contrast(one: str, other: str) -> float:
        """The contrast ratio of WCAG 2.2."""
        dark, light = sorted((luminance(one), luminance(other)))
        return (light + 0.05) / (dark + 0.05)

    for ground in (palette.background, palette.panel, palette.well):
        assert contrast(palette.text, ground) >= 10
        assert contrast(palette.muted, ground) >= 5.5
        for tone in (palette.accent, palette.good, palette.bad, palette.warning, palette.note, palette.literal):
            assert contrast(tone, ground) >= 5
    assert contrast(palette.on_bar, palette.bar) >= 6
