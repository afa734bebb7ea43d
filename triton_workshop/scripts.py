"""Reading of scripts.

There may be anything in a script's place, and nobody is to wait for it.
"""

from __future__ import annotations

import io
import tokenize
from errno import EFBIG, EINVAL
from pathlib import Path

MAX_BYTES = 250_000
"""A hundred times the size of an exercise.

Python parses so much within a second, in which no other thread runs.
"""


def read_bytes(file: Path) -> bytes:
    """Return a script's bytes.

    Raises OSError, also for what is no file or too large for a script.
    """
    if file.exists() and not file.is_file():
        raise OSError(EINVAL, f"expected a script, found {kind(file)}", str(file))
    with file.open("rb") as script:
        data = script.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        reason = f"too large for a script, which may have {MAX_BYTES // 1000} kB at most"
        raise OSError(EFBIG, reason, str(file))
    return data


def read_text(file: Path) -> str:
    """Return a script's text, whatever its bytes are. Raises OSError."""
    return _text(read_bytes(file), "utf-8", "replace")


def read_source(file: Path) -> str:
    """Return a script's text as Python reads it.

    A byte order mark and a coding comment are respected. Raises OSError, and SyntaxError, UnicodeDecodeError or
    LookupError if it is not text in the encoding that it claims, or claims what is no encoding of text.
    """
    data = read_bytes(file)
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return _text(data, encoding, "strict")


def _text(data: bytes, encoding: str, errors: str) -> str:
    return io.TextIOWrapper(io.BytesIO(data), encoding, errors).read()


def lines_of(text: str) -> list[str]:
    """Return a script's lines, as Python counts them.

    `str.splitlines` finds more: it ends a line at a form feed, too.
    """
    return [line.removesuffix("\n") for line in io.StringIO(text, newline=None)]


def kind(file: Path) -> str:
    """Return a name for the kind of file that is in a script's place."""
    if file.is_dir():
        return "a folder"
    if file.is_fifo():
        return "a pipe"
    return "a device" if file.exists() else "no such file"


def reason(error: Exception) -> str:
    """Return the reason why a script cannot be read, without its name."""
    return str((isinstance(error, OSError) and error.strerror) or error)
