"""A learner's file beside the solution: which line stands against which."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest


@dataclass(frozen=True)
class Row:
    """Lines that stand side by side, by number from 1; None where the other file has more."""

    mine: int | None
    theirs: int | None
    same: bool


def rows(mine: Sequence[str], theirs: Sequence[str]) -> tuple[Row, ...]:
    """Every line of both files, in order, those that are alike side by side."""
    aligned: list[Row] = []
    matcher = difflib.SequenceMatcher(None, _bare(mine), _bare(theirs), autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        pairs = zip_longest(range(i + 1, j + 1), range(k + 1, m + 1))
        aligned += (Row(one, other, kind == "equal") for one, other in pairs)
    return tuple(aligned)


def _bare(lines: Sequence[str]) -> list[str]:
    """Space at a line's end is no difference."""
    return [line.rstrip() for line in lines]
