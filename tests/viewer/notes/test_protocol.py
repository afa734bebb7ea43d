"""What slides tell their notes, as it is sent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from triton_workshop.viewer.notes.protocol import (
    PORT,
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

HERE = "/talks/deck.md"


def heartbeat(**values: bytes) -> bytes:
    """A heartbeat with these values in place of right ones."""
    right = {
        "command": b'"Heartbeat"',
        "slide": b"1",
        "step": b"0",
        "elapsed": b"1",
        "running": b"[]",
        "moved": b"false",
    }
    said = b", ".join(b'"%s": %s' % (name.encode(), value) for name, value in (right | values).items())
    return b'{"deck": "/talks/deck.md", "event": {%s}}' % said


@pytest.mark.parametrize(
    "event", [Exit(), Heartbeat(3, 2, 61.5), Heartbeat(3, 0, 0.0, (RunningBlock(2, 1, 3.5),), moved=True)]
)
def test_an_event_survives_the_way(event: Event) -> None:
    assert decode(encode(event, HERE), HERE) == event


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"[" * 50_000,
        b'{"deck": "/talks/deck.md"}',
        b'{"deck": "/talks/deck.md", "event": "Exit"}',
        b'{"deck": "/talks/deck.md", "event": {"command": "Dance"}}',
        b'{"deck": "/talks/deck.md", "event": {"command": ["Exit"]}}',
        b'{"deck": "/talks/deck.md", "event": {"command": "Heartbeat", "slide": 1}}',
        heartbeat(slide=b"-1"),
        heartbeat(slide=b"true"),
        heartbeat(slide=b"1e9"),
        heartbeat(slide=b"4294967296"),
        heartbeat(elapsed=b"NaN"),
        heartbeat(elapsed=b"9" * 400),
        heartbeat(running=b'{"slide": 1}'),
        heartbeat(running=b"[1]"),
        heartbeat(moved=b"1"),
    ],
)
def test_what_is_no_event_is_ignored(data: bytes) -> None:
    assert decode(data, HERE) is None


def test_a_heartbeat_that_nothing_is_wrong_with_is_heard() -> None:
    assert decode(heartbeat(), HERE) == Heartbeat(1, 0, 1.0)


def test_another_decks_events_are_ignored() -> None:
    assert decode(encode(Exit(), "/talks/other.md"), HERE) is None


def test_what_a_newer_version_adds_is_no_harm() -> None:
    data = b'{"deck": "/talks/deck.md", "id": 1, "event": {"command": "Exit", "why": "done"}}'
    assert decode(data, HERE) == Exit()


def test_a_deck_is_known_by_its_real_path(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.touch()
    link = tmp_path / "link.md"
    link.symlink_to(deck)
    assert real_path(link) == real_path(deck)
    assert deck.samefile(real_path(link))


def test_a_name_that_is_no_text_can_be_told() -> None:
    name = os.fsdecode(b"/talks/\xff.md")
    assert decode(encode(Exit(), name), name) == Exit()


@pytest.mark.parametrize(
    ("platform", "listen", "publish"),
    [
        ("linux", "127.255.255.255", "127.255.255.255"),
        ("darwin", "127.0.0.1", "127.0.0.1"),
        ("win32", "127.0.0.1", "127.255.255.255"),
    ],
)
def test_each_platform_has_its_addresses(platform: str, listen: str, publish: str) -> None:
    assert listen_address(platform) == (listen, PORT)
    assert publish_address(platform) == (publish, PORT)
