"""Output is shown as a terminal would show it, whatever a block prints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triton_workshop.screen.transcript import MAX_LINES, Transcript


def shown(*pieces: bytes) -> list[str]:
    transcript = Transcript()
    for piece in pieces:
        transcript.feed(piece)
    return [line.plain for line in transcript.visible_lines()]


@pytest.mark.parametrize(
    ("printed", "lines"),
    [
        (b"", []), (b"one\ntwo\n", ["one", "two"]), (b"one\r\ntwo", ["one", "two"]),
        (b"\n\nafter", ["", "", "after"]), (b" 10%\r 50%\r100%\n", ["100%"]), (b"long line\rshort\n", ["shortline"]),
        (b"abc\b\bX\n", ["aXc"]), (b"a\tb\n", ["a       b"]), (b"bell\x07 and null\x00\n", ["bell and null"]),
        (b"\x1b[31mred\x1b[0m plain\n", ["red plain"]), (b"one\ntwo\n\x1b[2A\x1b[2Kthree\n", ["three", "two"]),
        (b"one two\r\x1b[3C\x1b[K\n", ["one"]), (b"one\ntwo\n\x1b[2A\x1b[3C\x1b[J", ["one"]),
        (b"one\ntwo\n\x1b[2A\x1b[C\x1b[J", ["o"]), (b"one\ntwo\x1b[H\x1b[2J\x1b[3J\n3", ["one", "two", "3"]),
        (b"one two\r\x1b[3C\x1b[1K", ["    two"]), (b"one\x1b[1K", []), (b"one two\r\x1b[2K", []),
        (b"one\x1b[9Ktwo", ["onetwo"]),
        (b"\x1b]0;a title\x07text\n", ["text"]), (b"\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\\n", ["link"]),
        (b"\x1b_Gpicture\x1b\\text\n", ["text"]), (b"\xff\xfe\n", ["\ufffd\ufffd"]),
        ("π → ✓ 日本\n".encode(), ["π → ✓ 日本"]),
    ],
)  # fmt: skip
def test_bytes_become_lines(printed: bytes, lines: list[str]) -> None:
    assert shown(printed) == lines


def test_colours_are_kept_across_pieces_and_lines() -> None:
    transcript = Transcript()
    for piece in (b"\x1b[3", b"1mred", b"\nstill\x1b[0m", b" plain"):
        transcript.feed(piece)
    first, second = transcript.lines
    assert [(span.start, span.end, span.style.color.number) for span in first.spans] == [(0, 3, 1)]  # type: ignore[union-attr]
    assert (second.spans[0].start, second.spans[0].end) == (0, 5)


@given(st.binary(max_size=200), st.integers(0, 200))
def test_where_the_pieces_are_cut_does_not_matter(printed: bytes, cut: int) -> None:
    # What an unfinished sequence at the very end would become is open; a line feed ends it in both.
    assert shown(printed[:cut], printed[cut:], b"\nend") == shown(printed + b"\nend")


@given(
    st.lists(
        st.sampled_from(
            [
                "a", "\n", "\r", "\b", "\t", "\x1b", "\x1b[", "2", ";", "m", "K", "A", "G", "\x1b[31m", "\x1b]", "日",
                "\x9b",
            ]
        ),
        max_size=60,
    )
)  # fmt: skip
def test_no_sequence_of_controls_breaks_it_or_leaks_one(pieces: list[str]) -> None:
    for line in shown("".join(pieces).encode()):
        assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in line)


def test_erasing_at_the_end_of_a_line_erases_nothing() -> None:
    assert shown(b"two\x1b[K\x1b[31m words\rT") == ["Two words"]


def test_only_the_last_lines_are_kept_and_the_others_counted() -> None:
    transcript = Transcript()
    transcript.feed(b"".join(b"row %d\n" % row for row in range(MAX_LINES + 7)))
    assert len(transcript.visible_lines()) == MAX_LINES
    assert transcript.visible_lines()[-1].plain == f"row {MAX_LINES + 6}"
    assert transcript.dropped == 7


def test_a_flood_is_dropped_unread_but_counted() -> None:
    transcript = Transcript()
    rows = 1_000_000
    transcript.receive(b"".join(b"row %d\n" % row for row in range(rows)))
    while transcript.process_pending():
        pass
    assert transcript.visible_lines()[-1].plain == f"row {rows - 1}"
    assert len(transcript.visible_lines()) + transcript.dropped == rows


def test_one_endless_line_is_cut() -> None:
    transcript = Transcript()
    transcript.receive(b"x" * 20_000_000)
    while transcript.process_pending():
        pass
    assert len(transcript.lines[0]) <= 4000
