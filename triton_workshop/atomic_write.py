"""Writes a file atomically."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ATTEMPTS = 50
PAUSE_SECONDS = 0.01
"""Seconds between two attempts to replace a file that is open (Windows)."""


def write_atomically(file: Path, data: bytes) -> None:
    """Write a file atomically.

    Readers see either the old contents or all of the new. Raises OSError.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
        with _removed_on_exit(Path(name)) as new:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            with suppress(OSError):  # a file system without permissions, such as a stick's
                new.chmod(file.stat().st_mode & 0o777 if file.exists() else 0o644)
            _replace_file(new, file)
    except OSError as error:
        error.filename = str(file)  # a full disk's error names no file, others that of the new one
        raise


@contextmanager
def _removed_on_exit(file: Path) -> Iterator[Path]:
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def _replace_file(new: Path, file: Path) -> None:
    """Rename a file to another, which somebody may be reading.

    Windows then refuses, and for a moment we try again.
    """
    for _ in range(ATTEMPTS if sys.platform == "win32" else 0):
        with suppress(PermissionError):
            new.replace(file)
            return
        time.sleep(PAUSE_SECONDS)
    new.replace(file)
