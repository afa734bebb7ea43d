"""Sends what the slides show, and receives it, over the loopback network, which no other machine can reach."""

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
    MOST_RUNNING,
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
"""Seconds between two heartbeats if nothing changes, so that notes that are opened later find the place."""


class Publisher:
    """Tells the notes, if there are any, what the slides show. Having no listener, or no network, is not an error."""

    def __init__(self, deck: Path, address: Address | None = None) -> None:
        self._deck = real_path(deck)
        self._socket = sending_socket(address or publish_address())
        self._opened = time.monotonic()
        self._told: Heartbeat | None = None
        self._told_at = 0.0

    def tell(self, deck: Deck, place: SlideStep, cells: Mapping[Block, BlockRun]) -> None:
        """Send what is new, and now and then what is not."""
        now = time.monotonic()
        before = self._told
        here = (place.slide + 1, place.step)
        moved = before is None or (before.slide, before.step) != here
        beat = Heartbeat(*here, now - self._opened, running_blocks(deck, cells, now), moved)
        if before is not None and now - self._told_at < HEARTBEAT_SECONDS and substance(beat) == substance(before):
            return
        self._send(beat)
        self._told, self._told_at = beat, now

    def close(self) -> None:
        """Say that the slides are closed."""
        self._send(Exit())
        self._socket.close()

    def _send(self, event: Event) -> None:
        with suppress(OSError):
            self._socket.send(encode(event, self._deck))


def substance(beat: Heartbeat) -> tuple[object, ...]:
    """The part of a heartbeat whose change should be sent immediately."""
    return beat.slide, beat.step, [(block.slide, block.block) for block in beat.running]


def running_blocks(deck: Deck, cells: Mapping[Block, BlockRun], now: float) -> tuple[RunningBlock, ...]:
    """The blocks that are running, in the deck's order."""
    # Called at every frame while a block runs, so it makes few comparisons and hashes no block of the deck.
    running = [(block, cell) for block, cell in cells.items() if cell.status is Status.RUNNING]
    if not running:
        return ()
    found = [
        RunningBlock(number, index, round(cell.elapsed(now), 1))
        for number, slide in enumerate(deck.slides, 1)
        for index, block in enumerate(walk(slide.blocks))
        for running_block, cell in running
        if block == running_block
    ]
    return tuple(found[:MOST_RUNNING])


def sending_socket(address: Address) -> socket.socket:
    """A socket that sends to one address and never waits. If there is no such network, sending fails."""
    sending = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sending.setblocking(False)
    with suppress(OSError):
        sending.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        sending.bind(("127.0.0.1", 0))
        sending.connect(address)
    return sending


class CannotListenError(Exception):
    """The notes cannot hear the slides; `str(error)` says why and what to do, in one line."""


class Listener:
    """Receives what the slides of one deck send.

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

    def heard(self) -> Iterator[tuple[Address, Event]]:
        """What has been heard since the last call, each with its sender's address."""
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
