"""Scripts that are right in most sizes, and wrong in some.

They are wrong on a special path, in a second tile, or at the edge of a block.

An exercise's `wrong.toml` has each as edits of the solution, or of a right script, `of`.
"""

from __future__ import annotations

import tomllib

from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises.mistakes import Edit

from . import data_file
from .right import right_scripts


def wrong_scripts(number: str) -> dict[str, str]:
    """Return the texts of an exercise's wrong scripts by name."""
    table = tomllib.loads(data_file(EXERCISES[number], "wrong.toml").read_text(encoding="utf-8"))
    texts = {script.name: script.source for script in right_scripts(number)} | {"": EXERCISES[number].solution}
    return {f"{number}-{name}": _edited(texts[entry.get("of", "")], entry["edits"]) for name, entry in table.items()}


def _edited(text: str, edits: list[str]) -> str:
    return Edit(tuple(zip(edits[::2], edits[1::2], strict=True))).apply(text)
