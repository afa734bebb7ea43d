"""Turns the picture that a block prints from bytes into a file that is shown."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

LARGEST = 64 * 2**20
"""Bytes of the largest picture that is shown."""
TEXT_KEPT = 64 * 2**10
"""Bytes shown of an output that is not a picture."""
FORMATS = ("PNG", "JPEG", "GIF")


@dataclass(frozen=True)
class Printed:
    """A picture's file, or else what is wrong and the beginning of what was printed."""

    picture: Path | None = None
    problem: str | None = None
    text: bytes = b""


class PictureFolder:
    """The pictures of a talk's blocks, in a folder inside another, whose owner removes it; for any thread."""

    def __init__(self, within: Callable[[], Path]) -> None:
        self._within = within
        self._count = 0
        self._lock = threading.Lock()

    def folder(self) -> Path:
        """Raises OSError."""
        folder = self._within() / "pictures"
        folder.mkdir(exist_ok=True)
        return folder

    def receive(self, output: Iterable[bytes]) -> Printed:
        """Reads an output to its end. Raises OSError."""
        data = bytearray()
        size = 0
        for chunk in output:
            size += len(chunk)
            if size <= LARGEST:
                data += chunk
        text = bytes(data[:TEXT_KEPT])
        if size > LARGEST:
            return Printed(problem=f"its output is too large for a picture: expected at most {LARGEST // 2**20} MiB")
        form = picture_format(bytes(data))
        if form is None:
            expected = f"expected {', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
            return Printed(problem=f"its output is not a picture; {expected}", text=text)
        return Printed(self._keep(bytes(data), form))

    def _keep(self, data: bytes, form: str) -> Path:
        with self._lock:
            self._count += 1  # a new name, as drawn pictures are cached by name
            file = self.folder() / f"printed-{self._count}.{form.lower()}"
        file.write_bytes(data)
        return file


def picture_format(data: bytes) -> str | None:
    """Which of the formats it has; None for any other."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            image.load()
            return image.format
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None
