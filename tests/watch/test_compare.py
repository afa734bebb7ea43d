"""Lines that are alike stand side by side, and no line of either file is left out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triton_workshop.watch.compare import Row, rows

LINES = st.lists(st.sampled_from(["", "a", "b", "    c", "d  "]), max_size=12)


def test_what_differs_stands_between_what_is_alike() -> None:
    assert rows(["a", "mine", "also mine", "z"], ["a", "theirs", "z "]) == (
        Row(1, 1, True),
        Row(2, 2, False),
        Row(3, None, False),
        Row(4, 3, True),
    )


@given(LINES, LINES)
def test_every_line_is_there_once_and_in_order(mine: list[str], theirs: list[str]) -> None:
    aligned = rows(mine, theirs)
    assert [row.mine for row in aligned if row.mine] == list(range(1, len(mine) + 1))
    assert [row.theirs for row in aligned if row.theirs] == list(range(1, len(theirs) + 1))
