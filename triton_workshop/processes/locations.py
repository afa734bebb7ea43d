"""How a script's output names the script's own lines: not by a temporary file, but by what people can see."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from triton_workshop.slide_environment import HIDDEN, Numbers, number_of

COLOUR = rb"(?:\x1b\[[\d;]*m)*"
"""Python 3.13 colours the parts of a traceback."""
LOCATION = rb'("?%b)(, |: ?)(line )?(%b)(\d+)' % (COLOUR, COLOUR)
"""What follows the file where its line is named, as Python, shells and compilers do it."""


def namer(file: Path, numbers: Numbers) -> Callable[[bytes], bytes]:
    """A function that names this file without its folder in what a script has printed, and its lines by these numbers.

    Without any, lines keep theirs.
    """
    location = re.compile(re.escape(os.fsencode(file)) + rb"(?:%b)?" % LOCATION)
    name = os.fsencode(file.name)

    def rename(found: re.Match[bytes]) -> bytes:
        after, between, word, colour, number = found.groups(b"")
        if number and numbers:
            shown = number_of(int(number), numbers)
            if shown is None:
                return b"".join([name, after, between.rstrip(), b" ", colour, HIDDEN.encode()])
            number = str(shown).encode()
        return b"".join([name, after, between, word, colour, number])

    return lambda printed: location.sub(rename, printed)
