"""Phrases that an English reader stumbles over, in all that people read here: none of them comes back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import pytest
from conftest import ROOT

READ = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "slides/*.md",
    "slides/**/*.py",
    "exercises/*.py",
    "solutions/**/*.py",
    "triton_workshop/**/*.py",
    "triton_workshop/**/*.toml",
    "triton_workshop/**/*.txt",
    "benchmarks/*.py",
    "benchmarks/results/*.md",
)

COUNT = r"(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten)"
AMOUNT = r"(?:bytes?|bits?|operations?|sectors?|cycles?|[KMGT]i?B|minutes?|ms|µs|ns)"
RATE = r"(?:second|minute|byte|element|clock|cycle|person|script)"
EACH = rf"(?:{RATE}|program|pixel|launch|row|column|thread|tile|block|warp|channel|slide|SM)"

BANNED = {
    "fix": r"mend(?:s|ed|ing)?",
    "belongs in": r"belongs? into",
    "again, from the start, or nothing": r"anew",
    "how many programs does the grid have?": r"how many (?:\w+s )?has",
    "5 GB per person, bytes per second": (
        rf"(?:{COUNT} (?:(?:{AMOUNT}|times) )?an? {EACH}|(?:{AMOUNT}|objects?) an? {RATE})"
    ),
    "Once all checks pass": r"is content",
    "the mask leaves out the rest": r"what an? \w+ has too many",
    "a trade-off": r"bargains?",
    "Schedule": r"where we will be at which minute",
    "fetching a number from HBM takes 700": r"a number from HBM \d+",
    "It looks like Python": r"Python here is the notation",
    "The knobs you keep:": r"what you can still turn",
    "Triton splits the block among its threads": r"shared out for you",
    "fixed at compile time": r"known when compiling",
    "Edges or motion blur": r"edges or speed",
    "Wrong results get no numbers": r"(?:wrong|right) has (?:a verdict, and )?no figures",
}
"""What to write, and the pattern of what stood there. A space also stands for the end of a line and for emphasis."""


GAP = r"[*_`]*(?:\s|\\n)+(?:[#>]\s*)?[*_`]*"


def pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"\b{phrase.replace(' ', GAP)}\b", re.IGNORECASE)


@cache
def texts() -> dict[str, str]:
    files = [file for glob in READ for file in sorted(ROOT.glob(glob))]
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


def found(phrase: str) -> Iterator[str]:
    for name, text in texts().items():
        for match in pattern(phrase).finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{name}:{line}: {' '.join(match[0].split())}"


@pytest.mark.parametrize("instead", BANNED)
def test_plain_english_stands_in_its_place(instead: str) -> None:
    places = list(found(BANNED[instead]))
    assert not places, f"expected words such as {instead!r}, but found:\n" + "\n".join(places)


@pytest.mark.parametrize("glob", READ)
def test_there_is_something_to_read(glob: str) -> None:
    assert list(ROOT.glob(glob))


@pytest.mark.parametrize(
    "sentence",
    [
        "Mend it.", "These lines belong into the loop.", "They belong\n# into the loop.", "Install it anew.",
        "How many has the grid?", "How many programs has the grid?", "16 bytes an element", "**16 bytes** an element",
        "It moves 4 bytes a\nthread.", "one a program is fine", "5 GB a person", "operations a second",
        "2.2 operations a byte", "1.4 ms a program", "each pixel 9 times a launch", "Once the checker is content",
        "What a block has too many, the mask leaves out", "Where we will be at which minute",
        "An addition takes **4** cycles, a number from HBM **700**", "Python here is the notation.",
        "What you can still turn: the block sizes", "its threads are shared out for you",
        "each size a power of two, known when compiling", "one an element is slow", "Edges or speed: the same kernel",
        "each one is a bargain", "A kernel that is wrong has no figures",
    ],
)  # fmt: skip
def test_a_banned_phrase_is_recognised(sentence: str) -> None:
    assert any(pattern(phrase).search(sentence) for phrase in BANNED.values())


@pytest.mark.parametrize(
    "sentence",
    [
        "We recommend it.", "It belongs in the loop.", "16 bytes per element", "Load a block, store a block.",
        "a row of A times a column of B", "Once a program has stored its block", "the elements a program owns",
        "Recommended: one program per row", "Is there content?", "How many programs does the grid have?",
    ],
)  # fmt: skip
def test_plain_english_is_left_alone(sentence: str) -> None:
    assert not [phrase for phrase in BANNED.values() if pattern(phrase).search(sentence)]
