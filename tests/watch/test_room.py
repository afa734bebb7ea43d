"""What watch tells the room, once the learner has joined it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.apps import screen, until
from tests.attendance.scripted import ENTERED, Scripted, scripted_room
from triton_workshop.attendance import reporter
from triton_workshop.attendance.jobs import Answer, Outcome, Times
from triton_workshop.attendance.membership import join, membership_file
from triton_workshop.watch.app import Watch

from .conftest import SOLUTIONS, FakeChecker, fails
from .test_watch import drive, press, save

BEGUN = {"exercise": "1", "filled": 0, "todos": 9, "right": False, "hints": 0, "mistake": ""}


@pytest.fixture
def room(desk: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """A room that has been joined."""
    monkeypatch.setattr(reporter, "RETRY_SECONDS", (0.2,))
    with scripted_room() as room:
        room.answers = [(200, ENTERED)]
        join(room.address, "KLMR", "Ada", membership_file())
        room.heard.clear()
        yield room
        membership_file().unlink()  # nothing more is sent, however long it takes to end


def test_every_verdict_and_every_hint_is_told(room: Scripted, checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        checker.answer = fails
        await save(watch, pilot, SOLUTIONS["1"] + "\n")
        await press(pilot, "h")
        checker.answer = FakeChecker().answer
        await save(watch, pilot, SOLUTIONS["1"])
        assert watch.reporter.flush(10)

    drive(checker, steps)
    reports = [message for path, token, message in room.heard if (path, token) == ("/report", "Bearer secret")]
    assert reports[0] == BEGUN
    assert {"exercise": "1", "filled": 9, "todos": 9, "right": False, "hints": 1, "mistake": "forgotten-pid"} in reports
    assert reports[-1] == {"exercise": "1", "filled": 9, "todos": 9, "right": True, "hints": 0, "mistake": ""}
    assert len(reports) == len(room.heard)


def test_a_asks_for_help(room: Scripted, checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "a")
        await until(
            pilot, lambda: "asked for help; the presenter sees your name, Ada" in " ".join(screen(watch).split())
        )

    drive(checker, steps)
    assert ("/help", "Bearer secret", {}) in room.heard


def test_without_a_room_a_says_how_to_join_one(desk: Path, checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "a")
        assert "uv run workshop join ADDRESS" in " ".join(screen(watch).split())
        assert watch.reporter._thread is None

    drive(checker, steps)


def test_a_room_that_is_out_of_reach_changes_nothing(
    room: Scripted, checker: FakeChecker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("triton_workshop.attendance.reporter.FLUSH_SECONDS", 0.0)
    room.answers = [None] * 10_000

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await save(watch, pilot, SOLUTIONS["1"])
        assert "All 12 cases are right" in screen(watch)
        await press(pilot, "a")
        await until(pilot, lambda: "the room does not answer" in " ".join(screen(watch).split()))

    drive(checker, steps)


def test_g_sends_the_file_to_a_gpu_of_the_room_after_a_question(room: Scripted, checker: FakeChecker) -> None:
    answer = Answer(Outcome.CORRECT, "Correct on an H200.", "H200", None, Times("4096²", 0.45, 0.3, 0.4, 0.42))
    fields = {"state": "answered", "place": 0, "answer": answer.as_json()}

    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await save(watch, pilot, SOLUTIONS["1"])
        assert watch.reporter.flush(10)
        room.answers = [(202, b"{}"), (200, json.dumps(fields).encode())]
        await press(pilot, "g")
        assert "Press enter to send it" in screen(watch)
        assert not any("gpus" in path for path, *_ in room.heard)
        await press(pilot, "enter")
        await until(pilot, lambda: "Correct on an H200." in screen(watch))
        assert "1.50 × the limit" in screen(watch)
        await press(pilot, "q")
        # The second time, nobody is asked.
        room.answers = [(429, b"Wait a minute.")]
        await press(pilot, "g")
        await until(pilot, lambda: "The room does not run it: Wait a minute." in screen(watch))

    drive(checker, steps)
    [sent] = [message["text"] for path, _, message in room.heard if path == "/gpus/submit"][:1]
    assert sent == SOLUTIONS["1"]


def test_without_a_room_g_says_how_to_join_one(desk: Path, checker: FakeChecker) -> None:
    async def steps(watch: Watch, pilot: Pilot[int]) -> None:
        await press(pilot, "g")
        assert "uv run workshop join ADDRESS" in " ".join(screen(watch).split())

    drive(checker, steps)
