"""What slides tell their notes, as presenterm writes and reads it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from triton_workshop.deck import load_deck
from triton_workshop.viewer.notes.protocol import (
    LARGEST_BYTES,
    MOST_RUNNING,
    Event,
    Exit,
    GoTo,
    Heartbeat,
    RunningBlock,
    chunk_of,
    decode,
    encode,
    listen_address,
    presentation_path,
    publish_address,
    step_of,
    verbatim,
)

TALK = Path(__file__).parent / "talk.md"
HERE = "/talks/deck.md"


@pytest.mark.parametrize(
    "event", [GoTo(1, 0), GoTo(77, 12), Exit(), Heartbeat(3, 2, 61.5), Heartbeat(3, 0, 0.0, (RunningBlock(2, 1, 3.5),))]
)
def test_an_event_survives_the_way(event: Event) -> None:
    assert decode(encode(event, HERE), HERE) == event


@pytest.mark.parametrize(
    ("event", "said"), [(GoTo(3, 1), {"command": "GoTo", "slide": 3, "chunk": 1}), (Exit(), {"command": "Exit"})]
)
def test_presenterms_own_events_are_written_as_presenterm_writes_them(event: Event, said: dict[str, object]) -> None:
    assert json.loads(encode(event, HERE)) == {"presentation_path": HERE, "event": said}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"[" * 50_000,
        b'{"presentation_path": "/talks/deck.md"}',
        b'{"presentation_path": "/talks/deck.md", "event": "GoTo"}',
        b'{"presentation_path": "/talks/deck.md", "event": {"command": "Dance"}}',
        b'{"presentation_path": "/talks/deck.md", "event": {"command": ["GoTo"]}}',
        b'{"presentation_path": "/talks/deck.md", "event": {"command": "GoTo", "slide": 1}}',
        b'{"presentation_path": "/talks/deck.md", "event": {"command": "GoTo", "slide": -1, "chunk": 0}}',
        b'{"presentation_path": "/talks/deck.md", "event": {"command": "GoTo", "slide": true, "chunk": 0}}',
        b'{"presentation_path": "/talks/deck.md", "event": {"command": "GoTo", "slide": 1e9, "chunk": 0}}',
        b'{"presentation_path": "/talks/deck.md", "event": {"command": "GoTo", "slide": 4294967296, "chunk": 0}}',
        b'{"presentation_path": "/talks/deck.md", "event":'
        b' {"command": "Heartbeat", "slide": 1, "step": 0, "elapsed": NaN, "running": []}}',
        b'{"presentation_path": "/talks/deck.md", "event":'
        b' {"command": "Heartbeat", "slide": 1, "step": 0, "elapsed": 1, "running": {"slide": 1}}}',
        b'{"presentation_path": "/talks/deck.md", "event":'
        b' {"command": "Heartbeat", "slide": 1, "step": 0, "elapsed": 1, "running": [1]}}',
    ],
)
def test_what_is_no_event_is_ignored(data: bytes) -> None:
    assert decode(data, HERE) is None


def test_another_decks_events_are_ignored() -> None:
    assert decode(encode(GoTo(1, 0), "/talks/other.md"), HERE) is None


def test_what_a_newer_presenterm_adds_is_no_harm() -> None:
    data = b'{"presentation_path": "/talks/deck.md", "id": 1, "event": {"command": "Exit", "why": "done"}}'
    assert decode(data, HERE) == Exit()


def test_the_largest_status_fits_what_presenterm_reads() -> None:
    running = (RunningBlock(9999, 99, 99999.9),) * MOST_RUNNING
    assert len(encode(Heartbeat(9999, 99, 99999.9, running), "/home/somebody/talks/deck.md" * 10)) < LARGEST_BYTES


def test_a_deck_is_known_by_its_real_path(tmp_path: Path) -> None:
    deck = tmp_path / "deck.md"
    deck.touch()
    link = tmp_path / "link.md"
    link.symlink_to(deck)
    assert presentation_path(link) == presentation_path(deck)
    assert deck.samefile(presentation_path(link))


def test_a_name_that_is_no_text_can_be_told() -> None:
    name = os.fsdecode(b"/talks/\xff.md")
    assert decode(encode(Exit(), name), name) == Exit()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("C:\\talks\\deck.md", "\\\\?\\C:\\talks\\deck.md"),
        ("\\\\server\\share\\deck.md", "\\\\?\\UNC\\server\\share\\deck.md"),
        ("\\\\?\\C:\\deck.md", "\\\\?\\C:\\deck.md"),
    ],
)
def test_on_windows_a_path_is_written_as_rust_does(path: str, expected: str) -> None:
    assert verbatim(path) == expected


@pytest.mark.parametrize(
    ("platform", "listen", "publish"),
    [
        ("linux", "127.255.255.255", "127.255.255.255"),
        ("darwin", "127.0.0.1", "127.0.0.1"),
        ("win32", "127.0.0.1", "127.255.255.255"),
    ],
)
def test_each_platform_has_presenterms_addresses(platform: str, listen: str, publish: str) -> None:
    assert listen_address(platform) == (listen, 59418)
    assert publish_address(platform) == (publish, 59418)


def test_groups_of_highlighted_lines_are_steps_but_no_chunks() -> None:
    slide = load_deck(TALK).slides[3]
    assert slide.steps == 3
    assert [chunk_of(slide, step) for step in range(slide.steps)] == [0, 0, 1]
    assert [step_of(slide, chunk) for chunk in (0, 1, 7)] == [0, 2, 2]
