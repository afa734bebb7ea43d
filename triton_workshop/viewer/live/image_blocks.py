"""Files for the pictures that +image blocks print as bytes."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile

MAX_PICTURE_BYTES = 64 * 2**20
"""Bytes of the largest picture that is shown."""
MAX_TEXT_BYTES = 64 * 2**10
"""Bytes shown of an output that is not a picture."""
FORMATS = ("PNG", "JPEG", "GIF")


@dataclass(frozen=True)
class ReceivedPicture:
    """A picture's file, or a problem and the beginning of the output."""

    picture: Path | None = None
    problem: str | None = None
    text: bytes = b""


def receive_picture(output: Iterable[bytes], folder: Path) -> ReceivedPicture:
    """Read an output to its end, and store the picture in a folder.

    Raises OSError.
    """
    data = bytearray()
    size = 0
    for chunk in output:
        size += len(chunk)
        # More than that is only read, as a block whose output nobody reads waits for ever.
        if size <= MAX_PICTURE_BYTES:
            data += chunk
    text = bytes(data[:MAX_TEXT_BYTES])
    if size > MAX_PICTURE_BYTES:
        return ReceivedPicture(
            problem=f"its output is too large for a picture: expected at most {MAX_PICTURE_BYTES // 2**20} MiB"
        )
    form = picture_format(bytes(data))
    if form is None:
        expected = f"expected {', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        return ReceivedPicture(problem=f"its output is not a picture; {expected}", text=text)
    # A new name each time, as drawn pictures are cached by name.
    with NamedTemporaryFile(dir=folder, suffix=f".{form.lower()}", delete=False) as file:
        file.write(data)
    return ReceivedPicture(Path(file.name))


def picture_format(data: bytes) -> str | None:
    """Return the one of our formats that the data has, or None."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            image.load()
            return image.format
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
