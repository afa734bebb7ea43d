"""At which step things appear. The same decks were stepped through in presenterm 0.16.1, screen by screen."""

from __future__ import annotations

import re

import pytest

from triton_workshop.deck import Block, Code, Columns, ListItem, Paragraph, Slide, Table, plain

from .conftest import ReadDeck

INCREMENTAL = "<!-- incremental_lists: true -->\n"
TWO_COLUMNS = "<!-- column_layout: [1, 1] -->\n"


def code(info: str, body: str) -> str:
    return f"```python {info}\n{body}\n```\n"


def shown(blocks: tuple[Block, ...], step: int) -> str:
    """The words seen at a step, in the order in which they stand."""
    words = []
    for block in blocks:
        if block.step > step:
            continue
        match block.content:
            case Paragraph(text) | ListItem(_, _, text):
                words.append(plain(text))
            case Code(lines=lines):
                words += lines
            case Columns(_, columns):
                words += [shown(column, step) for column in columns]
            case Table(header, rows, _, steps):
                words += [plain(cell) for cell in header]
                words += [plain(row[0]) for row, at in zip(rows, steps, strict=True) if at <= step]
    return re.sub(r" +", " ", " ".join(words)).strip()


def walk(slides: tuple[Slide, ...]) -> list[list[str]]:
    return [[shown(slide.blocks, step) for step in range(slide.steps)] for slide in slides]


# What it is about: the deck, and what each step of each slide shows.
WALKS: dict[str, tuple[str, list[list[str]]]] = {
    "a pause": ("a\n<!-- pause -->\nb\n", [["a", "a b"]]),
    "two pauses": ("a\n<!-- pause -->\n<!-- pause -->\nb\n", [["a", "a", "a b"]]),
    "a pause first": ("<!-- pause -->\na\n", [["", "a"]]),
    "a pause last": ("a\n<!-- pause -->\n<!-- end_slide -->\nb\n", [["a"], ["b"]]),
    "a pause, then empty lines": ("a\n<!-- pause -->\n<!-- new_lines: 2 -->\n<!-- end_slide -->\nb\n", [["a"], ["b"]]),
    "a pause, then a layout's end": ("a\n<!-- pause -->\n<!-- reset_layout -->\n", [["a", "a"]]),
    "a pause, then a note": ("a\n<!-- pause -->\n<!-- speaker_note: x -->\n", [["a"]]),
    "items": (INCREMENTAL + "* a\n* b\n  * c\n", [["", "a", "a b", "a b c"]]),
    "items, then text": (INCREMENTAL + "* a\n* b\n\nc\n", [["", "a", "a b", "a b c"]]),
    "items that stop": (INCREMENTAL + "* a\n\n<!-- incremental_lists: false -->\n* b\n* c\n", [["", "a", "a b c"]]),
    "items on the next slide": (INCREMENTAL + "* a\n<!-- end_slide -->\n* b\n", [["", "a"], ["b"]]),
    "items by option": ("---\noptions:\n  incremental_lists: true\n---\n* a\n", [["", "a"]]),
    "groups, then a pause": (code("{1|2}", "a\nb") + "\n<!-- pause -->\nc\n", [["a b", "a b", "a b c"]]),
    "columns": (
        TWO_COLUMNS + "<!-- column: 0 -->\na\n<!-- pause -->\n<!-- column: 1 -->\nc\n<!-- pause -->\n"
        "<!-- column: 0 -->\nb\n<!-- reset_layout -->\nd\n",
        [["a", "a c", "a b c d"]],
    ),
    "rows": (
        "<!-- incremental_tables: true -->\n| a |\n|---|\n| b |\n| c |\n\nd\n",
        [["a", "a b", "a b c d"]],
    ),
    "an include": ("a\n<!-- include: part.md -->\n", [["a included", "a included item"]]),
}


@pytest.mark.parametrize("about", WALKS)
def test_steps_show_what_presenterm_shows(read: ReadDeck, about: str) -> None:
    source, wanted = WALKS[about]
    assert walk(read(source).slides) == wanted


def test_highlight_groups_follow_one_block_after_the_other(read: ReadDeck) -> None:
    [slide] = read(code("{1|2}", "a\nb") + "\n" + code("{all|1|2}", "c\nd")).slides
    first, second = (block.content for block in slide.blocks)
    assert isinstance(first, Code)
    assert isinstance(second, Code)
    assert [block.step for block in slide.blocks] == [0, 0]
    assert [first.highlighted(step) for step in range(slide.steps)] == [{1}, {2}, {2}, {2}]
    assert [second.highlighted(step) for step in range(slide.steps)] == [None, None, {1}, {2}]


def test_highlight_groups_after_a_pause_start_at_its_step(read: ReadDeck) -> None:
    [slide] = read("a\n<!-- pause -->\n" + code("{1|2}", "b\nc")).slides
    block = slide.blocks[1]
    assert isinstance(block.content, Code)
    assert (block.step, block.content.highlight_step, slide.steps) == (1, 1, 3)


def test_output_that_replaces_code_has_no_highlight_steps(read: ReadDeck) -> None:
    [slide] = read(code("+exec_replace {1|2}", "a\nb")).slides
    assert slide.steps == 1
