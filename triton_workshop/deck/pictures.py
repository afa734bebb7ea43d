"""Check that a file is a picture that presenterm can show.

Nothing is decoded.
"""

from __future__ import annotations

from pathlib import Path

_SIGNATURES = (
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"GIF87a",
    b"GIF89a",
    b"RIFF",
    b"BM",
    b"II*\x00",
    b"MM\x00*",
)


def picture_problem(path: Path) -> str | None:
    """Return the reason why a file is no picture to show, or None."""
    try:
        with path.open("rb") as file:
            start = file.read(16)
    except FileNotFoundError:
        return "image not found"
    except (OSError, ValueError):
        return "image cannot be read"
    return None if start.startswith(_SIGNATURES) else "not an image that can be shown (PNG, JPEG, GIF, WebP, BMP, TIFF)"
