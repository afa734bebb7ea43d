"""Pictures among the lines that a block has printed."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path

from rich.text import Text

MAX_BYTES = 16 * 1024 * 1024
MAX_PIXELS = 4_000_000
"""Pixels of the largest picture, which is still decoded quickly.

It is more than a block hands over (`images.MAX_SIDE_PIXELS`).
"""


@dataclass(frozen=True)
class PrintedPicture:
    """Picture from a block.

    `data` are the file's bytes; width and height are in pixels.
    """

    data: bytes = field(repr=False)
    width: int
    height: int


class PictureLine(Text):
    """Line of an output that is a picture.

    Its text is shown where pictures cannot be.
    """

    def __init__(self, picture: PrintedPicture) -> None:
        super().__init__(f"[picture, {picture.width} × {picture.height} pixels]")
        self.picture = picture


def collect_picture(file: Path) -> Text:
    """Return the line for a picture that a block has left in this file.

    The file is removed. If the picture cannot be shown, the line says why.
    """
    from PIL import Image  # not before there is a picture

    try:
        size = file.stat().st_size
        data = file.read_bytes() if size <= MAX_BYTES else b""
        file.unlink()
        if not data:
            return Text(f"[picture not shown: it has {size:,} bytes, expected at most {MAX_BYTES:,}]")
        with Image.open(io.BytesIO(data), formats=["PNG", "WEBP"]) as picture:
            width, height = picture.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return Text("[picture not shown: it cannot be read]")
    if width * height > MAX_PIXELS:
        return Text(f"[picture not shown: it has {width} × {height} pixels, expected at most {MAX_PIXELS:,}]")
    return PictureLine(PrintedPicture(data, width, height))
