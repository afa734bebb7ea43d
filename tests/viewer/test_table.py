"""Tables: how wide their columns are, and where their words break."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from rich.text import Text

from triton_workshop.deck.model import Alignment, Span, Table
from triton_workshop.screen.lines import wrap
from triton_workshop.screen.palette import DARK
from triton_workshop.viewer.slides.table import ColumnContent, height, table, unbreakable, widths_of

API = """
Function | Signature | Description
tl.load | tl.load(pointer, mask=None, other=None) | Reads a block of values; where the mask is false, nothing
tl.associative_scan | tl.associative_scan(input, axis, combine_fn) | Prefix sums
"""
MEMORY = """
Level | Size per SM | Latency (cycles) | Bandwidth | Managed by | Good for
Shared memory / L1 | up to 228 KiB | ~30 | ~33 TB/s | compiler, through num_stages | operands of tl.dot, reductions
HBM3 | 80 GiB | ~600 | 3.35 TB/s | you | everything else, whatever it may be
"""
LANGUAGES = """
言語 | 説明 | Notes
Triton | 高性能なカーネルを短いコードで書くことができる言語とコンパイラ | counterrevolutionary scheduling
"""
SCHEDULE = """
Time | Part | Who
09:00–09:20 | Welcome, installation, and how this workshop works; get the repository | Anna-Katharina Oberhuber
"""


def rows_of(source: str, width: int) -> list[str]:
    header, *rows = [tuple((Span(cell.strip()),) for cell in line.split("|")) for line in source.strip().split("\n")]
    content = Table(header, tuple(rows), (Alignment.LEFT,) * len(header), (0,) * len(rows))
    return [line.text for line in table(content, Alignment.LEFT, width, DARK, 0)]


@pytest.mark.parametrize(
    ("source", "width"), [(API, 72), (API, 108), (MEMORY, 72), (MEMORY, 108), (LANGUAGES, 40), (SCHEDULE, 44)]
)
def test_words_stay_whole_where_there_is_room_for_them(source: str, width: int) -> None:
    rows = rows_of(source, width)
    shown = "\n".join(rows)
    assert max(map(len, rows)) <= width
    assert all(word in shown for word in unbreakable(source) if word != "|")


@pytest.mark.parametrize(
    ("texts", "room", "widths"),
    [
        (["short", "a much longer text"], 40, [5, 18]), (["short", "a much longer text"], 20, [5, 11]),
        (["two words", "a longer text that needs several rows"], 30, [9, 18]),
        (["12345678901", "x" * 30], 20, [11, 8]), (["漢字かな", "word"], 6, [2, 4]), (["a b", "c d"], 1, [1, 1]),
    ],
    ids=[
        "all fits", "no wider than saves a row", "short texts stay on one row",
        "the longest word breaks, so that others need not", "between two wide characters", "no room at all",
    ],
)  # fmt: skip
def test_columns_are_as_wide_as_their_texts_need(texts: list[str], room: int, widths: list[int]) -> None:
    assert widths_of([ColumnContent.of([Text(text)]) for text in texts], room) == widths


@given(some.lists(some.text("x", min_size=1, max_size=9), max_size=9), some.integers(9, 40))
def test_the_rows_that_a_text_will_take_are_known(words: list[str], width: int) -> None:
    text = Text(" ".join(words))
    assert height(ColumnContent.of([text]), width) == len(wrap(text, width))


def test_a_word_that_is_too_long_takes_as_many_rows_as_it_fills() -> None:
    assert [height(ColumnContent.of([Text("x" * 12)]), width) for width in (4, 5, 11, 12)] == [3, 3, 2, 1]
