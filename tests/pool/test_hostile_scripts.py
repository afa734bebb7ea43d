"""No script does harm: each gets an answer with a sentence, and the runner works afterwards."""

from __future__ import annotations

import os
import socket
import time
import tomllib
import uuid
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from triton_workshop.attendance.jobs import Answer, Job, Outcome
from triton_workshop.exercises import EXERCISES
from triton_workshop.pool import judging, sandbox, usage
from triton_workshop.pool.runner import Runner

pytestmark = pytest.mark.skipif(sandbox.refusal() is not None, reason=sandbox.refusal() or "")
HOSTILE: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("hostile.toml").read_text(encoding="utf-8"))
TRIES = [name for name, script in HOSTILE.items() if script["end"] == "correct"]
"""What fails and lets the script go on, so that one script tries all of it, one after the other."""
SOLUTION = EXERCISES["1"].solution
PRELUDE = "def harm(what): raise RuntimeError(f'HARM: {what}')\n"
SECRET = "do-not-read-this"
SLOTS = 2
"""Slots that run the scripts, as this machine has a core or two."""


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that no script may make."""
    return tmp_path_factory.mktemp("outside") / "witness"


@pytest.fixture(scope="module")
def answers(witness: Path) -> Iterator[dict[str, Future[Answer]]]:
    """The answers to all scripts, as they come."""
    patch = pytest.MonkeyPatch()
    patch.setattr(judging, "LIMIT_SECONDS", 8.0)
    patch.setattr(sandbox, "MEMORY_BYTES", 3 << 29)  # a process and two forks, whose memory counts for each
    patch.setattr(sandbox, "TEMPORARY_BYTES", 32 << 20)
    patch.setenv("SECRET_TOKEN", SECRET)
    secret = witness.with_name("secret")
    secret.write_text(SECRET, encoding="utf-8")
    runner = Runner(gpu=False, slots=SLOTS, spares=SLOTS)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{SECRET}{os.getpid()}")
        abstract.listen()
        values = {
            "PORT": str(server.getsockname()[1]),
            "SECRET": f"{SECRET}{os.getpid()}",
            "HOME_FOLDER": str(Path.home()),
            "FILE": str(secret),
            "REGISTER": str(witness.parent),
            "WITNESS": str(witness),
        }

        def run(text: str, script: dict[str, Any]) -> Answer:
            for word, value in values.items():
                text = text.replace(f"@{word}@", value)
            solution = SOLUTION
            for old, new in script.get("changes", ()):
                assert old in solution
                solution = solution.replace(old, new)
            timed = script.get("timed", script["end"] == "no times")
            return runner.run(Job(uuid.uuid4().hex, "1", PRELUDE + text + solution, timed))

        with ThreadPoolExecutor(SLOTS) as pool:
            tries = "".join(HOSTILE[name]["text"] for name in TRIES)
            together = pool.submit(run, tries, HOSTILE[TRIES[0]])
            others = {
                name: pool.submit(run, HOSTILE[name]["text"], HOSTILE[name]) for name in HOSTILE if name not in TRIES
            }
            yield others | dict.fromkeys(TRIES, together)
    runner.close()
    patch.undo()


@pytest.mark.parametrize("name", HOSTILE)
def test_script_does_no_harm(answers: dict[str, Future[Answer]], witness: Path, name: str) -> None:
    script, answer = HOSTILE[name], answers[name].result()
    assert "HARM" not in str(answer), answer
    expected = Outcome.WRONG if script["end"] == "wrong" else Outcome.CORRECT
    assert answer.outcome is expected, answer
    assert answer.sentence.endswith(".")
    assert len(answer.sentence) < 1000
    assert answer.sentence.isprintable()
    assert script.get("says", "") in answer.sentence, answer.sentence
    if script["end"] == "no times":
        assert answer.times is None, answer
    assert not witness.exists()


def test_runners_work_afterwards(answers: dict[str, Future[Answer]]) -> None:
    assert all(future.result() for future in answers.values())
    runner = Runner(gpu=False)
    assert runner.run(Job("after", "1", SOLUTION, timed=False)).outcome is Outcome.CORRECT
    runner.close()


def test_nothing_of_a_closed_runner_is_left() -> None:
    runner = Runner(gpu=False)
    runner.wait_until_ready()
    [spare] = runner._spares._warm
    processes = {spare._process.pid, *usage.processes_below(spare._process.pid)}
    assert len(processes) > 1
    runner.close()
    deadline = time.monotonic() + 10
    while processes & set(usage.processes_below(os.getpid())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not processes & set(usage.processes_below(os.getpid()))
