"""What the presenter's screen says of the room."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.apps import on_screen, screen, until
from triton_workshop.attendance.board import CallForHelp, ExerciseCount, Progress
from triton_workshop.attendance.register import MAX_WRONG_WORDS, Register
from triton_workshop.deck import load_deck
from triton_workshop.screen.palette import DARK
from triton_workshop.viewer.notes.app import Notes
from triton_workshop.viewer.notes.attendance import NO_ATTENDANCE, AttendanceWatcher, attendance_lines

TALK = Path(__file__).parent / "talk.md"
NOW = 1e9


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "room.sqlite"


@pytest.fixture
def watcher(file: Path) -> AttendanceWatcher:
    return AttendanceWatcher(file, lambda: NOW)


def full_room(file: Path) -> Register:
    """Ada has finished an exercise; number 2 asks for help, and has done so before her."""
    room = Register(file, lambda: NOW - 150)
    room.report(room.enter("Ada").number, Progress("1", 9, 9, right=True, hints=0))
    room.report(1, Progress("2", 2, 7, right=False, hints=0))
    room.call_for_help(room.enter().number)
    room.now = lambda: NOW
    room.call_for_help(1)
    return room


def test_without_a_room_nothing_is_said_and_nothing_is_made(watcher: AttendanceWatcher, file: Path) -> None:
    assert watcher.read() == NO_ATTENDANCE
    assert attendance_lines(NO_ATTENDANCE, 80, DARK) == []
    assert not file.exists()


def test_yesterdays_room_is_not_shown(file: Path) -> None:
    full_room(file)
    assert AttendanceWatcher(file, lambda: NOW + 12 * 3600).read() == NO_ATTENDANCE


def test_a_file_that_is_no_room_is_not_shown(file: Path, watcher: AttendanceWatcher) -> None:
    file.write_text("something else\n" * 99)
    assert watcher.read() == NO_ATTENDANCE


def test_the_room_is_read_from_its_file(file: Path, watcher: AttendanceWatcher) -> None:
    full_room(file)
    board = watcher.read()
    assert board.counts == (ExerciseCount("1", 0, 1), ExerciseCount("2", 1, 0))
    assert board.calls == (CallForHelp(2, None, 2), CallForHelp(1, "Ada", 0))
    assert watcher.read(answered=2).calls == (CallForHelp(1, "Ada", 0),)


@pytest.mark.parametrize("width", [1, 20, 50, 100])
def test_its_lines_fit(file: Path, watcher: AttendanceWatcher, width: int) -> None:
    full_room(file)
    assert len(attendance_lines(watcher.read(), width, DARK)) == 2
    assert width < 20 or all(line.cell_len <= width for line in attendance_lines(watcher.read(), width, DARK))


def test_the_presenter_reads_that_somebody_guesses(watcher: AttendanceWatcher, file: Path) -> None:
    room = full_room(file)
    for _ in range(MAX_WRONG_WORDS):
        room.accepts_word("AAAAA")
    first, *others = attendance_lines(watcher.read(), 120, DARK)
    assert first.plain.startswith("Somebody is guessing the room's word")
    assert len(others) == 2


def test_the_presenter_reads_who_asks_for_far_too_much(watcher: AttendanceWatcher, file: Path) -> None:
    full_room(file).record_excess(1)
    first, *others = attendance_lines(watcher.read(), 120, DARK)
    assert first.plain.startswith("Ada, number 1, asks for far more than a page needs")
    assert len(others) == 2


@pytest.mark.parametrize("size", [(100, 30), (50, 16)])
async def test_d_marks_the_oldest_call_as_done(file: Path, watcher: AttendanceWatcher, size: tuple[int, int]) -> None:
    full_room(file)
    notes = Notes(load_deck(TALK), list, watcher=watcher)
    async with on_screen(notes, size) as pilot:
        await until(pilot, lambda: "help: number 2 (2 min), Ada (now)" in row(notes, -3))
        assert "exercise 1: 0 working, 1 right" in row(notes, -2)
        assert "waiting for the slides" in row(notes, -1)
        await pilot.press("d")
        await until(pilot, lambda: "help: Ada (now)" in row(notes, -3))
        await pilot.press("d", "d")
        await until(pilot, lambda: "help:" not in screen(notes))


def row(notes: Notes, index: int) -> str:
    return screen(notes).split("\n")[index]
