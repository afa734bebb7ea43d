"""How many rows a slide needs, outputs included."""

from __future__ import annotations

from pathlib import Path

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.deck.model import Deck
from triton_workshop.processes.script import Outcome
from triton_workshop.viewer.slides.fit import complete_page, ended, output_columns, rows_needed

LIVE = """One
===

First.

<!-- pause -->

```python +exec
print("x")
```
"""


@pytest.fixture
def deck(tmp_path: Path) -> Deck:
    path = tmp_path / "deck.md"
    path.write_text(LIVE)
    return load_deck(path)


def rows(deck: Deck, output: bytes | None, width: int = 100, height: int = 30) -> int:
    [slide] = deck.slides
    cells = {} if output is None else {slide.blocks[1]: ended(output, Outcome(0, 1.0))}
    return rows_needed(deck, slide, cells, width, height)


def test_each_printed_line_and_the_status_take_a_row(deck: Deck) -> None:
    quiet = rows(deck, None)
    assert rows(deck, b"") == quiet + 1
    assert rows(deck, b"one\ntwo\nthree\n") == quiet + 4


def test_a_line_wider_than_the_output_takes_more_rows(deck: Deck) -> None:
    [columns] = output_columns(deck).values()
    assert rows(deck, b"x" * columns) == rows(deck, b"x")
    assert rows(deck, b"x" * (columns + 1)) == rows(deck, b"x") + 1


def test_what_comes_at_a_later_step_counts(deck: Deck) -> None:
    first_step_only = LIVE.partition("<!-- pause -->")[0]
    deck.path.write_text(first_step_only)
    [slide] = load_deck(deck.path).slides
    assert rows_needed(deck, slide, {}) < rows(deck, None)


def test_a_tall_output_needs_more_rows_than_the_screen_has(deck: Deck) -> None:
    assert rows(deck, b"row\n" * 5) <= 30 < rows(deck, b"row\n" * 30)


def test_columns_of_an_output_follow_the_width_of_its_column(tmp_path: Path) -> None:
    path = tmp_path / "deck.md"
    block = '```python +exec\nprint("x")\n```\n'
    path.write_text(f"One\n===\n\n<!-- column_layout: [1, 1] -->\n\n<!-- column: 0 -->\n\n{block}")
    [half] = output_columns(load_deck(path)).values()
    path.write_text(f"One\n===\n\n{block}")
    [whole] = output_columns(load_deck(path)).values()
    assert half < whole / 2


@pytest.mark.parametrize(("height", "apart"), [(24, False), (30, False), (36, True)])
def test_rows_of_a_table_stand_apart_on_a_large_screen(tmp_path: Path, height: int, apart: bool) -> None:
    (tmp_path / "deck.md").write_text("One\n===\n\n| A |\n| - |\n| one |\n| two |\n", encoding="utf-8")
    deck = load_deck(tmp_path / "deck.md")
    lines = [line.text.strip() for line in complete_page(deck, deck.slides[0], {}, 120, height).body]
    assert lines[lines.index("one") : lines.index("two")] == ["one", *[""] * apart]
