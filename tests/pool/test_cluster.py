"""`workshop gpus` and the driver, with a Ray of their own and a runner that stands in for sandboxes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.pool.stand_in import NOTES
from triton_workshop.attendance.jobs import Answer, Answered, Cancel, Job, Lost, Outcome, PoolStatus, Unreachable
from triton_workshop.pool.cluster import STATE_FOLDER
from triton_workshop.pool.driver import serve_jobs
from triton_workshop.processes.call import Call, EndedError, start
from triton_workshop.repository import ROOT

pytestmark = pytest.mark.skipif(
    find_spec("ray") is None or sys.platform != "linux", reason="needs Linux, and Ray: uv sync --extra gpus"
)
SECONDS = 60.0
"""Seconds that anything may take on a busy machine."""
RUNNER = "tests.pool.stand_in:Runner"
NEVER = 1000.0
LEASE_SECONDS = 8.0
"""Seconds that an actor lives that no driver asks for its status."""


@dataclass
class Cluster:
    """A running `workshop gpus` with two slots."""

    command: subprocess.Popen[bytes]
    printed: Path
    notes: Path
    port: int
    token: str

    def text(self) -> str:
        return self.printed.read_text(encoding="utf-8")

    def noted(self) -> list[list[str]]:
        """Lines of the runners: time, process, what, job."""
        return [line.split() for line in self.notes.read_text(encoding="utf-8").splitlines()]

    def actor(self) -> int:
        """The process that started a runner last."""
        return next(int(line[1]) for line in reversed(self.noted()) if line[2].startswith("runner"))

    def processes(self) -> dict[int, str]:
        """All processes that have inherited the environment of this cluster."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if str(self.notes).encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "comm").read_text().strip()
        return found


def wait_for(condition: Callable[[], object], seconds: float = SECONDS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def free_ports() -> int:
    """A port that is free, and so is the next one below."""
    while True:
        with socket.socket() as upper, socket.socket() as lower:
            upper.bind(("127.0.0.1", 0))
            port: int = upper.getsockname()[1]
            with suppress(OSError):
                lower.bind(("127.0.0.1", port - 1))
                return port


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    folder, port = tmp_path_factory.mktemp("gpus"), free_ports()
    printed, notes = folder / "printed", folder / "notes"
    variables = os.environ | {NOTES: str(notes), STATE_FOLDER: str(folder), "PYTHONPATH": str(ROOT), "COLUMNS": "80"}
    options = ["--port", str(port), "--host", "127.0.0.1", "--slots", "2", "--uncontained"]
    with printed.open("wb") as output:
        command = subprocess.Popen(
            [sys.executable, "-c", "from triton_workshop.cli import main; main()", "gpus", *options],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=variables | {"TRITON_INTERPRET": "1"},
            start_new_session=True,
        )
    try:
        found = Cluster(command, printed, notes, port, "")
        wait_for(lambda: "Ctrl+C" in found.text() or command.poll() is not None)
        assert command.poll() is None, found.text()
        found.token = (folder / "token").read_text(encoding="ascii")
        yield found
    finally:
        command.send_signal(signal.SIGHUP)  # as a closed terminal does
        command.wait(SECONDS)
    wait_for(lambda: not found.processes(), 10)


@contextmanager
def driver(cluster: Cluster, *, idle: float = NEVER, token: str = "") -> Iterator[Call]:
    """A driver, which has said what there is."""
    address = f"{token or cluster.token}@127.0.0.1:{cluster.port}"
    with (
        Path(os.devnull).open("wb") as nothing,
        start(serve_jobs, address, idle, LEASE_SECONDS, RUNNER, output=nothing.fileno()) as call,
    ):
        if not token:
            assert call.next_message(SECONDS) == PoolStatus(("the simulator",), 2)
        yield call


def job(seconds: float) -> Job:
    return Job(uuid.uuid4().hex, "1", str(seconds))


def answers(call: Call, count: int) -> dict[str, Answer]:
    """The next answers, by job."""
    found = {}
    for _ in range(count):
        message = call.next_message(SECONDS)
        assert isinstance(message, Answered), message
        assert message.id not in found
        found[message.id] = message.answer
    return found


def run(call: Call, *jobs: Job) -> dict[str, Answer]:
    for each in jobs:
        call.send(each)
    return answers(call, len(jobs))


def until_the_end(call: Call) -> Iterator[object]:
    with suppress(EndedError):
        while True:
            yield call.next_message(SECONDS)


def test_the_screen_says_what_to_type_where(cluster: Cluster) -> None:
    text = cluster.text()
    here = f"{cluster.token}@127.0.0.1:{cluster.port}"
    further = f"{cluster.token}@127.0.0.1:{cluster.port - 1}"
    assert f"uv run --extra room --extra gpus workshop present --share lan --gpus {here}" in text
    assert f"uv run --extra gpus workshop gpus --ray {further}" in text
    assert f"ray start --address=127.0.0.1:{cluster.port - 1}" in text
    assert "the simulator  2 scripts at a time" in text


def test_nobody_reads_the_token_in_an_environment(cluster: Cluster) -> None:
    for process in cluster.processes():
        with suppress(FileNotFoundError):
            assert cluster.token.encode() not in Path(f"/proc/{process}/environ").read_bytes()


def test_jobs_run_at_once_and_each_has_its_answer(cluster: Cluster) -> None:
    with driver(cluster) as call:
        jobs = [job(0.5) for _ in range(4)]
        found = run(call, *jobs)
    assert found == {each.id: Answer(Outcome.CORRECT, f"Right: {each.id}.") for each in jobs}
    checks = [line[2] for line in cluster.noted() if line[2:] and line[-1] in found]
    assert checks[:2] == ["check", "check"]
    assert checks.count("checked") == 4


def test_a_running_job_can_be_cancelled_and_so_can_one_that_waits(cluster: Cluster) -> None:
    with driver(cluster) as call:
        endless, others = [job(NEVER), job(NEVER)], [job(NEVER)]
        for each in endless + others:
            call.send(each)
        for each in others + endless:
            call.send(Cancel(each.id))
        found = answers(call, 3)
        assert {answer.outcome for answer in found.values()} == {Outcome.CANCELLED}
        assert [answer.outcome for answer in run(call, job(0)).values()] == [Outcome.CORRECT]


def test_a_dead_actor_loses_its_jobs_and_comes_back(cluster: Cluster) -> None:
    with driver(cluster) as call:
        run(call, job(0))
        lost, actor = job(NEVER), cluster.actor()
        call.send(lost)
        wait_for(lambda: any(line[2:] == ["check", lost.id] for line in cluster.noted()))
        os.kill(actor, signal.SIGKILL)
        assert call.next_message(SECONDS) == Lost(lost.id, "The process that ran it has ended.")
        assert [answer.outcome for answer in run(call, job(0)).values()] == [Outcome.CORRECT]
        assert cluster.actor() != actor


def test_a_job_that_fails_in_its_runner_is_lost_and_others_run(cluster: Cluster) -> None:
    with driver(cluster) as call:
        wrong = Job(uuid.uuid4().hex, "1", "no number", False)
        call.send(wrong)
        message = call.next_message(SECONDS)
        assert isinstance(message, Lost)
        assert message.id == wrong.id
        assert "no number" in message.reason
        assert len(run(call, job(0), job(0))) == 2


def test_actors_end_when_idle_and_the_next_job_brings_them_back(cluster: Cluster) -> None:
    with driver(cluster, idle=0.5) as call:
        run(call, job(0))
        actor = cluster.actor()
        wait_for(lambda: actor not in cluster.processes())
        assert [line[2] for line in cluster.noted() if int(line[1]) == actor][-1:] == ["closed"]
        assert [answer.outcome for answer in run(call, job(0)).values()] == [Outcome.CORRECT]
    assert cluster.actor() != actor


def test_a_wrong_token_is_refused_in_a_sentence(cluster: Cluster) -> None:
    with driver(cluster, token="0" * 32) as call:
        message = call.next_message(SECONDS)
    assert isinstance(message, Unreachable)
    assert "not to this token" in message.reason
    assert "000" not in message.reason


def test_ray_starts_again_when_its_raylet_dies(cluster: Cluster) -> None:
    with driver(cluster) as call:
        call.send(job(NEVER))
        raylet = next(process for process, name in cluster.processes().items() if name == "raylet")
        os.kill(raylet, signal.SIGKILL)
        assert not any(isinstance(message, Answered) for message in until_the_end(call))
    wait_for(lambda: "Ray runs again" in cluster.text())
    with driver(cluster) as call:
        assert [answer.outcome for answer in run(call, job(0)).values()] == [Outcome.CORRECT]
