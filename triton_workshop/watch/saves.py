"""Notices every save of a file, however an editor does it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from watchfiles import awatch

SETTLED = 10
"""Milliseconds without another change after which a save is over: editors write, rename and touch in one go."""
LONGEST = 200
"""Milliseconds after which changes count, even if more come."""
LOOK = 1000
"""Milliseconds between two looks at the file where the system reports nothing: a network's folder, a link's target."""

Signature = tuple[int, int, int] | None


class Saves:
    """The saves of a file since this object was made; also its removal, and its return."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._seen = signature(file)

    async def __aiter__(self) -> AsyncIterator[None]:
        while True:
            async for _ in _looks(self._file.parent):
                now = signature(self._file)
                if now != self._seen:
                    self._seen = now
                    yield


async def _looks(folder: Path) -> AsyncIterator[None]:
    """One look after each change in a folder, and one each second; ends when the folder has become another."""
    watched = _identity(folder)
    if watched is None:
        await asyncio.sleep(LOOK / 1000)
        yield
        return
    changes = awatch(
        folder,
        watch_filter=None,
        recursive=False,
        step=SETTLED,
        debounce=LONGEST,
        rust_timeout=LOOK,
        yield_on_timeout=True,
    )
    try:
        async for _ in changes:
            yield
            if _identity(folder) != watched:
                return
    except OSError:  # gone, or there are no more watches to be had: look, without being told
        await asyncio.sleep(LOOK / 1000)
        yield


def signature(file: Path) -> Signature:
    """Changes with every save; None where there is no file."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
