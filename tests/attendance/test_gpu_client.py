"""A script's way to the room's GPUs: sent once, waited for, cancelled."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from triton_workshop.attendance import gpu_client
from triton_workshop.attendance.gpu_client import describe_answer, run_on_a_gpu
from triton_workshop.attendance.jobs import MAX_SCRIPT_BYTES, Answer, Outcome, Times
from triton_workshop.attendance.membership import Membership, RefusedError, UnansweredError, join, membership_file
from triton_workshop.checking.reporting import progress
from triton_workshop.cli import main
from triton_workshop.exercises import EXERCISES

from .scripted import ENTERED, Scripted, scripted_room

CORRECT = Answer(Outcome.CORRECT, "Correct on an H200.", "H200", {"findings": []}, Times("4096²", 0.45, 0.3, 0.4, 0.42))
WRONG = Answer(
    Outcome.WRONG,
    "Wrong on an H200.",
    "H200",
    {"findings": [{"message": "4 elements differ", "line": 12, "hint": "Which rows?"}]},
)


def answered(state: str, place: int = 0, answer: Answer | None = None) -> tuple[int, bytes]:
    fields: dict[str, Any] = {"state": state, "place": place, "answer": answer and answer.as_json()}
    return 200, json.dumps(fields).encode()


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.setattr(gpu_client, "RETRY_SECONDS", 0.01)
    with scripted_room() as room:
        yield room


def run(room: Scripted, text: str = "x", stop: Event | None = None) -> tuple[Answer, list[str]]:
    shown: list[str] = []
    joined = Membership(room.address, "secret", 7, None)
    return run_on_a_gpu(joined, "4", text, timed=True, show=shown.append, stop=stop or Event()), shown


def test_an_answer_is_the_same_as_plain_data() -> None:
    for answer in (CORRECT, WRONG):
        assert Answer.from_json(json.loads(json.dumps(answer.as_json()))) == answer


def test_a_script_is_sent_and_its_place_is_shown_until_the_answer(room: Scripted) -> None:
    taken = 202, b'{"place": 3}'
    room.answers = [taken, answered("unreachable", 3), answered("waiting", 3), answered("waiting", 1)]
    room.answers.append(answered("running"))
    room.answers.append(answered("answered", 0, CORRECT))
    answer, shown = run(room)
    assert answer == CORRECT
    assert shown == [
        "waiting for the room's GPUs, which the presenter's machine does not reach now",
        "waiting for a GPU of the room, 2 before you",
        "next on a GPU of the room",
        "running on a GPU of the room",
    ]
    (path, token, message), *polls = room.heard
    assert (path, token) == ("/gpus/submit", "Bearer secret")
    assert (message["exercise"], message["text"], message["timed"]) == ("4", "x", True)
    assert [path.partition("?")[0] for path, *_ in polls] == [f"/gpus/job/{message['id']}"] * 5
    seen = [path.partition("seen=")[2] for path, *_ in polls]
    assert seen == ["", "unreachable-3", "waiting-3", "waiting-1", "running-0"]


def test_a_second_try_is_the_same_submission(room: Scripted) -> None:
    room.answers = [None, (500, b"no"), (202, b"{}"), None, (200, b"<html>"), answered("answered", 0, WRONG)]
    answer, shown = run(room)
    assert answer == WRONG
    assert len(shown) == 4
    assert all("trying again" in words for words in shown)
    assert len({message["id"] for _, _, message in room.heard if message}) == 1


@pytest.mark.parametrize("status", [404, 429, 413])
def test_a_refusal_is_the_rooms_sentence(room: Scripted, status: int) -> None:
    room.answers = [(status, b"This room has no GPUs.")]
    with pytest.raises(RefusedError, match=r"This room has no GPUs\."):
        run(room)


def test_a_long_script_is_not_sent(room: Scripted) -> None:
    with pytest.raises(RefusedError, match="at most 64 KB"):
        run(room, "x" * (MAX_SCRIPT_BYTES + 1))
    assert not room.heard


def test_nobody_waits_for_ever(room: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_client, "PATIENCE_SECONDS", 0.05)
    room.answers = [None] * 1000
    with pytest.raises(UnansweredError):
        run(room)


def test_who_stops_cancels_the_job(room: Scripted) -> None:
    room.answers = [(202, b"{}"), answered("waiting", 2)]
    stop, shown = Event(), []

    def show(words: str) -> None:
        shown.append(words)
        stop.set()

    joined = Membership(room.address, "secret", 7, None)
    answer = run_on_a_gpu(joined, "4", "x", timed=False, show=show, stop=stop)
    assert answer.outcome is Outcome.CANCELLED
    (_, _, sent), _, (path, _, message) = room.heard
    assert (path, message) == ("/gpus/cancel", {"id": sent["id"]})


def test_an_answer_has_its_finding_and_its_times() -> None:
    assert [*describe_answer(WRONG)] == [
        ("✗", "Wrong on an H200."),
        ("", "4 elements differ (line 12)"),
        ("hint", "Which rows?"),
    ]
    once = replace(WRONG, sentence="4 elements differ (in line 12).")
    capital = replace(
        WRONG, sentence="Never written (in line 12).", verdict={"findings": [{"message": "never written"}]}
    )
    assert [len([*describe_answer(answer)]) for answer in (once, capital)] == [2, 1]
    rows = dict(describe_answer(CORRECT))
    assert rows["✓"] == "Correct on an H200."
    assert rows["size"] == "4096²"
    assert rows["yours"].split() == ["0.450", "ms", "1.50", "×", "the", "limit"]
    assert rows["limit"].split()[2] == "1.00"


Workshop = Callable[..., tuple[int, str, str]]


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Workshop:
    """Runs a command in this process; returns its status, and what it printed to both."""
    monkeypatch.setenv(progress.FOLDER_VARIABLE, str(tmp_path))

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["workshop", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return ended.value.code, *capsys.readouterr()

    return run


@pytest.mark.parametrize(("command", "timed"), [("check", False), ("bench", True)])
def test_check_and_bench_run_on_the_rooms_gpus(room: Scripted, workshop: Workshop, command: str, timed: bool) -> None:
    room.answers = [(200, ENTERED), (202, b"{}"), answered("answered", 0, CORRECT)]
    join(room.address, "KLMR", "Ada", membership_file())
    arguments = command, "4", "--file", str(EXERCISES["4"].solution_file), "--room-gpu"
    status, printed, _ = workshop(*arguments)
    assert status == 0
    assert "Correct on an H200." in printed
    _, (_, _, message), _ = room.heard
    assert (message["timed"], message["text"]) == (timed, EXERCISES["4"].solution)
    room.answers = [(202, b"{}"), answered("answered", 0, WRONG)]
    status, printed, _ = workshop(*arguments, "--json")
    assert status == 1
    assert json.loads(printed)["outcome"] == "wrong"


def test_without_a_room_the_option_says_how_to_join_one(workshop: Workshop) -> None:
    status, _, reason = workshop("check", "4", "--room-gpu")
    assert status == 2
    assert "uv run workshop join ADDRESS" in " ".join(reason.split())


def test_a_room_without_gpus_says_so(room: Scripted, workshop: Workshop) -> None:
    room.answers = [(200, ENTERED), (404, b"This room has no GPUs.")]
    join(room.address, "KLMR", "Ada", membership_file())
    status, _, reason = workshop("bench", "4", "--room-gpu", "--plain")
    assert status == 2
    assert "the room does not run it: This room has no GPUs." in " ".join(reason.split())
