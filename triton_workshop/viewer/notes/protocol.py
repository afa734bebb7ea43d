"""What slides tell the notes that follow them. Nothing is sent here.

An event is one UDP datagram on the loopback network, a JSON object: the deck's path, and what there is to say of it.

    {"deck": "/real/path/deck.md", "event": {"command": "Heartbeat", "slide": 1, "step": 0, ...}}
    {"deck": "/real/path/deck.md", "event": {"command": "Exit"}}
"""

from __future__ import annotations

import json
import math
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

PORT = 59419
MOST_RUNNING = 8
"""Running blocks that a heartbeat names, since it has to stay small."""

Address = tuple[str, int]


def listen_address(platform: str = sys.platform) -> Address:
    """Where notes listen: Linux delivers a datagram for the broadcast address to every socket bound to it."""
    return ("127.255.255.255" if platform == "linux" else "127.0.0.1", PORT)


def publish_address(platform: str = sys.platform) -> Address:
    """Where slides send: a Mac's loopback network has no broadcast, so only one view of the notes can listen there."""
    return ("127.0.0.1" if platform == "darwin" else "127.255.255.255", PORT)


@dataclass(frozen=True)
class Exit:
    """The slides have been closed."""


@dataclass(frozen=True)
class RunningBlock:
    """A running block: its slide, from 1; its number on the slide, from 0; and how many seconds it has been running."""

    slide: int
    block: int
    seconds: float


@dataclass(frozen=True)
class Heartbeat:
    """The slide shown, from 1, its step, from 0, the seconds since the slides were opened, and what runs."""

    slide: int
    step: int
    elapsed: float
    running: tuple[RunningBlock, ...] = ()
    moved: bool = False
    """Whether another slide or step was shown before."""


Event = Exit | Heartbeat


def real_path(deck: Path) -> str:
    """The name by which slides and notes know a deck: its path, absolute and without links."""
    return os.path.realpath(deck)


def encode(event: Event, deck: str) -> bytes:
    """The datagram for an event."""
    said = {"command": type(event).__name__, **asdict(event)}
    message = json.dumps({"deck": deck, "event": said}, ensure_ascii=False, separators=(",", ":"))
    return message.encode(errors="surrogateescape")


def decode(data: bytes, deck: str) -> Event | None:
    """The event in a datagram; None if it is about another deck or unknown."""
    try:
        message = json.loads(data.decode(errors="surrogateescape"))
        if message["deck"] != deck:
            return None
        return read_event(message["event"])
    except (ValueError, TypeError, KeyError, RecursionError):  # anybody on this machine can send anything
        return None


def read_event(said: object) -> Event | None:
    """Raises ValueError, TypeError or KeyError for a malformed event."""
    match said:
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
                for block in running[:MOST_RUNNING]
            )
            return Heartbeat(count(slide), count(step), seconds(elapsed), tuple(blocks), moved)
        case _:
            return None


def count(value: object) -> int:
    if type(value) is not int or not 0 <= value < 2**32:
        raise ValueError("expected a whole number of 32 bits")
    return value


def seconds(value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ValueError("expected seconds")
    return float(value)
