"""What a room takes for a name: presenters see it, beside those whom it knows by number."""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 40
"""Characters."""
JOINERS = "\u200c\u200d"
"""Nobody sees them, but Persian and Indian names need them, and emoji."""
BLANKS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters and symbols that look like nothing."""
AS_NUMBER = re.compile(r"\W*number\W*\d+\W*")


def as_name(name: str | None) -> str | None:
    """A name in one line, in the order in which it is written, and not too long.

    None if nothing of it can be seen, or if it looks like that of somebody without a name.
    """
    shown = " ".join("".join(filter(_is_shown, " ".join((name or "").split()))).split())[:LONGEST_NAME].strip()
    seen = any(unicodedata.category(character)[0] in "LNPS" for character in shown)
    plain = unicodedata.normalize("NFKC", shown.translate(dict.fromkeys(map(ord, JOINERS))))
    return shown if seen and not AS_NUMBER.fullmatch(plain.casefold()) else None


def _is_shown(character: str) -> bool:
    """Whether a name may have this: no control character, nothing that turns the direction of writing."""
    return character in JOINERS or (unicodedata.category(character)[0] != "C" and character not in BLANKS)
