"""Downloads a file: what has come stays in a .part file, a broken download goes on there, and the hash is checked."""

from __future__ import annotations

import hashlib
import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from triton_workshop.errors import WorkshopError
from triton_workshop.packing.locked import Wheel

BLOCK = 1 << 20
PATIENCE_SECONDS = 30
"""Seconds that a server may be silent."""

Tell = Callable[[int], None]
"""Told how many bytes of a file have come, or have been read again."""


def is_whole(wheel: Wheel, file: Path, tell: Tell) -> bool:
    """Whether a file is the wheel, to the last bit. Raises OSError."""
    return _size(file) == wheel.size and _digest(file, tell) == wheel.sha256


def download(wheel: Wheel, file: Path, tell: Tell) -> None:
    """Download a wheel, going on after what an earlier download left, for as long as more of it comes.

    Raises WorkshopError if the network or the server is at fault, and OSError if the disk is.
    """
    part = part_of(file)
    while (before := _size(part)) < wheel.size:
        _receive(wheel, part, before, tell)
        if _size(part) <= before:
            raise WorkshopError(
                f"{wheel.file}: the server ended early, after {_size(part)} of {wheel.size} bytes; "
                "type the same command again to go on"
            )
    if _digest(part, lambda _: None) != wheel.sha256:
        part.unlink()
        raise WorkshopError(
            f"{wheel.file}: its hash is not the one in uv.lock, so it was removed; "
            "type the same command again to download it once more"
        )
    part.replace(file)


def part_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.part")


def _receive(wheel: Wheel, part: Path, start: int, tell: Tell) -> None:
    """Append what comes to a .part file, or write the file from its beginning where the server cannot go on."""
    with _answer(wheel, start) as answer, part.open("ab" if answer.status == 206 else "wb") as stream:
        while block := _next_block(answer):
            stream.write(block)
            tell(stream.tell())
        stream.flush()
        os.fsync(stream.fileno())


def _answer(wheel: Wheel, start: int) -> http.client.HTTPResponse:
    request = urllib.request.Request(wheel.url, headers={"Range": f"bytes={start}-"} if start else {})
    try:
        answer: http.client.HTTPResponse = urllib.request.urlopen(request, timeout=PATIENCE_SECONDS)
    except urllib.error.HTTPError as error:
        raise WorkshopError(f"{wheel.url}: the server answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise WorkshopError(
            f"{wheel.url}: cannot be reached ({reason}); check the network, and type the same command again to go on"
        ) from error
    return answer


def _next_block(answer: http.client.HTTPResponse) -> bytes:
    """The next bytes, or none where the file or the connection ends: the caller can tell from the size."""
    try:
        return answer.read(BLOCK)
    except (OSError, http.client.HTTPException):
        return b""


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _digest(file: Path, tell: Tell) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
            tell(stream.tell())
    return digest.hexdigest()
