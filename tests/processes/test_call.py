"""A function in a process of its own: what it sends arrives, and however it ends, it says so and is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import called
import pytest

from processes import dies
from triton_workshop.processes import call
from triton_workshop.processes.call import Call, EndedError, TimeIsUpError, TimeLimit
from triton_workshop.processes.process import CAN_FORK
from triton_workshop.processes.runner import Runner

TESTS = Path(__file__).parents[1]
Begin = Callable[..., Call]
WAYS = ["new", "fork"] if CAN_FORK else ["new"]


@pytest.fixture
def output(tmp_path: Path) -> Iterator[IO[bytes]]:
    with (tmp_path / "output").open("wb+") as file:
        yield file


@pytest.fixture(params=WAYS)
def begin(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, output: IO[bytes]) -> Begin:
    def in_a_new_process(*arguments: object, **options: object) -> Call:
        variables = os.environ | {"PYTHONPATH": str(TESTS)}
        return call.start(*arguments, output=output.fileno(), variables=variables, **options)  # type: ignore[arg-type]

    def in_a_fork(*arguments: object, **options: object) -> Call:
        return call.fork(*arguments, output=output.fileno(), **options)  # type: ignore[arg-type]

    return in_a_new_process if request.param == "new" else in_a_fork


@pytest.fixture
def warm_call(monkeypatch: pytest.MonkeyPatch, output: IO[bytes], warm: Runner) -> Begin:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))  # the parent has another, but the same way to this function
    with Runner() as runner:
        yield lambda *arguments: runner.call(*arguments, output=output.fileno(), patience=60)


def text_of(output: IO[bytes]) -> str:
    output.seek(0)
    return output.read().decode()


def test_messages_come_in_order_and_then_the_end(begin: Begin) -> None:
    with begin(called.echoes, 1, b"x" * 1_000_000, "last") as talk:
        assert list(talk.messages()) == [1, b"x" * 1_000_000, "last"]


def test_it_answers(begin: Begin) -> None:
    with begin(called.answers) as talk:
        messages = talk.messages()
        for word in ("one", "two"):
            talk.send(word)
            assert next(messages) == word
        talk.send("enough")
        assert list(messages) == []


def test_what_it_prints_is_apart_from_its_messages_and_its_input_is_empty(
    begin: Begin, output: IO[bytes], capfd: pytest.CaptureFixture[str]
) -> None:
    with capfd.disabled(), begin(called.prints) as talk:
        assert list(talk.messages()) == [b""]
    assert sorted(text_of(output).splitlines()) == ["complained", "printed", "written"]


@pytest.mark.parametrize(("code", "words"), [(0, "exit 0"), (7, "exit 7")])
def test_a_process_that_ends_before_its_function_says_how(begin: Begin, code: int, words: str) -> None:
    with begin(called.ends, code) as talk:
        messages = talk.messages()
        assert next(messages) == "begun"
        with pytest.raises(EndedError, match=words):
            next(messages)


def test_an_error_is_printed(begin: Begin, output: IO[bytes], capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled(), begin(called.fails) as talk, pytest.raises(EndedError, match="exit 1"):
        next(talk.messages())
    assert "FileNotFoundError" in text_of(output)


def test_a_message_that_cannot_be_read_is_the_end(begin: Begin) -> None:
    with begin(called.sends_what_nobody_knows) as talk, pytest.raises(EndedError):
        list(talk.messages())


def test_it_can_be_closed_twice(begin: Begin) -> None:
    with begin(called.echoes, 1) as talk:
        assert list(talk.messages()) == [1]
    talk.close()
    talk.stop()


def test_a_limit_names_the_line(begin: Begin) -> None:
    file = Path(called.__file__)
    with begin(called.loops, limit=TimeLimit(0.3, file)) as talk:
        messages = talk.messages()
        process = next(messages)
        with pytest.raises(TimeIsUpError) as error:
            next(messages)
    assert file.read_text(encoding="utf-8").splitlines()[(error.value.line or 0) - 1].strip() in (
        "time.sleep(0.01)",
        "while True:",
    )
    assert isinstance(process, int)
    assert dies(process)


def test_it_can_be_stopped_from_another_thread(begin: Begin) -> None:
    with begin(called.is_interrupted) as talk:
        messages = talk.messages()
        next(messages)
        talk.stop()
        assert list(messages) == ["interrupted"]


def test_who_is_deaf_to_a_stop_is_killed(begin: Begin) -> None:
    with begin(called.loops) as talk:
        messages = talk.messages()
        process = next(messages)
        os.kill(process, signal.SIGSTOP)  # type: ignore[arg-type]
        talk.stop()
        with pytest.raises(EndedError, match="SIGKILL"):
            next(messages)


def test_what_it_leaves_does_not_hold_up_the_end(begin: Begin) -> None:
    """Though it holds the pipe open."""
    with begin(called.leaves_somebody) as talk:
        messages = talk.messages()
        left = next(messages)
        before = time.monotonic()
        with pytest.raises(EndedError, match="exit 3"):
            next(messages)
    assert time.monotonic() - before < 30
    os.kill(left, signal.SIGKILL)  # type: ignore[arg-type]


def test_its_group_goes_with_it(begin: Begin) -> None:
    with begin(called.starts_children) as talk:
        process, inside, outside = next(talk.messages())  # type: ignore[misc]
    assert dies(process)
    assert dies(inside)
    os.kill(outside, signal.SIGKILL)


@pytest.mark.skipif(not CAN_FORK, reason="there are no forks here")
def test_a_fork_ends_with_whoever_has_forked_it(tmp_path: Path) -> None:
    program = (
        "import called; from triton_workshop.processes import call; "
        "print(next(call.fork(called.loops, output=2).messages()), flush=True); input()"
    )
    variables = os.environ | {"PYTHONPATH": str(TESTS)}
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, env=variables, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
    assert dies(child)


@pytest.mark.skipif(sys.platform != "linux", reason="warm processes are forks, on Linux only")
class TestWarm:
    """Calls in a fork of a warm parent."""

    def test_messages_come_and_the_process_has_torch(self, warm_call: Begin) -> None:
        with warm_call("called:says_what_is_imported") as talk:
            [imported] = talk.messages()
        assert {"torch", "triton"} <= set(imported)  # type: ignore[call-overload]

    def test_nothing_is_left_of_one_that_has_gone(self, warm_call: Begin) -> None:
        with warm_call("called:starts_children") as talk:
            family = next(talk.messages())
        assert all(map(dies, family))  # type: ignore[arg-type]

    def test_one_that_ends_says_so(self, warm_call: Begin) -> None:
        with warm_call("called:ends", 7) as talk:
            messages = talk.messages()
            assert next(messages) == "begun"
            with pytest.raises(EndedError, match="exit 7"):
                next(messages)

    def test_an_error_is_all_that_is_said_about_it(self, warm_call: Begin, output: IO[bytes]) -> None:
        with warm_call("called:fails") as talk, pytest.raises(EndedError, match="exit 1"):
            next(talk.messages())
        assert text_of(output).splitlines()[-1].startswith("FileNotFoundError")

    def test_one_that_is_stopped_before_it_has_begun_does_not_begin(self, warm_call: Begin) -> None:
        with warm_call("called:loops") as talk:
            talk.stop()
            with pytest.raises(EndedError):
                list(talk.messages())
