"""Telling the room: never in the way, and until it has heard."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

import pytest

from tests.attendance.scripted import ENTERED, Scripted
from triton_workshop.attendance import reporter
from triton_workshop.attendance.board import Progress
from triton_workshop.attendance.membership import join, leave
from triton_workshop.attendance.reporter import Reporter, to_progress
from triton_workshop.checking.reporting.progress import ListedExercise, Record, Status
from triton_workshop.exercises import EXERCISES

BEGUN = Progress("1", 1, 3, right=False, hints=1)
RIGHT = replace(BEGUN, filled=3, right=True)
REPORT = {"exercise": "1", "filled": 1, "todos": 3, "right": False, "hints": 1, "mistake": ""}
LONG = 10.0


@pytest.fixture
def joined(room: Scripted, file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(reporter, "RETRY_SECONDS", (0.01,))
    room.answers = [(200, ENTERED)]
    join(room.address, "KLMR", "Ada", file)
    room.heard.clear()
    return file


def test_nothing_is_sent_without_joining(room: Scripted, file: Path) -> None:
    reporter = Reporter(file)
    reporter.report(BEGUN)
    assert not reporter.call_for_help()
    assert reporter.flush(0)
    assert room.heard == []


def test_the_room_hears_how_far_one_is(room: Scripted, joined: Path) -> None:
    reporter = Reporter(joined)
    reporter.report(BEGUN)
    assert reporter.flush(LONG)
    assert room.heard == [("/report", "Bearer secret", REPORT)]


@pytest.mark.parametrize("trouble", [(500, b""), (429, b"Too many."), (200, b"<html>a hotel's page</html>"), None])
def test_what_was_not_heard_is_sent_again(room: Scripted, joined: Path, trouble: tuple[int, bytes] | None) -> None:
    room.answers = [trouble, trouble]
    reporter = Reporter(joined)
    reporter.report(BEGUN)
    assert reporter.flush(LONG)
    assert room.heard == [("/report", "Bearer secret", REPORT)] * 3


def test_what_is_refused_is_not_sent_again_and_that_is_said_once(room: Scripted, joined: Path) -> None:
    said: SimpleQueue[str] = SimpleQueue()
    room.answers = [(401, b"This room does not know you.")] * 2
    reporter = Reporter(joined, said.put)
    for progress in (BEGUN, RIGHT):
        reporter.report(progress)
        assert reporter.flush(LONG)
    assert len(room.heard) == 2
    assert said.get(timeout=LONG) == "the room did not take your progress: This room does not know you."
    assert said.empty()


def test_only_the_newest_report_of_an_exercise_is_sent(room: Scripted, joined: Path) -> None:
    reporter = Reporter(joined)
    with reporter._changed:  # nothing is sent meanwhile
        reporter.report(BEGUN)
        reporter.report(Progress("2", 0, 4, right=False, hints=0))
        reporter.report(RIGHT)
    assert reporter.flush(LONG)
    assert [(message["exercise"], message["right"]) for _, _, message in room.heard] == [("2", False), ("1", True)]


def test_who_asks_for_help_reads_what_became_of_it(room: Scripted, joined: Path) -> None:
    said: SimpleQueue[str] = SimpleQueue()
    reporter = Reporter(joined, said.put)
    assert reporter.call_for_help()
    assert said.get(timeout=LONG) == "asked for help; the presenter sees your name, Ada"
    room.answers = [(502, b""), (502, b"")]
    assert reporter.call_for_help()
    assert said.get(timeout=LONG).startswith(
        "the room does not answer (it says 502 Bad Gateway); your call for help is"
    )
    assert said.get(timeout=LONG) == "asked for help; the presenter sees your name, Ada"
    room.answers = [(401, b"This room does not know you; join again.")]
    assert reporter.call_for_help()
    assert said.get(timeout=LONG).endswith("did not take your call for help: This room does not know you; join again.")
    assert said.empty()


def test_who_leaves_is_not_told_of_any_more(room: Scripted, joined: Path) -> None:
    room.answers = [(503, b"")] * 1000
    reporter = Reporter(joined)
    reporter.report(BEGUN)
    assert not reporter.flush(0.05)
    leave(joined)
    heard = len([path for path, _, _ in room.heard if path == "/report"])
    assert reporter.flush(LONG)
    assert len([path for path, _, _ in room.heard if path == "/report"]) <= heard + 1


@pytest.mark.parametrize(
    ("status", "left", "filled", "right"),
    [
        (Status.NEW, 3, 0, False),
        (Status.BEGUN, 1, 2, False),
        (Status.PASSED, 0, 3, True),
        (Status.FAILING, 0, 3, False),
    ],
)
def test_a_report_says_how_far_and_nothing_of_the_code(status: Status, left: int, filled: int, right: bool) -> None:
    exercise = next(each for each in EXERCISES.values() if len(each.hints) == 3)
    record = Record(mistake="floor-grid", hints=("an idea", "x = tl.load(…)"), hints_shown=2)
    progress = to_progress(ListedExercise(exercise, status, left, record))
    assert progress == Progress(exercise.number, filled, 3, right, 2, "floor-grid")
    assert "load" not in json.dumps(vars(progress))
