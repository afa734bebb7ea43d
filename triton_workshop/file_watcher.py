"""Notices every save of a set of files, whatever the editor does."""

from __future__ import annotations

import asyncio
import importlib
import os
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path

SETTLE_MS = 10
"""Milliseconds without another change that end a save.

Editors write, rename and touch a file in one go.
"""
MAX_WAIT_MS = 200
"""Milliseconds after which changes are reported even if more keep coming."""
POLL_MS = 1000
"""Milliseconds between polls of files that the system does not report on.

They are in network folders, or targets of links.
"""


class FileWatcher:
    """Saves, removals and re-creations of files since each was named here.

    A folder counts as saved when something is added to it or removed from it.
    """

    def __init__(self, *files: Path) -> None:
        self._signatures = {file: _signature(file) for file in files}

    def follow(self, files: Iterable[Path]) -> None:
        """Follow these files from now on.

        No save of any that were already followed is lost.
        """
        self._signatures = {
            file: self._signatures[file] if file in self._signatures else _signature(file) for file in files
        }

    def poll(self) -> frozenset[Path]:
        """Return the files saved since the last poll.

        What the iterator has yielded counts as polled.
        """
        now = {file: _signature(file) for file in self._signatures}
        changed = frozenset(file for file, signature in self._signatures.items() if now[file] != signature)
        self._signatures = now
        return changed

    async def settled(self, pause: float, max_wait: float) -> frozenset[Path]:
        """Wait until nothing is saved for `pause` seconds.

        Wait at most `max_wait` seconds; return the files that were saved.
        """
        deadline = time.monotonic() + max_wait
        saved: frozenset[Path] = frozenset()
        while True:
            await asyncio.sleep(pause)
            now = self.poll()
            saved |= now
            if not now or time.monotonic() > deadline:
                return saved

    async def __aiter__(self) -> AsyncIterator[frozenset[Path]]:
        await asyncio.to_thread(importlib.import_module, "watchfiles")  # does not delay the first slide
        while True:
            async for _ in self._ticks():
                if changed := self.poll():
                    yield changed

    def _folders(self) -> Mapping[Path, tuple[int, int]]:
        """Return the existing folders to watch, each with its identity.

        Those of link targets are among them.
        """
        folders = {folder for file in self._signatures for folder in (file.parent, Path(os.path.realpath(file)).parent)}
        statuses = ((folder, _status(folder)) for folder in folders)
        return {folder: (status.st_dev, status.st_ino) for folder, status in statuses if status is not None}

    async def _ticks(self) -> AsyncIterator[None]:
        """Yield after each change in a folder, and once per second.

        It ends when the set of folders changes.
        """
        from watchfiles import awatch

        watched = self._folders()
        if not watched:
            await asyncio.sleep(POLL_MS / 1000)
            yield
            return
        changes = awatch(
            *watched,
            watch_filter=None,
            recursive=False,
            step=SETTLE_MS,
            debounce=MAX_WAIT_MS,
            rust_timeout=POLL_MS,
            yield_on_timeout=True,
        )
        try:
            async for _ in changes:
                yield
                if self._folders() != watched:
                    return
        except OSError:  # a folder is gone, or the system is out of watches: poll instead
            await asyncio.sleep(POLL_MS / 1000)
            yield


def _signature(file: Path) -> tuple[int, int, int] | None:
    """Return a value that changes with every save; None if there is no file."""
    status = _status(file)
    return None if status is None else (status.st_ino, status.st_mtime_ns, status.st_size)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
