"""Stream of values that pages follow, as server-sent events.

A client gets every key whose version is newer than the last that it has received. So a slow one skips what is
outdated, one that comes back gets exactly what it lacks, and memory is bounded by the number of keys.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

KEEP_ALIVE_SECONDS = 10.0
"""Seconds between two heartbeats of a stream.

Proxies close silent streams, and pages take them for lost.
"""
HEARTBEAT = b"event: beat\ndata: {}\n\n"

Value = Mapping[str, object] | Sequence[object] | int | None


class Stream:
    """Newest value of each key.

    Everything but the constructor belongs to the thread of the event loop.
    """

    def __init__(self, epoch: str | None = None) -> None:
        """Create a stream.

        The `epoch` tells this process's versions from those of the one before.
        """
        self.epoch = epoch or secrets.token_hex(4)
        self.version = 0
        self._events: dict[str, tuple[int, str, bytes]] = {}
        """Version, value as JSON and event, by key and ordered by version."""
        self._changed = asyncio.Event()
        self._closed = False

    def set(self, key: str, value: Value) -> None:
        """Give a key a value, unless it has it already."""
        # In ASCII, so that no character in it can be taken for the end of a line.
        text = json.dumps(value)
        has_value = key in self._events and self._events[key][1] == text
        if has_value:
            return
        self.version += 1
        self._events.pop(key, None)
        event = f'id: {self.epoch}:{self.version}\ndata: {{"key": {json.dumps(key)}, "value": {text}}}\n\n'
        self._events[key] = (self.version, text, event.encode())
        self.notify()

    def remove(self, key: Callable[[str], bool]) -> None:
        """Remove matching keys, whose values nobody needs any more."""
        self._events = {name: event for name, event in self._events.items() if not key(name)}

    def close(self) -> None:
        """End every stream, once it has sent what there is."""
        self._closed = True
        self.notify()

    def notify(self) -> None:
        """Let every client look whether there is anything new."""
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def parse_version(self, last_event: str | None) -> int:
        """Return the version in a `Last-Event-ID`; 0 for a new client."""
        epoch, _, version = (last_event or "").partition(":")
        is_valid = epoch == self.epoch and re.fullmatch(r"[0-9]{1,19}", version) is not None
        number = int(version) if is_valid else 0
        return number if number <= self.version else 0

    def events_since(self, last_version: int) -> bytes:
        """Return the events that a client lacks, in the order of versions."""
        return b"".join(event for event_version, _, event in self._events.values() if event_version > last_version)

    async def follow(self, last_version: int, is_over: Callable[[], bool] = lambda: False) -> AsyncIterator[bytes]:
        """Yield what a client lacks, as it comes, until that `is_over`.

        The client's own pace decides how much comes at once.
        """
        yield b"retry: 1000\n\n"
        while not is_over():
            changed = self._changed
            if events := self.events_since(last_version):
                last_version = self.version
                yield events
                continue
            if self._closed:
                return
            try:
                async with asyncio.timeout(KEEP_ALIVE_SECONDS):
                    await changed.wait()
            except TimeoutError:
                yield HEARTBEAT
