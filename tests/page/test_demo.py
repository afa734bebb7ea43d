"""The demonstration on a reader's own picture, without a page."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest

from triton_workshop.exercises import EXERCISES
from triton_workshop.page.inside.demo import demonstrate


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(side: int) -> bytes:
    """The beginning of a picture that claims to have this size."""
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


PICTURES = {"no picture": b"no picture", "too large": png(20_000), "without its pixels": png(2)}


@pytest.mark.parametrize("photo", PICTURES.values(), ids=PICTURES)
def test_a_picture_that_cannot_be_read_is_a_sentence(tmp_path: Path, photo: bytes) -> None:
    said = demonstrate(EXERCISES["2"], tmp_path / "script.py", "", photo)
    assert said["problem"].startswith("This file is no picture that the page can read.")
