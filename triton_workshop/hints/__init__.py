"""Every sentence that a learner reads about a script, by subject.

Each file here is a subject. `messages` has what a finding says; `errors`, `compiler`, `results` and `slips` have its
hints, by name; `syntax` and `habits` have what to write instead, by what was written; the others have single sentences.
The hints of an exercise stand with its mistakes, and the simulator's faults carry their own advice.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any


@functools.cache
def table(subject: str) -> dict[str, Any]:
    """Return a subject's table, in the order of its file."""
    return tomllib.loads(Path(__file__).with_name(f"{subject}.toml").read_text(encoding="utf-8"))


def sentence(name: str, /, **values: object) -> str:
    """Return the sentence named `subject.key`, with its fields filled in."""
    subject, key = name.split(".")
    text: str = table(subject)[key]
    return text.format_map(values)


def sentences(name: str, /, **values: object) -> tuple[str, ...]:
    """Return the sentences of a list named `subject.key`.

    Each says more than the one before.
    """
    subject, key = name.split(".")
    return tuple(text.format_map(values) for text in table(subject)[key])
