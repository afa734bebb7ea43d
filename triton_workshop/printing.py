"""Text that is safe to write to a terminal.

It may have marks such as ✓, but no control characters.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys

ESCAPE_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI, as for colours
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # strings, as a link's address
    r"|\x1b[ -/]*[0-~]"
)
"""Whole control sequences (ECMA-48, 5.3 to 5.6).

Without its first character, the rest of one would be read as text.
"""
CONTROLS = dict.fromkeys((*range(0x00, 0x0A), *range(0x0B, 0x20), *range(0x7F, 0xA0)))
"""Every control character except the line feed."""


def printable(text: str) -> str:
    """Return the text without escape sequences and control characters.

    They would move a terminal's cursor.
    """
    return ESCAPE_SEQUENCES.sub("", text).expandtabs(4).translate(CONTROLS)


def use_utf8() -> None:
    """Write UTF-8 wherever output goes.

    On Windows a pipe is not UTF-8, and writing a ✓ to it would fail.
    """
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        sys.stdout.reconfigure(encoding="utf-8")


def print_utf8(text: str) -> None:
    """Print a whole document, in UTF-8 whatever the locale.

    A reader that has seen enough, such as `head`, may go.
    """
    try:
        sys.stdout.buffer.write(f"{text}\n".encode())
        sys.stdout.flush()
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EINVAL):  # EINVAL is what Windows says
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
