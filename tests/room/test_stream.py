"""What pages follow: the newest value of each key, and nothing twice."""

from __future__ import annotations

import json

import pytest

from triton_workshop.room.mailbox import Mailbox
from triton_workshop.room.stream import Stream


def told(events: bytes) -> list[tuple[str, object]]:
    """Keys and values in some events."""
    lines = [line.removeprefix("data: ") for line in events.decode().splitlines() if line.startswith("data: ")]
    return [(value["key"], value["value"]) for value in map(json.loads, lines)]


def last_id(events: bytes) -> str:
    return [line.removeprefix("id: ") for line in events.decode().splitlines() if line.startswith("id: ")][-1]


@pytest.fixture
def stream() -> Stream:
    stream = Stream()
    for key, value in (("place", 1), ("output-0", "a"), ("place", 2), ("output-0", "b"), ("code-3", "c")):
        stream.set(key, value)
    return stream


def test_a_new_client_gets_the_newest_value_of_each_key_in_the_order_of_the_changes(stream: Stream) -> None:
    assert told(stream.events_since(stream.parse_version(None))) == [("place", 2), ("output-0", "b"), ("code-3", "c")]


def test_a_client_that_comes_back_gets_exactly_what_it_lacks(stream: Stream) -> None:
    seen = stream.parse_version(last_id(stream.events_since(0)))
    assert stream.events_since(seen) == b""
    stream.set("place", 3)
    stream.set("place", 4)
    assert told(stream.events_since(seen)) == [("place", 4)]


def test_the_same_value_again_is_not_news(stream: Stream) -> None:
    before = stream.version
    stream.set("place", 2)
    assert stream.version == before


@pytest.mark.parametrize("nonsense", ["", ":", "other:3", "{epoch}:", "{epoch}:-1", "{epoch}:x", "{epoch}:99", "3"])
def test_a_client_of_another_server_or_with_nonsense_gets_everything(stream: Stream, nonsense: str) -> None:
    assert stream.epoch != Stream().epoch
    assert stream.parse_version(nonsense.format(epoch=stream.epoch)) == 0


def test_what_is_forgotten_is_told_to_nobody(stream: Stream) -> None:
    stream.remove(lambda key: key.startswith("output-"))
    assert told(stream.events_since(0)) == [("place", 2), ("code-3", "c")]


def test_no_value_can_end_its_event(stream: Stream) -> None:
    stream.set("output-0", "one\r\ntwo\n\nid: 7\ndata: three\u2028four\0")
    (event,) = [value for key, value in told(stream.events_since(0)) if key == "output-0"]
    assert event == "one\r\ntwo\n\nid: 7\ndata: three\u2028four\0"


async def test_a_slow_client_skips_what_is_outdated() -> None:
    stream = Stream()
    events = stream.follow(0)
    assert await anext(events) == b"retry: 1000\n\n"
    stream.set("place", 1)
    assert told(await anext(events)) == [("place", 1)]
    for step in range(2, 100):  # meanwhile, nobody reads
        stream.set("place", step)
    assert told(await anext(events)) == [("place", 99)]
    stream.set("presenter", None)
    stream.close()
    assert [told(part) async for part in events] == [[("presenter", None)]]


def test_only_the_newest_message_for_a_key_waits() -> None:
    newest: Mailbox[int] = Mailbox()
    newest.put({"a": 1, "b": 2})
    newest.put({"a": 3})
    assert list((newest.take() or {}).items()) == [("b", 2), ("a", 3)]
    newest.put({"a": 4})
    newest.close()
    assert (newest.take(), newest.take()) == ({"a": 4}, None)
