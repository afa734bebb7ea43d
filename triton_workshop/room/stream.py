"""What pages follow: the newest value of each key, as server-sent events.

A client gets every key whose version is newer than the last that it has seen. So a slow one skips what is outdated,
one that comes back gets exactly what it lacks, and memory is bounded by the number of keys.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

KEEP_ALIVE_SECONDS = 10.0
"""Seconds after which a stream says that it is still there: what is silent, proxies close and pages take for lost."""
STILL_HERE = b"event: beat\ndata: {}\n\n"

Value = Mapping[str, object] | Sequence[object] | int | None


class Stream:
    """The values. Everything but the constructor belongs to the thread of the event loop."""

    def __init__(self, epoch: str | None = None) -> None:
        """The `epoch` tells this process's versions from those of the one before."""
        self.epoch = epoch or secrets.token_hex(4)
        self.version = 0
        self._events: dict[str, tuple[int, str, bytes]] = {}
        """By key, and ordered by version: the version, the value as JSON, and the event."""
        self._changed = asyncio.Event()
        self._closed = False

    def set(self, key: str, value: Value) -> None:
        """Give a key a value, unless it has it already."""
        # In ASCII, so that no character in it can be taken for the end of a line.
        text = json.dumps(value)
        if key in self._events and self._events[key][1] == text:
            return
        self.version += 1
        self._events.pop(key, None)
        event = f'id: {self.epoch}:{self.version}\ndata: {{"key": {json.dumps(key)}, "value": {text}}}\n\n'
        self._events[key] = (self.version, text, event.encode())
        self.wake()

    def forget(self, key: Callable[[str], bool]) -> None:
        """Remove keys for which this is so: nobody needs their values any more."""
        self._events = {name: event for name, event in self._events.items() if not key(name)}

    def close(self) -> None:
        """End every stream, once it has sent what there is."""
        self._closed = True
        self.wake()

    def wake(self) -> None:
        """Let every client look whether there is anything new."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def seen(self, last_event: str | None) -> int:
        """The version that a client has seen, by the `Last-Event-ID` with which it comes back; 0 for a new one."""
        epoch, _, version = (last_event or "").partition(":")
        known = epoch == self.epoch and version.isascii() and version.isdecimal() and len(version) < 20
        return int(version) if known and int(version) <= self.version else 0

    def since(self, seen: int) -> bytes:
        """The events that a client lacks, in the order of their versions."""
        return b"".join(event for version, _, event in self._events.values() if version > seen)

    async def follow(self, seen: int, over: Callable[[], bool] = lambda: False) -> AsyncIterator[bytes]:
        """Yield what a client lacks, as it comes, until that is `over`; its own pace decides how much is one part."""
        yield b"retry: 1000\n\n"
        while not over():
            changed = self._changed
            if events := self.since(seen):
                seen = self.version
                yield events
                continue
            if self._closed:
                return
            try:
                async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                    await changed.wait()
            except TimeoutError:
                yield STILL_HERE
