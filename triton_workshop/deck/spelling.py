"""The nearest valid spelling, for errors."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(spelling: str, valid: Iterable[str]) -> str:
    """Return `; did you mean 'pause'?` or `; valid: …` if nothing is close."""
    names = list(valid)
    nearest = difflib.get_close_matches(spelling.lower(), names, n=1)
    # A mere beginning is not close to a long name.
    if len(spelling) > 1:
        nearest += [name for name in names if name.startswith(spelling.lower())]
    return f"; did you mean '{nearest[0]}'?" if nearest else f"; valid: {', '.join(names)}"
