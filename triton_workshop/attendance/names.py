"""What a room takes for a name: presenters see it, beside those whom it knows by number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

LONGEST_NAME = 40
"""Characters."""
MOST_READ = 8 * LONGEST_NAME
"""Characters of what was given that are looked at: each letter may have its marks and joiners."""
UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""What fonts show as nothing: Default_Ignorable_Code_Point, in DerivedCoreProperties.txt of Unicode 16."""
JOINERS = "\u200c\u200d"
"""Nobody sees them, but Persian and Indian names need them, and emoji."""
IN_COLOUR = "\ufe0f"
"""Nobody sees it, but it makes an emoji of a symbol or a digit."""
BLANKS = "\u2800\ufffc\U00013441\U00013442\U0001d159"
"""Other symbols that look like nothing."""
MOST_MARKS = 4
"""Marks above and below one letter: Burmese and Tibetan have up to four. One that fits any letter counts as two."""
LOST = re.compile(
    rf"(?<![^\x00-\u024f])[{JOINERS}]+|[{JOINERS}]+(?![^\x00-\u024f])|([{JOINERS}])[{JOINERS}]+"
    rf"|(?<![^\w\s]|[0-9]){IN_COLOUR}"
)
"""Joiners at an end or beside a Latin letter, all but the first of several, and colour for what has none."""
AS_NUMBER = re.compile(r"\W*number\W*\d*\W*")


def as_name(name: str | None) -> str | None:
    """A name in one line, in the order in which it is written, and not too long.

    None if nothing of it can be seen, or if it looks like that of somebody without a name.
    """
    visible = "".join(filter(_is_shown, " ".join((name or "").split())[:MOST_READ]))
    composed = unicodedata.normalize("NFC", visible)
    shown = " ".join(_without_lost_joiners("".join(_without_piles(composed))).split())[:LONGEST_NAME].strip()
    seen = any(unicodedata.category(character)[0] in "LNPS" for character in shown)
    return shown if seen and not AS_NUMBER.fullmatch(name_key(shown)) else None


def with_number(name: str, is_taken: Callable[[str], bool]) -> str:
    """The name, or with a free number if somebody has it already, as in "Ada 2".

    `is_taken` says so of a key. Thousands may have the name: the search doubles the number, and then halves its steps.
    """
    taken, free = 0, 1
    while is_taken(name_key(_numbered(name, free))):
        taken, free = free, 2 * free
    while free - taken > 1:
        middle = (taken + free) // 2
        if is_taken(name_key(_numbered(name, middle))):
            taken = middle
        else:
            free = middle
    return _numbered(name, free)


def name_key(name: str) -> str:
    """What a name has in common with those that look the same."""
    return " ".join(unicodedata.normalize("NFKC", UNSEEN.sub("", name)).casefold().split())


def _numbered(name: str, number: int) -> str:
    suffix = f" {number}" if number > 1 else ""
    return name[: LONGEST_NAME - len(suffix)].rstrip() + suffix


def _is_shown(character: str) -> bool:
    """Whether a name may have this: no control character, nothing that turns the direction of writing."""
    if UNSEEN.match(character):
        return character in JOINERS + IN_COLOUR
    return unicodedata.category(character)[0] != "C" and character not in BLANKS


def _without_piles(text: str) -> Iterator[str]:
    """The characters of a text, without marks that would pile up over the lines beside it."""
    marks, before = 0, ""
    for character in text:
        if character in JOINERS:
            yield character
            continue
        if unicodedata.category(character) not in ("Mn", "Me"):
            marks = 0
        elif character == before or marks >= MOST_MARKS:
            continue
        else:
            marks += 2 if unicodedata.name(character, "").startswith("COMBINING ") else 1
        before = character
        yield character


def _without_lost_joiners(text: str) -> str:
    """A text whose joiners join: one at a time, and never beside a Latin letter, where nobody could see them."""
    return LOST.sub(r"\1", text)
