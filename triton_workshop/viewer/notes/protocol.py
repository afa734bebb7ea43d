"""What slides tell the notes that follow them: presenterm's events, and one of our own. Nothing is sent here.

An event is one UDP datagram on the loopback network, a JSON object, as presenterm 0.16.1 sends and expects it
(its src/commands/speaker_notes.rs and src/config.rs):

    {"presentation_path": "/canonical/deck.md", "event": {"command": "GoTo", "slide": 1, "chunk": 0}}
    {"presentation_path": "/canonical/deck.md", "event": {"command": "Exit"}}

presenterm sends a `GoTo` whenever it has drawn something new, and repeats nothing. Its listener ignores events for
another path, and every command that it does not know. So our viewer can send more, once per second, as a `Heartbeat`.
"""

from __future__ import annotations

import json
import math
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from triton_workshop.deck.model import Code, Slide, walk

PORT = 59418
LARGEST_BYTES = 1024
"""Bytes of an event that presenterm's listener reads."""
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
class GoTo:
    """The slide shown, from 1, and which of its parts between pauses, from 0."""

    slide: int
    chunk: int


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
    """What presenterm does not send: the step, from 0, the seconds since the slides were opened, and what runs."""

    slide: int
    step: int
    elapsed: float
    running: tuple[RunningBlock, ...] = ()


Event = GoTo | Exit | Heartbeat


def presentation_path(deck: Path) -> str:
    """The name by which presenterm knows a deck: its path, absolute and without links."""
    real = os.path.realpath(deck)
    return verbatim(real) if sys.platform == "win32" else real


def verbatim(path: str) -> str:
    r"""A Windows path as Rust's `canonicalize` returns it: after `\\?\`."""
    if path.startswith("\\\\?\\"):
        return path
    return "\\\\?\\UNC" + path[1:] if path.startswith("\\\\") else "\\\\?\\" + path


def encode(event: Event, presentation: str) -> bytes:
    """The datagram for an event."""
    said = {"command": type(event).__name__, **asdict(event)}
    message = json.dumps({"presentation_path": presentation, "event": said}, ensure_ascii=False, separators=(",", ":"))
    return message.encode(errors="surrogateescape")


def decode(data: bytes, presentation: str) -> Event | None:
    """The event in a datagram; None if it is for another presentation or unknown."""
    try:
        message = json.loads(data.decode(errors="surrogateescape"))
        if message["presentation_path"] != presentation:
            return None
        return read_event(message["event"])
    except (ValueError, TypeError, KeyError, RecursionError):  # anybody on this machine can send anything
        return None


def read_event(said: object) -> Event | None:
    """Raises ValueError, TypeError or KeyError for a malformed event."""
    match said:
        case {"command": "GoTo", "slide": slide, "chunk": chunk}:
            return GoTo(count(slide), count(chunk))
        case {"command": "Exit"}:
            return Exit()
        case {"command": "Heartbeat", "slide": slide, "step": step, "elapsed": elapsed, "running": [*running]}:
            blocks = (
                RunningBlock(count(block["slide"]), count(block["block"]), seconds(block["seconds"]))
                for block in running[:MOST_RUNNING]
            )
            return Heartbeat(count(slide), count(step), seconds(elapsed), tuple(blocks))
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


def chunk_of(slide: Slide, step: int) -> int:
    """presenterm's number for a step: it counts pauses, but not the groups of highlighted lines between them."""
    return step - sum(1 for further in further_highlights(slide) if further <= step)


def step_of(slide: Slide, chunk: int) -> int:
    """The first step of one of presenterm's chunks; the last step for a chunk that does not exist."""
    return next((step for step in range(slide.steps) if chunk_of(slide, step) == chunk), slide.steps - 1)


def further_highlights(slide: Slide) -> set[int]:
    """The steps at which only the highlighted lines of a block change."""
    codes = (block.content for block in walk(slide.blocks) if isinstance(block.content, Code))
    return {code.highlight_step + group for code in codes for group in range(1, len(code.highlights))}
