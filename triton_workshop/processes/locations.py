"""Names of a script's own lines in its output.

People see these names, and not those of a temporary file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from triton_workshop.slide_environment import HIDDEN, Numbers, number_of

COLOUR = rb"(?:\x1b\[[\d;]*m)*"
"""Python 3.13 colours the parts of a traceback."""
LOCATION = rb'("?%b)(, |: ?)(line )?(%b)(\d+)' % (COLOUR, COLOUR)
"""The text between a file and its line, in Python, shells and compilers."""


def line_renamer(file: Path, numbers: Numbers) -> Callable[[bytes], bytes]:
    """Return a function that renames a file's lines in what a script prints.

    It names the file without its folder, and its lines by these numbers. Without numbers, lines keep theirs.
    """
    location = re.compile(re.escape(os.fsencode(file)) + rb"(?:%b)?" % LOCATION)
    name = os.fsencode(file.name)

    def rename(match: re.Match[bytes]) -> bytes:
        """Return the name to show for a location."""
        quote, between, line_label, colour, number = match.groups(b"")
        if number and numbers:
            visible = number_of(int(number), numbers)
            if visible is None:
                return b"".join([name, quote, between.rstrip(), b" ", colour, HIDDEN.encode()])
            number = str(visible).encode()
        return b"".join([name, quote, between, line_label, colour, number])

    return lambda printed: location.sub(rename, printed)
