"""What a room takes for a name: presenters see it, beside those whom it knows by number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator

LONGEST_NAME = 40
"""Characters."""
MOST_READ = 8 * LONGEST_NAME
"""Characters of what was given that are looked at: each letter may have its marks and joiners."""
JOINERS = "\u200c\u200d"
"""Nobody sees them, but Persian and Indian names need them, and emoji."""
BLANKS = "\u115f\u1160\u2800\u3164\uffa0\ufffc\U00013441\U00013442\U0001d159"
"""Letters and symbols that look like nothing."""
MOST_MARKS = 4
"""Marks above and below one letter: Burmese and Tibetan have up to four. One that fits any letter counts as two."""
LOST = re.compile(rf"(?<![^\x00-\u024f])[{JOINERS}]+|[{JOINERS}]+(?![^\x00-\u024f])|([{JOINERS}])[{JOINERS}]+")
"""Joiners at an end or beside a Latin letter, and all but the first of several."""
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
    return unicodedata.normalize("NFKC", name.translate(dict.fromkeys(map(ord, JOINERS)))).casefold()


def _numbered(name: str, number: int) -> str:
    suffix = f" {number}" if number > 1 else ""
    return name[: LONGEST_NAME - len(suffix)].rstrip() + suffix


def _is_shown(character: str) -> bool:
    """Whether a name may have this: no control character, nothing that turns the direction of writing."""
    return character in JOINERS or (unicodedata.category(character)[0] != "C" and character not in BLANKS)


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
