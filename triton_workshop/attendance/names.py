"""Names that a room accepts.

Presenters see them beside attendees whom the room knows by number.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

MAX_NAME_CHARACTERS = 40
MAX_INPUT_CHARACTERS = 8 * MAX_NAME_CHARACTERS
"""Characters of the input that are read.

Each letter may have its marks and joiners.
"""
INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Characters that fonts show as nothing.

These are Default_Ignorable_Code_Point in DerivedCoreProperties.txt of Unicode 16.
"""
JOINERS = "\u200c\u200d"
"""Invisible, but Persian and Indian names need them, and emoji."""
EMOJI_SELECTOR = "\ufe0f"
"""Invisible, but it makes an emoji of a symbol or a digit."""
BLANKS = "\u2800\ufffc\U00013441\U00013442\U0001d159"
"""Other symbols that look like nothing."""
MAX_MARKS = 4
"""Marks above and below one letter.

Burmese and Tibetan have up to four. A mark that fits any letter counts as two.
"""
STRAY_JOINERS = re.compile(
    rf"(?<![^\x00-\u024f])[{JOINERS}]+|[{JOINERS}]+(?![^\x00-\u024f])|([{JOINERS}])[{JOINERS}]+"
    rf"|(?<![^\w\s]|[0-9]){EMOJI_SELECTOR}"
)
"""Invisible characters with no effect.

These are joiners at an end or beside a Latin letter, all but the first of several, and a selector behind something
that has no emoji.
"""
NUMBER_LIKE = re.compile(r"\W*number\W*\d*\W*")


def clean_name(name: str | None) -> str | None:
    """Return a name in one line, in writing order, and not too long.

    None if nothing of it is visible, or if it looks like that of somebody without a name.
    """
    visible = "".join(filter(_is_allowed, " ".join((name or "").split())[:MAX_INPUT_CHARACTERS]))
    # An accent that fits into one character with its letter is no stacked mark.
    composed = unicodedata.normalize("NFC", visible)
    cleaned = " ".join(_drop_stray_joiners("".join(_drop_stacked_marks(composed))).split())[
        :MAX_NAME_CHARACTERS
    ].strip()
    has_symbol = any(unicodedata.category(character)[0] in "LNPS" for character in cleaned)
    return cleaned if has_symbol and not NUMBER_LIKE.fullmatch(name_key(cleaned)) else None


def with_number(name: str, in_use: Callable[[str], bool]) -> str:
    """Return the name, with a free number if it is in use, as in "Ada 2".

    `in_use` takes a key. Thousands may have the name: the search doubles the number, and then halves its steps.
    """
    low, high = 0, 1
    while in_use(name_key(_numbered(name, high))):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if in_use(name_key(_numbered(name, middle))):
            low = middle
        else:
            high = middle
    return _numbered(name, high)


def name_key(name: str) -> str:
    """Return a key that is equal for names that look the same."""
    return " ".join(unicodedata.normalize("NFKC", INVISIBLE.sub("", name)).casefold().split())


def _numbered(name: str, number: int) -> str:
    suffix = f" {number}" if number > 1 else ""
    return name[: MAX_NAME_CHARACTERS - len(suffix)].rstrip() + suffix


def _is_allowed(character: str) -> bool:
    """Return whether a name may contain a character.

    Control characters may not occur, and nothing that turns the direction of writing.
    """
    if INVISIBLE.match(character):
        return character in JOINERS + EMOJI_SELECTOR
    return unicodedata.category(character)[0] != "C" and character not in BLANKS


def _drop_stacked_marks(text: str) -> Iterator[str]:
    """Yield the characters without marks that pile up over other lines."""
    marks, previous = 0, ""
    for character in text:
        # A joiner leaves the count as it is: otherwise the count would start over at marks with one between them.
        if character in JOINERS:
            yield character
            continue
        if unicodedata.category(character) not in ("Mn", "Me"):
            marks = 0
        elif character == previous or marks >= MAX_MARKS:
            continue
        else:
            marks += 2 if unicodedata.name(character, "").startswith("COMBINING ") else 1
        previous = character
        yield character


def _drop_stray_joiners(text: str) -> str:
    """Return a text whose joiners all join something."""
    return STRAY_JOINERS.sub(r"\1", text)
