"""The queue of the room's GPUs and the board of times: everything is answered once, and who leaves leaves nothing."""

from __future__ import annotations

import json
import math
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from triton_workshop.attendance.jobs import Answer, Job, Outcome, Times
from triton_workshop.attendance.register import Register, forget_attendees
from triton_workshop.attendance.submissions import (
    CANCELLED,
    KEPT_ANSWERS,
    LOST,
    MAX_SENDS,
    SUPERSEDED,
    UNREADABLE,
    Submissions,
    TakenError,
    entries_to_json,
)

TIMES = Times("4096", 3.0, 2.0, 2.5, 4.0)
RIGHT = Answer(Outcome.CORRECT, "Right.", "A GPU", {"passed": True}, TIMES)
WRONG = Answer(Outcome.WRONG, "Wrong.", "A GPU", {"passed": False})


def job(digit: int, exercise: str = "4", text: str = "secret = 1") -> Job:
    return Job(f"{digit:032x}", exercise, text)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "room.sqlite"


@pytest.fixture
def room(file: Path) -> Register:
    register = Register(file)
    for name in ("Ada", None, "Bob"):
        register.enter(name)
    return register


@pytest.fixture
def store(room: Register) -> Submissions:
    return Submissions(room)


def order(store: Submissions) -> list[str]:
    return [submission.id for submission in store.unanswered()]


def answered(store: Submissions, number: int, digit: int) -> Answer | None:
    submission = store.find(number, job(digit).id)
    assert submission is not None
    return submission.answer


def test_a_submission_waits_in_order_and_survives_the_process(store: Submissions, file: Path) -> None:
    store.submit(2, job(2))
    store.submit(1, job(1))
    with closing(Register(file)) as again:
        assert order(Submissions(again)) == [job(2).id, job(1).id]
        assert Submissions(again).take(job(2).id) == job(2)


def test_the_same_identifier_is_the_same_submission(store: Submissions) -> None:
    store.submit(1, job(1))
    store.answer(job(1).id, WRONG)
    store.submit(1, job(1))
    assert answered(store, 1, 1) == WRONG
    assert order(store) == []
    with pytest.raises(TakenError):
        store.submit(2, job(1))
    assert store.find(2, job(1).id) is None, "only its owner sees it"


def test_a_newer_script_takes_the_turn_of_the_one_that_waits(store: Submissions) -> None:
    for number in (1, 2):
        store.submit(number, job(number))
    store.submit(1, job(3))
    assert order(store) == [job(3).id, job(2).id]
    assert answered(store, 1, 1) == SUPERSEDED


def test_a_newer_script_waits_for_its_own_turn_if_the_older_one_was_sent(store: Submissions) -> None:
    for number in (1, 2):
        store.submit(number, job(number))
    store.take(job(1).id)
    store.submit(1, job(3))
    assert order(store) == [job(2).id, job(3).id]
    assert answered(store, 1, 1) == SUPERSEDED
    store.answer(job(1).id, RIGHT)
    assert answered(store, 1, 1) == SUPERSEDED, "the answer that came too late is no second one"
    assert store.entries() == []


def test_of_many_answers_at_a_time_one_is_stored(store: Submissions, file: Path) -> None:
    store.submit(1, job(1))
    answers = [replace(WRONG, sentence=str(index)) for index in range(8)]

    def give(answer: Answer) -> Answer | None:
        with closing(Register(file)) as register:  # as another process would
            own = Submissions(register)
            own.answer(job(1).id, answer)
            return answered(own, 1, 1)

    with ThreadPoolExecutor(8) as pool:
        seen = [*pool.map(give, answers)]
    assert len({answer.sentence for answer in seen if answer}) == 1
    assert answered(store, 1, 1) in answers


def test_retries_at_a_time_make_one_submission(store: Submissions) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: store.submit(1, job(1)), range(16)))
    assert order(store) == [job(1).id]


def test_a_job_is_sent_again_twice_and_then_answered(store: Submissions) -> None:
    store.submit(1, job(1))
    assert [store.take(job(1).id) for _ in range(MAX_SENDS)] == [job(1)] * MAX_SENDS
    assert store.take(job(1).id) is None
    assert answered(store, 1, 1) == LOST
    assert order(store) == []


def test_the_text_is_deleted_with_the_answer(store: Submissions, file: Path) -> None:
    store.submit(1, job(1))
    store.answer(job(1).id, RIGHT)
    assert answered(store, 1, 1) == RIGHT
    with closing(sqlite3.connect(file)) as other:
        assert other.execute("SELECT text, ratio FROM submissions").fetchall() == [(None, 1.5)]
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"secret" not in file.read_bytes()


@pytest.mark.parametrize("forget", ["leaves", "is forgotten"])
def test_who_leaves_leaves_no_submission(store: Submissions, room: Register, file: Path, forget: str) -> None:
    store.submit(1, job(1))
    store.answer(job(1).id, RIGHT)
    store.submit(1, job(2))
    room.leave(1) if forget == "leaves" else forget_attendees(file)
    assert (order(store), store.entries(), store.find(1)) == ([], [], None)
    store.answer(job(2).id, RIGHT)
    store.submit(1, job(3))
    assert (order(store), store.entries(), store.find(1)) == ([], [], None)


def test_cancelling_is_for_the_owner(store: Submissions) -> None:
    store.submit(1, job(1))
    store.cancel(2, job(1).id)
    assert answered(store, 1, 1) is None
    store.cancel(1, job(1).id)
    assert answered(store, 1, 1) == CANCELLED


def test_the_newest_answers_are_kept_besides_times(store: Submissions) -> None:
    store.submit(1, job(0))
    store.answer(job(0).id, RIGHT)
    for digit in range(1, KEPT_ANSWERS + 4):
        store.submit(1, job(digit))
        store.answer(job(digit).id, WRONG)
    store.submit(1, job(99))
    assert store.find(1, job(0).id), "it is on the board"
    assert store.find(1, job(3).id) is None
    assert store.find(1, job(4).id)


def test_the_board_has_the_best_time_of_each_attendee(store: Submissions) -> None:
    for digit, (number, exercise, milliseconds) in enumerate(
        [(1, "4", 4.0), (1, "4", 3.0), (1, "4", 5.0), (2, "4", 2.5), (2, "1", 9.0)]
    ):
        store.submit(number, job(digit, exercise))
        store.answer(job(digit).id, replace(RIGHT, times=replace(TIMES, script=milliseconds)))
    store.submit(3, job(7))
    store.answer(job(7).id, WRONG)
    first, second = entries_to_json(store.entries(), reader=1)
    assert (first["exercise"], second["exercise"]) == ("1", "4")
    assert [(entry["called"], entry["ratio"], entry["own"]) for entry in second["entries"]] == [
        ("number 2", 1.25, False),
        ("Ada", 1.5, True),
    ]
    store.strike(second["entries"][0]["id"])
    (_, struck) = entries_to_json(store.entries())
    assert [entry["called"] for entry in struck["entries"]] == ["Ada"]


def test_the_presenter_turns_the_board_off_and_on(store: Submissions, file: Path) -> None:
    assert store.board_is_on
    store.turn_board(on=False)
    with closing(Register(file)) as again:
        assert not Submissions(again).board_is_on
    store.turn_board(on=True)
    assert store.board_is_on


@pytest.mark.parametrize(
    "answer",
    [
        replace(RIGHT, times=replace(TIMES, limit=0.0)),
        replace(RIGHT, times=replace(TIMES, script=math.nan)),
        replace(RIGHT, times=replace(TIMES, script=-1.0)),
        replace(RIGHT, verdict={"figure": math.inf}),
        replace(RIGHT, verdict={"set": {1}}),
        replace(RIGHT, verdict={"text": "x" * 2_000_000}),
        None,
    ],
)
def test_an_answer_that_nobody_can_read_is_a_failure(store: Submissions, answer: Answer) -> None:
    store.submit(1, job(1))
    store.answer(job(1).id, answer)
    assert answered(store, 1, 1) == UNREADABLE
    assert store.entries() == []
    json.dumps(UNREADABLE.as_json(), allow_nan=False)
