"""Pictures that a block has shown, in their places among the lines that it has printed."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path

from rich.text import Text

MOST_BYTES = 16 * 1024 * 1024
MOST_PIXELS = 4_000_000
"""More than a block hands over (`images.LONGEST_SIDE`), but decoded quickly."""


@dataclass(frozen=True)
class PrintedPicture:
    """A picture as it came from a block: the file's bytes, and its width and height in pixels."""

    data: bytes = field(repr=False)
    width: int
    height: int


class PictureLine(Text):
    """A line of an output that is a picture; its text is shown where pictures cannot be."""

    def __init__(self, picture: PrintedPicture) -> None:
        super().__init__(f"[picture, {picture.width} × {picture.height} pixels]")
        self.picture = picture


def take_picture(file: Path) -> Text:
    """The line for a picture that a block has left in this file, which is removed, or the reason why there is none."""
    from PIL import Image  # not before there is a picture

    try:
        size = file.stat().st_size
        data = file.read_bytes() if size <= MOST_BYTES else b""
        file.unlink()
        if not data:
            return Text(f"[picture not shown: it has {size:,} bytes, expected at most {MOST_BYTES:,}]")
        with Image.open(io.BytesIO(data), formats=["PNG", "WEBP"]) as picture:
            width, height = picture.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return Text("[picture not shown: it cannot be read]")
    if width * height > MOST_PIXELS:
        return Text(f"[picture not shown: it has {width} × {height} pixels, expected at most {MOST_PIXELS:,}]")
    return PictureLine(PrintedPicture(data, width, height))
