"""What a deck's text becomes where words do not tell: attributes, steps, places, settings.

The rest is in the dialect's table.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.deck import Deck
from triton_workshop.deck.model import (
    Alignment,
    Block,
    Code,
    Columns,
    Content,
    Execution,
    Heading,
    JumpToMiddle,
    Paragraph,
    Span,
    Text,
    Theme,
    plain,
)

from .conftest import ReadDeck
from .dialect.case import fence

NEW_LINE = Span("\n")


def text(words: str) -> Text:
    return (Span(words),)


def contents(deck: Deck) -> list[Content]:
    return [block.content for slide in deck.slides for block in slide.blocks]


def code(deck: Deck) -> Code:
    [block] = [content for content in contents(deck) if isinstance(content, Code)]
    return block


# A code block's opening line, and what it sets.
FENCES: dict[str, dict[str, object]] = {
    "": {"language": "", "execution": Execution.NONE},
    "python": {"language": "python", "highlights": (None,), "background": True},
    "Python +line_numbers +no_background": {"language": "python", "line_numbers": True, "background": False},
    "python +exec": {"execution": Execution.ON_KEY, "alternative": None},
    "python +exec:uv": {"execution": Execution.ON_KEY, "alternative": "uv"},
    "python +exec +auto_exec": {"execution": Execution.AUTOMATIC},
    "python +exec +exec_replace": {"execution": Execution.REPLACE},
    "python +image": {"execution": Execution.IMAGE},
    "python +acquire_terminal": {"execution": Execution.ON_KEY},
    "python +pty": {"execution": Execution.ON_KEY},
    "python +pty:standby:80:24 +exec_replace": {"execution": Execution.REPLACE},
    "python +exec +id:x": {"execution": Execution.ON_KEY},
    "python +validate": {"execution": Execution.NONE, "validate": True},
    "python +exec +expect:fail": {"execution": Execution.ON_KEY, "expect_failure": True},
    "python +exec +expect:success": {"expect_failure": False},
    "mermaid +render +width:40%": {"render": True, "render_width_percent": 40, "execution": Execution.NONE},
    "python {1,3-4|all|2}": {"highlights": (frozenset({1, 3, 4}), None, frozenset({2}))},
    "python { 1 , 2 }+exec": {"highlights": (frozenset({1, 2}),), "execution": Execution.ON_KEY},
    "python {}": {"highlights": (None,)},
    "python {3-99}": {"highlights": (frozenset({3, 4}),)},
}


@pytest.mark.parametrize("info", FENCES)
def test_fences(read: ReadDeck, info: str) -> None:
    block = code(read(fence(info, "a\nb\nc\nd")))
    assert {name: getattr(block, name) for name in FENCES[info]} == FENCES[info]


def test_hidden_lines_run_and_are_not_shown(read: ReadDeck) -> None:
    block = code(read("text\n\n```python\n/// import os\nprint(1)\n///\n```\n"))
    assert block.lines == ("print(1)", "///")
    assert block.source == "import os\nprint(1)\n///\n"
    assert block.source_lines == (4, 5, 6)


@pytest.mark.parametrize(("language", "prefix"), [("rust", "# "), ("bash", "/// "), ("elixir", "## ")])
def test_hidden_prefix_is_the_languages_own(read: ReadDeck, language: str, prefix: str) -> None:
    block = code(read(f"```{language}\n{prefix}hidden\nshown\n```\n"))
    assert (block.lines, block.source) == (("shown",), "hidden\nshown\n")


def test_highlights_count_visible_lines(read: ReadDeck) -> None:
    block = code(read("```python {2}\n/// hidden\na\nb\n```\n"))
    assert block.lines[1] == "b"
    assert block.highlights == (frozenset({2}),)


def test_highlight_groups_follow_one_block_after_the_other(read: ReadDeck) -> None:
    [slide] = read(fence("python {1|2}", "a\nb") + "\n" + fence("python {all|1|2}", "c\nd")).slides
    first, second = slide.blocks
    assert (first.step, second.step) == (0, 0)
    assert highlighted(first, slide.steps) == [{1}, {2}, {2}, {2}]
    assert highlighted(second, slide.steps) == [None, None, {1}, {2}]


def highlighted(block: Block, steps: int) -> list[frozenset[int] | None]:
    assert isinstance(block.content, Code)
    return [block.content.highlighted(step) for step in range(steps)]


def test_highlight_groups_after_a_pause_start_at_its_step(read: ReadDeck) -> None:
    [slide] = read("a\n<!-- pause -->\n" + fence("python {1|2}", "b\nc")).slides
    block = slide.blocks[1]
    assert (block.step, slide.steps) == (1, 3)
    assert highlighted(block, slide.steps) == [{1}, {1}, {2}]


def test_output_that_replaces_code_has_no_highlight_steps(read: ReadDeck) -> None:
    [slide] = read(fence("python +exec_replace {1|2}", "a\nb")).slides
    assert slide.steps == 1


def test_tabs_are_shown_as_four_spaces_and_run_as_tabs(read: ReadDeck) -> None:
    block = code(read("```python\nif 1:\n\tpass\n```\n"))
    assert (block.lines[1], block.source) == ("    pass", "if 1:\n\tpass\n")


def test_file_block_takes_its_lines_from_the_file(read: ReadDeck, folder: Path) -> None:
    block = code(read("```file +exec\npath: code.py\nlanguage: python\nstart_line: 2\nend_line: 3\n```\n"))
    assert (block.language, block.lines, block.source) == ("python", ("two", "three"), "two\nthree\n")
    assert (block.file, block.source_lines) == (folder / "code.py", (2, 3))


def test_auto_render_languages_are_drawn(read: ReadDeck) -> None:
    block = code(read("---\noptions:\n  auto_render_languages: [mermaid]\n---\n```mermaid\nx\n```\n"))
    assert block.render


@pytest.mark.parametrize("attribute", ["+pty:80:24", "+acquire_terminal"])
def test_what_is_not_drawn_is_told_in_a_sentence(read: ReadDeck, attribute: str) -> None:
    deck = read(f"text\n\n```bash {attribute}\ntop\n```\n")
    [problem] = deck.unsupported
    assert (problem.line, deck.warnings) == (3, ())
    assert problem.reason == "presenterm gives this block a terminal; this viewer runs it as +exec"


def test_snippet_output_says_where_the_output_is(read: ReadDeck) -> None:
    deck = read("```bash +exec +id:x\nls\n```\n\n<!-- end_slide -->\n\n<!-- snippet_output: x -->\n")
    [block] = deck.slides[1].blocks
    assert isinstance(block.content, Paragraph)
    told = "presenterm shows the output of 'x' here; this viewer shows it below its code."
    assert plain(block.content.text) == told


def test_columns_hold_what_stands_in_them_and_go_on_where_they_stopped(read: ReadDeck) -> None:
    layout = "<!-- column_layout: [3, 2] -->\n<!-- column: 0 -->\na\n<!-- column: 1 -->\nb\n<!-- column: 0 -->\nc\n"
    columns, after = contents(read(layout + "<!-- reset_layout -->\nd\n"))
    assert isinstance(columns, Columns)
    assert columns.weights == (3, 2)
    words = [[plain(block.content.text) for block in column] for column in columns.columns]  # type: ignore[union-attr]
    assert words == [["a", "c"], ["b"]]
    assert after == Paragraph(text("d"))


def test_alignment_and_font_size_end_with_the_slide(read: ReadDeck) -> None:
    deck = read("a\n<!-- alignment: center -->\n<!-- font_size: 2 -->\nb\n<!-- end_slide -->\nc\n")
    blocks = [block for slide in deck.slides for block in slide.blocks]
    assert [block.alignment for block in blocks] == [None, Alignment.CENTER, None]
    assert [block.font_size for block in blocks] == [1, 2, 1]


def test_setext_heading_is_the_slides_title(read: ReadDeck) -> None:
    [slide] = read("<!-- alignment: center -->\n\nA *title*\\\nof two lines\n===\n\ntext\n").slides
    assert slide.title == (Span("A "), Span("title", italic=True), NEW_LINE, Span("of two lines"))
    assert len(slide.blocks) == 1


def test_title_below_something_stays_where_it_stands(read: ReadDeck) -> None:
    [slide] = read("<!-- jump_to_middle -->\n\nThe end\n---\n").slides
    assert slide.title is None
    assert [block.content for block in slide.blocks] == [JumpToMiddle(), Heading(1, text("The end"))]
    assert slide.name == "The end"


def test_blocks_know_their_line(read: ReadDeck) -> None:
    [slide] = read("---\ntheme:\n  name: dark\n---\n\na\n\n* b\n* c\n\n```python\nd\n```\n").slides
    assert [block.line for block in slide.blocks] == [6, 8, 9, 11]


def test_included_blocks_know_their_file_and_line(read: ReadDeck, folder: Path) -> None:
    [slide] = read("first\n\n<!-- include: part.md -->\n").slides
    assert [(block.path, block.line) for block in slide.blocks] == [
        (None, 1),
        (folder / "part.md", 1),
        (folder / "part.md", 5),
    ]


def test_notes_belong_to_their_slide(read: ReadDeck) -> None:
    deck = read("a\n<!-- speaker_note: one -->\n<!--\nspeaker_note: |\n  two: a\n  three\n-->\n<!-- end_slide -->\nb\n")
    assert [slide.notes for slide in deck.slides] == [("one", "two: a\nthree"), ()]


def test_no_footer_and_skip_slide_hold_for_one_slide(read: ReadDeck) -> None:
    deck = read("<!-- no_footer -->\na\n<!-- end_slide -->\nb\n<!-- skip_slide -->\n<!-- end_slide -->\nc\n")
    assert [(slide.footer, slide.line) for slide in deck.slides] == [(False, 1), (True, 7)]


def test_front_matter_makes_an_introduction_slide(read: ReadDeck) -> None:
    deck = read("---\ntitle: A *deck*\nsub_title: On\nauthors: [One, Two]\ndate: 2024-05-06\n---\n\ntext\n")
    first, second = deck.slides
    assert first.introduction
    assert first.title == (Span("A "), Span("deck", italic=True))
    assert not second.introduction
    front = deck.front_matter
    assert (front.title, front.sub_title, front.authors) == ("A deck", "On", ("One", "Two"))
    assert (front.date, deck.title) == ("2024-05-06", "A deck")


def test_one_author_is_one_of_the_authors(read: ReadDeck) -> None:
    assert read("---\nauthor: One\n---\n").front_matter.authors == ("One",)


def test_theme_makes_no_introduction_slide(read: ReadDeck) -> None:
    override = "default: {margin: {percent: 4}, colors: {background: red}}, slide_title: {colors: {foreground: 'fff'}}"
    deck = read(f"---\ntheme:\n  name: light\n  override: {{{override}}}\n---\n\na\n")
    assert len(deck.slides) == 1
    assert deck.front_matter.theme == Theme("light", margin_percent=4, background="red", title_foreground="fff")
    assert deck.unsupported == ()


@pytest.mark.parametrize(
    ("theme", "line", "told"),
    [
        ("override: {footer: {style: empty}, bold: {colors: {foreground: red}}}", 3,
         "presenterm also draws the theme's footer, bold; this viewer does not"),
        ("override:\n    default:\n      margin: {fixed: 2}\n      alignment: center", 6,
         "presenterm also draws the theme's default; this viewer does not"),
        ("path: mine.yaml", 3, "presenterm takes its theme from mine.yaml; this viewer does not"),
        ("name: drak", 3,
         "presenterm has no theme 'drak' of its own; this viewer shows its dark one"),
    ],
)  # fmt: skip
def test_what_a_theme_has_beyond_ours_is_told_in_a_sentence(read: ReadDeck, theme: str, line: int, told: str) -> None:
    deck = read(f"---\ntheme:\n  {theme}\n---\n\n<span class='loud'>a</span> b\n")
    assert [(problem.line, problem.reason) for problem in deck.unsupported] == [(line, told)]
    assert contents(deck) == [Paragraph((Span("a", style_class="loud"), Span(" b")))]


def test_code_that_a_theme_puts_to_the_left_is_as_ours(read: ReadDeck) -> None:
    deck = read("---\ntheme: {override: {code: {alignment: left, margin: {fixed: 2}}}}\n---\n\na\n")
    assert deck.unsupported == ()


@pytest.mark.parametrize(
    ("source", "count"),
    [("", 1), ("a\n<!-- end_slide -->\n", 2), ("<!-- skip_slide -->\na\n", 1), ("---\ntitle: a\n---\n", 2)],
)
def test_presenterm_keeps_the_empty_slide_after_an_end(read: ReadDeck, source: str, count: int) -> None:
    assert len(read(source).slides) == count


def test_line_ends_of_windows_change_nothing(read: ReadDeck) -> None:
    source = "---\ntitle: a\n---\n\nb\nc\n\n```python\nd\n```\n"
    assert read(source.replace("\n", "\r\n")).slides == read(source).slides
