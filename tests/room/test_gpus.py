"""The room's GPUs: what attendees may ask of them, and what happens when the process that speaks to them fails."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from starlette.types import Receive, Scope, Send

from tests.room import stand_in
from tests.room.loopback import Answer, asked, served
from tests.room.stand_in import GPU, SLOTS, jobs_of
from triton_workshop.attendance.board_key import board_link
from triton_workshop.attendance.jobs import MAX_SCRIPT_BYTES, Job, PoolStatus, Unreachable
from triton_workshop.attendance.register import Register
from triton_workshop.attendance.submissions import LOST, MAX_SENDS, UNREADABLE
from triton_workshop.cli import main
from triton_workshop.deck import load_deck
from triton_workshop.page.bundle import Blob, PageBundle
from triton_workshop.processes.wire import Connection
from triton_workshop.repository import ROOT
from triton_workshop.room import gpus
from triton_workshop.room.gpu_routes import NO_GPUS, NOT_REACHED, SUBMISSION_BURST
from triton_workshop.room.gpus import UNANSWERED
from triton_workshop.room.limits import MAX_BODY_BYTES
from triton_workshop.room.live_page import GPU_SCRIPTS, LivePage
from triton_workshop.room.messages import GpuPool
from triton_workshop.room.server import Server

SOLUTION = (ROOT / "solutions" / "exercise_4.py").read_text(encoding="utf-8")
PATIENCE_SECONDS = 30


@dataclass
class Attendee:
    """Somebody in the room, as a program asks for them."""

    address: str
    token: str
    number: int

    def ask(self, path: str, message: object = None) -> Answer:
        body = None if message is None else json.dumps(message, ensure_ascii=False).encode()
        return asked(f"{self.address}{path}", body, {"Authorization": f"Bearer {self.token}"})

    def submit(self, text: str = SOLUTION, id: str | None = None, **fields: object) -> str:
        answer = self.ask("gpus/submit", {"exercise": "4", "text": text, "id": id or uuid4().hex} | fields)
        assert answer.status == 202, answer.text
        return str(json.loads(answer.text)["id"])

    def job(self, id: str, query: str = "") -> dict[str, Any]:
        answer = self.ask(f"gpus/job/{id}{query}")
        assert answer.status == 200, answer.text
        found: dict[str, Any] = json.loads(answer.text)
        return found

    def answer(self, id: str) -> dict[str, Any]:
        """Wait for the answer, as a page does."""
        seen, end = "", time.monotonic() + PATIENCE_SECONDS
        while (job := self.job(id, f"?wait=5&seen={seen}"))["state"] != "answered":
            seen = f"{job['state']}-{job['place']}"
            assert time.monotonic() < end, job
        found: dict[str, Any] = job["answer"]
        return found


@dataclass
class Room:
    server: Server
    register: Register
    address: str
    pool: GpuPool

    def enter(self, name: str = "") -> Attendee:
        attendee = self.register.enter(name)
        return Attendee(self.address, attendee.token, attendee.number)

    def hold(self) -> None:
        Path(self.pool.address, "hold").touch()

    def release(self) -> None:
        Path(self.pool.address, "hold").unlink()


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    register, pool = Register(tmp_path / "room.sqlite"), stand_in.pool_at(tmp_path / "pool")
    server = Server(register, "", pool=pool)
    assert server.dispatcher is not None
    work, tasks = server.dispatcher.run, list[asyncio.Task[None]]()

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if not tasks:  # on the loop of the server, which has only just begun
            tasks.append(asyncio.create_task(work()))
        await server.app(scope, receive, send)

    with served(app) as address:
        room = Room(server, register, address, pool)
        eventually(lambda: room.enter().ask("gpus").status == 200)
        yield room


def eventually(is_so: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_room_without_gpus_says_so(tmp_path: Path) -> None:
    register = Register(tmp_path / "room.sqlite")
    server = Server(register, "")
    attendee = register.enter()
    with served(server.app) as address:
        ada = Attendee(address, attendee.token, attendee.number)
        for path in ("gpus", "gpus/job", "gpus/times"):
            assert (ada.ask(path).status, ada.ask(path).text) == (404, NO_GPUS)
        assert ada.ask("gpus/submit", {"exercise": "4", "text": ""}).status == 404
        assert asked(f"{address}gpus").status == 401
    assert server.stream.events_since(0) == b""


@pytest.mark.parametrize("gpus_here", [True, False])
def test_only_pages_of_a_room_with_gpus_have_their_scripts(tmp_path: Path, gpus_here: bool) -> None:
    (tmp_path / "deck.md").write_text("# A talk\n", encoding="utf-8")
    page = LivePage(PageBundle((Blob("a", b""),), ""), gpus=gpus_here)
    page.set_deck(load_deck(tmp_path / "deck.md"))
    text, style = (bytes(page.file(name).plain.body).decode() for name in ("", "style.css"))  # type: ignore[union-attr]
    assert [name in text for name in GPU_SCRIPTS] == [gpus_here] * 2
    assert [page.file(name) is not None for name in GPU_SCRIPTS] == [gpus_here] * 2
    assert (".gpu" in style) is gpus_here


def test_a_script_is_answered_and_its_time_is_on_the_board(room: Room) -> None:
    ada, bob = room.enter("Ada"), room.enter("Bob")
    assert json.loads(ada.ask("gpus").text) == {"gpus": [GPU], "slots": SLOTS}
    assert f'"key": "gpus", "value": {{"gpus": ["{GPU}"]'.encode() in room.server.stream.events_since(0)
    assert ada.answer(ada.submit("wrong = 1"))["outcome"] == "wrong"
    id = ada.submit()
    answer = ada.answer(id)
    assert (answer["outcome"], answer["gpu"]) == ("correct", GPU)
    assert answer["times"]["ratio"] == pytest.approx(answer["times"]["script"] / answer["times"]["limit"])
    assert ada.job(id, "?wait=20&seen=answered-0")["answer"] == answer, "nothing more will come"
    assert json.loads(ada.ask("gpus/job").text)["id"] == id
    assert bob.ask(f"gpus/job/{id}").status == bob.ask("gpus/job").status == 404
    board = json.loads(bob.ask("gpus/times").text)
    (entry,) = board["exercises"][0]["entries"]
    assert (board["on"], entry["called"], entry["own"], entry["ratio"]) == (
        True,
        "Ada",
        False,
        answer["times"]["ratio"],
    )


def test_the_place_in_the_queue_is_told_as_it_changes(room: Room) -> None:
    room.hold()
    everybody = [room.enter() for _ in range(SLOTS + 2)]
    ids = [attendee.submit() for attendee in everybody]
    eventually(lambda: everybody[0].job(ids[0])["state"] == "running")
    last = everybody[-1]
    eventually(lambda: last.job(ids[-1])["place"] == 2)
    assert last.job(ids[-1], "?wait=0&seen=waiting-2")["place"] == 2
    with ThreadPoolExecutor(1) as waiting:
        news = waiting.submit(last.job, ids[-1], "?wait=25&seen=waiting-2")
        assert everybody[0].ask("gpus/cancel", {"id": ids[0]}).status == 204
        assert news.result(PATIENCE_SECONDS)["place"] == 1
    room.release()
    outcomes = [attendee.answer(id)["outcome"] for attendee, id in zip(everybody, ids, strict=True)]
    assert outcomes == ["cancelled", "correct", "correct", "correct"]


def test_a_newer_script_takes_the_place_of_one_that_runs(room: Room) -> None:
    room.hold()
    ada = room.enter()
    first = ada.submit("wrong = 1")
    eventually(lambda: ada.job(first)["state"] == "running")
    second = ada.submit()
    assert ada.answer(first)["outcome"] == "superseded"
    room.release()
    assert ada.answer(second)["outcome"] == "correct"
    assert jobs_of(room.pool) == [first, second]


def test_who_leaves_frees_the_slot(room: Room) -> None:
    room.hold()
    ada = room.enter()
    id = ada.submit()
    eventually(lambda: ada.job(id)["state"] == "running")
    assert ada.ask("leave", {}).status == 204
    assert room.server.dispatcher is not None
    eventually(lambda: not room.server.dispatcher._sent)  # type: ignore[union-attr]
    assert ada.ask(f"gpus/job/{id}").status == 401


@pytest.mark.parametrize(
    ("message", "status", "words"),
    [
        ({"exercise": "99", "text": ""}, 400, "`exercise` has to be one of"),
        ({"exercise": "4"}, 400, "`text` has to be a script"),
        ({"exercise": "4", "text": "", "timed": 1}, 400, "`timed` has to be true or false"),
        ({"exercise": "4", "text": "", "id": "A" * 32}, 400, "32 hexadecimal digits"),
        ({"exercise": "4", "text": "", "id": ["a"]}, 400, "32 hexadecimal digits"),
        ([], 400, "expected a JSON object"),
        ({"exercise": "4", "text": "ä" * MAX_SCRIPT_BYTES}, 413, "at most 65,536 bytes; this one has 131,072"),
        ({"exercise": "4", "text": "a" * 7 * MAX_SCRIPT_BYTES}, 413, "may have at most"),
    ],
)
def test_what_is_no_script_is_refused_in_a_sentence(room: Room, message: object, status: int, words: str) -> None:
    answer = room.enter().ask("gpus/submit", message)
    assert (answer.status, words in answer.text) == (status, True), answer.text


def test_half_a_character_is_no_script(room: Room) -> None:
    ada = room.enter()
    body = b'{"exercise": "4", "text": "\\ud800"}'
    answer = asked(f"{room.address}gpus/submit", body, {"Authorization": f"Bearer {ada.token}"})
    assert (answer.status, answer.text) == (400, "This is no script for a GPU: `text` has half a character.")


def test_the_largest_script_is_accepted_and_other_bodies_stay_small(room: Room) -> None:
    ada = room.enter()
    assert ada.submit("#" * MAX_SCRIPT_BYTES)
    assert ada.ask("report", {"exercise": "1" * MAX_BODY_BYTES}).status == 413


def test_an_attendee_who_sends_too_fast_is_told_so_and_retries_are_free(room: Room) -> None:
    ada, bob = room.enter(), room.enter()
    ids = [ada.submit("wrong = 1") for _ in range(SUBMISSION_BURST)]
    refused = ada.ask("gpus/submit", {"exercise": "4", "text": ""})
    assert (refused.status, "too fast" in refused.text) == (429, True)
    assert ada.submit("wrong = 1", ids[-1]) == ids[-1]
    assert bob.submit()


def test_a_retry_makes_no_second_submission(room: Room) -> None:
    ada, id = room.enter(), uuid4().hex
    with ThreadPoolExecutor(4) as pool:
        assert {*pool.map(lambda _: ada.submit(id=id), range(4))} == {id}
    ada.answer(id)
    assert ada.submit(id=id) == id
    assert jobs_of(room.pool) == [id]
    assert room.enter().ask("gpus/submit", {"exercise": "4", "text": "", "id": id}).status == 400


def test_a_second_answer_changes_nothing(room: Room) -> None:
    ada = room.enter()
    id = ada.submit(f"{SOLUTION}\n{stand_in.TWICE}")
    first = ada.answer(id)
    assert first["outcome"] == "correct"
    assert ada.answer(ada.submit())["outcome"] == "correct", "the second answer has come before this one"
    assert ada.answer(id) == first


def test_a_job_is_sent_again_when_the_driver_dies(room: Room) -> None:
    ada, bob = room.enter(), room.enter()
    id = ada.submit(f"{SOLUTION}\n{stand_in.DIES_ONCE}")
    assert ada.answer(id)["outcome"] == "correct"
    assert jobs_of(room.pool) == [id, id]
    assert bob.answer(bob.submit())["outcome"] == "correct"


def test_a_job_that_the_driver_has_lost_is_sent_again(room: Room) -> None:
    ada = room.enter()
    id = ada.submit(f"{SOLUTION}\n{stand_in.LOST_ONCE}")
    assert ada.answer(id)["outcome"] == "correct"
    assert jobs_of(room.pool) == [id, id]


def test_the_presenter_reads_why_there_is_no_way_to_the_gpus(tmp_path: Path) -> None:
    register, pool = Register(tmp_path / "room.sqlite"), stand_in.pool_at(tmp_path / "pool")
    server = Server(register, "", pool=replace(pool, driver="tests.room.test_gpus:find_nothing"))
    assert server.dispatcher is not None
    ada = register.enter()

    async def work() -> None:
        assert server.dispatcher is not None
        running = asyncio.create_task(server.dispatcher.run())
        while not server.dispatcher.problem:
            await asyncio.sleep(0.01)
        running.cancel()

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))
    with served(server.app) as address:
        cookie = {"Cookie": asked(board_link(address, register.key)).headers["set-cookie"].partition(";")[0]}
        assert json.loads(asked(f"{address}board.json", headers=cookie).text)["guessed"] == "Nothing answers there."
        attendee = Attendee(address, ada.token, ada.number)
        assert attendee.ask("gpus").text == NOT_REACHED
        assert attendee.job(attendee.submit())["state"] == "unreachable"
    assert server.stream.events_since(0) == b"", "pages have no button yet"


def find_nothing(connection: Connection, _address: str) -> None:
    """A driver that finds no way to the GPUs."""
    connection.send(Unreachable("Nothing answers there."))


def test_a_job_that_kills_the_driver_each_time_is_answered_at_last(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus, "MIN_PAUSE_SECONDS", 0.01)
    ada = room.enter()
    id = ada.submit(stand_in.DIES)
    assert ada.answer(id)["sentence"] == LOST.sentence
    assert jobs_of(room.pool) == [id] * MAX_SENDS


def test_a_job_without_an_answer_is_answered_after_a_while(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a driver that does not even say that it has ended the job is started again."""
    monkeypatch.setattr(gpus, "ANSWER_SECONDS", 0.2)
    monkeypatch.setattr(gpus, "CANCEL_SECONDS", 0.2)
    ada, bob = room.enter(), room.enter()
    assert ada.answer(ada.submit(stand_in.SILENT))["sentence"] == UNANSWERED.sentence
    assert room.server.dispatcher is not None
    eventually(lambda: not room.server.dispatcher._sent)  # type: ignore[union-attr]
    monkeypatch.setattr(gpus, "ANSWER_SECONDS", 100)
    assert bob.answer(bob.submit())["outcome"] == "correct"


def test_an_answer_that_nobody_can_read_is_a_failure(room: Room) -> None:
    ada = room.enter()
    assert ada.answer(ada.submit(stand_in.GARBAGE))["sentence"] == UNREADABLE.sentence


def test_pages_stay_quick_while_the_driver_reads_nothing(tmp_path: Path) -> None:
    register = Register(tmp_path / "room.sqlite")
    server = Server(register, "", pool=GpuPool("", "tests.room.test_gpus:read_nothing"))

    async def work() -> float:
        assert server.dispatcher is not None
        longest, last = 0.0, time.monotonic()
        running = asyncio.create_task(server.dispatcher.run())
        for number in count():
            if number < 64:
                text = "#" * MAX_SCRIPT_BYTES
                attendee = await asyncio.to_thread(register.enter)
                job = Job(uuid4().hex, "4", text)
                await asyncio.to_thread(server.dispatcher._submissions.submit, attendee.number, job)
            await asyncio.sleep(0.01)
            longest, last = max(longest, time.monotonic() - last), time.monotonic()
            if len(server.dispatcher._sent) == 64:
                break
            assert number < 100 * PATIENCE_SECONDS
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return longest

    assert asyncio.run(work()) < 2


def read_nothing(connection: Connection, _address: str) -> None:
    """A driver that has many slots and hangs."""
    connection.send(PoolStatus((GPU,), 64))
    time.sleep(3600)


def test_the_presenter_strikes_entries_and_turns_the_board_off(room: Room) -> None:
    ada = room.enter("Ada")
    ada.answer(ada.submit())
    link = board_link(room.address, room.register.key)
    assert asked(f"{room.address}board/times/off", b"").status == 403
    cookie = {"Cookie": asked(link).headers["set-cookie"].partition(";")[0]}

    def times() -> dict[str, Any]:
        found: dict[str, Any] = json.loads(asked(f"{room.address}board.json", headers=cookie).text)["times"]
        return found

    assert asked(f"{room.address}board/times/off", b"", cookie).status == 204
    assert json.loads(ada.ask("gpus/times").text) == {"on": False, "exercises": []}
    (entry,) = times()["exercises"][0]["entries"]
    assert (times()["on"], entry["called"]) == (False, "Ada")
    assert asked(f"{room.address}board/times/on", b"", cookie).status == 204
    assert asked(f"{room.address}board/times/strike/{entry['id']}", b"", cookie).status == 204
    assert json.loads(ada.ask("gpus/times").text) == {"on": True, "exercises": []}
    assert asked(f"{room.address}board/times/elsewhere", b"", cookie).status == 404


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--gpus", "a@b:1"], "add --share"),
        (["--share", "--gpus", "10.0.0.7:10001"], "expected TOKEN@HOST:PORT"),
        (["--share", "--gpus", f"{'a' * 16}@b:1"], "uv sync --extra room --extra gpus"),
    ],
)
def test_gpus_that_cannot_serve_are_refused_in_a_sentence(
    options: list[str], words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ray" else find_spec(name))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "argv", ["workshop", "present", *options])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert words in " ".join(capsys.readouterr().err.split())
