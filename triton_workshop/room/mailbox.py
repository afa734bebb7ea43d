"""A mailbox between two threads in which only the newest message for each key waits."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Generic, TypeVar

Message = TypeVar("Message")


class Mailbox(Generic[Message]):
    """What has been put and not yet taken: however slow the reader is, it holds no more than one message per key."""

    def __init__(self) -> None:
        self._waiting: dict[str, Message] = {}
        self._condition = threading.Condition()
        self._closed = False

    def put(self, messages: Mapping[str, Message]) -> None:
        """Put messages behind those that wait, in place of older ones with the same keys."""
        with self._condition:
            for key, message in messages.items():
                self._waiting.pop(key, None)
                self._waiting[key] = message
            self._condition.notify()

    def take(self, seconds: float | None = None) -> dict[str, Message] | None:
        """Wait for messages, if need be so many seconds; return those that there are, or None after `close`."""
        with self._condition:
            self._condition.wait_for(lambda: self._waiting or self._closed, seconds)
            taken, self._waiting = self._waiting, {}
            return None if self._closed and not taken else taken

    def clear(self) -> None:
        with self._condition:
            self._waiting = {}

    def close(self) -> None:
        """Let the reader take what waits, and then end."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
