"""Encoding of pictures for pages: as WebP, no larger than shown."""

from __future__ import annotations

import base64
import io
from functools import lru_cache

from PIL import Image

MAX_PIXELS = 1400
"""Pixels of a picture's longer side in a page."""
UNREADABLE = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)
"""Errors of Pillow's for a picture that it cannot read."""
PHOTOGRAPH_COLOURS = 16_384
"""Colours beyond which a picture counts as a photograph.

A photograph may lose a little.
"""


def as_webp(data: bytes) -> bytes | None:
    """Return a picture as WebP, or None if it cannot be read.

    One that is WebP already stays as it is.
    """
    try:
        with Image.open(io.BytesIO(data)) as opened:
            return data if opened.format == "WEBP" else _encode(opened)
    except UNREADABLE:
        return None


def _encode(picture: Image.Image) -> bytes:
    # Diagrams and screenshots have few colours: without loss they stay sharp, and are small all the same.
    photograph = picture.format == "JPEG" or picture.convert("RGB").getcolors(PHOTOGRAPH_COLOURS) is None
    smaller = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    smaller.thumbnail((MAX_PIXELS, MAX_PIXELS))
    buffer = io.BytesIO()
    smaller.save(buffer, "WebP", quality=85, method=4, lossless=not photograph)
    return buffer.getvalue()


def is_picture(data: bytes) -> bool:
    """Return whether a picture can be read, judging by its beginning."""
    try:
        with Image.open(io.BytesIO(data)):
            return True
    except UNREADABLE:
        return False


@lru_cache(maxsize=64)
def data_address(data: bytes) -> str | None:
    """Return the address of a picture within the page, or None.

    It is None if the picture cannot be read.
    """
    encoded = as_webp(data)
    return None if encoded is None else f"data:image/webp;base64,{base64.b64encode(encoded).decode()}"
