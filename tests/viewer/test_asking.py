"""The question that comes before code from elsewhere runs."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from triton_workshop.deck import Deck, load_deck
from triton_workshop.deck.consent import NOTHING, Consent
from triton_workshop.viewer.consent_prompt import consent_to, visible

DECK = """\
First
===

```python +exec
import torch
/// hidden = "a line that the slide hides"
{}
```

<!-- end_slide -->

Second
===

```bash +auto_exec
echo "\x1b]0;a title\x07\u202e"
```
"""
REPLACE = "\n```python +exec_replace\nprint(1)\n```\n"
Answer = Callable[..., tuple[Consent, str]]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Answer:
    """Shows a deck's question to a person who gives these answers, then leaves; the consent, and what was shown."""

    def given(deck: str, *answers: str, flags: Consent = NOTHING) -> tuple[Consent, str]:
        said = iter(answers)

        def read(*_: object, **__: object) -> str:
            try:
                return next(said)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", read)
        console = Console(file=io.StringIO(), width=80, force_terminal=False, highlight=False)
        consent = consent_to(read_deck(deck, tmp_path), flags, console)
        assert isinstance(console.file, io.StringIO)
        return consent, console.file.getvalue()

    return given


def read_deck(text: str, folder: Path) -> Deck:
    path = folder / "talk.md"
    path.write_text(text)
    return load_deck(path)


LONG = DECK.format("\n".join(f"print({number})" for number in range(20)))


@pytest.mark.parametrize(
    ("deck", "answers", "consent"),
    [
        (LONG, ["y"], Consent(run=True)), (LONG, ["YES"], Consent(run=True)), (LONG, ["v", "y"], Consent(run=True)),
        (LONG + REPLACE, ["y"], Consent(run=True, replace=True)), (LONG, [""], NOTHING), (LONG, ["n"], NOTHING),
        (LONG, ["what?"], NOTHING), (LONG, ["v", ""], NOTHING), (LONG, [], NOTHING),
        ("Words\n===\n\n```python\nprint(1)\n```\n", ["y"], NOTHING),
    ],
)  # fmt: skip
def test_only_a_yes_is_a_yes(answer: Answer, deck: str, answers: list[str], consent: Consent) -> None:
    assert answer(deck, *answers)[0] == consent


@pytest.mark.parametrize("flags", [Consent(run=True), Consent(replace=True), Consent(run=True, replace=True)])
def test_who_gave_a_flag_is_not_asked(answer: Answer, flags: Consent) -> None:
    assert answer(LONG + REPLACE, "n", flags=flags) == (flags, "")


def test_the_list_says_where_what_and_when(answer: Answer) -> None:
    _, shown = answer(LONG)
    for words in ("talk.md is not part", "2 code blocks", "slide 1 · talk.md:5 · python · on Ctrl+E", "automatically"):
        assert words in shown
    assert 'hidden = "a line that the slide hides"' in shown
    assert "… 19 more lines" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_all_of_it_is_shown_on_demand(answer: Answer) -> None:
    shown = answer(LONG, "v")[1]
    assert "26  print(19)" in shown


def test_code_cannot_draw_on_the_list(answer: Answer) -> None:
    shown = answer(LONG)[1]
    assert r"\x1b]0;a title\x07\u202e" in shown
    assert "\x1b" not in shown
    assert visible("a\tb\r\N{ZERO WIDTH SPACE}é→") == r"a   b\r\u200bé→"
