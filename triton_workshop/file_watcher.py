"""Notices every save of a set of files, whatever the editor does."""

from __future__ import annotations

import asyncio
import importlib
import os
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path

SETTLED_MS = 10
"""Milliseconds without another change that end a save, as editors write, rename and touch a file in one go."""
LONGEST_MS = 200
"""Milliseconds after which changes are reported even if more keep coming."""
LOOK_MS = 1000
"""Milliseconds between looks at files that the system does not report on: network folders, link targets."""


class FileWatcher:
    """Saves, removals and re-creations of files since each was named here.

    A folder counts as saved when something is added to it or removed from it.
    """

    def __init__(self, *files: Path) -> None:
        self._seen = {file: _signature(file) for file in files}

    def follow(self, files: Iterable[Path]) -> None:
        """Follow these files from now on, losing no save of any that were already followed."""
        self._seen = {file: self._seen[file] if file in self._seen else _signature(file) for file in files}

    def look(self) -> frozenset[Path]:
        """The files saved since the last look, or since the iterator last yielded them."""
        now = {file: _signature(file) for file in self._seen}
        changed = frozenset(file for file, seen in self._seen.items() if now[file] != seen)
        self._seen = now
        return changed

    async def settled(self, pause: float, longest: float) -> frozenset[Path]:
        """Wait until nothing is saved for `pause` seconds, at most `longest` seconds; return what was saved."""
        deadline = time.monotonic() + longest
        saved: frozenset[Path] = frozenset()
        while True:
            await asyncio.sleep(pause)
            now = self.look()
            saved |= now
            if not now or time.monotonic() > deadline:
                return saved

    async def __aiter__(self) -> AsyncIterator[frozenset[Path]]:
        await asyncio.to_thread(importlib.import_module, "watchfiles")  # does not delay the first slide
        while True:
            async for _ in self._looks():
                if changed := self.look():
                    yield changed

    def _folders(self) -> Mapping[Path, tuple[int, int]]:
        """The existing folders to watch, including those of link targets, each with its identity."""
        folders = {folder for file in self._seen for folder in (file.parent, Path(os.path.realpath(file)).parent)}
        found = ((folder, _status(folder)) for folder in folders)
        return {folder: (status.st_dev, status.st_ino) for folder, status in found if status is not None}

    async def _looks(self) -> AsyncIterator[None]:
        """Yield after each change in a folder, and once per second; end when the set of folders changes."""
        from watchfiles import awatch

        watched = self._folders()
        if not watched:
            await asyncio.sleep(LOOK_MS / 1000)
            yield
            return
        changes = awatch(
            *watched,
            watch_filter=None,
            recursive=False,
            step=SETTLED_MS,
            debounce=LONGEST_MS,
            rust_timeout=LOOK_MS,
            yield_on_timeout=True,
        )
        try:
            async for _ in changes:
                yield
                if self._folders() != watched:
                    return
        except OSError:  # a folder is gone, or the system is out of watches: poll instead
            await asyncio.sleep(LOOK_MS / 1000)
            yield


def _signature(file: Path) -> tuple[int, int, int] | None:
    """A value that changes with every save; None if there is no file."""
    status = _status(file)
    return None if status is None else (status.st_ino, status.st_mtime_ns, status.st_size)


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except OSError:
        return None
