"""Pictures as pages have them: no larger than they are shown, as WebP."""

from __future__ import annotations

import base64
import io
from functools import lru_cache

from PIL import Image

LARGEST_PIXELS = 1400
"""Pixels of a picture's longer side in a page."""
UNREADABLE = (OSError, ValueError, SyntaxError, Image.DecompressionBombError)
"""What Pillow raises for a picture that it cannot read."""
PHOTOGRAPH_COLOURS = 16_384
"""Colours beyond which a picture is taken for a photograph, which may lose a little."""


def as_webp(data: bytes) -> bytes | None:
    """A picture as WebP, unchanged if it is WebP already; None if it cannot be read."""
    try:
        with Image.open(io.BytesIO(data)) as opened:
            return data if opened.format == "WEBP" else _encoded(opened)
    except UNREADABLE:
        return None


def _encoded(picture: Image.Image) -> bytes:
    photograph = picture.format == "JPEG" or picture.convert("RGB").getcolors(PHOTOGRAPH_COLOURS) is None
    smaller = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    smaller.thumbnail((LARGEST_PIXELS, LARGEST_PIXELS))
    made = io.BytesIO()
    smaller.save(made, "WebP", quality=85, method=4, lossless=not photograph)
    return made.getvalue()


def is_picture(data: bytes) -> bool:
    """Whether a picture can be read, as far as its beginning tells."""
    try:
        with Image.open(io.BytesIO(data)):
            return True
    except UNREADABLE:
        return False


@lru_cache(maxsize=64)
def data_address(data: bytes) -> str | None:
    """The address of a picture that the page itself holds; None if it cannot be read."""
    made = as_webp(data)
    return None if made is None else f"data:image/webp;base64,{base64.b64encode(made).decode()}"
