"""What the environment tells a process about the slide that it runs for: how wide it is, how its lines are numbered."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

SLIDE = "TRITON_WORKSHOP_SLIDE"
"""Holds the columns of a block's output."""
BLOCK = "TRITON_WORKSHOP_BLOCK"
"""Holds the file of the block that runs, and the number of each of its lines on the slide."""
PICTURES = "TRITON_WORKSHOP_PICTURES"
"""Holds the folder where the viewer that runs this process collects pictures."""

LAUNCHES = "TRITON_WORKSHOP_LAUNCHES"
"""Holds the file that is to tell what a block's launches on the simulator ask of the compiler."""

HIDDEN = "a hidden line"

Numbers = Sequence[int | None]
"""The number that a slide shows for each line of a block, from the first; None for a line that it hides."""


def numbering(file: Path, numbers: Numbers) -> Mapping[str, str]:
    """The variable that tells a block, whose code stands in this file, how its lines are numbered on the slide.

    No numbers at all say that nobody knows them.
    """
    return {BLOCK: json.dumps([str(file), *numbers])}


def number_of(line: int, numbers: Numbers) -> int | None:
    """The number that a slide shows for a line of a block's file; None for a hidden line."""
    return numbers[line - 1] if 0 < line <= len(numbers) else None


def name_of_line(file: str, line: int) -> str:
    """How to speak of a line: `line 8`, as the slide numbers it where the file is the block that runs.

    It is `a hidden line` where the slide does not show it, and `the line` where nobody knows its number there.
    """
    block, *numbers = json.loads(os.environ.get(BLOCK, "[null]"))
    if file != block:
        return f"line {line}"
    if not numbers:
        return "the line"
    shown = number_of(line, numbers)
    return HIDDEN if shown is None else f"line {shown}"


def columns_of(stream: TextIO) -> int | None:
    """The columns after which lines of a stream are broken; None where nothing breaks them, as in a file."""
    width = os.environ.get(SLIDE, "")
    if width.isdecimal() and int(width) > 0:
        return int(width)
    try:
        return (os.get_terminal_size(stream.fileno()).columns or None) if stream.isatty() else None
    except OSError:  # a screen that takes what is printed is called a terminal
        return None
