"""`workshop join`, `leave`, `board`, and what `check` tells."""

from __future__ import annotations

import csv
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.attendance.scripted import ENTERED, Scripted
from triton_workshop.attendance import reporter
from triton_workshop.attendance.board import Progress
from triton_workshop.attendance.board_key import BoardKey
from triton_workshop.attendance.jobs import Answer, Job, Outcome, Times
from triton_workshop.attendance.membership import membership_file, read_membership
from triton_workshop.attendance.register import FOLDER_VARIABLE, Register, register_file
from triton_workshop.attendance.reporter import report_once
from triton_workshop.attendance.submissions import CSV_COLUMNS, Submissions
from triton_workshop.checking import commands
from triton_workshop.checking.reporting import progress
from triton_workshop.cli import main
from triton_workshop.exercises import EXERCISES
from triton_workshop.exercises import exercise as exercise_module

Workshop = Callable[..., tuple[int, str]]


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "exercises").mkdir()
    for number, exercise in EXERCISES.items():
        (tmp_path / "exercises" / f"exercise_{number}.py").write_text(exercise.shipped_text, encoding="utf-8")
    monkeypatch.setattr(exercise_module, "ROOT", tmp_path)
    monkeypatch.setenv(progress.FOLDER_VARIABLE, str(tmp_path / "state"))
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "room"))


@pytest.fixture
def workshop(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Workshop:
    """Runs a command in this process; returns its status, and what it said."""

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["workshop", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        said = capsys.readouterr()
        return ended.value.code, said.out + said.err

    return run


@pytest.mark.parametrize("arguments", [("{}?word=KLMR",), ("{}", "--word", "KLMR")])
def test_who_joins_reads_what_is_sent_and_how_to_end_it(
    room: Scripted, workshop: Workshop, arguments: tuple[str, ...]
) -> None:
    room.answers = [(200, ENTERED)]
    status, said = workshop("join", *(each.format(room.address) for each in arguments), "--name", "Ada")
    assert status == 0
    assert said.startswith("You have joined as Ada, number 7.")
    assert "how many TODOs are filled in" in said
    assert "Your code stays with you, unless you send it to a GPU of the room" in said
    assert "To end this: uv run workshop leave\n" in said
    assert said.endswith(f"The slides, for you alone: {room.address}?session=secret\n")
    assert room.heard == [("/enter", None, "word=KLMR&name=Ada")]
    assert workshop("leave")[0] == 0
    assert read_membership(membership_file()) is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("127.0.0.1:9",), "no room answers at http://127.0.0.1:9/: "),
        (("ftp://room",), "'ftp://room' is not the address of a room; expected something like "),
        (("127.0.0.1:9", "--word", "KLMR"), "no room answers at http://127.0.0.1:9/: "),
    ],
)
def test_who_cannot_join_reads_one_line(workshop: Workshop, arguments: tuple[str, ...], said: str) -> None:
    status, told = workshop("join", *arguments)
    assert status == 2
    assert told.startswith(said)
    assert told.count("\n") == 1


def test_who_has_no_terminal_reads_how_to_give_the_word(room: Scripted, workshop: Workshop) -> None:
    status, said = workshop("join", room.address)
    assert status == 2
    assert said.startswith("the room asks for its word, which the presenter shows; in a terminal, type: workshop join ")


def test_the_board_is_printed(workshop: Workshop) -> None:
    assert workshop("board") == (0, "No room is open on this machine.\n")
    room = Register(register_file(), lambda: time.time() - 130)
    ada = room.enter("Ada")
    room.report(ada.number, Progress("1", 9, 9, right=True, hints=2))
    room.report(ada.number, Progress("2", 1, 7, right=False, hints=1, mistake="floor-grid"))
    room.call_for_help(room.enter().number)
    assert workshop("board") == (
        0,
        f"The room {room.word}\n"
        "! number 2 asked for help 2 min ago\n"
        "exercise 1: 0 working, 1 right\n"
        "exercise 2: 1 working, 0 right\n"
        "  1 × floor grid\n"
        "Ada       ✓ 1   at 2: 1 of 7 TODOs, 1 hint\n"
        "number 2\n",
    )
    assert workshop("board", "--forget") == (
        0,
        "Deleted what was known about all attendees, including those of earlier days.\n",
    )
    assert workshop("board")[1].endswith("Nobody has given a name, reported progress or asked for help yet.\n")


def test_the_board_in_a_browser_is_a_link_without_the_rooms_key(workshop: Workshop) -> None:
    room = Register(register_file())
    room.serve_at("http://127.0.0.1:8000/")
    _, said = workshop("board")
    link = said.splitlines()[-1].removeprefix("In a browser, once and within 30 seconds: ")
    assert link.startswith("http://127.0.0.1:8000/board?code=")
    assert room.key not in said
    assert BoardKey().cookie(room.key, link.partition("code=")[2]) is not None


def test_the_board_says_that_somebody_guesses(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("triton_workshop.attendance.register.MAX_WRONG_WORDS", 1)
    room = Register(register_file())
    room.accepts_word("AAAAA")
    assert f"The room {room.word}\n! Somebody is guessing the room's word" in workshop("board")[1]


def test_the_board_of_times_is_written_as_csv(workshop: Workshop, tmp_path: Path) -> None:
    room, file = Register(register_file(), lambda: 1e9), tmp_path / "times.csv"
    store = Submissions(room)
    for index, (name, script) in enumerate((("Ada", 3.0), ("=1+1", 2.5), (None, 4.0))):
        job = Job(f"{index:032x}", "4", "")
        store.submit(room.enter(name).number, job)
        store.answer(job.id, Answer(Outcome.CORRECT, "", "A GPU", None, Times("4096, fp16", script, 2.0, 2.5, 4.0)))
    status, said = workshop("board", "--export", str(file))
    assert (status, "no room is open" in said) == (2, True), "it was used long ago"
    assert not file.exists()
    with sqlite3.connect(register_file()) as other:
        other.execute("UPDATE rooms SET used = ?", (time.time(),))
    assert workshop("board", "--export", str(file)) == (0, f"Wrote 3 times to {file}.\n")
    header, *rows = csv.reader(file.read_text(encoding="utf-8").splitlines())
    assert tuple(header) == CSV_COLUMNS
    assert [dict(zip(header, row, strict=True)) for row in rows[1:2]] == [
        {
            "exercise": "4",
            "title": EXERCISES["4"].title,
            "number": "1",
            "name": "Ada",
            "ratio": "1.5",
            "script_ms": "3",
            "limit_ms": "2",
            "plain_ms": "2.5",
            "pytorch_ms": "4",
            "size": "4096, fp16",
            "gpu": "A GPU",
            "submitted": "2001-09-09T01:46:40+00:00",
        }
    ]
    assert [row[3] for row in rows] == ["'=1+1", "Ada", ""], "no spreadsheet computes a name"


def test_a_file_that_cannot_be_written_is_named(workshop: Workshop, tmp_path: Path) -> None:
    Register(register_file())
    (tmp_path / "file").touch()
    status, said = workshop("board", "--export", str(tmp_path / "file" / "times.csv"))
    assert (status, "times.csv: cannot be written" in said) == (2, True), said
    assert workshop("board", "--export", "x.csv", "--forget")[0] == 2


def test_join_says_to_prefer_its_prompt(workshop: Workshop) -> None:
    assert "commands can be read by every user of this machine" in " ".join(words(workshop("join", "--help")[1]))


def words(text: str) -> list[str]:
    """What stands in a help's frame."""
    return [word for word in text.split() if word != "│"]


def test_a_folder_that_cannot_be_used_is_named(workshop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "room.sqlite").write_text("something else\n" * 99)
    for arguments in (("board",), ("board", "--forget")):
        status, said = workshop(*arguments)
        assert status == 2
        assert "room.sqlite: file is not a database; set TRITON_WORKSHOP_ROOM to a folder that can be written" in said


def test_check_tells_of_the_exercises_own_files(
    room: Scripted, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands, "run_check", lambda *_, **__: commands.FAILED)
    room.answers = [(200, ENTERED)]
    workshop("join", f"{room.address}?word=KLMR")
    room.heard.clear()
    for arguments in (("1", "3"), ("1", "--file", str(EXERCISES["2"].exercise_file))):
        assert workshop("check", *arguments)[0] == commands.FAILED
    assert [(path, message["exercise"], message["todos"]) for path, _, message in room.heard] == [
        ("/report", "3", 5), ("/report", "1", 9),
    ]  # fmt: skip


def test_check_waits_for_a_silent_room_no_longer_than_it_says(
    room: Scripted, workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporter, "FLUSH_SECONDS", 0.05)
    room.answers = [(200, ENTERED), *[(503, b"")] * 99]
    workshop("join", f"{room.address}?word=KLMR")
    report_once(["1"])
    membership_file().unlink()
