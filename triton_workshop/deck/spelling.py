"""The nearest valid spelling, for errors."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(spelling: str, valid: Iterable[str]) -> str:
    """`; did you mean 'pause'?` or, if nothing is close, `; valid: …`."""
    names = list(valid)
    nearest = difflib.get_close_matches(spelling.lower(), names, n=1)
    nearest += [name for name in names if len(spelling) > 1 and name.startswith(spelling.lower())]
    return f"; did you mean '{nearest[0]}'?" if nearest else f"; valid: {', '.join(names)}"
