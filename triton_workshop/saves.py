"""Notices every save of some files, however an editor does it; and saves a file as a whole."""

from __future__ import annotations

import asyncio
import importlib
import os
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from pathlib import Path

SETTLED = 10
"""Milliseconds without another change after which a save is over: editors write, rename and touch in one go."""
LONGEST = 200
"""Milliseconds after which changes count, even if more come."""
LOOK = 1000
"""Milliseconds between two looks at the files where the system reports nothing: a network's folder, a link's target."""

Signature = tuple[int, int, int] | None


class Saves:
    """The saves of files since each was named here; also their removal, and their return.

    A folder among them counts as saved when something in it comes or goes.
    """

    def __init__(self, *files: Path) -> None:
        self._seen = {file: signature(file) for file in files}

    def follow(self, files: Iterable[Path]) -> None:
        """From now on these files; of those that were followed before, no save is lost."""
        self._seen = {file: self._seen[file] if file in self._seen else signature(file) for file in files}

    def look(self) -> frozenset[Path]:
        """The files that have been saved since the last look, or since the iterator gave them."""
        now = {file: signature(file) for file in self._seen}
        changed = frozenset(file for file, seen in self._seen.items() if now[file] != seen)
        self._seen = now
        return changed

    async def settled(self, pause: float, longest: float) -> frozenset[Path]:
        """Waits until nothing is saved for `pause` seconds, `longest` seconds at most; what was saved meanwhile."""
        deadline = time.monotonic() + longest
        saved: frozenset[Path] = frozenset()
        while True:
            await asyncio.sleep(pause)
            now = self.look()
            saved |= now
            if not now or time.monotonic() > deadline:
                return saved

    async def __aiter__(self) -> AsyncIterator[frozenset[Path]]:
        await asyncio.to_thread(importlib.import_module, "watchfiles")  # not where somebody waits for the first slide
        while True:
            async for _ in self._looks():
                if changed := self.look():
                    yield changed

    def _folders(self) -> Mapping[Path, tuple[int, int]]:
        """The folders to watch that exist, each with what makes it itself; of a link, the target's too."""
        folders = {folder for file in self._seen for folder in (file.parent, Path(os.path.realpath(file)).parent)}
        found = {folder: _identity(folder) for folder in folders}
        return {folder: identity for folder, identity in found.items() if identity is not None}

    async def _looks(self) -> AsyncIterator[None]:
        """One look after each change in a folder, and one each second; ends when other folders are to be watched."""
        from watchfiles import awatch

        watched = self._folders()
        if not watched:
            await asyncio.sleep(LOOK / 1000)
            yield
            return
        changes = awatch(
            *watched,
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
                if self._folders() != watched:
                    return
        except OSError:  # gone, or there are no more watches to be had: look, without being told
            await asyncio.sleep(LOOK / 1000)
            yield


def write_whole(file: Path, data: bytes) -> None:
    """Write a file at once: who reads it sees what was there before, or all that is there now. Raises OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
    new = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        new.chmod(file.stat().st_mode & 0o777 if file.exists() else 0o644)
        new.replace(file)
    finally:
        new.unlink(missing_ok=True)


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
