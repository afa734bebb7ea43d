"""The nearest valid spelling, for errors."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(word: str, valid: Iterable[str]) -> str:
    """`; did you mean 'pause'?` or, if nothing is close, `; valid: …`."""
    names = list(valid)
    nearest = difflib.get_close_matches(word.lower(), names, n=1)
    nearest += [name for name in names if len(word) > 1 and name.startswith(word.lower())]
    return f"; did you mean '{nearest[0]}'?" if nearest else f"; valid: {', '.join(names)}"
