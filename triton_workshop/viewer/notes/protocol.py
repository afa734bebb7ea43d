"""Events that slides send to the notes, and their encoding.

An event is one UDP datagram on the loopback network, a JSON object with the deck's path.

    {"deck": "/real/path/deck.md", "event": {"command": "Heartbeat", "slide": 1, "step": 0, ...}}
    {"deck": "/real/path/deck.md", "event": {"command": "Exit"}}
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

PORT = 59419
MAX_RUNNING_BLOCKS = 8
"""Running blocks that a heartbeat names, since it has to stay small."""

Address = tuple[str, int]


def listen_address(platform: str = sys.platform) -> Address:
    """Return the address of the notes.

    Linux delivers a datagram for the broadcast address to every socket bound to it.
    """
    return ("127.255.255.255" if platform == "linux" else "127.0.0.1", PORT)


def publish_address(platform: str = sys.platform) -> Address:
    """Return the address to which slides send.

    A Mac's loopback network has no broadcast, so only one view of the notes can listen there.
    """
    return ("127.0.0.1" if platform == "darwin" else "127.255.255.255", PORT)


@dataclass(frozen=True)
class Exit:
    """The slides have been closed."""


@dataclass(frozen=True)
class RunningBlock:
    """A block that is running, and for how long."""

    slide: int
    """The slide's number, from 1."""
    block: int
    """The block's number on the slide, from 0."""
    seconds: float


@dataclass(frozen=True)
class Heartbeat:
    """The state of the slides."""

    slide: int
    """The slide's number, from 1."""
    step: int
    """The step, from 0."""
    elapsed: float
    """Seconds since the slides were opened."""
    running: tuple[RunningBlock, ...] = ()
    moved: bool = False
    """True if the slides showed another slide or step before."""


Event = Exit | Heartbeat


def real_path(deck: Path) -> str:
    """Return the absolute path without links, by which both sides know a deck."""
    return os.path.realpath(deck)


def encode(event: Event, deck: str) -> bytes:
    """Return the datagram for an event."""
    fields = {"command": type(event).__name__, **asdict(event)}
    message = json.dumps({"deck": deck, "event": fields}, ensure_ascii=False, separators=(",", ":"))
    return message.encode(errors="surrogateescape")


def decode(data: bytes, deck: str) -> Event | None:
    """Return the event in a datagram, or None if it is unknown.

    An event about another deck counts as unknown.
    """
    try:
        message = json.loads(data.decode(errors="surrogateescape"))
        if message["deck"] != deck:
            return None
        return read_event(message["event"])
    except (ValueError, TypeError, KeyError, RecursionError):  # anybody on this machine can send anything
        return None


def read_event(fields: object) -> Event | None:
    """Return the event in decoded JSON, or None for an unknown command.

    Raises ValueError, TypeError or KeyError for a malformed event.
    """
    match fields:
        case {"command": "Exit"}:
            return Exit()
        case {
            "command": "Heartbeat",
            "slide": slide,
            "step": step,
            "elapsed": elapsed,
            "running": [*running],
            "moved": bool(moved),
        }:
            blocks = (
                RunningBlock(count(block["slide"]), count(block["block"]), seconds(block["seconds"]))
                for block in running[:MAX_RUNNING_BLOCKS]
            )
            return Heartbeat(count(slide), count(step), seconds(elapsed), tuple(blocks), moved)
        case _:
            return None


def count(value: object) -> int:
    """Return a value that is a valid count. Raises ValueError."""
    if type(value) is not int or not 0 <= value < 2**32:
        raise ValueError("expected a whole number of 32 bits")
    return value


def seconds(value: object) -> float:
    """Return a value that is a valid time in seconds. Raises ValueError."""
    if not isinstance(value, int | float):
        raise ValueError("expected seconds")
    if not 0 <= value <= sys.float_info.max:  # in JSON, a whole number may be larger than any float
        raise ValueError("expected seconds")
    return float(value)
