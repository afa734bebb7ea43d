"""Mistakes as beginners make them, each an edit of a solution, one table per exercise.

They were written by people who had not seen how the checker recognises a mistake. What it has to say of each was read
by others, who saw only the script and the hints.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mistake:
    """The solution with `new` in place of its only `old` is wrong; `fault` says why, as a teacher would."""

    name: str
    old: str
    new: str
    fault: str
    finding: str
    """The kind of the first finding."""
    hint: str
    """The name of its hints."""
    blamed: str
    """The line that it points to, without indentation; empty where what is wrong is that a line is missing."""
