"""Environment variables of a process that runs for a slide.

They say how wide the slide is and how its lines are numbered.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TextIO

SLIDE = "TRITON_WORKSHOP_SLIDE"
"""Holds the columns of a block's output."""
BLOCK = "TRITON_WORKSHOP_BLOCK"
"""Holds the file of the block that runs, and its lines' numbers.

They are the numbers on the slide.
"""
PICTURES = "TRITON_WORKSHOP_PICTURES"
"""Holds the folder where the viewer collects pictures."""

LAUNCHES = "TRITON_WORKSHOP_LAUNCHES"
"""Holds the file for the compiler jobs of a block's launches."""

HIDDEN = "a hidden line"

Numbers = Sequence[int | None]
"""The number that a slide shows for each line of a block.

None stands for a line that it hides.
"""


def numbering(file: Path, numbers: Numbers) -> Mapping[str, str]:
    """Return the variable with the numbers of a block's lines on the slide.

    The block's code is in this file. No numbers at all say that nobody knows them.
    """
    return {BLOCK: json.dumps([str(file), *numbers])}


def number_of(line: int, numbers: Numbers) -> int | None:
    """Return the number that a slide shows for a line of a block's file.

    Return None for a hidden line.
    """
    return numbers[line - 1] if 0 < line <= len(numbers) else None


def name_of_line(file: str, line: int) -> str:
    """Return a name for a line: `line 8`.

    The number is the slide's where the file is the block that runs. The name is `a hidden line` where the slide does
    not show it, and `the line` where nobody knows its number there.
    """
    block, *numbers = json.loads(os.environ.get(BLOCK, "[null]"))
    if file != block:
        return f"line {line}"
    if not numbers:
        return "the line"
    number = number_of(line, numbers)
    return HIDDEN if number is None else f"line {number}"


def columns_of(stream: TextIO) -> int | None:
    """Return the columns after which lines of a stream are broken.

    Return None where nothing breaks them, as in a file.
    """
    width = os.environ.get(SLIDE, "")
    if width.isdecimal() and int(width) > 0:
        return int(width)
    try:
        if stream.isatty():
            return os.get_terminal_size(stream.fileno()).columns or None
    except OSError:  # a screen that takes what is printed is called a terminal
        pass
    return None
