"""Whatever the text, there is a deck or an error at one of its lines."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from triton_workshop.deck import Deck, DeckError, load_deck
from triton_workshop.deck.commands import COMMANDS
from triton_workshop.deck.fences import ATTRIBUTES

NAMES = [command.name for command in COMMANDS] + ["pauze", "", "// x", "a: b"]
VALUES = [
    "",
    ": 1",
    ": 0",
    ": true",
    ": [1, 1]",
    ": center",
    ": part.md",
    ": deck.md",
    ": |\n  a: b\n",
    ": [",
    ": {a: &b *b}",
]
SPELLINGS = [f"+{attribute.name}" for attribute in ATTRIBUTES] + ["{1|2-3}", "{", "+pty:1:2", "+exec:uv", "+id:a"]
MARKDOWN = [
    "---", "===", "# a", "* a", "1. a", "> a", "> [!note] a", ">>>", "[^1]: a", "[^1]", "| a | b |", "|---|---|",
    "    a", "![](picture.png)", "![a](none.png)", "a ^b^ ~c~ **d", "<b>", '<span style="color: red">', "</span>",
    "<!--", "-->", "```", "```python", "title: a", "theme: {name: dark}", "/// a", "",
]  # fmt: skip

comment = st.builds("<!-- {}{} -->".format, st.sampled_from(NAMES), st.sampled_from(VALUES))
fence = st.lists(st.sampled_from(SPELLINGS), max_size=3).map(lambda words: " ".join(["```python", *words]))
line = st.one_of(st.sampled_from(MARKDOWN), comment, fence, st.text(max_size=12))
indented = st.builds(lambda prefix, text: prefix + text, st.sampled_from(["", "", "", "  ", "> ", "* ", "\t"]), line)
deck_text = st.one_of(
    st.text(max_size=200),
    st.lists(indented, max_size=12).map("\n".join),
    st.lists(indented, max_size=12).map("\r\n".join),
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deck_text)
def test_any_text_is_a_deck_or_an_error_at_one_of_its_lines(folder: Path, text: str) -> None:
    path = folder / "deck.md"
    path.write_text(text, encoding="utf-8", newline="")
    try:
        deck = load_deck(path)
    except DeckError as error:
        assert_names_a_line(error)
    else:
        assert_is_sound(deck)


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
