"""Mailbox between two threads that keeps the newest message of each key."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Generic, TypeVar

Message = TypeVar("Message")


class Mailbox(Generic[Message]):
    """Messages that have been put and not yet taken.

    However slow the reader is, it holds no more than one message per key.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, Message] = {}
        self._condition = threading.Condition()
        self._closed = False

    def put(self, messages: Mapping[str, Message]) -> None:
        """Put messages behind the others, in place of those with the same keys."""
        with self._condition:
            for key, message in messages.items():
                self._waiting.pop(key, None)
                self._waiting[key] = message
            self._condition.notify()

    def take(self, seconds: float | None = None) -> dict[str, Message] | None:
        """Wait for messages, and return all; None after `close`.

        After so many seconds there may be none.
        """
        with self._condition:
            self._condition.wait_for(lambda: self._waiting or self._closed, seconds)
            messages, self._waiting = self._waiting, {}
            has_ended = self._closed and not messages
            return None if has_ended else messages

    def clear(self) -> None:
        """Drop all messages."""
        with self._condition:
            self._waiting = {}

    def close(self) -> None:
        """Let the reader take the last messages, and then end."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
