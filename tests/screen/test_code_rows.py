"""Code that is too long for the screen: where its lines are broken, and where their comments go."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from triton_workshop.screen.code_rows import code_rows
from triton_workshop.screen.palette import DARK, LIGHT, Palette
from triton_workshop.screen.richtext import code_lines, comment_start


def rows_of(source: str, width: int, language: str = "python") -> list[list[str]]:
    lines = code_lines(language, tuple(source.split("\n")), DARK)
    comments = [comment_start(line, DARK) for line in lines]
    return [[row.plain.rstrip() for row in rows] for rows in code_rows(lines, comments, width)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("x = load()  # all of it", ["x = load()  # all of it"], id="fits"),
        pytest.param("x = load(p) # no blank to spare", ["x = load(p) # no blank to spare"], id="fits as it is"),
        pytest.param("x = load(p)         # all of it now", ["x = load(p)     # all of it now"], id="comes back"),
        pytest.param(
            "x = load(pointer + offsets)  # all of it",
            ["x = load(pointer + offsets)", "  ↪ # all of it"],
            id="has a row of its own",
        ),
        pytest.param(
            "x = load(pointer + offsets, mask=mask)  # all of it",
            ["x = load(pointer + offsets,", "  ↪ mask=mask)", "  ↪ # all of it"],
            id="code and comment",
        ),
        pytest.param(
            "    # a whole line of words, and more", ["    # a whole line of", "  ↪ words, and more"], id="whole line"
        ),
        pytest.param(
            "# https://example.org/very/long/path",
            ["# https://example.org/very/", "  ↪ long/path"],
            id="the mark is not left alone",
        ),
        pytest.param(
            's = "# not a comment"; call(s, s)', ['s = "# not a comment";', "  ↪ call(s, s)"], id="a mark in a text"
        ),
    ],
)
def test_a_comment_stays_in_one_piece(line: str, expected: list[str]) -> None:
    assert rows_of(line, 31) == [expected]


@pytest.mark.parametrize(
    ("language", "line", "expected"),
    [
        ("c", "#define ADD(a, b) ((a) + (b)) // the sum", ["#define ADD(a, b) ((a) + (b))", "  ↪ // the sum"]),
        ("rust", "let all: f32 = add(a, b); /* of both */", ["let all: f32 = add(a, b);", "  ↪ /* of both */"]),
        ("bash", "echo '# none' | grep -c 'n'  # of both", ["echo '# none' | grep -c 'n'", "  ↪ # of both"]),
        ("sql", "select a + b from numbers;  -- of both", ["select a + b from numbers;", "  ↪ -- of both"]),
    ],
)
def test_every_language_has_its_own_comments(language: str, line: str, expected: list[str]) -> None:
    assert rows_of(line, 31, language) == [expected]


def test_a_comment_that_almost_touches_its_code_stays_in_its_column() -> None:
    source = "short = 1         # a\nlongest = load(p) # b\nz = 3             # c"
    assert rows_of(source, 31) == [[line] for line in source.split("\n")]


def test_comments_in_a_column_stay_in_a_column() -> None:
    source = (
        "pid = program_id(0)              # 1 who am I?\n"
        "offsets = pid * 256 + arange()   # 2 what is mine?\n"
        "y = x                            # 3 compute"
    )
    assert rows_of(source, 43) == [
        ["pid = program_id(0)       # 1 who am I?"],
        ["offsets = pid * 256 + arange()", "  ↪                       # 2 what is mine?"],
        ["y = x                     # 3 compute"],
    ]


def test_a_line_that_fits_is_not_torn_for_the_sake_of_a_column() -> None:
    source = "x = 1             # of all of them\nlonger = x + 100  # b"
    assert rows_of(source, 30) == [["x = 1         # of all of them"], ["longer = x + 100  # b"]]


def test_one_long_comment_of_a_column_does_not_take_the_others_from_their_code() -> None:
    source = "first = load()    # short\nx = 1             # " + "long " * 5 + "\nthird = load()    # short"
    assert rows_of(source, 30) == [
        ["first = load()    # short"],
        ["x = 1", "  ↪ # long long long long long"],
        ["third = load()    # short"],
    ]


def contrast(one: str, other: str) -> float:
    """The ratio of two colours' luminances, as WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        shares = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
        red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])
def test_what_a_todo_asks_for_is_brighter_than_all_other_code(palette: Palette) -> None:
    code = "@triton.jit\ndef f(x):  # a remark\n    return x + 1.0, 'text'\n    ...  # TODO 1: store it"
    *others, todo = code_lines("python", tuple(code.split("\n")), palette)

    def contrasts(line: Text) -> list[float]:
        styles = [line.get_style_at_offset(Console(), place) for place in range(len(line))]
        return [contrast(style.color.name, palette.panel) for style in styles if style.color is not None]

    task = contrasts(todo[todo.plain.index("#") :])
    assert len(set(task)) == 1
    assert task[0] > max(each for line in others for each in contrasts(line))
    assert comment_start(todo, palette) == todo.plain.index("#")


@given(st.lists(st.text(alphabet="ab(# \"'", max_size=60), max_size=4), st.integers(1, 40))
def test_no_character_is_lost_and_no_row_is_too_wide(lines: list[str], width: int) -> None:
    for line, rows in zip(lines, rows_of("\n".join(lines), width), strict=False):
        shown = "".join(row.removeprefix("  ↪ ") for row in rows)
        assert shown.replace(" ", "") == line.replace(" ", "")
        assert width < 12 or all(len(row.rstrip()) <= width for row in rows)
