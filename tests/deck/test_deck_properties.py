"""Whatever the text, there is a deck or an error at one of its lines; and whatever the deck, every size shows it."""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from triton_workshop.deck import Deck, DeckError, load_deck
from triton_workshop.deck.commands import COMMANDS
from triton_workshop.deck.fences import ATTRIBUTES
from triton_workshop.deck.front_matter import KEYS, OPTIONS
from triton_workshop.deck.theme import DRAWN, IMPLIED
from triton_workshop.screen.palette import DARK
from triton_workshop.viewer.slides.page import compose
from triton_workshop.viewer.slides.view import View

NAMES = [command.name for command in COMMANDS] + ["pauze", "", "// x", "a: b"]
VALUES = [
    "", ": 1", ": 0", ": true", ": [1, 1]", ": center", ": part.md", ": deck.md", ": |\n  a: b\n", ": [",
    ": {a: &b *b}",
]  # fmt: skip
SPELLINGS = [f"+{attribute.name}" for attribute in ATTRIBUTES] + ["{1|2-3}", "{", "+pty:1:2", "+exec:uv", "+id:a"]
LANGUAGES = ["python", "mermaid", "file", "rust", "prose", ""]
MARKDOWN = [
    "---", "===", "# a", "* a", "1. a", "> a", "> [!note] a", ">>>", "[^1]: a", "[^1]", "| a | b |", "|---|---|",
    "    a", "![](picture.png)", "![a](none.png)", "a ^b^ ~c~ **d", "<b>", '<span style="color: red">', "</span>",
    "<!--", "-->", "```", "```python", "title: a", "theme: {name: dark}", "/// a", "", "[a]: b", "\ta",
    "日本 é ﷽ 👩‍👩‍👧",
]  # fmt: skip


def override(key: str, value: str) -> str:
    lines = ["theme:", "  override:", *("  " * depth + f"{key}:" for depth, key in enumerate(key.split("."), 2))]
    return "\n".join(lines) + f" {value}"


YAML_VALUES = [
    "", "~", "3", "true", "red", "p:blue", "[a]", "{a: b}", "{style: template, left: '{title}'}", "'", "\t3", "x: y",
    "2024-99-99",
]  # fmt: skip
yaml_value = st.sampled_from(YAML_VALUES)
setting = st.one_of(
    st.builds("{}: {}".format, st.sampled_from([*KEYS, "titel"]), yaml_value),
    st.builds("options:\n  {}: {}".format, st.sampled_from([*OPTIONS, "x"]), yaml_value),
    st.builds(override, st.sampled_from([*DRAWN, *IMPLIED, "default", "footer.left"]), yaml_value),
)
front_matter = st.lists(setting, max_size=3).map(lambda lines: "\n".join(["---", *lines, "---", ""]))
comment = st.builds("<!-- {}{} -->".format, st.sampled_from(NAMES), st.sampled_from(VALUES))
fence = st.builds(
    lambda language, words, body: " ".join([f"```{language}", *words]) + f"\n{body}\n```",
    st.sampled_from(LANGUAGES),
    st.lists(st.sampled_from(SPELLINGS), max_size=3),
    st.sampled_from(["x", "/// a\nb", "path: code.py\nlanguage: text", "path: none.py", "", "\tif 1: pass\n" * 3]),
)
line = st.one_of(st.sampled_from(MARKDOWN), comment, fence, st.text(max_size=12))
indented = st.builds(lambda prefix, text: prefix + text, st.sampled_from(["", "", "", "  ", "> ", "* ", "\t"]), line)
body = st.lists(indented, max_size=12)
deck_text = st.one_of(
    st.text(max_size=200),
    body.map("\n".join),
    body.map("\r\n".join),
    st.builds(lambda front, lines: front + "\n\n".join(lines), front_matter, body),
)
included = st.lists(
    st.one_of(line, st.sampled_from([f"<!-- include: {name} -->" for name in ("one.md", "two.md", "deck.md")])),
    max_size=6,
).map("\n\n".join)

whatever = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@settings(whatever, max_examples=400)
@given(deck_text)
def test_any_text_is_a_deck_or_an_error_at_one_of_its_lines(folder: Path, text: str) -> None:
    load_or_fail(folder, text)


@settings(whatever, max_examples=100)
@given(included, included, included)
def test_files_that_include_each_other_are_a_deck_or_an_error(folder: Path, deck: str, one: str, two: str) -> None:
    (folder / "one.md").write_text(one, encoding="utf-8", newline="")
    (folder / "two.md").write_text(two, encoding="utf-8", newline="")
    load_or_fail(folder, deck)


@settings(whatever, max_examples=100)
@given(body, st.integers(1, 200), st.integers(1, 80))
def test_every_slide_is_drawn_at_every_step_and_size(folder: Path, lines: list[str], width: int, height: int) -> None:
    deck = load_or_fail(folder, "\n\n".join(lines))
    for slide in deck.slides if deck else ():
        for step in range(slide.steps):
            page = compose(deck, slide, View(DARK, width, height, step))
            assert {row.cell_length for row in (*page.title, *page.body)} <= {width}


def load_or_fail(folder: Path, text: str) -> Deck | None:
    path = folder / "deck.md"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        deck = load_deck(path)
    except DeckError as error:
        assert_names_a_line(error)
        return None
    assert_is_sound(deck)
    return deck


def assert_names_a_line(error: DeckError) -> None:
    """The error is one line of text, about a line that its file has."""
    read = error.path.read_bytes().decode("utf-8")
    assert 1 <= error.line <= len(re.findall("\r\n|\r|\n", read)) + 1
    assert "\n" not in str(error)


def assert_is_sound(deck: Deck) -> None:
    """Every block appears at one of its slide's steps."""
    assert deck.slides
    for slide in deck.slides:
        assert all(0 <= block.step < slide.steps for block in slide.blocks)


# Texts that are long in the way that some parser somewhere takes ages for.
LONG = {
    "brackets": "[" * 3000,
    "links": "[a](" * 3000,
    "stars": "*a **b " * 1500,
    "tildes and carets": "~a ^b " * 1500,
    "backticks": "".join("`" * n + " " for n in range(100)),
    "tags": "a <span>" * 1500,
    "quotes": "> " * 500 + "a",
    "lists": "* " * 500 + "a",
    "a table's bars": "|" * 2000 + "\n" + "|-" * 2000 + "\n",
    "footnotes": "".join(f"[^{n}]: a\n" for n in range(500)),
    "labels": "[a]: b\n" * 1000,
    "comments": "<!-- pause -->\n" * 1500,
    "one long comment": "<!--\n" + "a: [" * 2000 + "\n-->\n",
    "tabs in the front matter": "---\ntitle:" + "\t" * 500 + "a\n---\n",
    "a front matter that opens brackets": "---\ntitle: " + "[" * 1000 + "\n---\n",
    "aliases in the front matter": "---\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9 if n else ['x'])}]\n" for n in range(9))
    + "---\n",
    "highlights": "```python {" + "1-60000|" * 300 + "1}\nx\n```\n",
    "columns": "<!-- column_layout: [" + ", ".join(["1"] * 2000) + "] -->\n<!-- column: 1999 -->\na\n",
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no alarm")
@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_long_text_takes_no_ages(folder: Path, text: str) -> None:
    with within(seconds=60):  # each takes less than one
        load_or_fail(folder, text)


@contextmanager
def within(seconds: int) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise AssertionError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
