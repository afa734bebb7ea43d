"""What slides tell, as it is heard."""

from __future__ import annotations

import time
from collections.abc import Callable

from triton_workshop.viewer.notes.channel import Listener
from triton_workshop.viewer.notes.protocol import Event


def hear(listener: Listener, enough: Callable[[list[Event]], bool], seconds: float = 30) -> list[Event]:
    """Events, until there are enough."""
    events: list[Event] = []
    deadline = time.monotonic() + seconds
    while not enough(events):
        assert time.monotonic() < deadline, f"heard only {events}"
        events += [event for _, event in listener.receive()]
        time.sleep(0.01)
    return events
