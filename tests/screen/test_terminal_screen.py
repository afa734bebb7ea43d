"""A program in a pseudo-terminal is shown as a terminal would show it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from triton_workshop.screen.program_output import BACKLOG_BYTES
from triton_workshop.screen.terminal_screen import TerminalScreen

NUMBERED = b"".join(b"\x1b[%d;1H%d" % (row, row) for row in range(1, 6))
"""Rows 1 to 5, each with its number."""


def screen(*pieces: bytes, columns: int = 10, rows: int = 5) -> TerminalScreen:
    shown = TerminalScreen(columns, rows)
    for piece in pieces:
        shown.feed(piece)
    return shown


def text(shown: TerminalScreen) -> list[str]:
    """The rows without the blanks at their ends, and without empty rows at the end."""
    rows = [row.plain.rstrip() for row in shown.shown()]
    while rows and not rows[-1]:
        rows.pop()
    return rows


@pytest.mark.parametrize(
    ("printed", "rows"),
    [
        (b"one\r\ntwo", ["one", "two"]), (b"a\x1b[1:2Hb\x1b[:Cc", ["b c"]), (b"one\ntwo", ["one", "   two"]),
        (b"0123456789ab", ["0123456789", "ab"]), (b"0123456789\r\nab", ["0123456789", "ab"]),
        (b"\x1b[?7l0123456789ab", ["012345678b"]), (b"a\tb", ["a       b"]), (b"ab\b\bc", ["cb"]),
        (b"\x1b[3;5Hx", ["", "", "    x"]), (b"\x1b[Hx\x1b[99;99Hy", ["x", "", "", "", "         y"]),
        (b"abc\x1b[2Dx\x1b[1Cy\x1b[1Gz", ["zxcy"]), (b"\x1b[4dx\x1b[2Ay", ["", " y", "", "x"]),
        (b"a\x1b[2Eb\x1b[Fc", ["a", "c", "b"]), (NUMBERED + b"\x1b[2J", []),
        (NUMBERED + b"\x1b[3;1H\x1b[J", ["1", "2"]), (NUMBERED + b"\x1b[3;1H\x1b[1J", ["", "", "", "4", "5"]),
        (b"abcdef\x1b[3G\x1b[K", ["ab"]), (b"abcdef\x1b[3G\x1b[1K", ["   def"]), (b"abcdef\x1b[2K", []),
        (b"abcdef\x1b[2G\x1b[2P", ["adef"]), (b"abcdef\x1b[2G\x1b[2@", ["a  bcdef"]),
        (b"abcdef\x1b[2G\x1b[2X", ["a  def"]),
        (NUMBERED + b"\r\n6", ["2", "3", "4", "5", "6"]), (NUMBERED + b"\x1b[H\x1bM0", ["0", "1", "2", "3", "4"]),
        (NUMBERED + b"\x1b[2;1H\x1b[2L", ["1", "", "", "2", "3"]), (NUMBERED + b"\x1b[2;1H\x1b[2M", ["1", "4", "5"]),
        (NUMBERED + b"\x1b[2;4r\x1b[4;1H\n", ["1", "3", "4", "", "5"]),
        (NUMBERED + b"\x1b[2;4r\x1b[2;1H\x1bM", ["1", "", "2", "3", "5"]),
        (NUMBERED + b"\x1b[2;4r\x1b[S", ["1", "3", "4", "", "5"]),
        (NUMBERED + b"\x1b[2;4r\x1b[2T", ["1", "", "", "2", "5"]), (b"a\x1b7\x1b[3;3Hb\x1b8c", ["ac", "", "  b"]),
        (b"main\x1b[?1049h\x1b[2J\x1b[Hother\x1b[?1049l!", ["main!"]), (b"main\x1b[?1049h", []),
        (b"-\x1b[4b", ["-----"]), (b"\x1b(0lqk\x1b(Blqk", ["┌─┐lqk"]),
        (b"\x1b]0;title\x07\x1b_Gpicture\x1b\\\x1b[?2004h\x1b[>4;2m\x1b[6n\x1b[1 qx", ["x"]),
        ("日本\x1b[2Gx".encode(), [" x本"]), ("日本\x1b[1G\x1b[P".encode(), [" 本"]),
        ("日本\x1b[1G\x1b[7@".encode(), ["       日"]),
        ("123456789日".encode(), ["123456789", "日"]), ("e\u0301a".encode(), ["e\u0301a"]),
        (b"\xff\x9b", ["\ufffd\ufffd"]), (b"text\x1bcnew", ["new"]),
    ],
)  # fmt: skip
def test_bytes_become_a_screen(printed: bytes, rows: list[str]) -> None:
    assert text(screen(printed)) == rows
    assert text(screen(*(printed[i : i + 1] for i in range(len(printed))))) == rows, "cut into single bytes"


def test_colours_stay_with_their_cells() -> None:
    row = screen(b"\x1b[31mab\x1b[0mc\x1b[1G\x1b[44mx").shown()[0]
    styles = {row.plain[span.start : span.end]: span.style for span in row.spans}
    assert styles["b"] == Style.parse("color(1)")
    assert isinstance(styles["x"], Style)
    assert styles["x"].bgcolor is not None


def test_the_terminals_default_colours_are_the_slides() -> None:
    row = screen(b"\x1b[1;31;44mx\x1b[39;49my").shown()[0]
    assert [str(span.style) for span in row.spans[:2]] == ["bold color(1) on color(4)", "bold"]


def test_what_is_erased_takes_the_background_that_is_set() -> None:
    row = screen(b"\x1b[44m\x1b[K").shown()[0]
    assert [(span.start, span.end, str(span.style)) for span in row.spans] == [(0, 10, "on color(4)")]


@pytest.mark.parametrize(("printed", "seen"), [(b"ab", True), (b"ab\x1b[?25l", False), (b"\x1b[?25l\x1b[?25h", True)])
def test_the_cursor_is_seen_unless_the_program_hides_it(printed: bytes, seen: bool) -> None:
    spans = [span for row in screen(printed).shown(cursor=True) for span in row.spans]
    assert any(span.style == Style(reverse=True) for span in spans) == seen


def test_a_flood_shows_its_end() -> None:
    shown = TerminalScreen(20, 3)
    shown.receive(b"".join(b"row %d\r\n" % row for row in range(BACKLOG_BYTES // 4)) + b"the end")
    while shown.take_in():
        pass
    assert text(shown)[-1] == "the end"
    assert not shown.behind


SEQUENCES = ["a", "日", "e\u0301", "\n", "\r", "\b", "\t", "\x1b", "\x1b[", "9", ";", "m", "\x1b[31m", "\x1b]", "\x9b"]
EVERY_FINAL = [f"\x1b[{number}{chr(final)}" for number in ("", "3", "99") for final in range(0x40, 0x7F)]


@given(st.lists(st.sampled_from(SEQUENCES + EVERY_FINAL), max_size=40), st.integers(2, 7), st.integers(1, 4))
def test_no_sequence_of_controls_changes_the_size_of_the_screen(pieces: list[str], columns: int, rows: int) -> None:
    shown = screen("".join(pieces).encode(), columns=columns, rows=rows).shown(cursor=True)
    assert [cell_len(row.plain) for row in shown] == [columns] * rows
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for row in shown for character in row.plain)
