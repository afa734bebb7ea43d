"""Messages from the slides to the notes, over the loopback network.

No other machine can reach it.
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from triton_workshop.deck.model import Block, Deck, walk
from triton_workshop.viewer.live.live_blocks import BlockRun, Status
from triton_workshop.viewer.notes.protocol import (
    MAX_RUNNING_BLOCKS,
    Address,
    Event,
    Exit,
    Heartbeat,
    RunningBlock,
    decode,
    encode,
    listen_address,
    publish_address,
    real_path,
)
from triton_workshop.viewer.slides.slide_step import SlideStep

HEARTBEAT_SECONDS = 1.0
"""Seconds between two heartbeats if nothing changes.

By these, notes that are opened later find the position.
"""


class Publisher:
    """Sender of the slides' state to the notes.

    Having no listener, or no network, is not an error.
    """

    def __init__(self, deck: Path, address: Address | None = None) -> None:
        self._deck = real_path(deck)
        self._socket = sending_socket(address or publish_address())
        self._opened = time.monotonic()
        self._last_beat: Heartbeat | None = None
        self._last_sent = 0.0

    def publish(self, deck: Deck, position: SlideStep, runs: Mapping[Block, BlockRun]) -> None:
        """Send a heartbeat after a change, or when the next one is due."""
        now = time.monotonic()
        last = self._last_beat
        slide, step = position.slide + 1, position.step
        moved = last is None or (last.slide, last.step) != (slide, step)
        beat = Heartbeat(slide, step, now - self._opened, running_blocks(deck, runs, now), moved)
        is_due = now - self._last_sent >= HEARTBEAT_SECONDS
        has_changed = last is None or substance(beat) != substance(last)
        if is_due or has_changed:
            self._send(beat)
            self._last_beat, self._last_sent = beat, now

    def close(self) -> None:
        """Send that the slides are closed."""
        self._send(Exit())
        self._socket.close()

    def _send(self, event: Event) -> None:
        with suppress(OSError):
            self._socket.send(encode(event, self._deck))


def substance(beat: Heartbeat) -> tuple[object, ...]:
    """Return the part of a heartbeat whose change is sent immediately."""
    return beat.slide, beat.step, [(block.slide, block.block) for block in beat.running]


def running_blocks(deck: Deck, runs: Mapping[Block, BlockRun], now: float) -> tuple[RunningBlock, ...]:
    """Return the blocks that are running, in the deck's order."""
    # Called at every frame while a block runs, so it makes few comparisons and hashes no block of the deck.
    running = [(block, run) for block, run in runs.items() if run.status is Status.RUNNING]
    if not running:
        return ()
    blocks = [
        RunningBlock(number, index, round(run.elapsed(now), 1))
        for number, slide in enumerate(deck.slides, 1)
        for index, block in enumerate(walk(slide.blocks))
        for running_block, run in running
        if block == running_block
    ]
    return tuple(blocks[:MAX_RUNNING_BLOCKS])


def sending_socket(address: Address) -> socket.socket:
    """Return a socket that sends to one address and never waits.

    If there is no such network, sending fails.
    """
    sending = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sending.setblocking(False)
    with suppress(OSError):
        sending.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        sending.bind(("127.0.0.1", 0))
        sending.connect(address)
    return sending


class CannotListenError(Exception):
    """The notes cannot receive from the slides.

    `str(error)` says why and what to do, in one line.
    """


class Listener:
    """Receiver of the messages about one deck.

    Raises CannotListenError if the address is not available.
    """

    def __init__(self, deck: Path, address: Address | None = None) -> None:
        self._deck = real_path(deck)
        address = address or listen_address()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            # Several notes may listen, except on a Mac, where only the first receives what is sent.
            if sys.platform != "darwin":
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.setblocking(False)
            self._socket.bind(address)
        except OSError as error:
            self._socket.close()
            raise CannotListenError(
                f"the notes cannot hear the slides on {address[0]}:{address[1]}: {error.strerror or error}; "
                "close any other notes"
            ) from None

    def receive(self) -> Iterator[tuple[Address, Event]]:
        """Yield the events since the last call, with their senders' addresses."""
        while True:
            try:
                data, sender = self._socket.recvfrom(65536)
            except OSError:  # no more for now
                return
            event = decode(data, self._deck)
            if event is not None:
                yield sender, event

    def close(self) -> None:
        self._socket.close()
