"""Text that people see in a terminal: it has no control characters, and nothing is left of escape sequences."""

from __future__ import annotations

import pytest

from triton_workshop.printing import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m plain", "red plain"),
        ("\x1b[1;38;2;255;0;0mbold\x1b[m", "bold"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x07", "link"),
        ("\x1bP1;2q#0~\x1b\\after", "after"),
        ("\x9b31mred", "red"),
        ("\x1b(Bplain\x1b7", "plain"),
        ("cut \x1b[", "cut "),
        ("bell\x07, tab\tand ✓", "bell, tab  and ✓"),
        ("two\nlines", "two\nlines"),
    ],
)
def test_only_text_is_shown(text: str, shown: str) -> None:
    assert printable(text) == shown
